"""Assemble the contact problem from the equations of motion, and recover velocities and torques from its solution.

    M~ v+ = M v + h (tau - bias + external) + (J' + h feedback) x,   M~ = M + h diag(damping + gain)

x are the impulses of the rows in use. Motors and joint damping are implicit: they are part of M~.
"""

import numpy as np

from poise.arrays import Array
from poise.contact.rows import turn_tangents_to_slip
from poise.dynamics import workspace as at
from poise.dynamics.factor import factor_mass, half_solve_mass, solve_mass
from poise.kernel import Table, float_matrix, floats, ints, kernel

DONE, AGAIN, DIVERGED = range(3)
"""Outcomes of `conclude_contact_solve`: solved; solve again with changed rows or torques; velocities diverged."""

BLOCK_PASSES, WEAKEN_PASSES = 8, 100
"""Passes that search for the saturated torques exactly; passes after which excessive actuation is switched off."""
SLACK = 1e-9  # Violation (m/s) up to which a row may stay out of use


@kernel
def _row_velocity(jacobian: Array, velocity: Array) -> float:
    """Velocity along a row, m/s."""
    total = 0.0
    for i in range(velocity.shape[0]):
        total += jacobian[i] * velocity[i]
    return total


@kernel
def _limit_row_velocity(table: Table, row: int, velocity: Array) -> float:
    """Velocity along a joint-limit row with its offset, rad/s."""
    dof, size = ints(table, at.LIMIT_ROW_DOF)[row], ints(table, at.LIMIT_ROW_SIZE)[row]
    rate = float_matrix(table, at.LIMIT_ROW_RATE)[row]
    total = floats(table, at.LIMIT_ROW_OFFSET)[row]
    for j in range(size):
        total += rate[j] * velocity[dof + j]
    return float(total)


@kernel
def _use_violated_rows(table: Table, velocity: Array, slack: float) -> bool:
    """Put the rows into use that a velocity violates by more than `slack` m/s; True if there are any."""
    counts = ints(table, at.COUNTS)
    used, kind = ints(table, at.LIMIT_ROW_USED), ints(table, at.CONTACT_KIND)
    jacobian, offset = float_matrix(table, at.CONTACT_JACOBIAN), floats(table, at.CONTACT_OFFSET)
    found = False
    for row in range(counts[at.LIMIT_ROWS]):
        if used[row] == 0 and _limit_row_velocity(table, row, velocity) < -slack:
            used[row] = 1
            found = True
    for c in range(counts[at.CONTACTS]):
        if kind[c] == at.FAR and _row_velocity(jacobian[3 * c], velocity) + offset[3 * c] < -slack:
            kind[c] = at.CLOSING
            found = True
    return found


@kernel
def solve_free_motion(table: Table) -> int:
    """Factor M~ (FACTOR) and solve the motion without impulses (FREE); returns the number of rows in use."""
    h = floats(table, at.SETTINGS)[at.STEP]
    mass, momentum, bias = float_matrix(table, at.MASS), floats(table, at.MOMENTUM), floats(table, at.BIAS)
    torque, gain, target = floats(table, at.TORQUE), floats(table, at.GAIN), floats(table, at.TARGET)
    external, limit, damping = floats(table, at.EXTERNAL), floats(table, at.TORQUE_LIMIT), floats(table, at.DAMPING)
    saturated, strength, parent = ints(table, at.SATURATED), floats(table, at.STRENGTH), ints(table, at.DOF_PARENT)
    rhs, free, factor = floats(table, at.RHS), floats(table, at.FREE), float_matrix(table, at.FACTOR)
    nv = rhs.shape[0]
    diagonal = np.empty(nv)
    for i in range(nv):
        rhs[i] = momentum[i] + h * (external[i] - bias[i])
        if saturated[i] == 0:
            diagonal[i] = h * (damping[i] + strength[i] * gain[i])
            rhs[i] += h * strength[i] * (torque[i] + gain[i] * target[i])
        else:
            diagonal[i] = h * damping[i]
            rhs[i] += h * saturated[i] * limit[i]
        free[i] = rhs[i]
    factor_mass(mass, diagonal, parent, factor)
    solve_mass(factor, parent, free)
    _use_violated_rows(table, free, 0.0)
    counts, used, kind = ints(table, at.COUNTS), ints(table, at.LIMIT_ROW_USED), ints(table, at.CONTACT_KIND)
    closed, touching = 0, 0
    for c in range(counts[at.CONTACTS]):
        closed += kind[c] == at.CLOSING
        touching += kind[c] == at.TOUCHED
    counts[at.CLOSED] = counts[at.UNILATERAL] = closed
    for row in range(counts[at.LIMIT_ROWS]):
        counts[at.UNILATERAL] += used[row]
    return int(counts[at.GRIP_ROWS] + counts[at.UNILATERAL] + 3 * touching)


@kernel
def begin_contact_solve(table: Table, turning: bool) -> int:
    """Start a step: momentum M v, free motion; returns the rows in use. If `turning`, tangents turn to the slip."""
    mass, qvel, momentum = float_matrix(table, at.MASS), floats(table, at.QVEL), floats(table, at.MOMENTUM)
    saturated, strength = ints(table, at.SATURATED), floats(table, at.STRENGTH)
    nv = qvel.shape[0]
    momentum[:] = 0.0
    saturated[:] = 0
    strength[:] = 1.0
    for j in range(nv):  # the mass matrix is symmetric: adding its rows lets the inner loop vectorise
        for i in range(nv):
            momentum[i] += mass[j, i] * qvel[j]
    rows = solve_free_motion(table)
    if turning:
        turn_tangents_to_slip(table)
    return rows


@kernel
def assemble_contact_problem(table: Table, rows: int, feedback: Array) -> tuple[Array, Array]:
    """Matrix (r, r) and bias (r,) of the rows in use: grips, limits, closing contacts, touching contacts."""
    h, compliance = floats(table, at.SETTINGS)[at.STEP], floats(table, at.SETTINGS)[at.COMPLIANCE]
    parent, factor, free = ints(table, at.DOF_PARENT), float_matrix(table, at.FACTOR), floats(table, at.FREE)
    counts, saturated, strength = ints(table, at.COUNTS), ints(table, at.SATURATED), floats(table, at.STRENGTH)
    nv = free.shape[0]
    bias = np.empty(rows)
    half = np.zeros((nv, rows))
    has_feedback = feedback.shape[1] > 0
    drag = np.zeros((nv, rows if has_feedback else 0))  # h feedback, one column per row in use

    row = 0
    grip_jacobian, grip_offset = float_matrix(table, at.GRIP_JACOBIAN), floats(table, at.GRIP_OFFSET)
    for g in range(counts[at.GRIP_ROWS]):
        for i in range(nv):
            half[i, row] = grip_jacobian[g, i]
        bias[row] = _row_velocity(grip_jacobian[g], free) + grip_offset[g]
        row += 1
    used, rate = ints(table, at.LIMIT_ROW_USED), float_matrix(table, at.LIMIT_ROW_RATE)
    dof, size = ints(table, at.LIMIT_ROW_DOF), ints(table, at.LIMIT_ROW_SIZE)
    for k in range(counts[at.LIMIT_ROWS]):
        if used[k] == 1:
            for j in range(size[k]):
                half[dof[k] + j, row] = rate[k, j]
            bias[row] = _limit_row_velocity(table, k, free)
            row += 1
    jacobian, offset = float_matrix(table, at.CONTACT_JACOBIAN), floats(table, at.CONTACT_OFFSET)
    kind = ints(table, at.CONTACT_KIND)
    for wanted in (at.CLOSING, at.TOUCHED):
        for c in range(counts[at.CONTACTS]):
            if kind[c] != wanted:
                continue
            for source in range(3 * c, 3 * c + (1 if wanted == at.CLOSING else 3)):
                for i in range(nv):
                    half[i, row] = jacobian[source, i]
                if has_feedback:
                    for i in range(nv):
                        if saturated[i] == 0:
                            drag[i, row] = h * strength[i] * feedback[i, source]
                bias[row] = _row_velocity(jacobian[source], free) + offset[source]
                row += 1

    half_solve_mass(factor, parent, half)
    matrix = np.zeros((rows, rows))
    for k in range(nv):
        for i in range(rows):
            value = half[k, i]
            if value != 0.0:
                for j in range(i, rows):
                    matrix[i, j] += value * half[k, j]
    for i in range(rows):
        for j in range(i):
            matrix[i, j] = matrix[j, i]
        matrix[i, i] *= 1.0 + compliance
    if has_feedback:
        half_solve_mass(factor, parent, drag)
        for k in range(nv):
            for i in range(rows):
                value = half[k, i]
                if value != 0.0:
                    for j in range(rows):
                        matrix[i, j] += value * drag[k, j]
    return matrix, bias


@kernel
def _distribute_impulses(table: Table, impulse: Array) -> None:
    """Distribute impulses to contacts (CONTACT_IMPULSE), DOFs (CONSTRAINT), and of limits alone (LIMIT_IMPULSE)."""
    counts = ints(table, at.COUNTS)
    constraint, spread = floats(table, at.CONSTRAINT), floats(table, at.CONTACT_IMPULSE)
    limits = floats(table, at.LIMIT_IMPULSE)
    nv = constraint.shape[0]
    constraint[:] = 0.0
    limits[:] = 0.0
    row = 0
    grip_jacobian = float_matrix(table, at.GRIP_JACOBIAN)
    for g in range(counts[at.GRIP_ROWS]):
        for i in range(nv):
            constraint[i] += grip_jacobian[g, i] * impulse[row]
        row += 1
    used, rate = ints(table, at.LIMIT_ROW_USED), float_matrix(table, at.LIMIT_ROW_RATE)
    dof, size = ints(table, at.LIMIT_ROW_DOF), ints(table, at.LIMIT_ROW_SIZE)
    for k in range(counts[at.LIMIT_ROWS]):
        if used[k] == 1:
            for j in range(size[k]):
                constraint[dof[k] + j] += rate[k, j] * impulse[row]
                limits[dof[k] + j] += rate[k, j] * impulse[row]
            row += 1
    kind, jacobian = ints(table, at.CONTACT_KIND), float_matrix(table, at.CONTACT_JACOBIAN)
    for source in range(3 * counts[at.CONTACTS]):
        spread[source] = 0.0
    for wanted in (at.CLOSING, at.TOUCHED):
        for c in range(counts[at.CONTACTS]):
            if kind[c] != wanted:
                continue
            for source in range(3 * c, 3 * c + (1 if wanted == at.CLOSING else 3)):
                spread[source] = impulse[row]
                row += 1
                if spread[source] != 0.0:
                    for i in range(nv):
                        constraint[i] += jacobian[source, i] * spread[source]


@kernel
def _enforce_torque_limits(table: Table, asked: Array, passes: int) -> bool:
    """Write the torques (APPLIED) and keep them within their limits; True if the step must be solved again.

    In the first passes a DOF whose demand `asked` (N m) exceeds the limit gets the limit, until its demand falls below.
    If that does not settle, all DOFs are released, and actuation that exceeds its limit is scaled down until it fits: a
    weaker motor still brakes, while a fixed torque would fling a light limb.
    """
    limit, applied = floats(table, at.TORQUE_LIMIT), floats(table, at.APPLIED)
    saturated, strength = ints(table, at.SATURATED), floats(table, at.STRENGTH)
    again = False
    for i in range(asked.shape[0]):
        side = 0
        if saturated[i] == 0:
            applied[i] = asked[i]
            if abs(asked[i]) > limit[i] * (1.0 + 1e-12):
                side = 1 if asked[i] > 0 else -1
        else:
            applied[i] = saturated[i] * limit[i]
            if asked[i] * saturated[i] >= limit[i] * (1.0 - 1e-9):
                side = saturated[i]
        if passes < BLOCK_PASSES:
            again = again or side != saturated[i]
            saturated[i] = side
        elif passes == BLOCK_PASSES:
            again = again or side != saturated[i]
        elif side != 0:
            again = True
            strength[i] *= 0.98 * limit[i] / abs(asked[i]) if passes < WEAKEN_PASSES else 0.0
    if again and passes == BLOCK_PASSES:
        saturated[:] = 0
    return again


@kernel
def conclude_contact_solve(table: Table, impulse: Array, feedback: Array, passes: int) -> int:
    """Velocities and torques from impulses (r,): DONE, AGAIN (a limit or an unused row is violated) or DIVERGED."""
    h, fastest = floats(table, at.SETTINGS)[at.STEP], floats(table, at.SETTINGS)[at.FASTEST]
    _distribute_impulses(table, impulse)
    rhs, constraint, velocity = floats(table, at.RHS), floats(table, at.CONSTRAINT), floats(table, at.VELOCITY)
    saturated, strength = ints(table, at.SATURATED), floats(table, at.STRENGTH)
    spread = floats(table, at.CONTACT_IMPULSE)
    torque, gain, target = floats(table, at.TORQUE), floats(table, at.GAIN), floats(table, at.TARGET)
    nv = rhs.shape[0]
    asked = np.zeros(nv)  # N m
    for i in range(nv):
        for source in range(feedback.shape[1]):
            asked[i] += strength[i] * feedback[i, source] * spread[source]
        velocity[i] = rhs[i] + constraint[i]
        if saturated[i] == 0:
            velocity[i] += h * asked[i]
    solve_mass(float_matrix(table, at.FACTOR), ints(table, at.DOF_PARENT), velocity)
    for i in range(nv):
        asked[i] += strength[i] * (torque[i] + gain[i] * (target[i] - velocity[i]))
    if _enforce_torque_limits(table, asked, passes):
        return AGAIN
    for i in range(nv):
        if not abs(velocity[i]) < fastest:
            return DIVERGED
    return AGAIN if _use_violated_rows(table, velocity, SLACK) else DONE
