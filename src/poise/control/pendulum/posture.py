"""From the pendulum back to the whole body [Tsai2010] section 4.1: centre of mass and feet where they should be.

Everything above the legs is the reference's; the root is where that puts the centre of mass in its place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.control.pendulum.gait_style import StepMoment
from poise.control.pendulum.height import STRETCH
from poise.control.pendulum.leg_ik import bend_leg, heel_lifted, set_legs
from poise.control.pendulum.legs import Legs
from poise.control.pendulum.swing import SwingFoot
from poise.control.pendulum.vectors import after, dot3, headed, rotated, to_left
from poise.control.pendulum.walker import Seen, Walker
from poise.kernel import kernel

TRAILING = 0.6
"""rad: the most by which the heel of the trailing foot lifts while both feet stand."""


LAGS = 0.15
"""Of a shift of the root, what the centre of mass does not share, as feet stay where they are."""


class StanceFoot(NamedTuple):
    """A foot on the ground."""

    ball: Array  # (3,) m
    foot: Array  # (3, 3) how it is turned when flat
    most: float  # rad by which its heel may lift


class _Feet(NamedTuple):
    """Both feet and their knees' axes, left first, as `set_legs` takes them."""

    stands: NDArray[np.bool_]  # (2,)
    place: Array  # (2, 3) m of balls that stand, of ankles in the air
    turn: Array  # (2, 3, 3)
    across: Array  # (2, 3)
    most: Array  # (2,) rad by which heels may lift

    @classmethod
    def empty(cls) -> _Feet:
        """To be filled."""
        return cls(np.zeros(2, bool), np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 3)), np.zeros(2))

    def fill(self, feet: Sequence[StanceFoot | SwingFoot], across: Array) -> None:
        """Take others."""
        self.across[:] = across
        for side, foot in enumerate(feet):
            self.place[side], self.turn[side] = foot[0], foot[1]
            self.stands[side] = isinstance(foot, StanceFoot)
            self.most[side] = foot.most if isinstance(foot, StanceFoot) else 0.0


class Posture:
    """Poses of a body by the place of its centre of mass; each begins from what the last one found."""

    def __init__(self, figure: Walker) -> None:
        self._figure = figure
        self._data = mujoco.MjData(figure.body.model)
        self._feet = _Feet.empty()
        self._above = self._com() - self._data.qpos[:3]  # m from the root to the centre of mass

    def pose(
        self,
        moment: StepMoment,
        stance: int,
        yaw: float,
        lean: float,
        com: Array,
        feet: Sequence[StanceFoot | SwingFoot],
    ) -> tuple[Array, Array]:
        """(nq,) with the centre of mass at a place (3,), and (2,) rad by which heels are lifted; feet: left first.

        The body leans forward by `lean` (rad) more than the reference.
        """
        qpos, tilt = self._data.qpos, np.zeros(2)
        across = headed(yaw, moment.across)
        self._feet.fill(feet, across if stance == 0 else across[::-1])
        qpos[:] = moment.pose
        mujoco.mj_normalizeQuat(self._figure.body.model, qpos)
        _turn_root(qpos, lean, yaw)
        self._stand(com, tilt)
        self._above += (self._com() - com) / (1.0 - LAGS)
        self._stand(com, tilt)
        return qpos.copy(), tilt

    def _stand(self, com: Array, tilt: Array) -> None:
        """Put the root where the centre of mass should then be, on legs that suit; writes how heels are lifted."""
        qpos, legs, feet = self._data.qpos, self._figure.legs, self._feet
        qpos[:3] = com - self._above
        set_legs(qpos, legs, feet.stands, feet.place, feet.turn, feet.across, STRETCH * legs.length, feet.most, tilt)

    def _com(self) -> Array:
        """(3,) m: where the centre of mass has come to."""
        mujoco.mj_kinematics(self._figure.body.model, self._data)
        mujoco.mj_comPos(self._figure.body.model, self._data)
        return np.array(self._data.subtree_com[1])

    def reach_out(self, qpos: Array, root: Array, side: int, yaw: float, moment: StepMoment, foot: SwingFoot) -> None:
        """Set the swinging leg of a pose anew, as seen from where the root (7,) really is: the foot must not miss."""
        own = qpos[:7].copy()
        qpos[:7] = root
        bend_leg(qpos, self._figure.legs, side, foot.ankle, foot.foot, headed(yaw, moment.across)[1])
        qpos[:7] = own


@kernel
def _turn_root(qpos: Any, lean: float, yaw: float) -> None:
    """Turn a pose: lean it forward, then to the left (rad)."""
    forward = np.array([math.cos(0.5 * lean), 0.0, math.sin(0.5 * lean), 0.0])
    qpos[3:7] = after(to_left(yaw), after(forward, qpos[3:7]))


# A foot that came down on its heel rolls over it until it is flat: meanwhile its ankle goes forward and down.
#
# Turned about its ankle instead, it would lift its heel from the ground, and slide.

FLATTENS, SLOWEST = 16.0, 1.0
"""1/s and rad/s, of an adult: toes come down by so much of how far they are up, and by at least so much."""


def rocked(legs: Legs, seen: Seen, side: int, flat: StanceFoot, ahead: float) -> StanceFoot:
    """A foot as it should be some time (s) from now, if it is to stand flat; its heel stays where it is."""
    own, now = (legs.sole[side], legs.ball[side]), (seen.ankle[side], seen.foot[side])
    up, ball, turn = _rocked(*own, *now, flat.ball, flat.foot, ahead / legs.slow)
    return StanceFoot(ball, turn, flat.most) if up > 0.0 else flat


@kernel
def _rocked(
    sole: Any, ball: Any, ankle: Any, foot: Any, on: Any, flat: Any, ahead: float
) -> tuple[float, Array, Array]:
    """rad by which toes are up now, and (3,) m and (3, 3) where the ball will be and how the foot is then turned.

    Of a foot with its ankle at a place (3,), turned as told (3, 3), that should be flat on ground through `on` (3,).
    """
    heel, normal = 0.5 * (sole[0] + sole[1]), flat[:, 2]
    up = math.asin(min(max(dot3(foot[:, 0], normal), -1.0), 1.0))
    there = ankle + rotated(foot, heel)
    there -= normal * dot3(normal, there - on)
    turn = heel_lifted(flat, -max(up - ahead * (FLATTENS * up + SLOWEST), 0.0))
    return up, there + rotated(turn, ball - heel), turn
