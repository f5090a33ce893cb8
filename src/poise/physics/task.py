"""What is asked of a trajectory: near which motion, borne by what, from where to where."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints
from poise.body.body import Body

LENGTH = 100.0
"""Constraints on places are told in cm, beside forces in body weights and momenta in body weight times step."""


@dataclass(frozen=True)
class SpacetimeWeights:
    """What deviations cost. Forces are in body weights, torques in body weight times metre."""

    place: float = 200.0  # per m^2 of the root
    turn: float = 60.0  # per rad^2 of the root
    joint: float = 30.0  # per rad^2
    acceleration: float = 2e-5  # per (rad/s^2)^2 of joints, against the wished motion
    torque: float = 0.5
    force: float = 0.05
    jerk: float = 20.0  # of changes of contact forces from step to step


@dataclass(frozen=True, eq=False)
class Balls:
    """Balls of links that bear, or must not sink into the ground; a radius of 0 makes them points.

    Those that ever bear come first.
    """

    names: tuple[str, ...]  # (C,)
    link: Ints  # (C,) MuJoCo's body ids
    centre: Array  # (C, 3) m in the link
    radius: Array  # (C,) m
    down: NDArray[np.bool_]  # (N + 1, C) frames in which they bear
    ground: Array  # (N + 1, C) m, height below them
    least: Array  # (N + 1, C) m, least height of the ball's lowest point over the ground; -inf for no matter
    place: Array  # (C, 3) m where they are held while down; NaN for those that stand on the ground

    @property
    def bearing(self) -> int:
        """How many ever bear, S."""
        return int(np.max(np.flatnonzero(self.down.any(axis=0)), initial=-1)) + 1

    @property
    def held(self) -> NDArray[np.bool_]:
        """(C,) which are held, so that they can pull as well as push."""
        return np.isfinite(self.place[:, 0])


@dataclass(frozen=True, eq=False)
class EndState:
    """A state that a trajectory starts from or ends in."""

    qpos: Array  # (nq,)
    before: Array  # (nq,) the pose one step earlier: its joints tell the joints' velocity
    root_velocity: Array  # (6,) m/s in the world, rad/s in the root's frame


@dataclass(frozen=True, eq=False)
class Closure:
    """A cycle: the last state is the first, turned about the vertical and moved along the ground."""

    turn: float  # rad
    way: Array  # (2,) m, where the origin is carried


@dataclass(frozen=True, eq=False)
class SpacetimeTask:
    """A body, a wished motion and its constraints.

    Frames are numbered from 0 to N: states are those from 1 on, and frame 0 tells the joints' velocity at frame 1.
    """

    body: Body
    step: float  # s
    wished: Array  # (N + 1, nq)
    balls: Balls
    friction: float = 0.7  # |fx| + |fy| <= friction fz
    margin: float = 0.01  # rad kept from joint limits, and share kept from torque limits
    weights: SpacetimeWeights = field(default_factory=SpacetimeWeights)
    closure: Closure | None = None
    start: EndState | None = None
    end: EndState | None = None
    rest: tuple[bool, bool] = (False, False)  # whether it starts and ends at rest, in whatever pose


# Where the variables of a trajectory stand: frame by frame pose, root velocities, contact forces.


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A candidate, frames 0 to N."""

    qpos: Array  # (N + 1, nq)
    root: Array  # (N + 1, 6) velocity of the root in the state; none at frame 0
    ahead: Array  # (N + 1, 3) m/s: velocity of the root that the step from this frame predicts; none at 0 and N
    force: Array  # (N + 1, S, 3) in body weights, in the step from this frame


@dataclass(frozen=True, eq=False)
class VariableLayout:
    """Numbers of variables; -1 where there is none."""

    pose: Ints  # (N + 1, nv)
    root: Ints  # (N + 1, 6)
    ahead: Ints  # (N + 1, 3)
    force: Ints  # (N + 1, S, 3)
    size: int

    @cached_property
    def states(self) -> Ints:
        """(N, nv) poses of frames 1 to N."""
        return self.pose[1:]

    @cached_property
    def pairs(self) -> Ints:
        """(N - 1, 2 nv) poses of two states one after the other."""
        return np.concatenate([self.pose[1:-1], self.pose[2:]], axis=1)

    @cached_property
    def triples(self) -> Ints:
        """(N - 1, 3 nv) poses of three frames one after the other."""
        return np.concatenate([self.pose[:-2], self.pose[1:-1], self.pose[2:]], axis=1)

    @cached_property
    def arrivals(self) -> Ints:
        """(N - 1, 2 nv + 6) poses of two states one after the other, and the root velocities of the second."""
        return np.concatenate([self.pairs, self.root[2:]], axis=1)

    @cached_property
    def steps(self) -> Ints:
        """(N - 1, m) what a step has to do with: see `poise.physics.equation_rows.StepSlopes`."""
        force = self.force.reshape(len(self.force), -1)
        own = (self.pose[1:-1], self.root[1:-1], self.ahead[1:-1], force[1:-1])
        return np.concatenate([self.pose[:-2], *own, self.pose[2:], self.root[2:]], axis=1)

    @cached_property
    def bandwidth(self) -> int:
        """The largest distance between variables of one step, or between forces of a step and the next."""
        force = self.force.reshape(len(self.force), -1)
        reaches = [_reach(self.steps), _reach(np.concatenate([force[1:-1], force[2:]], axis=1))]
        return max(reaches)


def _reach(columns: Ints) -> int:
    """The largest distance of two variables of one block."""
    lowest = np.where(columns < 0, np.iinfo(np.int64).max, columns).min(axis=1, initial=np.iinfo(np.int64).max)
    return int(np.max(columns.max(axis=1, initial=-1) - lowest, initial=0))


def acting_forces(task: SpacetimeTask) -> NDArray[np.bool_]:
    """(N + 1, S, 3) forces that may act in the step from each frame; of a cycle, those of the first step again at N.

    What touches at the end of a step is stopped by the ground in this step; friction needs it to touch at both ends.
    """
    count = task.balls.bearing
    down, held = task.balls.down[:, :count], task.balls.held[:count]
    normal = np.zeros_like(down)
    normal[:-1] = down[1:]
    along = normal & (down | held)
    out = np.stack([along, along, normal], axis=2)
    out[0] = out[-1] = False
    if task.closure is not None:
        out[-1] = out[1]
    return out


def layout_of(task: SpacetimeTask) -> VariableLayout:
    """Variables in order of time, so that what is coupled is near."""
    frames, acting = len(task.wished), acting_forces(task)
    exists = [np.ones((frames, task.body.nv), bool), np.ones((frames, 6), bool), np.ones((frames, 3), bool)]
    exists[1][0] = exists[2][0] = exists[2][-1] = False
    table = np.concatenate([*exists, acting.reshape(frames, -1)], axis=1)
    numbers = np.where(table, np.cumsum(table).reshape(table.shape) - 1, -1)
    nv = task.body.nv
    parts = np.split(numbers, [nv, nv + 6, nv + 9], axis=1)
    pose, root, ahead, force = (np.ascontiguousarray(part) for part in parts)
    return VariableLayout(pose, root, ahead, force.reshape(acting.shape), int(table.sum()))
