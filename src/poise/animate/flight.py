"""The end of a flight, predicted analytically from a state in the air [Fattal2006] section 6.

The centre of mass follows a parabola whatever the joints do. The rotation is known if the joints stay fixed: the body
is then rigid and keeps its angular momentum.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from poise.arrays import Array
from poise.dynamics.rotation_indices import RotationIndices, rotation_of
from poise.dynamics.state import State
from poise.rotations import quat_exp, quat_to_matrix

LEADS_TO = ("flight.height", "flight.x", "flight.y")
"""Quantities (m): apex of the centre of mass, and its place when it has come down again."""
TURNS_BY = ("flight.rolled", "flight.pitched", "flight.yawed")
"""Quantities (rad): rotation of the root about its own axes from the start of the goal to the end of the flight, if the
joints stay fixed."""
FINEST = 1 / 120  # Largest integration step (s) of the rotation


def predict_flight(state: State, stand: float) -> tuple[float, float, float]:
    """Apex (m) of the centre of mass, and its x and y (m) when it has come down to a standing height `stand` (m)."""
    rotation = rotation_of(state.mass, state.qvel, state.data)
    x, y, _ = rotation.com + _flight_time_left(state, rotation, stand) * rotation.velocity
    return _flight_apex(state, rotation), float(x), float(y)


def predict_flight_turns(state: State, stand: float) -> Array:
    """(3,) rad: rotation of the root about its own axes until then, as part of a rigid body (Euler's equations)."""
    rotation = rotation_of(state.mass, state.qvel, state.data)
    time = _flight_time_left(state, rotation, stand)
    root = np.array(state.data.xmat[1]).reshape(3, 3)
    momentum, inertia = root.T @ rotation.angular_momentum, root.T @ rotation.inertia @ root
    steps = max(ceil(time / FINEST), 1)
    turned = np.zeros(3)
    for _ in range(steps):
        rate = np.linalg.solve(inertia, momentum)
        halfway = _momentum_after_turn(momentum, rate * (0.5 * time / steps))
        rate = np.linalg.solve(inertia, halfway)
        turned += rate * (time / steps)
        momentum = _momentum_after_turn(momentum, rate * (time / steps))
    return turned


def _momentum_after_turn(vector: Array, by: Array) -> Array:
    """(3,) a constant vector in the frame of a body that has turned by a rotation vector (3,), body frame."""
    return np.asarray(quat_to_matrix(quat_exp(by)).T @ vector)


def _gravity(state: State) -> float:
    return -float(state.data.model.opt.gravity[2])


def _flight_apex(state: State, rotation: RotationIndices) -> float:
    """Height (m) of the parabola's apex; of a falling body, as far below its height as the apex was above."""
    up = float(rotation.velocity[2])
    return float(rotation.com[2]) + up * abs(up) / (2 * _gravity(state))


def _flight_time_left(state: State, rotation: RotationIndices, stand: float) -> float:
    """s until the centre of mass has come down to a height (m)."""
    fall = max(_flight_apex(state, rotation) - stand, 0.0)
    return float(rotation.velocity[2]) / _gravity(state) + float(np.sqrt(2 * fall / _gravity(state)))
