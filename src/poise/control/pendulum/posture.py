"""From the pendulum back to the whole body [Tsai2010] section 4.1: centre of mass and feet where they should be.

Everything above the legs is the reference's; the root is where that puts the centre of mass in its place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import mujoco
import numpy as np

from poise.body.carrying import heading
from poise.control.pendulum.figure import Figure
from poise.control.pendulum.legs import bend_leg, set_legs
from poise.control.pendulum.manner import Moment
from poise.control.pendulum.swing import Placed
from poise.spatial import Array

HEEL = 0.985
"""Of a leg's length: stretched further, the heel lifts."""
TRAILING = 0.6
"""rad: the most by which the heel of the trailing foot lifts while both feet stand."""


class Standing(NamedTuple):
    """A foot on the ground."""

    ball: Array  # (3,) m
    foot: Array  # (3, 3) how it is turned when flat
    most: float  # rad by which its heel may lift


class Posture:
    """Poses of a body by the place of its centre of mass; each begins from what the last one found."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._data = mujoco.MjData(figure.body.model)
        self._qpos: Array = self._data.qpos
        self._com: Array = self._data.subtree_com[1]
        self._above = np.zeros(3)  # m from the root to the centre of mass

    def pose(
        self, moment: Moment, stance: int, yaw: float, com: Array, feet: tuple[Standing | Placed, ...], rounds: int
    ) -> tuple[Array, Array]:
        """(nq,) with the centre of mass at a place (3,), and (2,) rad by which heels are lifted; feet: left first."""
        model, data, qpos = self._figure.body.model, self._data, self._qpos
        legs, tilt = self._figure.legs, np.zeros(2)
        stands = np.array([isinstance(foot, Standing) for foot in feet])
        place, turn = np.array([foot[0] for foot in feet]), np.array([foot[1] for foot in feet])
        most = np.array([foot.most if isinstance(foot, Standing) else 0.0 for foot in feet])
        across = _headed(yaw, moment.across)
        if stance == 1:
            across = across[::-1].copy()
        qpos[:] = moment.pose
        mujoco.mj_normalizeQuat(model, qpos)
        mujoco.mju_mulQuat(qpos[3:7], heading(yaw), qpos[3:7])
        for _ in range(rounds):
            qpos[:3] = com - self._above
            set_legs(qpos, legs, stands, place, turn, across, HEEL * legs.length, most, tilt)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            self._above = self._com - qpos[:3]
        return qpos.copy(), tilt

    def reach_out(self, qpos: Array, root: Array, side: int, yaw: float, moment: Moment, foot: Placed) -> None:
        """Set the swinging leg of a pose anew, as seen from where the root (7,) really is: the foot must not miss."""
        moved = np.concatenate([root, qpos[7:]])
        bend_leg(moved, self._figure.legs, side, foot.ankle, foot.foot, _headed(yaw, moment.across)[1])
        where = self._figure.leg_places[side]
        qpos[where] = moved[where]


def _headed(yaw: float, ways: Array) -> Array:
    """(K, 3) directions turned to the left."""
    c, s = math.cos(yaw), math.sin(yaw)
    return ways @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
