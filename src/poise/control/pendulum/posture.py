"""From the pendulum back to the whole body [Tsai2010] section 4.1: centre of mass and feet where they should be.

Everything above the legs is the reference's; the root is where that puts the centre of mass in its place.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.body.carrying import heading
from poise.control.pendulum.figure import Figure
from poise.control.pendulum.legs import bend_leg, stand_leg
from poise.control.pendulum.manner import Moment
from poise.control.pendulum.swing import Placed
from poise.spatial import Array, quat_multiply, quat_rotate

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
        self._above = np.zeros(3)  # m from the root to the centre of mass
        self._tilt = np.zeros(2)

    def pose(
        self, moment: Moment, stance: int, yaw: float, com: Array, feet: tuple[Standing | Placed, ...], rounds: int
    ) -> tuple[Array, Array]:
        """(nq,) with the centre of mass at a place (3,), and (2,) rad by which heels are lifted; feet: left first."""
        figure, model = self._figure, self._figure.body.model
        legs, tilt = figure.legs, np.zeros(2)
        qpos = np.array(moment.pose)
        mujoco.mj_normalizeQuat(model, qpos)
        turn = heading(yaw)
        qpos[3:7] = quat_multiply(turn, qpos[3:7])
        across = quat_rotate(turn, moment.across)
        for _ in range(rounds):
            qpos[:3] = com - self._above
            for side, foot in enumerate(feet):
                axis = across[0 if side == stance else 1]
                if isinstance(foot, Standing):
                    reach = HEEL * legs.length
                    tilt[side] = stand_leg(qpos, legs, side, foot.ball, foot.foot, axis, reach, foot.most)
                else:
                    bend_leg(qpos, legs, side, foot.ankle, foot.foot, axis)
                    straighten_toes(qpos, figure, side)
            self._data.qpos[:] = qpos
            mujoco.mj_kinematics(model, self._data)
            mujoco.mj_comPos(model, self._data)
            self._above = self._data.subtree_com[1] - qpos[:3]
        return qpos, tilt

    def reach_out(self, qpos: Array, root: Array, side: int, yaw: float, moment: Moment, foot: Placed) -> None:
        """Set the swinging leg of a pose anew, as seen from where the root (7,) really is: the foot must not miss."""
        legs = self._figure.legs
        moved = np.array(qpos)
        moved[:7] = root
        across = quat_rotate(heading(yaw), moment.across[1])
        bend_leg(moved, legs, side, foot.ankle, foot.foot, across)
        where = self._figure.leg_places[side]
        qpos[where] = moved[where]


def straighten_toes(qpos: Array, figure: Figure, side: int) -> None:
    """Set the toes of a foot in the air."""
    toe = figure.legs.places[side, 3]
    if toe >= 0:
        qpos[toe] = 0.0
