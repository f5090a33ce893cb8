"""Projected Gauss-Seidel: cheap sweeps with bounds, for many contacts where exact forces do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def _project(t1: float, t2: float, bound: float, directions: Any) -> tuple[float, float]:
    """The point of the friction polygon with vertices ``bound d_k`` that is nearest to (t1, t2)."""
    if bound <= 0.0:
        return 0.0, 0.0
    sides = directions.shape[0]
    inside = True
    best1, best2, nearest = 0.0, 0.0, 1e300
    for k in range(sides):
        following = (k + 1) % sides
        ax, ay = bound * directions[k, 0], bound * directions[k, 1]
        ex, ey = bound * directions[following, 0] - ax, bound * directions[following, 1] - ay
        if ex * (t2 - ay) - ey * (t1 - ax) < 0:
            inside = False
        square = ex * ex + ey * ey
        share = min(1.0, max(0.0, ((t1 - ax) * ex + (t2 - ay) * ey) / square))
        px, py = ax + share * ex, ay + share * ey
        distance = (t1 - px) ** 2 + (t2 - py) ** 2
        if distance < nearest:
            nearest, best1, best2 = distance, px, py
    if inside:
        return t1, t2
    return best1, best2


@kernel
def sweep(
    matrix: Any,
    bias: Any,
    bilateral: int,
    unilateral: int,
    friction: Any,
    directions: Any,
    impulse: Any,
    most: int,
    tolerance: float,
) -> int:
    """Improve `impulse` in place until a sweep changes no row velocity by more than `tolerance` (m/s)."""
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
            # A step that the 2 x 2 tangential block cannot overshoot.
            stiffness = max(matrix[row + 1, row + 1], matrix[row + 2, row + 2])
            stiffness += abs(0.5 * (matrix[row + 1, row + 2] + matrix[row + 2, row + 1]))
            old1, old2 = impulse[row + 1], impulse[row + 2]
            bound = friction[(row - bilateral - unilateral) // 3] * impulse[row]
            impulse[row + 1], impulse[row + 2] = _project(
                old1 - w1 / stiffness, old2 - w2 / stiffness, bound, directions
            )
            moved = np.hypot(impulse[row + 1] - old1, impulse[row + 2] - old2)
            change = max(change, moved * stiffness)
            row += 3
        if change < tolerance:
            return count
    return most
