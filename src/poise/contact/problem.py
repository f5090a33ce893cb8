"""The contact problem of one step, and a solution that certifies itself.

Rows are ordered: ``bilateral`` rows (grips), then ``unilateral`` rows without friction (joint limits, gaps
about to close), then ``n, t1, t2`` for each contact with friction. With impulses x and row velocities
``w = A x + b`` a solution satisfies [Stewart1996] [Anitescu1997]:

- bilateral: w = 0;
- unilateral and normals: 0 <= x, 0 <= w, x w = 0;
- friction: the tangential impulse lies in the polygon with vertices ``mu x_n d_k`` and dissipates the most.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.kernel import kernel

# The friction polygon: the convex hull of ``mu x_n d_k`` in the tangent plane, x_n the normal impulse.

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


TOLERANCE = 1e-8
"""m/s: the largest complementarity residual that counts as solved."""


class Status(enum.IntEnum):
    """How a contact problem was solved."""

    EXACT = 0
    """By the first attempt of its solver."""
    RETRIED = 1
    """Exactly as well, after one of the documented retries."""
    APPROXIMATE = 2
    """No attempt was exact: the best one is returned with its residual, and the recording says so."""


class ContactProblem(NamedTuple):
    """The data ``w = matrix @ impulse + bias`` with the kinds of its rows."""

    matrix: Array  # (r, r) m/s per N s; unsymmetric with contact feedback
    bias: Array  # (r,) m/s
    bilateral: int
    unilateral: int
    friction: Array  # (c,) coefficient of each contact with friction
    directions: Array  # (sides, 2) unit vectors of the friction polygon in the basis t1, t2

    def residual(self, impulse: Array) -> float:
        """m/s: how far the impulses are from solving the problem; zero for an exact solution."""
        return float(
            complementarity_residual(
                self.matrix,
                self.bias,
                impulse,
                self.bilateral,
                self.unilateral,
                self.friction,
                self.directions,
            )
        )


class ContactSolution(NamedTuple):
    """Impulses and how well they solve the problem."""

    impulse: Array  # (r,) N s
    residual: float  # m/s
    iterations: int
    status: Status
    modes: NDArray[np.int64]  # of the unilateral rows and contacts, as `pivoting` numbers them

    @property
    def ok(self) -> bool:
        """Whether the complementarity conditions hold within `TOLERANCE`."""
        return self.residual <= TOLERANCE


@kernel
def row_scale(matrix: Any, first_contact: int) -> Any:
    """(r,) m/s per N s that makes each impulse comparable with velocities; one value per contact.

    The diagonal of the matrix, with the normal's entry for all three rows of a contact.
    """
    r = matrix.shape[0]
    scale = np.empty(r)
    for i in range(r):
        source = i if i < first_contact else i - (i - first_contact) % 3
        scale[i] = max(abs(matrix[source, source]), 1e-12)
    return scale


@kernel
def complementarity_residual(
    matrix: Any,
    bias: Any,
    impulse: Any,
    bilateral: int,
    unilateral: int,
    friction: Any,
    directions: Any,
) -> float:
    """max |min(z, w)| over the linear complementarity problem that the impulses stand for, in m/s.

    The facet impulses are recovered from each tangential impulse (two neighbouring facets span it) and the
    slip speed sigma from the row velocities, so the certificate depends on the impulses alone.
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
        # The facet pair around the direction of the tangential impulse.
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
