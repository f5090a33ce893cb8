"""The friction polygon: the convex hull of ``mu x_n d_k`` in the tangent plane, x_n the normal impulse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.kernel import kernel

OPEN, STICK = 0, 1
"""Modes of a contact. 2 + 2 k: sliding, force at vertex k. 3 + 2 k: sliding, force on the edge from k to k + 1."""


def polygon(sides: int) -> NDArray[np.float64]:
    """Unit vectors (sides, 2) of a friction polygon; the first points along t1."""
    angle = np.arange(sides) * (2 * np.pi / sides)
    directions = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    # Exact zeros on the axes, so that facets of mirrored bodies mirror exactly.
    directions[np.abs(directions) < 1e-15] = 0.0
    return directions


@kernel
def nearest(t1: float, t2: float, bound: float, directions: Any) -> tuple[int, float, float]:
    """The mode and place of the point of the friction polygon of size ``bound`` that is nearest to an impulse."""
    if bound <= 0.0:
        return STICK, 0.0, 0.0
    sides = directions.shape[0]
    inside = True
    least, mode, n1, n2 = 1e300, STICK, t1, t2
    for k in range(sides):
        following = (k + 1) % sides
        ax, ay = bound * directions[k, 0], bound * directions[k, 1]
        ex, ey = bound * directions[following, 0] - ax, bound * directions[following, 1] - ay
        if ex * (t2 - ay) - ey * (t1 - ax) < 0.0:
            inside = False
        square = ex * ex + ey * ey
        share = min(1.0, max(0.0, ((t1 - ax) * ex + (t2 - ay) * ey) / square))
        px, py = ax + share * ex, ay + share * ey
        distance = (t1 - px) ** 2 + (t2 - py) ** 2
        if distance < least:
            least, n1, n2 = distance, px, py
            mode = 3 + 2 * k
            if share <= 0.0:
                mode = 2 + 2 * k
            elif share >= 1.0:
                mode = 2 + 2 * following
    if inside:
        return STICK, t1, t2
    return mode, n1, n2
