"""Where in a step the body is: which foot stands, how far the other is, and what happened last."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.gait_style import Manner
from poise.control.pendulum.leg_ik import sole_depth
from poise.control.pendulum.walker import Seen, Walker
from poise.rotations import matrix_to_quat

DOUBLE = 0.12
"""Phase until which both feet stand."""
SURE, NEAR = 0.7, 0.05
"""Of the swing, from which on a foot is taken elsewhere only if that is further, m of an adult, from where it goes:
the leg that is slowed down lets the body seem to fall otherwise, and feet would land on the move."""
STRIKES = 0.7
"""Phase from which a foot that touches the ground has landed."""


class Lift(NamedTuple):
    """Where a foot left the ground."""

    ankle: Array  # (3,) m
    foot: Array  # (4,) how it was turned
    ground: float  # m
    extra: float  # m by which it was above the ground


@dataclass(frozen=True, eq=False)
class GaitState:
    """A moment of walking."""

    stance: int  # 0 for the left foot
    phase: float  # 0 at the strike of the foot that stands, 1 at the other's
    manner: Manner
    lift: Lift | None = None  # of the swinging foot; None while both stand
    since: float = 0.0  # s since the strike
    overdue: float = 0.0  # s since the other foot should have landed
    aimed: Array | None = None  # (2,) m that the swinging foot was last meant to press on
    stands: bool = False  # on both feet, without a step under way

    @property
    def swing(self) -> int:
        """The foot that does not stand, or not for long."""
        return 1 - self.stance

    @property
    def swung(self) -> float:
        """How much of the swing is over, from 0 to 1."""
        return min(max((self.phase - DOUBLE) / (1.0 - DOUBLE), 0.0), 1.0)

    def landed(self, seen: Seen) -> bool:
        """Whether the swinging foot has come down."""
        return self.lift is not None and self.phase > STRIKES and bool(seen.touching[self.swing])

    def lifts(self) -> bool:
        """Whether it is time for the trailing foot to leave the ground."""
        return self.lift is None and not self.stands and self.phase > DOUBLE

    def lifted(self, seen: Seen, figure: Walker) -> GaitState:
        """The same, with the trailing foot lifted."""
        ankle, foot = np.array(seen.ankle[self.swing]), seen.foot[self.swing]
        ground = figure.ground(ankle)
        depth = sole_depth(figure.legs, self.swing, np.ascontiguousarray(foot), figure.upward(ankle))
        return replace(self, lift=Lift(ankle, matrix_to_quat(foot), ground, ankle[2] - ground - depth))

    def meant(self, place: Array, scale: float) -> Array:
        """(2,) m that the foot is to press on if a place is the best one; legs are `scale` times an adult's."""
        if self.aimed is None or self.swung < SURE:
            return place
        off = place - self.aimed
        beyond = 1.0 - NEAR * scale / max(math.hypot(off[0], off[1]), 1e-9)
        return np.asarray(self.aimed + off * max(beyond, 0.0))

    def later(self, step: float, within: float, aimed: Array) -> GaitState:
        """A step of the world (s) later, if the foot lands within a time (s), on a place (2,)."""
        phase = min(self.phase + step * (1.0 - self.phase) / max(within, step), 1.0)
        overdue = self.overdue + step if self.phase >= 1.0 else self.overdue
        aim = aimed if self.lift else None
        return GaitState(self.stance, phase, self.manner, self.lift, self.since + step, overdue, aim, self.stands)
