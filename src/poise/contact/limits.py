"""Joint limits as unilateral rows.

A hinge is bounded in its angle, a ball joint in the three components of its rotation vector r = log q, whose rate
is ``Jr^-1(r) omega`` with the right Jacobian of the rotation group and omega in the joint's own frame [Sola2018].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def _rotation_vector(quat: Any, out: Any) -> None:
    """log of a unit quaternion w x y z, the short way round."""
    sign = 1.0 if quat[0] >= 0 else -1.0
    x, y, z = sign * quat[1], sign * quat[2], sign * quat[3]
    sine = np.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-12 else 2.0 * np.arctan2(sine, sign * quat[0]) / sine
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@kernel
def _inverse_right_jacobian(r: Any, out: Any) -> None:
    """Jr^-1(r) = 1 + [r]/2 + (1/t^2 - cot(t/2)/(2 t)) [r]^2, t = |r|."""
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    angle = np.sqrt(square)
    if angle < 1e-4:
        factor = 1.0 / 12.0
    else:
        factor = 1.0 / square - 0.5 / (angle * np.tan(0.5 * angle))
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
def limit_rows(
    qpos: Any,
    qvel: Any,
    h: float,
    reach: float,
    dofs: Any,
    coordinates: Any,
    sizes: Any,
    lower: Any,
    upper: Any,
) -> Any:
    """(jacobian, gap, count): rows of the limits that are within `reach` (rad) beyond what one step covers."""
    jacobian = np.zeros((2 * 3 * dofs.shape[0], qvel.shape[0]))
    gap = np.empty(jacobian.shape[0])
    count = 0
    r = np.zeros(3)
    rate = np.zeros((3, 3))
    for joint in range(dofs.shape[0]):
        first, adr, size = dofs[joint], coordinates[joint], sizes[joint]
        if size == 1:
            r[0] = qpos[adr]
            rate[0, 0] = 1.0
        else:
            _rotation_vector(qpos[adr : adr + 4], r)
            _inverse_right_jacobian(r, rate)
        for i in range(size):
            speed = 0.0
            for j in range(size):
                speed += rate[i, j] * qvel[first + j]
            below, above = r[i] - lower[joint, i], upper[joint, i] - r[i]
            for side in range(2):
                sign = 1.0 if side == 0 else -1.0
                room = below if side == 0 else above
                if room > reach + 2.0 * h * max(0.0, -sign * speed):
                    continue
                for j in range(size):
                    jacobian[count, first + j] = sign * rate[i, j]
                gap[count] = room
                count += 1
    return jacobian, gap, count
