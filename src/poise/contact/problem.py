"""The contact problem of one step, and a solution that certifies itself.

Rows are ordered: ``bilateral`` rows (grips), then ``unilateral`` rows without friction (joint limits, gaps
that may close), then ``n, t1, t2`` for each contact with friction. With impulses x and row velocities
``w = A x + b`` a solution satisfies [Stewart1996] [Anitescu1997]:

- bilateral: w = 0;
- unilateral and normals: 0 <= x, 0 <= w, x w = 0;
- friction: the tangential impulse lies in the polygon with vertices ``mu x_n d_k`` and dissipates the most power.
"""

import enum
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.kernel import kernel

OPEN, STICK = 0, 1
"""Modes of a contact. 2 + 2 k: sliding, force at vertex k. 3 + 2 k: sliding, force on the edge from k to k + 1."""

TOLERANCE = 1e-8  # Largest complementarity residual (m/s) of an exact solution


class LcpStatus(enum.IntEnum):
    """How a contact problem was solved."""

    EXACT = 0  # at the first attempt
    RETRIED = 1  # exactly, after one of the documented retries
    APPROXIMATE = 2  # no attempt was exact; the best is used, and the recording counts it


class ContactProblem(NamedTuple):
    """The data ``w = matrix @ impulse + bias`` with the kinds of its rows."""

    matrix: Array  # (r, r) m/s per N s; unsymmetric with contact feedback
    bias: Array  # (r,) m/s
    bilateral: int
    unilateral: int
    friction: Array  # (c,) coefficient of each contact with friction
    directions: Array  # (sides, 2) unit vectors of the friction polygon in the basis t1, t2

    def residual(self, impulse: Array) -> float:
        """Complementarity residual (m/s) of impulses (r,); zero for an exact solution."""
        return complementarity_residual(*self, impulse)


class ContactSolution(NamedTuple):
    """Impulses, with the residual that certifies them."""

    impulse: Array  # (r,) N s
    residual: float  # m/s
    iterations: int
    status: LcpStatus
    modes: Ints  # of the unilateral rows, then of the contacts: OPEN, STICK or sliding

    @property
    def ok(self) -> bool:
        """Whether the complementarity conditions hold within `TOLERANCE`."""
        return self.residual <= TOLERANCE


def friction_polygon(sides: int) -> Array:
    """Unit vectors (sides, 2) of a friction polygon; the first points along t1."""
    angle = np.arange(sides) * (2 * np.pi / sides)
    directions = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    # Exact zeros on the axes, so that mirrored bodies have exactly mirrored facets.
    directions[np.abs(directions) < 1e-15] = 0.0
    return directions


@kernel
def nearest_friction_impulse(t1: float, t2: float, bound: float, directions: Array) -> tuple[int, float, float]:
    """Mode and coordinates of the point nearest to an impulse (t1, t2) in the friction polygon of radius `bound`."""
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


@kernel
def complementarity_residual(
    matrix: Array, bias: Array, bilateral: int, unilateral: int, friction: Array, directions: Array, impulse: Array
) -> float:
    """Largest |min(z, w)| (m/s) over the linear complementarity problem with facet variables.

    Two neighbouring facets span each tangential impulse, which gives the facet impulses. The slip speed sigma follows
    from the row velocities. The certificate therefore depends on the impulses alone.
    """
    r = bias.shape[0]
    w = np.empty(r)
    for i in range(r):
        total = bias[i]
        for j in range(r):
            total += matrix[i, j] * impulse[j]
        w[i] = total
    worst = 0.0
    for i in range(bilateral):
        worst = max(worst, abs(w[i]))
    for i in range(bilateral, bilateral + unilateral):
        worst = max(worst, abs(min(impulse[i] * matrix[i, i], w[i])))
    sides = directions.shape[0]
    for c in range(friction.shape[0]):
        n = bilateral + unilateral + 3 * c
        worst = max(worst, abs(min(impulse[n] * matrix[n, n], w[n])))
        # The two facets on either side of the tangential impulse.
        tx, ty = impulse[n + 1], impulse[n + 2]
        best, first = -1.0e300, 0
        for k in range(sides):
            following = (k + 1) % sides
            ax, ay = directions[k]
            bx, by = directions[following]
            det = ax * by - ay * bx
            alpha = (tx * by - ty * bx) / det
            beta = (ax * ty - ay * tx) / det
            if min(alpha, beta) > best:
                best, first = min(alpha, beta), k
        second = (first + 1) % sides
        ax, ay = directions[first]
        bx, by = directions[second]
        det = ax * by - ay * bx
        alpha = max(0.0, (tx * by - ty * bx) / det)
        beta = max(0.0, (ax * ty - ay * tx) / det)
        slack = (friction[c] * impulse[n] - alpha - beta) * matrix[n, n]
        sigma = 0.0
        for k in range(sides):
            sigma = max(sigma, -(directions[k, 0] * w[n + 1] + directions[k, 1] * w[n + 2]))
        worst = max(worst, abs(min(sigma, slack)))
        for k in range(sides):
            facet = alpha if k == first else (beta if k == second else 0.0)
            speed = directions[k, 0] * w[n + 1] + directions[k, 1] * w[n + 2] + sigma
            worst = max(worst, abs(min(facet * matrix[n, n], speed)))
    return worst
