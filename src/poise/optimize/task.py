"""What is asked of a trajectory: near which motion, borne by what, from where to where."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.frozen import Array, Ints

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
class Task:
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
