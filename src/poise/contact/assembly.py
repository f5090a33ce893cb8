"""From the equations of motion to a contact problem, and back to velocities and torques.

    M~ v+ = M v + h (tau - bias + external) + (J' + h feedback) x,   M~ = M + h diag(damping + gain)

Motors and joint damping are eliminated implicitly. M~ is factored as L'L with the children first, which keeps
the sparsity of the kinematic tree [Featherstone2008, ch. 6].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def _factor(mass: Any, diagonal: Any, parent: Any) -> Any:
    """Lower-triangular L with L'L = mass + diag(diagonal), non-zero only between a DOF and its ancestors."""
    n = mass.shape[0]
    factor = mass.copy()
    for k in range(n - 1, -1, -1):
        root = np.sqrt(factor[k, k] + diagonal[k])
        factor[k, k] = root
        i = parent[k]
        while i >= 0:
            factor[k, i] /= root
            i = parent[i]
        i = parent[k]
        while i >= 0:
            j = i
            value = factor[k, i]
            while j >= 0:
                factor[i, j] -= value * factor[k, j]
                j = parent[j]
            i = parent[i]
    return factor


@kernel
def _half_solve(factor: Any, parent: Any, columns: Any) -> None:
    """Overwrite columns (nv, r) with L'^-1 columns."""
    n, r = columns.shape
    for k in range(n - 1, -1, -1):
        inverse = 1.0 / factor[k, k]
        for c in range(r):
            columns[k, c] *= inverse
        i = parent[k]
        while i >= 0:
            value = factor[k, i]
            for c in range(r):
                columns[i, c] -= value * columns[k, c]
            i = parent[i]


@kernel
def _solve(factor: Any, parent: Any, x: Any) -> None:
    """Overwrite x (nv,) with (L'L)^-1 x."""
    n = x.shape[0]
    for k in range(n - 1, -1, -1):
        x[k] /= factor[k, k]
        i = parent[k]
        while i >= 0:
            x[i] -= factor[k, i] * x[k]
            i = parent[i]
    for k in range(n):
        i = parent[k]
        while i >= 0:
            x[k] -= factor[k, i] * x[i]
            i = parent[i]
        x[k] /= factor[k, k]


@kernel
def _closing(jacobian: Any, offset: float, velocity: Any) -> float:
    total = offset
    for i in range(velocity.shape[0]):
        total += jacobian[i] * velocity[i]
    return total


@kernel
def assemble(
    mass: Any,
    momentum: Any,
    force: Any,
    torque: Any,
    h: float,
    damping: Any,
    gain: Any,
    motor_velocity: Any,
    saturated: Any,
    limit: Any,
    parent: Any,
    grip_jacobian: Any,
    grip_offset: Any,
    limit_jacobian: Any,
    limit_offset: Any,
    limit_used: Any,
    contact_jacobian: Any,
    contact_offset: Any,
    contact_kind: Any,
    feedback: Any,
    compliance: float,
) -> Any:
    """Factor, right-hand side, rows in use and the problem (A, b) in impulses.

    ``momentum`` is M v; ``force`` is external - bias; ``torque`` is the part of the actuation that is given.
    ``contact_kind``: 0 far and open, 1 far but in use (normal only), 2 touching, 3 never in use. ``limit_used``:
    0 or 1.
    Both are extended here by the rows that the contact-free velocity would violate. ``saturated`` is -1, 0 or 1.
    """
    nv = mass.shape[0]
    diagonal = np.empty(nv)
    rhs = np.empty(nv)
    for i in range(nv):
        if saturated[i] == 0:
            diagonal[i] = h * (damping[i] + gain[i])
            rhs[i] = momentum[i] + h * (force[i] + torque[i] + gain[i] * motor_velocity[i])
        else:
            diagonal[i] = h * damping[i]
            rhs[i] = momentum[i] + h * (force[i] + saturated[i] * limit[i])
    factor = _factor(mass, diagonal, parent)
    free = rhs.copy()
    _solve(factor, parent, free)

    grips = grip_offset.shape[0]
    unilateral = 0
    for i in range(limit_offset.shape[0]):
        if limit_used[i] == 0 and _closing(limit_jacobian[i], limit_offset[i], free) < 0:
            limit_used[i] = 1
        unilateral += limit_used[i]
    touching = 0
    for c in range(contact_kind.shape[0]):
        if contact_kind[c] == 2:
            touching += 1
            continue
        if contact_kind[c] == 0 and _closing(contact_jacobian[3 * c], contact_offset[3 * c], free) < 0:
            contact_kind[c] = 1
        if contact_kind[c] == 1:
            unilateral += 1
    rows = grips + unilateral + 3 * touching
    bias = np.empty(rows)
    half = np.zeros((nv, rows))
    drag = np.zeros((nv, rows))  # h feedback, column per row in use
    has_feedback = feedback.shape[1] > 0

    row = 0
    for g in range(grips):
        for i in range(nv):
            half[i, row] = grip_jacobian[g, i]
        bias[row] = _closing(grip_jacobian[g], grip_offset[g], free)
        row += 1
    for limit_row in range(limit_offset.shape[0]):
        if limit_used[limit_row] == 1:
            for i in range(nv):
                half[i, row] = limit_jacobian[limit_row, i]
            bias[row] = _closing(limit_jacobian[limit_row], limit_offset[limit_row], free)
            row += 1
    for wanted in range(1, 3):
        for c in range(contact_kind.shape[0]):
            if contact_kind[c] != wanted:
                continue
            for k in range(1 if wanted == 1 else 3):
                source = 3 * c + k
                for i in range(nv):
                    half[i, row] = contact_jacobian[source, i]
                if has_feedback:
                    for i in range(nv):
                        if saturated[i] == 0:
                            drag[i, row] = h * feedback[i, source]
                bias[row] = _closing(contact_jacobian[source], contact_offset[source], free)
                row += 1

    _half_solve(factor, parent, half)
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
        _half_solve(factor, parent, drag)
        for k in range(nv):
            for i in range(rows):
                value = half[k, i]
                if value != 0.0:
                    for j in range(rows):
                        matrix[i, j] += value * drag[k, j]
    return factor, rhs, matrix, bias, unilateral, touching


@kernel
def conclude(
    factor: Any,
    rhs: Any,
    parent: Any,
    h: float,
    torque: Any,
    gain: Any,
    motor_velocity: Any,
    saturated: Any,
    limit: Any,
    grip_jacobian: Any,
    limit_jacobian: Any,
    limit_offset: Any,
    limit_used: Any,
    contact_jacobian: Any,
    contact_offset: Any,
    contact_kind: Any,
    feedback: Any,
    impulse: Any,
    passes: int,
) -> Any:
    """Velocities, torques and per-contact impulses of a solved problem, and whether it must be solved again.

    Again, if a torque passed its limit (its DOF is then saturated; released when it comes back) or if a row that
    was left out is violated (it is then put in). The first passes change all such DOFs at once, later ones the
    worst alone, and the last ones only saturate, so that the passes end and no torque ever exceeds its limit.
    """
    nv = rhs.shape[0]
    contacts = contact_kind.shape[0]
    spread = np.zeros(3 * contacts)  # n, t1, t2 of every contact
    constraint = np.zeros(nv)  # generalised impulse of all rows
    row = 0
    for g in range(grip_jacobian.shape[0]):
        for i in range(nv):
            constraint[i] += grip_jacobian[g, i] * impulse[row]
        row += 1
    for limit_row in range(limit_offset.shape[0]):
        if limit_used[limit_row] == 1:
            for i in range(nv):
                constraint[i] += limit_jacobian[limit_row, i] * impulse[row]
            row += 1
    for wanted in range(1, 3):
        for c in range(contacts):
            if contact_kind[c] == wanted:
                for k in range(1 if wanted == 1 else 3):
                    spread[3 * c + k] = impulse[row]
                    row += 1
    for source in range(3 * contacts):
        if spread[source] != 0.0:
            for i in range(nv):
                constraint[i] += contact_jacobian[source, i] * spread[source]

    asked = np.zeros(nv)  # N m: contact feedback
    if feedback.shape[1] > 0:
        for i in range(nv):
            for source in range(3 * contacts):
                asked[i] += feedback[i, source] * spread[source]
    velocity = np.empty(nv)
    for i in range(nv):
        velocity[i] = rhs[i] + constraint[i]
        if saturated[i] == 0:
            velocity[i] += h * asked[i]
    _solve(factor, parent, velocity)

    again = False
    worst, culprit, change = 0.0, -1, 0
    applied = np.empty(nv)
    for i in range(nv):
        asked[i] += torque[i] + gain[i] * (motor_velocity[i] - velocity[i])
        wanted_side = 0
        if saturated[i] == 0:
            applied[i] = asked[i]
            if asked[i] > limit[i] * (1.0 + 1e-12):
                wanted_side = 1
            elif asked[i] < -limit[i] * (1.0 + 1e-12):
                wanted_side = -1
        else:
            applied[i] = saturated[i] * limit[i]
            wanted_side = saturated[i] if asked[i] * saturated[i] >= limit[i] * (1.0 - 1e-9) else 0
        if passes > 40 and saturated[i] != 0:
            wanted_side = saturated[i]
        if wanted_side != saturated[i]:
            again = True
            amount = abs(abs(asked[i]) - limit[i])
            if passes <= 8 or passes > 40:
                saturated[i] = wanted_side
            elif amount > worst:
                worst, culprit, change = amount, i, wanted_side
    if culprit >= 0:
        saturated[culprit] = change

    for limit_row in range(limit_offset.shape[0]):
        if limit_used[limit_row] == 0:
            closing = _closing(limit_jacobian[limit_row], limit_offset[limit_row], velocity)
            if closing < -1e-9:
                limit_used[limit_row] = 1
                again = True
    for c in range(contacts):
        if contact_kind[c] == 0 and _closing(contact_jacobian[3 * c], contact_offset[3 * c], velocity) < -1e-9:
            contact_kind[c] = 1
            again = True
    return velocity, applied, constraint, spread, again
