"""Joint limits as unilateral rows.

A hinge is bounded in its angle, a ball joint in the three components of its rotation vector r = log q, whose rate
is ``Jr^-1(r) omega`` with the right Jacobian of the rotation group and omega in the joint's own frame [Sola2018].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.workspace import (
    COUNTS,
    LIMIT_DOF,
    LIMIT_LOWER,
    LIMIT_QPOS,
    LIMIT_ROW_DOF,
    LIMIT_ROW_OFFSET,
    LIMIT_ROW_RATE,
    LIMIT_ROW_SIZE,
    LIMIT_ROW_USED,
    LIMIT_ROWS,
    LIMIT_SIZE,
    LIMIT_UPPER,
    QPOS,
    QVEL,
    RECOVERY,
    SETTINGS,
    STEP,
)
from poise.kernel import floats, floats2, ints, kernel

FASTEST_RECOVERY = 5.0
"""rad/s: joints beyond their limits come back no faster than this."""


@kernel
def _rotation_vector(quat: Any, out: Any) -> None:
    """log of a unit quaternion w x y z, the short way round."""
    sign = 1.0 if quat[0] >= 0 else -1.0
    x, y, z = sign * quat[1], sign * quat[2], sign * quat[3]
    sine = np.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-12 else 2.0 * np.arctan2(sine, sign * quat[0]) / sine
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@kernel
def _nearer_branch(r: Any, lower: Any, upper: Any) -> None:
    """Of the two rotation vectors of a turn, the one nearer to the middle of the limits: those may lie beyond pi."""
    angle = np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    if angle < 1.0:
        return
    scale = 1.0 - 2.0 * np.pi / angle
    here, there = 0.0, 0.0
    for i in range(3):
        middle = 0.5 * (max(lower[i], -np.pi) + min(upper[i], np.pi))
        here += (r[i] - middle) ** 2
        there += (scale * r[i] - middle) ** 2
    if there < here:
        for i in range(3):
            r[i] *= scale


@kernel
def _inverse_right_jacobian(r: Any, out: Any) -> None:
    """Jr^-1(r) = 1 + [r]/2 + (1/t^2 - cot(t/2)/(2 t)) [r]^2, t = |r|."""
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    angle = np.sqrt(square)
    factor = 1.0 / 12.0 if angle < 1e-4 else 1.0 / square - 0.5 / (angle * np.tan(0.5 * angle))
    for i in range(3):
        for j in range(3):
            out[i, j] = factor * r[i] * r[j]
        out[i, i] += 1.0 - factor * square
    out[0, 1] -= 0.5 * r[2]
    out[0, 2] += 0.5 * r[1]
    out[1, 0] += 0.5 * r[2]
    out[1, 2] -= 0.5 * r[0]
    out[2, 0] -= 0.5 * r[1]
    out[2, 1] += 0.5 * r[0]


@kernel
def limit_rows(table: Any, reach: float) -> None:
    """Rows of the limits that are within `reach` (rad) beyond twice what the step covers at its first velocity."""
    settings = floats(table, SETTINGS)
    h, recovery = settings[STEP], settings[RECOVERY]
    qpos, qvel = floats(table, QPOS), floats(table, QVEL)
    dofs, coordinates, sizes = ints(table, LIMIT_DOF), ints(table, LIMIT_QPOS), ints(table, LIMIT_SIZE)
    lower, upper = floats2(table, LIMIT_LOWER), floats2(table, LIMIT_UPPER)
    row_dof, row_size, used = ints(table, LIMIT_ROW_DOF), ints(table, LIMIT_ROW_SIZE), ints(table, LIMIT_ROW_USED)
    row_rate, offset = floats2(table, LIMIT_ROW_RATE), floats(table, LIMIT_ROW_OFFSET)
    count = 0
    r = np.zeros(3)
    rate = np.zeros((3, 3))
    for joint in range(dofs.shape[0]):
        first, at, size = dofs[joint], coordinates[joint], sizes[joint]
        if size == 1:
            r[0] = qpos[at]
            rate[0, 0] = 1.0
        else:
            _rotation_vector(qpos[at : at + 4], r)
            _nearer_branch(r, lower[joint], upper[joint])
            _inverse_right_jacobian(r, rate)
        for i in range(size):
            speed = 0.0
            for j in range(size):
                speed += rate[i, j] * qvel[first + j]
            for sign in (1.0, -1.0):
                room = r[i] - lower[joint, i] if sign > 0 else upper[joint, i] - r[i]
                if room > reach + 2.0 * h * max(0.0, -sign * speed):
                    continue
                row_dof[count], row_size[count], used[count] = first, size, room < 1e-3  # rad: likely to press
                for j in range(size):
                    row_rate[count, j] = sign * rate[i, j]
                offset[count] = room / h if room > 0 else max(recovery * room, -FASTEST_RECOVERY)
                count += 1
    ints(table, COUNTS)[LIMIT_ROWS] = count
