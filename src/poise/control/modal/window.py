"""Contact forces of a window that bring the rigid modes to where they should be at its end [Jain2011] Eqs. (12)-(16).

    minimise  |e - B u|^2_W + weight |u - u_ref|^2   over forces u in their cones,

e (12,) what the rigid modes lack at the end of the window, positions first, u forces in units of the body's weight.
Its dual has twelve unknowns however long the window is: u(y) is what is nearest in the cones to u_ref + B' y / weight,
and y = W (e - B u(y)) is found by Newton's method for functions with kinks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.control.modal.cone import nearest_in_cone
from poise.kernel import kernel

PASSES, ENOUGH = 30, 1e-8
"""At most so many; and the weighed square of what is left of y / W - (e - B u(y)) that is none."""


@kernel
def window_forces(
    effect: Any, held: Any, friction: Any, wanted: Any, usual: Any, weights: Any, weight: float, dual: Any, forces: Any
) -> int:
    """forces (c, 3) of the window, z along the normal; returns the passes that it took.

    effect (c, 12, 3) is B, held (c,) those that may pull, friction (c,); wanted (12,) is e, usual (c, 3) u_ref,
    weights (12,) W; dual (12,) is where to begin, and then the solution.
    """
    count, size = effect.shape[0], wanted.shape[0]
    residual, slope, part = np.empty(size), np.empty((size, size)), np.empty((3, 3))
    raw, trial, turned = np.empty(3), np.empty(size), np.empty(3)
    before = np.inf
    scale = 1.0
    step = np.zeros(size)
    for passes in range(PASSES):
        for i in range(size):
            trial[i] = dual[i] + scale * step[i]
            residual[i] = trial[i] / weights[i] - wanted[i]
        slope[:] = 0.0
        for i in range(size):
            slope[i, i] = 1.0 / weights[i]
        for c in range(count):
            lever = effect[c]
            for j in range(3):
                raw[j] = usual[c, j]
                for i in range(size):
                    raw[j] += lever[i, j] * trial[i] / weight
            if held[c]:
                forces[c] = raw
                part[:] = np.eye(3)
            else:
                nearest_in_cone(raw, friction[c], forces[c], part)
            for i in range(size):
                for j in range(3):
                    residual[i] += lever[i, j] * forces[c, j]
                    turned[j] = (
                        lever[i, 0] * part[0, j] + lever[i, 1] * part[1, j] + lever[i, 2] * part[2, j]
                    ) / weight
                for k in range(i + 1):
                    slope[i, k] += turned[0] * lever[k, 0] + turned[1] * lever[k, 1] + turned[2] * lever[k, 2]
        for i in range(size):
            for k in range(i):
                slope[k, i] = slope[i, k]
        now = 0.0
        for i in range(size):
            now += residual[i] ** 2 * weights[i]
        if now > before and scale > 1e-3:
            scale *= 0.5
            continue
        dual[:] = trial
        if now < ENOUGH:
            return passes + 1
        before, scale = now, 1.0
        step = -np.linalg.solve(slope, residual)
    return PASSES
