"""Projected Gauss-Seidel: cheap approximate sweeps, for many contacts where exact forces do not matter."""

import numpy as np

from poise.arrays import Array
from poise.contact.problem import nearest_friction_impulse
from poise.kernel import kernel


@kernel
def gauss_seidel_sweeps(
    matrix: Array, bias: Array, bilateral: int, unilateral: int, friction: Array, directions: Array,
    impulse: Array, most: int, tolerance: float,
) -> int:  # fmt: skip
    """Improve `impulse` until a sweep changes no row velocity by `tolerance` m/s; returns the number of sweeps."""
    r = bias.shape[0]
    for count in range(1, most + 1):
        change = 0.0
        row = 0
        while row < r:
            is_contact = row >= bilateral + unilateral
            velocity = bias[row]
            for j in range(r):
                velocity += matrix[row, j] * impulse[j]
            old = impulse[row]
            impulse[row] = old - velocity / matrix[row, row]
            if row >= bilateral:
                impulse[row] = max(0.0, impulse[row])
            change = max(change, abs(impulse[row] - old) * matrix[row, row])
            if not is_contact:
                row += 1
                continue
            w1, w2 = bias[row + 1], bias[row + 2]
            for j in range(r):
                w1 += matrix[row + 1, j] * impulse[j]
                w2 += matrix[row + 2, j] * impulse[j]
            # A step size that does not overshoot for the 2 x 2 tangential block.
            stiffness = max(matrix[row + 1, row + 1], matrix[row + 2, row + 2])
            stiffness += abs(0.5 * (matrix[row + 1, row + 2] + matrix[row + 2, row + 1]))
            old1, old2 = impulse[row + 1], impulse[row + 2]
            bound = friction[(row - bilateral - unilateral) // 3] * impulse[row]
            _, impulse[row + 1], impulse[row + 2] = nearest_friction_impulse(
                old1 - w1 / stiffness, old2 - w2 / stiffness, bound, directions
            )
            moved = np.hypot(impulse[row + 1] - old1, impulse[row + 2] - old2)
            change = max(change, moved * stiffness)
            row += 3
        if change < tolerance:
            return count
    return most
