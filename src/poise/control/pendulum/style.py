"""What of a walk is kept, whatever the balance asks for: posture, how feet swing, how wide and quick steps are.

A stride of the reference is cut out, from a strike of the left foot to the next, and closed; everything is told in a
frame that travels and turns with it, step by step: phase 0 is the strike of the foot that will stand, 1 the other's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.carrying import carried, heading
from poise.body.poses import PoseSpace
from poise.control.pendulum.legs import Legs
from poise.frozen import readonly
from poise.reference import Reference
from poise.reference.parts import contact_parts
from poise.spatial import Array, continuous_quat, matrix_to_quat, yaw_of

SAMPLES = 25
"""Of a step, both ends included."""
RATE = 120.0
"""1/s: how densely a reference is listened to."""
LISTENED = 6.0
"""s of a reference that are listened to."""
BOW = 0.03
"""m: the most by which a foot swings to the side of the straight way: references do not mind their other leg."""
QUICKEST = 0.15
"""s: strikes of the two feet nearer to each other are no steps."""


class Sample(NamedTuple):
    """A moment of a step, in the frame of its heading; legs: the standing one first."""

    pose: Array  # (nq,) the place of its root is without meaning
    across: Array  # (2, 3) where the axes of the knees point to
    foot: Array  # (2, 4) how the feet are turned
    leg: float  # m from the standing ankle to its hip
    rise: float  # m by which the standing ankle is lifted from where it is when the foot is flat
    away: float  # m along the ground from that ankle to its hip
    clear: float  # m of the swinging foot above the ground
    progress: float  # of the swinging foot's way: 0 where it was, 1 where it lands
    bow: float  # m to the left of the straight way


@dataclass(frozen=True, eq=False)
class Style:
    """A walk's manner. First axis: which foot stands, left first."""

    pose: Array  # (2, S, nq)
    across: Array  # (2, S, 2, 3)
    foot: Array  # (2, S, 2, 4)
    leg: Array  # (2, S) m
    rise: Array  # (2, S) m
    away: Array  # (2, S) m
    clear: Array  # (2, S) m
    progress: Array  # (2, S)
    bow: Array  # (2, S) m
    lifts: Array  # (2,) phase at which the trailing foot leaves the ground
    duration: float  # s of a step
    speed: float  # m/s
    width: float  # m between the feet

    def at(self, stance: int, phase: float) -> Sample:
        """A moment of the step on a foot."""
        x = min(max(phase, 0.0), 1.0) * (SAMPLES - 1)
        i = min(int(x), SAMPLES - 2)
        u = x - i
        pose = (1.0 - u) * self.pose[stance, i] + u * self.pose[stance, i + 1]

        def mixed(values: Array) -> Array:
            return np.asarray((1.0 - u) * values[stance, i] + u * values[stance, i + 1])

        return Sample(
            pose, mixed(self.across), mixed(self.foot), float(mixed(self.leg)), float(mixed(self.rise)), float(mixed(self.away)), float(mixed(self.clear)),
            float(mixed(self.progress)), float(mixed(self.bow)),
        )  # fmt: skip


class _Heard(NamedTuple):
    """Frames of a reference."""

    qpos: Array  # (T, nq)
    down: NDArray[np.bool_]  # (T, 2) which feet bear


def style_of(reference: Reference, body: Body, legs: Legs) -> Style:
    """The manner of a reference's walk; of one that does not walk, that of plain steps in its first pose."""
    heard = _listen(reference, body)
    stride = _stride(heard, body)
    return plain_style(body, legs, heard.qpos[0]) if stride is None else _cut(heard.qpos, heard.down, stride, body, legs)


def _listen(reference: Reference, body: Body) -> _Heard:
    seconds = min(reference.duration or LISTENED, LISTENED)
    targets = [reference.at(t) for t in np.arange(0.0, seconds, 1 / RATE)]
    parts = contact_parts(body)
    feet = [[i for i, part in enumerate(parts) if part.limb == foot.name] for foot in body.feet]
    silent = targets[0].down is None
    down = np.zeros((len(targets), 2), bool) if silent else np.array(
        [[bool(np.any(t.down[own])) for own in feet] for t in targets]  # type: ignore[index]
    )  # fmt: skip
    return _Heard(np.array([t.qpos for t in targets]), down)


def _strikes(down: NDArray[np.bool_]) -> list[int]:
    """Frames at which a foot comes down."""
    return [int(k) for k in np.flatnonzero(down[1:] & ~down[:-1]) + 1]


def _stride(heard: _Heard, body: Body) -> tuple[int, int, int] | None:
    """Frames of three strikes, left, right, left, between whose ends poses differ least."""
    left, right = (_strikes(heard.down[:, foot]) for foot in (0, 1))
    least = QUICKEST * RATE
    found = []
    for first, last in zip(left[:-1], left[1:], strict=True):
        between = [k for k in right if first + least < k < last - least]
        if len(between) == 1:
            ends = PoseSpace(body).difference(heard.qpos[[first]], heard.qpos[[last]])[0]
            found.append((float(np.sum(ends[6:] ** 2)), (first, between[0], last)))
    return min(found)[1] if found else None


def _cut(qpos: Array, down: NDArray[np.bool_], stride: tuple[int, int, int], body: Body, legs: Legs) -> Style:
    first, middle, last = stride
    frames = _closed(_headed(qpos[first : last + 1]), body)
    figure = _figure(frames, body, legs)
    steps = ((0, middle - first), (middle - first, last - first))
    count = np.array([b - a for a, b in steps])
    pieces = [_step(figure, frames, body, a, b, stance) for stance, (a, b) in enumerate(steps)]
    lifts = []
    for stance, (a, b) in enumerate(steps):
        trailing = down[first + a : first + b, 1 - stance]
        lifts.append(np.argmin(trailing) / (b - a) if not trailing.all() else 0.2)
    way = frames[-1, 0] - frames[0, 0]
    return Style(
        *(readonly(np.stack([piece[i] for piece in pieces])) for i in range(9)),
        lifts=readonly(np.clip(np.array(lifts, float), 0.02, 0.4)),
        duration=float(count.mean() / RATE),
        speed=float(way / (count.sum() / RATE)),
        width=float(np.mean(figure.ankle[[b for _, b in steps], 0, 1] - figure.ankle[[b for _, b in steps], 1, 1])),
    )


def _headed(qpos: Array) -> Array:
    """A stride turned so that it heads along x on the whole; what it turns by is taken out frame by frame."""
    yaw = np.unwrap(yaw_of(qpos[:, 3:7]))
    turn = np.linspace(0.0, yaw[-1] - yaw[0], len(yaw))
    mean = float(np.mean(yaw - turn))
    out = np.array([carried(q, heading(-mean - t), np.zeros(3)) for q, t in zip(qpos, turn, strict=True)])
    steps = np.diff(qpos[:, :2], axis=0)
    back = -(mean + 0.5 * (turn[1:] + turn[:-1]))
    cos, sin = np.cos(back), np.sin(back)
    path = np.cumsum(np.stack([cos * steps[:, 0] - sin * steps[:, 1], sin * steps[:, 0] + cos * steps[:, 1]], 1), axis=0)
    out[:, :2] = np.vstack([np.zeros(2), path])
    return out


def _closed(frames: Array, body: Body) -> Array:
    """A stride whose last pose is its first, but for how far it got: what differs is spread over all of it."""
    space = PoseSpace(body)
    gap = space.difference(frames[[-1]], frames[[0]])[0]
    gap[0] = 0.0
    return space.moved(frames, np.linspace(0.0, 1.0, len(frames))[:, None] * gap)


class _Figure(NamedTuple):
    com: Array  # (T, 3) m
    ankle: Array  # (T, 2, 3) m
    foot: Array  # (T, 2, 3, 3)
    hip: Array  # (T, 2, 3) m
    axis: Array  # (T, 2, 3) of the knees
    clear: Array  # (T, 2) m of the lowest points of the feet above the ground


def _figure(frames: Array, body: Body, legs: Legs) -> _Figure:
    model, data = body.model, mujoco.MjData(body.model)
    feet = [body.link_id(foot.link) for foot in body.feet]
    shanks = [int(model.body_parentid[link]) for link in feet]
    thighs = [int(model.body_parentid[link]) for link in shanks]
    rows = []
    for frame in frames:
        data.qpos[:] = frame
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        turn = data.xmat[feet].reshape(2, 3, 3)
        axis = np.einsum("kij,kj->ki", data.xmat[shanks].reshape(2, 3, 3), legs.axis)
        low = data.xpos[feet, 2] + np.einsum("kj,knj->kn", turn[:, 2], legs.sole[:, :4]).min(axis=1)
        rows.append((data.subtree_com[1].copy(), data.xpos[feet].copy(), turn.copy(), data.xpos[thighs].copy(), axis, low))
    com, ankle, foot, hip, axis, clear = (np.array(column) for column in zip(*rows, strict=True))
    return _Figure(com, ankle, foot, hip, axis, clear - clear.min(axis=0))


def _step(figure: _Figure, frames: Array, body: Body, a: int, b: int, stance: int) -> tuple[Array, ...]:
    """The arrays of a step between two frames, at SAMPLES phases."""
    at = np.round(np.linspace(a, b, SAMPLES)).astype(int)
    pair = [stance, 1 - stance]
    swing = figure.ankle[at, 1 - stance]
    base = figure.ankle[a + int(np.argmin(figure.ankle[a : b + 1, stance, 2])), stance]
    way = swing[-1, :2] - swing[0, :2]
    progress = (swing[:, :2] - swing[0, :2]) @ way / max(float(way @ way), 1e-6)
    clear = figure.clear[at, 1 - stance]
    straight = swing[0, 1] + progress * way[1]
    return (
        PoseSpace(body).moved(frames[at], np.zeros((SAMPLES, body.nv))),
        figure.axis[at][:, pair],
        continuous_quat(matrix_to_quat(figure.foot[at][:, pair])),
        np.linalg.norm(figure.hip[at, stance] - figure.ankle[at, stance], axis=1),
        np.maximum(figure.ankle[at, stance, 2] - base[2], 0.0),
        np.linalg.norm((figure.hip[at, stance] - figure.ankle[at, stance])[:, :2], axis=1),
        np.maximum(clear - np.interp(np.arange(SAMPLES), [np.argmin(clear[:8]), SAMPLES - 1], clear[[np.argmin(clear[:8]), -1]]), 0.0),
        np.clip(progress, 0.0, 1.0),
        np.clip(swing[:, 1] - straight, -BOW, BOW),
    )


def plain_style(body: Body, legs: Legs, pose: Array) -> Style:
    """Steps without any manner, in one pose: quick and wide as its legs suggest."""
    upright = carried(pose, heading(-float(yaw_of(pose[3:7]))), np.zeros(3))
    figure = _figure(upright[None], body, legs)
    phase = np.linspace(0.0, 1.0, SAMPLES)
    flat = np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0]), (2, SAMPLES, 2, 4))
    axis = np.broadcast_to(np.array([0.0, 1.0, 0.0]), (2, SAMPLES, 2, 3))
    ankle = figure.ankle[0]
    long = float(np.mean(np.linalg.norm(figure.hip[0] - ankle, axis=1)))
    swung = np.clip((phase - 0.15) / 0.75, 0.0, 1.0)
    each = (2, SAMPLES)
    return Style(
        readonly(np.broadcast_to(upright, (2, SAMPLES, body.nq)).copy()),
        readonly(axis.copy()),
        readonly(flat.copy()),
        readonly(np.full(each, min(long, 0.98 * legs.length))),
        readonly(np.zeros(each)),
        readonly(np.zeros(each)),
        readonly(np.broadcast_to(0.06 * legs.length * 4 * swung * (1 - swung), each).copy()),
        readonly(np.broadcast_to(swung * swung * (3 - 2 * swung), each).copy()),
        readonly(np.zeros(each)),
        lifts=readonly(np.full(2, 0.15)),
        duration=float(0.5 * np.sqrt(legs.length / 0.9)),
        speed=0.0,
        width=float(abs(ankle[0, 1] - ankle[1, 1])),
    )
