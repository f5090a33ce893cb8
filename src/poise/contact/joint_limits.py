"""Joint limits as unilateral rows.

A hinge is bounded in its angle, a ball joint in the three components of its rotation vector r = log q, whose rate
is ``Jr^-1(r) omega`` with the right Jacobian of the rotation group and omega in the joint's own frame [Sola2018]. In a
fast joint this rate changes within the step: rows of ball joints that then err get the curvature of the solved path.
"""

import numpy as np

from poise.arrays import Array
from poise.dynamics import workspace as at
from poise.dynamics.tree import advance_quat
from poise.kernel import Table, float_matrix, floats, ints, kernel

FASTEST_RECOVERY = 5.0  # Highest speed (rad/s) at which a joint beyond its limit returns
PRESSES = 1e-6  # Velocity (rad/s) along a row below which it presses
STRAIGHT = 2e-3  # Error (rad) of the angle at the end of the step up to which a path counts as straight


@kernel
def _rotation_vector(quat: Array, out: Array) -> None:
    """Rotation vector (3,) of a unit quaternion w x y z, with an angle of at most pi."""
    sign = 1.0 if quat[0] >= 0 else -1.0
    x, y, z = sign * quat[1], sign * quat[2], sign * quat[3]
    sine = np.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-12 else 2.0 * np.arctan2(sine, sign * quat[0]) / sine
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@kernel
def _nearer_rotation_vector(r: Array, lower: Array, upper: Array) -> None:
    """Replace r by the equivalent rotation vector nearer to the middle of the limits, which may lie beyond pi."""
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
def _inverse_right_jacobian(r: Array, out: Array) -> None:
    """Inverse right Jacobian Jr^-1(r) = 1 + [r]/2 + (1/t^2 - cot(t/2)/(2 t)) [r]^2, t = |r|."""
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
def write_limit_rows(table: Table, reach: float) -> None:
    """Write rows for limits closer than `reach` (rad) plus twice the travel of the step at the initial velocity."""
    settings = floats(table, at.SETTINGS)
    h, recovery = settings[at.STEP], settings[at.RECOVERY]
    qpos, qvel = floats(table, at.QPOS), floats(table, at.QVEL)
    dofs, coordinates, sizes = ints(table, at.LIMIT_DOF), ints(table, at.LIMIT_QPOS), ints(table, at.LIMIT_SIZE)
    lower, upper = float_matrix(table, at.LIMIT_LOWER), float_matrix(table, at.LIMIT_UPPER)
    row_dof, row_size = ints(table, at.LIMIT_ROW_DOF), ints(table, at.LIMIT_ROW_SIZE)
    row_rate, offset = float_matrix(table, at.LIMIT_ROW_RATE), floats(table, at.LIMIT_ROW_OFFSET)
    used, side = ints(table, at.LIMIT_ROW_USED), ints(table, at.LIMIT_ROW_SIDE)
    count = 0
    r = np.zeros(3)
    rate = np.zeros((3, 3))
    for joint in range(dofs.shape[0]):
        first, q, size = dofs[joint], coordinates[joint], sizes[joint]
        if size == 1:
            r[0] = qpos[q]
            rate[0, 0] = 1.0
        else:
            _rotation_vector(qpos[q : q + 4], r)
            _nearer_rotation_vector(r, lower[joint], upper[joint])
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
                side[count] = int(sign) * (i + 1)
                for j in range(size):
                    row_rate[count, j] = sign * rate[i, j]
                offset[count] = room / h if room > 0 else max(recovery * room, -FASTEST_RECOVERY)
                count += 1
    ints(table, at.COUNTS)[at.LIMIT_ROWS] = count


@kernel
def bend_limit_rows(table: Table) -> bool:
    """Give the rows of ball joints the curvature of the solved path where they err; whether any were changed.

    A row errs if its joint ends the step further than STRAIGHT beyond what the row allows, or, if the row presses,
    before it.
    """
    settings = floats(table, at.SETTINGS)
    h, recovery = settings[at.STEP], settings[at.RECOVERY]
    qpos, velocity = floats(table, at.QPOS), floats(table, at.VELOCITY)
    dofs, coordinates = ints(table, at.LIMIT_DOF), ints(table, at.LIMIT_QPOS)
    lower, upper = float_matrix(table, at.LIMIT_LOWER), float_matrix(table, at.LIMIT_UPPER)
    row_dof, row_size = ints(table, at.LIMIT_ROW_DOF), ints(table, at.LIMIT_ROW_SIZE)
    rate, offset = float_matrix(table, at.LIMIT_ROW_RATE), floats(table, at.LIMIT_ROW_OFFSET)
    side = ints(table, at.LIMIT_ROW_SIDE)
    changed, joint, known = False, 0, -1
    start, end, quat = np.zeros(3), np.zeros(3), np.zeros(4)
    for row in range(ints(table, at.COUNTS)[at.LIMIT_ROWS]):
        if row_size[row] == 1:
            continue
        first = row_dof[row]
        while dofs[joint] != first:
            joint += 1
        if joint != known:
            known = joint
            quat[:] = qpos[coordinates[joint] : coordinates[joint] + 4]
            _rotation_vector(quat, start)
            _nearer_rotation_vector(start, lower[joint], upper[joint])
            advance_quat(quat, velocity[first : first + 3], h)
            _rotation_vector(quat, end)
            _nearer_rotation_vector(end, start, start)
        i, sign = abs(side[row]) - 1, 1.0 if side[row] > 0 else -1.0
        room = start[i] - lower[joint, i] if sign > 0 else upper[joint, i] - start[i]
        along = 0.0
        for j in range(3):
            along += rate[row, j] * velocity[first + j]
        allowed = room / h if room > 0 else max(recovery * room, -FASTEST_RECOVERY)
        bent = allowed + sign * (end[i] - start[i]) / h - along
        spare = along + bent
        errs = spare < -STRAIGHT / h or (along + offset[row] < PRESSES and spare > STRAIGHT / h)
        if errs and abs(bent - offset[row]) > STRAIGHT / h:
            offset[row] = bent
            changed = True
    return changed
