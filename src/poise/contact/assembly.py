"""From the equations of motion to a contact problem, and back to velocities and torques.

    M~ v+ = M v + h (tau - bias + external) + (J' + h feedback) x,   M~ = M + h diag(damping + gain)

Motors and joint damping are eliminated implicitly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.contact.rows import turn_to_slip
from poise.dynamics.factor import factor_mass, half_solve, solve_mass
from poise.dynamics.workspace import (
    APPLIED,
    BIAS,
    CLOSED,
    CLOSING,
    COMPLIANCE,
    CONSTRAINT,
    CONTACT_IMPULSE,
    CONTACT_JACOBIAN,
    CONTACT_KIND,
    CONTACT_OFFSET,
    CONTACTS,
    COUNTS,
    DAMPING,
    DOF_PARENT,
    EXTERNAL,
    FACTOR,
    FAR,
    FASTEST,
    FREE,
    GAIN,
    GRIP_JACOBIAN,
    GRIP_OFFSET,
    GRIP_ROWS,
    LIMIT_ROW_DOF,
    LIMIT_ROW_OFFSET,
    LIMIT_ROW_RATE,
    LIMIT_ROW_SIZE,
    LIMIT_ROW_USED,
    LIMIT_ROWS,
    MASS,
    MOMENTUM,
    QVEL,
    RHS,
    SATURATED,
    SETTINGS,
    STEP,
    STRENGTH,
    TARGET,
    TORQUE,
    TORQUE_LIMIT,
    TOUCHED,
    UNILATERAL,
    VELOCITY,
)
from poise.kernel import floats, floats2, ints, kernel

DONE, AGAIN, BLOWN = range(3)
"""What `conclude` finds."""

BLOCK_PASSES, WEAKEN_PASSES = 8, 100
"""Passes in which saturated torques are sought exactly, and after which what is still too strong is switched off."""
SLACK = 1e-9
"""m/s: a row that was left out may be violated by this much."""


@kernel
def _along(jacobian: Any, velocity: Any) -> float:
    total = 0.0
    for i in range(velocity.shape[0]):
        total += jacobian[i] * velocity[i]
    return total


@kernel
def _limit_along(table: Any, row: int, velocity: Any) -> float:
    dof, size = ints(table, LIMIT_ROW_DOF)[row], ints(table, LIMIT_ROW_SIZE)[row]
    rate = floats2(table, LIMIT_ROW_RATE)[row]
    total = floats(table, LIMIT_ROW_OFFSET)[row]
    for j in range(size):
        total += rate[j] * velocity[dof + j]
    return float(total)


@kernel
def _admit(table: Any, velocity: Any, slack: float) -> bool:
    """Put rows into use that a velocity violates; whether there were any."""
    counts = ints(table, COUNTS)
    used, kind = ints(table, LIMIT_ROW_USED), ints(table, CONTACT_KIND)
    jacobian, offset = floats2(table, CONTACT_JACOBIAN), floats(table, CONTACT_OFFSET)
    found = False
    for row in range(counts[LIMIT_ROWS]):
        if used[row] == 0 and _limit_along(table, row, velocity) < -slack:
            used[row] = 1
            found = True
    for c in range(counts[CONTACTS]):
        if kind[c] == FAR and _along(jacobian[3 * c], velocity) + offset[3 * c] < -slack:
            kind[c] = CLOSING
            found = True
    return found


@kernel
def free_motion(table: Any) -> int:
    """Factor and velocity without contacts; returns how many rows are in use."""
    h = floats(table, SETTINGS)[STEP]
    mass, momentum, bias = floats2(table, MASS), floats(table, MOMENTUM), floats(table, BIAS)
    torque, gain, target = floats(table, TORQUE), floats(table, GAIN), floats(table, TARGET)
    external, limit, damping = floats(table, EXTERNAL), floats(table, TORQUE_LIMIT), floats(table, DAMPING)
    saturated, strength, parent = ints(table, SATURATED), floats(table, STRENGTH), ints(table, DOF_PARENT)
    rhs, free, factor = floats(table, RHS), floats(table, FREE), floats2(table, FACTOR)
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
    _admit(table, free, 0.0)
    counts, used, kind = ints(table, COUNTS), ints(table, LIMIT_ROW_USED), ints(table, CONTACT_KIND)
    closed, touching = 0, 0
    for c in range(counts[CONTACTS]):
        closed += kind[c] == CLOSING
        touching += kind[c] == TOUCHED
    counts[CLOSED] = counts[UNILATERAL] = closed
    for row in range(counts[LIMIT_ROWS]):
        counts[UNILATERAL] += used[row]
    return int(counts[GRIP_ROWS] + counts[UNILATERAL] + 3 * touching)


@kernel
def begin(table: Any, turning: bool) -> int:
    """M v, nothing saturated yet, and free motion; returns how many rows are in use.

    ``turning`` has tangents turn to where contacts would slip.
    """
    mass, qvel, momentum = floats2(table, MASS), floats(table, QVEL), floats(table, MOMENTUM)
    saturated, strength = ints(table, SATURATED), floats(table, STRENGTH)
    nv = qvel.shape[0]
    momentum[:] = 0.0
    saturated[:] = 0
    strength[:] = 1.0
    for j in range(nv):  # by columns, which the mass matrix has as rows: sums of many terms at once
        for i in range(nv):
            momentum[i] += mass[j, i] * qvel[j]
    rows = free_motion(table)
    if turning:
        turn_to_slip(table)
    return rows


@kernel
def problem_of(table: Any, rows: int, feedback: Any) -> Any:
    """Matrix and bias of the rows in use: grips, limits, closing contacts, touching contacts."""
    h, compliance = floats(table, SETTINGS)[STEP], floats(table, SETTINGS)[COMPLIANCE]
    parent, factor, free = ints(table, DOF_PARENT), floats2(table, FACTOR), floats(table, FREE)
    counts, saturated, strength = ints(table, COUNTS), ints(table, SATURATED), floats(table, STRENGTH)
    nv = free.shape[0]
    bias = np.empty(rows)
    half = np.zeros((nv, rows))
    has_feedback = feedback.shape[1] > 0
    drag = np.zeros((nv, rows if has_feedback else 0))  # h feedback, a column per row in use

    row = 0
    grip_jacobian, grip_offset = floats2(table, GRIP_JACOBIAN), floats(table, GRIP_OFFSET)
    for g in range(counts[GRIP_ROWS]):
        for i in range(nv):
            half[i, row] = grip_jacobian[g, i]
        bias[row] = _along(grip_jacobian[g], free) + grip_offset[g]
        row += 1
    used, rate = ints(table, LIMIT_ROW_USED), floats2(table, LIMIT_ROW_RATE)
    dof, size = ints(table, LIMIT_ROW_DOF), ints(table, LIMIT_ROW_SIZE)
    for k in range(counts[LIMIT_ROWS]):
        if used[k] == 1:
            for j in range(size[k]):
                half[dof[k] + j, row] = rate[k, j]
            bias[row] = _limit_along(table, k, free)
            row += 1
    jacobian, offset = floats2(table, CONTACT_JACOBIAN), floats(table, CONTACT_OFFSET)
    kind = ints(table, CONTACT_KIND)
    for wanted in (CLOSING, TOUCHED):
        for c in range(counts[CONTACTS]):
            if kind[c] != wanted:
                continue
            for source in range(3 * c, 3 * c + (1 if wanted == CLOSING else 3)):
                for i in range(nv):
                    half[i, row] = jacobian[source, i]
                if has_feedback:
                    for i in range(nv):
                        if saturated[i] == 0:
                            drag[i, row] = h * strength[i] * feedback[i, source]
                bias[row] = _along(jacobian[source], free) + offset[source]
                row += 1

    half_solve(factor, parent, half)
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
        half_solve(factor, parent, drag)
        for k in range(nv):
            for i in range(rows):
                value = half[k, i]
                if value != 0.0:
                    for j in range(rows):
                        matrix[i, j] += value * drag[k, j]
    return matrix, bias


@kernel
def _constraint_impulse(table: Any, impulse: Any) -> None:
    """Spread the impulses of the rows in use over contacts (CONTACT_IMPULSE) and DOFs (CONSTRAINT)."""
    counts = ints(table, COUNTS)
    constraint, spread = floats(table, CONSTRAINT), floats(table, CONTACT_IMPULSE)
    nv = constraint.shape[0]
    constraint[:] = 0.0
    row = 0
    grip_jacobian = floats2(table, GRIP_JACOBIAN)
    for g in range(counts[GRIP_ROWS]):
        for i in range(nv):
            constraint[i] += grip_jacobian[g, i] * impulse[row]
        row += 1
    used, rate = ints(table, LIMIT_ROW_USED), floats2(table, LIMIT_ROW_RATE)
    dof, size = ints(table, LIMIT_ROW_DOF), ints(table, LIMIT_ROW_SIZE)
    for k in range(counts[LIMIT_ROWS]):
        if used[k] == 1:
            for j in range(size[k]):
                constraint[dof[k] + j] += rate[k, j] * impulse[row]
            row += 1
    kind, jacobian = ints(table, CONTACT_KIND), floats2(table, CONTACT_JACOBIAN)
    for source in range(3 * counts[CONTACTS]):
        spread[source] = 0.0
    for wanted in (CLOSING, TOUCHED):
        for c in range(counts[CONTACTS]):
            if kind[c] != wanted:
                continue
            for source in range(3 * c, 3 * c + (1 if wanted == CLOSING else 3)):
                spread[source] = impulse[row]
                row += 1
                if spread[source] != 0.0:
                    for i in range(nv):
                        constraint[i] += jacobian[source, i] * spread[source]


@kernel
def _keep_limits(table: Any, asked: Any, passes: int) -> bool:
    """Take the torques that are asked for (APPLIED), or change what must give way; whether something had to.

    At first a DOF that asks for too much gets its limit, all such DOFs at once, and is released when it asks for
    less. Where that does not settle, they are freed, and those that ask for too much are weakened until they do not:
    a weaker motor still brakes, while a light limb with a fixed torque would be thrown.
    """
    limit, applied = floats(table, TORQUE_LIMIT), floats(table, APPLIED)
    saturated, strength = ints(table, SATURATED), floats(table, STRENGTH)
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
def conclude(table: Any, impulse: Any, feedback: Any, passes: int) -> int:
    """Velocities (VELOCITY) and torques (APPLIED) of a solved problem; DONE, AGAIN or BLOWN.

    Again, if a torque passed its limit, or if a row that was left out is violated (it is then put into use).
    """
    h, fastest = floats(table, SETTINGS)[STEP], floats(table, SETTINGS)[FASTEST]
    _constraint_impulse(table, impulse)
    rhs, constraint, velocity = floats(table, RHS), floats(table, CONSTRAINT), floats(table, VELOCITY)
    spread, saturated, strength = floats(table, CONTACT_IMPULSE), ints(table, SATURATED), floats(table, STRENGTH)
    torque, gain, target = floats(table, TORQUE), floats(table, GAIN), floats(table, TARGET)
    nv = rhs.shape[0]
    asked = np.zeros(nv)  # N m
    for i in range(nv):
        for source in range(feedback.shape[1]):
            asked[i] += strength[i] * feedback[i, source] * spread[source]
        velocity[i] = rhs[i] + constraint[i]
        if saturated[i] == 0:
            velocity[i] += h * asked[i]
    solve_mass(floats2(table, FACTOR), ints(table, DOF_PARENT), velocity)
    for i in range(nv):
        asked[i] += strength[i] * (torque[i] + gain[i] * (target[i] - velocity[i]))
    if _keep_limits(table, asked, passes):
        return AGAIN
    for i in range(nv):
        if not abs(velocity[i]) < fastest:
            return BLOWN
    return AGAIN if _admit(table, velocity, SLACK) else DONE
