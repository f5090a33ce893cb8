"""State of the gait: stance foot, phase of the step and the last lift-off."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.gait_style import StepStyle
from poise.control.pendulum.leg_ik import sole_depth
from poise.control.pendulum.walker import Observed, Walker
from poise.rotations import matrix_to_quat

DOUBLE_STANCE = 0.12  # Phase until which both feet stand
COMMITTED, RETARGET = 0.7, 0.05
"""From the share COMMITTED of the swing on, the aim follows a better aim only by the distance in excess of RETARGET (m,
adult): the decelerating leg disturbs the prediction, and the foot would land while moving."""
EARLIEST_STRIKE = 0.7  # Phase from which a swing foot that touches the ground counts as landed


class LiftOff(NamedTuple):
    """Position and rotation of a foot when it left the ground."""

    ankle: Array  # (3,) m
    foot: Array  # (4,) quaternion
    ground: float  # m: height of the ground
    extra: float  # m by which the sole was above the ground


@dataclass(frozen=True, eq=False)
class GaitState:
    """State of the gait at one moment."""

    stance: int  # 0 for the left foot
    phase: float  # 0 at the strike of the stance foot, 1 at the strike of the swing foot
    style: StepStyle
    lift: LiftOff | None = None  # of the swing foot; None in double stance
    since: float = 0.0  # s since the strike of the stance foot
    overdue: float = 0.0  # s since the swing foot should have landed
    aimed: Array | None = None  # (2,) m: previous aim of the swing foot's centre of pressure
    stands: bool = False  # whether the body stands on both feet, without a step under way

    @property
    def swing(self) -> int:
        """The swing foot (0 for the left foot); in double stance, the trailing foot."""
        return 1 - self.stance

    @property
    def swing_share(self) -> float:
        """Share of the swing that is over, from 0 to 1."""
        return min(max((self.phase - DOUBLE_STANCE) / (1.0 - DOUBLE_STANCE), 0.0), 1.0)

    def has_landed(self, seen: Observed) -> bool:
        """Whether the swing foot has landed."""
        return self.lift is not None and self.phase > EARLIEST_STRIKE and bool(seen.touching[self.swing])

    def may_lift_foot(self) -> bool:
        """Whether it is time for the trailing foot to leave the ground."""
        return self.lift is None and not self.stands and self.phase > DOUBLE_STANCE

    def with_foot_lifted(self, seen: Observed, walker: Walker) -> GaitState:
        """The same state with the trailing foot lifted."""
        ankle, foot = np.array(seen.ankle[self.swing]), seen.foot[self.swing]
        ground = walker.ground_height(ankle)
        depth = sole_depth(walker.legs, self.swing, np.ascontiguousarray(foot), walker.ground_normal(ankle))
        return replace(self, lift=LiftOff(ankle, matrix_to_quat(foot), ground, ankle[2] - ground - depth))

    def committed_aim(self, place: Array, scale: float) -> Array:
        """Aim (2,) m of the swing foot if `place` (2,) m is now the best aim; `scale` is `Legs.scale`."""
        if self.aimed is None or self.swing_share < COMMITTED:
            return place
        off = place - self.aimed
        beyond = 1.0 - RETARGET * scale / max(math.hypot(off[0], off[1]), 1e-9)
        return np.asarray(self.aimed + off * max(beyond, 0.0))

    def later(self, step: float, within: float, aimed: Array) -> GaitState:
        """The state a time step (s) later, if the swing foot is to land in `within` s at `aimed` (2,) m."""
        phase = min(self.phase + step * (1.0 - self.phase) / max(within, step), 1.0)
        overdue = self.overdue + step if self.phase >= 1.0 else self.overdue
        aim = aimed if self.lift else None
        return GaitState(self.stance, phase, self.style, self.lift, self.since + step, overdue, aim, self.stands)
