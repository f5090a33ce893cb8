"""Contact forces of a window that bring the rigid modes to where they should be at its end [Jain2011] Eqs. (12)-(16).

    minimise  |e - B u|^2_W + weight |u - u_ref|^2   over forces u in their cones,

e (12,) what the rigid modes lack at the end of the window, positions first, u forces in units of the body's weight.
Its dual has twelve unknowns however long the window is: u(y) is what is nearest in the cones to u_ref + B' y / weight,
and y = W (e - B u(y)) is found by Newton's method for functions with kinks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array
from poise.control.controller import Ground
from poise.kernel import kernel

# The hexagonal friction cone, and what is nearest in it [Jain2011] Eq. (15).

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


# How friction cones stand: upright on level ground, and with their axes along the normal where it slopes.

APART = 0.01
"""m to each side, over which the ground's slope is looked at; the lesser of both: the edge of a step is no slope."""

AROUND = APART * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


def cone_axes(ground: Ground | None, point: Array) -> Array:
    """(C, 3, 3) axes in columns of the cones at points (C, 3) m: two along the ground and its normal; none is level."""
    count = len(point)
    level = np.broadcast_to(np.eye(3), (count, 3, 3))
    if ground is None:
        return level
    x, y = (point[:, :2] + AROUND[:, None]).reshape(-1, 2).T
    high = np.asarray(ground.heights(x, y)).reshape(5, count)
    ahead, behind = (high[1:3] - high[0]) / APART, (high[0] - high[3:]) / APART
    rise = np.where(np.abs(ahead) < np.abs(behind), ahead, behind)  # (2, C) along x and y
    if not rise.any():
        return level
    normal = np.stack([-rise[0], -rise[1], np.ones(count)], axis=1)
    along = np.stack([np.ones(count), np.zeros(count), rise[0]], axis=1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.stack([along, np.cross(normal, along), normal], axis=2)


@kernel
def tell_along(axes: Any, rows: Any) -> None:
    """Tell rows (n, 3), in place, along axes (3, 3) instead of the world's."""
    for i in range(rows.shape[0]):
        x, y, z = rows[i]
        for j in range(3):
            rows[i, j] = x * axes[0, j] + y * axes[1, j] + z * axes[2, j]


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
