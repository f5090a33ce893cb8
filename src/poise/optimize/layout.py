"""Where the variables of a trajectory stand: frame by frame pose, root velocities, contact forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.optimize.rows import Array, Ints
from poise.optimize.task import Task


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A candidate, frames 0 to N."""

    qpos: Array  # (N + 1, nq)
    root: Array  # (N + 1, 6) velocity of the root in the state; none at frame 0
    ahead: Array  # (N + 1, 3) m/s: velocity of the root that the step from this frame predicts; none at 0 and N
    force: Array  # (N + 1, C, 3) in body weights, in the step from this frame


@dataclass(frozen=True, eq=False)
class Layout:
    """Numbers of variables; -1 where there is none."""

    pose: Ints  # (N + 1, nv)
    root: Ints  # (N + 1, 6)
    ahead: Ints  # (N + 1, 3)
    force: Ints  # (N + 1, C, 3)
    size: int
    bandwidth: int


def bearing(task: Task) -> NDArray[np.bool_]:
    """(N + 1, C, 3) forces that may act in the step from each frame; for a cycle, also those of the first step again at N.

    What touches at the end of a step is stopped by the ground in this step; friction needs it to touch at both ends.
    """
    down = task.balls.down
    held = np.isfinite(task.balls.place[:, 0])
    normal = np.zeros_like(down)
    normal[:-1] = down[1:]
    both = normal & down
    out = np.stack([both | (normal & held), both | (normal & held), normal], axis=2)
    out[0] = out[-1] = False
    if task.closure is not None:
        out[-1] = out[1]
    return out


def layout_of(task: Task) -> Layout:
    """Variables in order of time, so that what is coupled is near."""
    frames, nv = len(task.wished), task.body.nv
    acting = bearing(task)
    pose, root = np.full((frames, nv), -1, np.int64), np.full((frames, 6), -1, np.int64)
    ahead, force = np.full((frames, 3), -1, np.int64), np.full(acting.shape, -1, np.int64)
    start = 0
    for k in range(frames):
        pose[k] = start + np.arange(nv)
        start += nv
        if k > 0:
            root[k] = start + np.arange(6)
            start += 6
        if 0 < k < frames - 1:
            ahead[k] = start + np.arange(3)
            start += 3
        count = np.count_nonzero(acting[k])
        force[k][acting[k]] = start + np.arange(count)
        start += count
    reach = np.max(root[2:].max(axis=1) - pose[:-2].min(axis=1), initial=0)
    forces = force.reshape(frames, -1)
    for k in range(1, frames - 1):
        pair = np.concatenate([forces[k], forces[k + 1]])
        pair = pair[pair >= 0]
        reach = max(reach, int(np.ptp(pair)) if pair.size else 0)
    return Layout(pose, root, ahead, force, start, int(reach))
