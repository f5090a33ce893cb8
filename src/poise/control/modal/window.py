"""Contact forces of a window that bring the rigid body modes to the reference at its end [Jain2011] Eqs. (12)-(16).

    minimise  |e - B u|^2_W + weight |u - u_ref|^2   over forces u in their friction cones,

where e (12,) is the error of the rigid body modes at the end of the window, positions first, and u are forces in units
of the body's weight. The dual problem has twelve unknowns y, however long the window is: u(y) is the projection of
u_ref + B' y / weight on the cones, and y = W (e - B u(y)) is solved by a semismooth Newton method.
"""

import numpy as np

from poise.arrays import Array, Mask
from poise.control.controller import GroundView
from poise.kernel import kernel

SIDES = 6  # Sides of the friction cone [Jain2011] Eq. (15).
ANGLES = 2.0 * np.pi / SIDES * np.arange(SIDES)
CORNERS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)  # (6, 2) directions of the cone's edges
FACETS = np.stack([np.cos(ANGLES + np.pi / SIDES), np.sin(ANGLES + np.pi / SIDES)], axis=1)  # (6, 2) normals
APOTHEM = float(np.cos(np.pi / SIDES))  # inscribed over circumscribed radius of the hexagon

SLOPE_SPAN = 0.01
"""Distance (m) over which the slope of the ground is measured to each side of a point. The smaller of both slopes is
used, so that the edge of a step does not count as a slope."""
PROBES = SLOPE_SPAN * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])

MOST_ITERATIONS = 30  # Largest number of Newton iterations
CONVERGED = 1e-8  # Weighted square of the residual y / W - (e - B u(y)) at which the iterations end


@kernel
def window_forces(
    effect: Array,
    held: Mask,
    friction: float,
    wanted: Array,
    reference: Array,
    weights: Array,
    weight: float,
    dual: Array,
    forces: Array,
) -> int:
    """Write the forces u (c, 3) of the window, z along the normal; return the number of iterations.

    effect (c, m, 3) is B, held (c,) tells which contacts may pull, wanted (m,) is e, reference (c, 3) is u_ref, weights
    (m,) are W. dual (m,) is the first guess of y, and is overwritten by y. m is 12, or 6 for a wrench.
    """
    count, size = effect.shape[0], wanted.shape[0]
    residual, slope, part = np.empty(size), np.empty((size, size)), np.empty((3, 3))
    raw, trial, turned = np.empty(3), np.empty(size), np.empty(3)
    before = np.inf
    scale = 1.0
    step = np.zeros(size)
    for iteration in range(MOST_ITERATIONS):
        for i in range(size):
            trial[i] = dual[i] + scale * step[i]
            residual[i] = trial[i] / weights[i] - wanted[i]
        slope[:] = 0.0
        for i in range(size):
            slope[i, i] = 1.0 / weights[i]
        for c in range(count):
            lever = effect[c]
            for j in range(3):
                raw[j] = reference[c, j]
                for i in range(size):
                    raw[j] += lever[i, j] * trial[i] / weight
            if held[c]:
                forces[c] = raw
                part[:] = np.eye(3)
            else:
                project_window_force(raw, friction, forces[c], part)
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
        if now < CONVERGED:
            return iteration + 1
        before, scale = now, 1.0
        step[:] = -np.linalg.solve(slope, residual)
    return MOST_ITERATIONS


@kernel
def project_window_force(force: Array, friction: float, out: Array, slope: Array) -> None:
    """Write into out (3,) the point of the friction cone nearest to a force, and into slope (3, 3) its derivative.

    The force is (x, y, z), z along the normal. The cone is z >= 0, facet . (x, y) <= friction cos(pi/6) z for six
    facets. The nearest point is the force itself, or lies on a facet, on an edge between two facets, or at the tip.
    """
    width = friction * APOTHEM
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
    best = force[0] ** 2 + force[1] ** 2 + force[2] ** 2  # squared distance to the tip
    out[:] = 0.0
    side, normal = np.empty(3), np.empty(3)
    for k in range(SIDES):  # facets
        normal[0], normal[1], normal[2] = FACETS[k, 0], FACETS[k, 1], -width
        size = normal @ normal
        beyond = (normal @ force) / size
        if beyond > 0.0:
            side[:] = force - beyond * normal
            if side[2] > 0.0 and _is_window_force_in_cone(side, width):
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
def _is_window_force_in_cone(force: Array, width: float) -> bool:
    beyond = 0.0
    for k in range(SIDES):
        beyond = max(beyond, FACETS[k, 0] * force[0] + FACETS[k, 1] * force[1] - width * force[2])
    return bool(beyond <= 1e-9)


def window_cone_axes(ground: GroundView | None, point: Array) -> Array:
    """(C, 3, 3) axes of the friction cones at points (C, 3) m, in columns: two tangents of the ground, then its normal.
    If `ground` is None, the ground is level."""
    count = len(point)
    level = np.broadcast_to(np.eye(3), (count, 3, 3))
    if ground is None:
        return level
    x, y = (point[:, :2] + PROBES[:, None]).reshape(-1, 2).T
    high = np.asarray(ground.heights(x, y)).reshape(5, count)
    ahead, behind = (high[1:3] - high[0]) / SLOPE_SPAN, (high[0] - high[3:]) / SLOPE_SPAN
    rise = np.where(np.abs(ahead) < np.abs(behind), ahead, behind)  # (2, C) along x and y
    if not rise.any():
        return level
    normal = np.stack([-rise[0], -rise[1], np.ones(count)], axis=1)
    along = np.stack([np.ones(count), np.zeros(count), rise[0]], axis=1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.stack([along, np.cross(normal, along), normal], axis=2)


@kernel
def rows_in_window_cone_axes(axes: Array, rows: Array) -> None:
    """Replace world vectors in rows (n, 3) by their components along the columns of axes (3, 3)."""
    for i in range(rows.shape[0]):
        x, y, z = rows[i]
        for j in range(3):
            rows[i, j] = x * axes[0, j] + y * axes[1, j] + z * axes[2, j]


@kernel
def write_cross_matrix(arm: Array, out: Array) -> None:
    """Write into out (3, 3) the matrix of the cross product with arm (3,): out @ f = arm x f."""
    x, y, z = arm
    out[0, 0], out[0, 1], out[0, 2] = 0.0, -z, y
    out[1, 0], out[1, 1], out[1, 2] = z, 0.0, -x
    out[2, 0], out[2, 1], out[2, 2] = -y, x, 0.0
