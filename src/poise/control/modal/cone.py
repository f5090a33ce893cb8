"""The hexagonal friction cone, and what is nearest in it [Jain2011] Eq. (15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel

SIDES = 6
ANGLES = 2.0 * np.pi / SIDES * np.arange(SIDES)
CORNERS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)  # (6, 2) unit vectors that span it
FACETS = np.stack([np.cos(ANGLES + np.pi / SIDES), np.sin(ANGLES + np.pi / SIDES)], axis=1)  # normals of its sides
NARROW = float(np.cos(np.pi / SIDES))


@kernel
def nearest_in_cone(force: Any, friction: float, out: Any, slope: Any) -> None:
    """out (3,): the point of the cone nearest to a force (x, y, z), z along the normal; slope (3, 3) its derivative.

    The cone is z >= 0, facet . (x, y) <= friction cos(pi/6) z for six facets: the nearest point is the force itself,
    or lies on a facet, on an edge between two of them, or at the tip.
    """
    width = friction * NARROW
    worst, most = -1, 0.0
    for k in range(SIDES):
        beyond = FACETS[k, 0] * force[0] + FACETS[k, 1] * force[1] - width * force[2]
        if beyond > most:
            worst, most = k, beyond
    slope[:] = 0.0
    if worst < 0 and force[2] >= 0.0:
        out[:] = force
        for i in range(3):
            slope[i, i] = 1.0
        return
    best = force[0] ** 2 + force[1] ** 2 + force[2] ** 2  # of the tip
    out[:] = 0.0
    side, normal = np.empty(3), np.empty(3)
    for k in range(SIDES):  # facets
        normal[0], normal[1], normal[2] = FACETS[k, 0], FACETS[k, 1], -width
        size = normal @ normal
        beyond = (normal @ force) / size
        if beyond > 0.0:
            side[:] = force - beyond * normal
            if side[2] > 0.0 and _inside(side, width):
                out[:] = side
                for i in range(3):
                    for j in range(3):
                        slope[i, j] = (1.0 if i == j else 0.0) - normal[i] * normal[j] / size
                return
    for k in range(SIDES):  # edges
        side[0], side[1], side[2] = friction * CORNERS[k, 0], friction * CORNERS[k, 1], 1.0
        size = side @ side
        along = (side @ force) / size
        if along > 0.0:
            away = 0.0
            for i in range(3):
                away += (force[i] - along * side[i]) ** 2
            if away < best:
                best = away
                for i in range(3):
                    out[i] = along * side[i]
                    for j in range(3):
                        slope[i, j] = side[i] * side[j] / size


@kernel
def _inside(force: Any, width: float) -> bool:
    beyond = 0.0
    for k in range(SIDES):
        beyond = max(beyond, FACETS[k, 0] * force[0] + FACETS[k, 1] * force[1] - width * force[2])
    return bool(beyond <= 1e-9)
