"""From the pendulum to a pose of the whole body [Tsai2010] section 4.1, with centre of mass and feet at their targets.

Everything above the legs is posed as in the reference. The root is placed so that the centre of mass is at its target.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.pendulum.gait import StepMoment
from poise.control.pendulum.leg_ik import bend_leg_to_ankle, foot_with_heel_lifted, set_leg_pair
from poise.control.pendulum.legs import Legs
from poise.control.pendulum.swing import SwingFoot
from poise.control.pendulum.vectors import dot3, quat_product, rotated, yaw_quat, yaw_rotated
from poise.control.pendulum.walker import Observed, Walker
from poise.kernel import kernel

COM_LAG = 0.15  # Share of a root shift that the centre of mass does not follow, because the feet stay in place
FLATTEN_RATE, MIN_FLATTEN = 16.0, 1.0
"""The toes come down at a rate of FLATTEN_RATE (1/s, adult) times their angle, plus MIN_FLATTEN (rad/s, adult)."""


class StanceFoot(NamedTuple):
    """A foot on the ground."""

    ball: Array  # (3,) m
    foot: Array  # (3, 3) rotation when flat
    least: float  # rad: heel lift as in the reference
    most: float  # rad: maximum heel lift

    def with_heel_lifted(self, lift: float) -> StanceFoot:
        """The foot with its heel lifted by at least an angle (rad), if it may be lifted."""
        return self._replace(least=min(lift, self.most))


PlacedFoot = StanceFoot | SwingFoot


class Posture:
    """Poses of a body for given positions of its centre of mass; each solution starts from the previous one."""

    def __init__(self, walker: Walker) -> None:
        self._walker = walker
        self._data = mujoco.MjData(walker.body.model)
        self._above = self._com() - self._data.qpos[:3]  # m from the root to the centre of mass

    def pose(
        self, moment: StepMoment, stance: int, yaw: float, lean: float, com: Array, feet: Sequence[PlacedFoot],
        stretch: float,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Pose (nq,) with the centre of mass at `com` (3,) m, and heel lifts (2,) rad; feet: left first.

        The body leans forward by `lean` (rad) more than the reference. Legs are `stretch` leg lengths long at most.
        """
        qpos, legs, tilt = self._data.qpos, self._walker.legs, np.zeros(2)
        across = yaw_rotated(yaw, moment.across)
        axes = across if stance == 0 else np.ascontiguousarray(across[::-1])
        stands = np.array([isinstance(foot, StanceFoot) for foot in feet])
        lifts = np.array(
            [[foot.least, foot.most] if isinstance(foot, StanceFoot) else [foot.toes] * 2 for foot in feet]
        )
        places, turns = np.array([foot[0] for foot in feet]), np.array([foot[1] for foot in feet])
        qpos[:] = moment.pose
        mujoco.mj_normalizeQuat(self._walker.body.model, qpos)
        _lean_and_turn_root(qpos, lean, yaw)
        for first in (True, False):  # the second time with the centre of mass that the first one led to
            qpos[:3] = com - self._above
            set_leg_pair(qpos, legs, stands, places, turns, axes, stretch, lifts, tilt)
            if first:
                self._above += (self._com() - com) / (1.0 - COM_LAG)
        return qpos.copy(), tilt

    def _com(self) -> Array:
        """Centre of mass (3,) m of the pose that was set last."""
        mujoco.mj_kinematics(self._walker.body.model, self._data)
        mujoco.mj_comPos(self._walker.body.model, self._data)
        return np.array(self._data.subtree_com[1])

    def set_swing_leg(
        self, qpos: Array, root: Array, side: int, across: Array, foot: SwingFoot, stretch: float
    ) -> None:
        """Set the swing leg for the actual root (7,), so that the foot is at its target; `across` (3,): knee axis."""
        own = qpos[:7].copy()
        qpos[:7] = root
        bend_leg_to_ankle(qpos, self._walker.legs, side, foot.ankle, foot.foot, across, stretch)
        qpos[:7] = own


@kernel
def _lean_and_turn_root(qpos: Array, lean: float, yaw: float) -> None:
    """Rotate the root of a pose: lean it forward, then turn it to the left (rad)."""
    forward = np.array([math.cos(0.5 * lean), 0.0, math.sin(0.5 * lean), 0.0])
    qpos[3:7] = quat_product(yaw_quat(yaw), quat_product(forward, qpos[3:7]))


def heel_rocked_foot(legs: Legs, seen: Observed, side: int, flat: StanceFoot, ahead: float) -> StanceFoot:
    """Target, `ahead` s from now, of a foot that struck with its heel and rolls down to stand `flat`.

    The foot rolls over its heel, which stays in place while the ankle moves forward and down. A rotation about the
    ankle would lift the heel off the ground and make it slide.
    """
    own, now = (legs.sole[side], legs.ball[side]), (seen.ankle[side], seen.foot[side])
    up, ball, turn = _roll_over_heel(*own, *now, flat.ball, flat.foot, ahead / legs.time_scale)
    return flat._replace(ball=ball, foot=turn) if up > 0.0 else flat


@kernel
def _roll_over_heel(
    sole: Array, ball: Array, ankle: Array, foot: Array, on: Array, flat: Array, ahead: float
) -> tuple[float, Array, Array]:
    """Present angle (rad) of the toes above the ground, target position (3,) m of the ball, target rotation (3, 3).

    The foot, at `ankle` (3,) m with the rotation `foot` (3, 3), is to lie flat on the ground through `on` (3,) m.
    """
    heel, normal = 0.5 * (sole[0] + sole[1]), flat[:, 2]
    up = math.asin(min(max(dot3(foot[:, 0], normal), -1.0), 1.0))
    there = ankle + rotated(foot, heel)
    there -= normal * dot3(normal, there - on)
    turn = foot_with_heel_lifted(flat, -max(up - ahead * (FLATTEN_RATE * up + MIN_FLATTEN), 0.0))
    return up, there + rotated(turn, ball - heel), turn
