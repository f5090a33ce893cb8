"""Where flight leads, told from any moment of it [Fattal2006] section 6: nothing more need be simulated.

The centre of mass follows a parabola whatever the joints do. How the body turns is known if they stay as they are: then
it is a rigid one, whose angular momentum is kept.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from poise.arrays import Array
from poise.dynamics.rotation_indices import RotationIndices, rotation_of
from poise.dynamics.state import State
from poise.rotations import quat_exp, quat_to_matrix

LEADS_TO = ("flight.height", "flight.x", "flight.y")
"""m: the highest place of the centre of mass, and where it is when it has come down again."""
TURNS_BY = ("flight.rolled", "flight.pitched", "flight.yawed")
"""rad: how far the root has then turned about its own axes since the goal began, if joints stay as they are."""
FINEST = 1 / 120
"""s: so often a body that tumbles is looked at."""


def flight_of(state: State, stand: float) -> tuple[float, float, float]:
    """The apex, and where the centre of mass is when it has come down to the height at which the body stands, m."""
    moved = _moved(state)
    apex, time = _apex(state, moved), _time(state, moved, stand)
    x, y, _ = moved.com + time * moved.velocity
    return apex, float(x), float(y)


def turns_of(state: State, stand: float) -> Array:
    """(3,) rad by which the root turns about its own axes until then, as part of a rigid body (Euler's equations)."""
    moved = _moved(state)
    time = _time(state, moved, stand)
    turn = np.array(state.data.xmat[1]).reshape(3, 3)
    momentum, inertia = turn.T @ moved.angular_momentum, turn.T @ moved.inertia @ turn
    steps = max(ceil(time / FINEST), 1)
    turned = np.zeros(3)
    for _ in range(steps):
        rate = np.linalg.solve(inertia, momentum)
        halfway = _turned_back(momentum, rate * (0.5 * time / steps))
        rate = np.linalg.solve(inertia, halfway)
        turned += rate * (time / steps)
        momentum = _turned_back(momentum, rate * (time / steps))
    return turned


def _turned_back(vector: Array, by: Array) -> Array:
    """(3,) a vector that the world keeps, as a body sees it that has turned by a rotation vector (3,) of its own."""
    return np.asarray(quat_to_matrix(quat_exp(by)).T @ vector)


def _moved(state: State) -> RotationIndices:
    return rotation_of(state.mass, state.qvel, state.data)


def _gravity(state: State) -> float:
    return -float(state.data.model.opt.gravity[2])


def _apex(state: State, moved: RotationIndices) -> float:
    rises = float(moved.velocity[2])
    return float(moved.com[2]) + rises * abs(rises) / (2 * _gravity(state))


def _time(state: State, moved: RotationIndices, stand: float) -> float:
    """s until the centre of mass has come down to a height."""
    fall = max(_apex(state, moved) - stand, 0.0)
    return float(moved.velocity[2]) / _gravity(state) + float(np.sqrt(2 * fall / _gravity(state)))
