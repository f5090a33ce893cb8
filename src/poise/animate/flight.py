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
    apex, time = _apex_and_flight_time(state, rotation, stand)
    x, y, _ = rotation.com + time * rotation.velocity
    return apex, float(x), float(y)


def predict_flight_turns(state: State, stand: float) -> Array:
    """(3,) rad: rotation of the root about its own axes until the body has come down to a height `stand` (m).

    The body is rigid and follows Euler's equations.
    """
    rotation = rotation_of(state.mass, state.qvel, state.data)
    _, time = _apex_and_flight_time(state, rotation, stand)
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


def _apex_and_flight_time(state: State, rotation: RotationIndices, stand: float) -> tuple[float, float]:
    """Height (m) of the parabola's apex, and s until the centre of mass has come down to a height `stand` (m).

    The apex of a falling body is taken as far below its height as the true apex is above it.
    """
    gravity, up = -float(state.data.model.opt.gravity[2]), float(rotation.velocity[2])
    apex = float(rotation.com[2]) + up * abs(up) / (2 * gravity)
    return apex, up / gravity + float(np.sqrt(2 * max(apex - stand, 0.0) / gravity))
