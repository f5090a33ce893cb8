"""Torques that bear the body, known beforehand: the ground's force on each foot, and the weight of every part.

With them the motors have only to correct. What the ground presses against is also the ankle strategy: the force acts
where it is told to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from poise.control.pendulum.figure import Figure
from poise.dynamics import State
from poise.frozen import Array


class Load(NamedTuple):
    """What a foot bears."""

    side: int
    share: float  # of the whole
    point: Array  # (3,) m where


def bearing(figure: Figure, state: State, com: Array, pull: float, loads: Sequence[Load]) -> Array:
    """(nv,) N m, with forces that point to the centre of mass (3,), which accelerates upward by `pull` m/s^2."""
    nv = figure.body.nv
    torque = np.zeros(figure.model.nv)
    torque[6:nv] = state.bias[6:nv]
    jacobian = np.zeros((3, figure.model.nv))
    for load in loads:
        away = com - load.point
        if load.share <= 0 or away[2] < 0.1 * figure.legs.length:
            continue
        weight = figure.body.mass * (figure.gravity + pull) * load.share
        mujoco.mj_jac(figure.model, state.data, jacobian, None, load.point, figure.feet[load.side])
        torque -= (weight / away[2] * away) @ jacobian
    torque[:6] = 0.0
    return torque
