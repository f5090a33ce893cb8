"""From the pendulum back to the whole body [Tsai2010] section 4.1: centre of mass and feet where they should be.

Everything above the legs is the reference's; the root is where that puts the centre of mass in its place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.body.carrying import heading
from poise.control.pendulum.bending import bend_leg, set_legs
from poise.control.pendulum.figure import Figure
from poise.control.pendulum.height import STRETCH
from poise.control.pendulum.manner import Moment
from poise.control.pendulum.swing import Placed
from poise.spatial import Array

TRAILING = 0.6
"""rad: the most by which the heel of the trailing foot lifts while both feet stand."""


LAGS = 0.15
"""Of a shift of the root, what the centre of mass does not share, as feet stay where they are."""


class Standing(NamedTuple):
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


class Posture:
    """Poses of a body by the place of its centre of mass; each begins from what the last one found."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._data = mujoco.MjData(figure.body.model)
        self._above = self._com() - self._data.qpos[:3]  # m from the root to the centre of mass

    def pose(
        self, moment: Moment, stance: int, yaw: float, lean: float, com: Array, feet: tuple[Standing | Placed, ...]
    ) -> tuple[Array, Array]:
        """(nq,) with the centre of mass at a place (3,), and (2,) rad by which heels are lifted; feet: left first.

        The body leans forward by `lean` (rad) more than the reference.
        """
        qpos, tilt = self._data.qpos, np.zeros(2)
        both = _both(feet, _headed(yaw, moment.across if stance == 0 else moment.across[::-1]))
        qpos[:] = moment.pose
        mujoco.mj_normalizeQuat(self._figure.body.model, qpos)
        mujoco.mju_mulQuat(qpos[3:7], np.array([math.cos(0.5 * lean), 0.0, math.sin(0.5 * lean), 0.0]), qpos[3:7])
        mujoco.mju_mulQuat(qpos[3:7], heading(yaw), qpos[3:7])
        self._stand(com, both, tilt)
        self._above += (self._com() - com) / (1.0 - LAGS)
        self._stand(com, both, tilt)
        return qpos.copy(), tilt

    def _stand(self, com: Array, feet: _Feet, tilt: Array) -> None:
        """Put the root where the centre of mass should then be, on legs that suit; writes how heels are lifted."""
        qpos, legs = self._data.qpos, self._figure.legs
        qpos[:3] = com - self._above
        set_legs(qpos, legs, feet.stands, feet.place, feet.turn, feet.across, STRETCH * legs.length, feet.most, tilt)

    def _com(self) -> Array:
        """(3,) m: where the centre of mass has come to."""
        mujoco.mj_kinematics(self._figure.body.model, self._data)
        mujoco.mj_comPos(self._figure.body.model, self._data)
        return np.array(self._data.subtree_com[1])

    def reach_out(self, qpos: Array, root: Array, side: int, yaw: float, moment: Moment, foot: Placed) -> None:
        """Set the swinging leg of a pose anew, as seen from where the root (7,) really is: the foot must not miss."""
        moved = np.concatenate([root, qpos[7:]])
        bend_leg(moved, self._figure.legs, side, foot.ankle, foot.foot, _headed(yaw, moment.across)[1])
        where = self._figure.leg_places[side]
        qpos[where] = moved[where]


def _both(feet: tuple[Standing | Placed, ...], across: Array) -> _Feet:
    stands = [isinstance(foot, Standing) for foot in feet]
    most = [foot.most if isinstance(foot, Standing) else 0.0 for foot in feet]
    place, turn = np.array([foot[0] for foot in feet]), np.array([foot[1] for foot in feet])
    return _Feet(np.array(stands), place, turn, across, np.array(most))


def _headed(yaw: float, ways: Array) -> Array:
    """(K, 3) directions turned to the left."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.asarray(ways @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]))
