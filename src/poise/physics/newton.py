"""One step of the interior point method: the linear system of the optimality conditions.

Equality rows A x = -a with multipliers y are softened by a proximal term, A dx - softness dy = -a. This term does not
change the solution, and rows need not be independent: the matrix H + A'A / softness + G' diag(z / s) G is always banded
and positive definite. Bounds G x + g = s > 0 have multipliers z with s z = barrier [Nocedal2006, Eq. (19.6)].
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky_banded
from scipy.linalg.lapack import dtbtrs

from poise.arrays import Array
from poise.kernel import kernel
from poise.physics.rows import LinearisedProblem, TaskRows, joined_vector, split_by_rows, stacked_values

_AT_ONCE = 128  # Blocks whose products are computed together; more take memory without saving time


@dataclass(frozen=True, eq=False)
class Duals:
    """Slacks and multipliers, or changes of slacks and multipliers: b bounds, e equal rows, t tied rows."""

    slack: Array  # (b,) slacks, which at convergence are the distances to the bounds
    press: Array  # (b,) multipliers of bounds
    pull: Array  # (e,) multipliers of equal rows
    tie: Array  # (t,) multipliers of tied rows


class NewtonSystem:
    """The linear system of a problem at a point, which gives a step and corrections of this step."""

    def __init__(
        self, here: LinearisedProblem, duals: Duals, barrier: float, shape: tuple[int, int], softness: float,
        damping: float,
    ) -> None:  # fmt: skip
        """`shape`: number n of variables, and bandwidth. `softness`: see the module. The diagonal gets `damping`."""
        self._here, self._duals, self._barrier, self._softness = here, duals, barrier, softness
        self._size, bandwidth = shape
        self._ratio = duals.press / duals.slack
        self._ties = dense_jacobian(here.tied, self._size)
        band = normal_band(self._weighted_rows(), self._size, bandwidth, damping)
        self._factored = FactoredBand(band, self._ties, softness)

    def step(self) -> tuple[Array, Duals]:
        """The step (n,) of the variables, and the changes of slacks and multipliers."""
        here, duals = self._here, self._duals
        right = -self._ties.T @ duals.tie
        for rows in here.cost:
            right -= rows.pulled(rows.value, self._size)
        for rows, part in zip(here.equal, split_by_rows(duals.pull, here.equal), strict=True):
            right -= rows.pulled(part, self._size)
        gap, wanted = bound_distances(here) - duals.slack, self._barrier / duals.slack
        right += self._restoring_gradient(stacked_values(here.equal), gap) + self._bound_gradient(wanted)
        step, tie_step = self._factored.solve(right, -stacked_values(here.tied))
        pull_step = (
            stacked_values(here.equal) + joined_vector([rows.along(step) for rows in here.equal])
        ) / self._softness
        slack_step = bound_distance_changes(here, step) + gap
        return step, Duals(slack_step, wanted - duals.press - self._ratio * slack_step, pull_step, tie_step)

    def correction(self, trial: LinearisedProblem, slack: Array) -> Array:
        """(n,) step that corrects, to first order, the violations at a trial point with slacks (b,)."""
        right = self._restoring_gradient(stacked_values(trial.equal), bound_distances(trial) - slack)
        return self._factored.solve(right, -stacked_values(trial.tied))[0]

    def _restoring_gradient(self, equal: Array, gap: Array) -> Array:
        """(n,) right-hand side of a step that removes the violations `equal` (e,) of rows and `gap` (b,) of bounds."""
        out = -self._bound_gradient(self._ratio * gap)
        for rows, part in zip(self._here.equal, split_by_rows(equal / self._softness, self._here.equal), strict=True):
            out -= rows.pulled(part, self._size)
        return out

    def _bound_gradient(self, values: Array) -> Array:
        """(n,) sum of the gradients of the distances to bounds, times `values` (b,)."""
        out = np.zeros(self._size)
        for bounded, (low, high) in zip(self._here.bounded, bound_values_by_rows(self._here, values), strict=True):
            out += bounded.rows.pulled(low - high, self._size)
        return out

    def _weighted_rows(self) -> list[tuple[TaskRows, Array | None]]:
        """All rows, each batch with its weights (B, R) in the step's matrix; None for weights of 1."""
        here = self._here
        out: list[tuple[TaskRows, Array | None]] = [(rows, None) for rows in here.cost]
        out += [(rows, np.full(rows.value.shape, 1.0 / self._softness)) for rows in here.equal]
        pairs = bound_values_by_rows(here, self._ratio)
        return out + [(bounded.rows, low + high) for bounded, (low, high) in zip(here.bounded, pairs, strict=True)]


def normal_band(weighted: Iterable[tuple[TaskRows, Array | None]], size: int, bandwidth: int, damping: float) -> Array:
    """Lower band (n, w + 1) of K = damping + sum of J' W J: [j, d] is K[j + d, j]; W are (B, R), or None for 1."""
    band = np.zeros((size, bandwidth + 1))
    band[:, 0] = damping
    alike: dict[int, list[tuple[TaskRows, Array | None]]] = {}
    for rows, weights in weighted:
        alike.setdefault(id(rows.columns), []).append((rows, weights))
    for batches in alike.values():
        columns = batches[0][0].columns
        for start in range(0, len(columns), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            stack = np.concatenate([_weighted_jacobian(rows, weights, part) for rows, weights in batches], axis=1)
            _add_blocks_to_band(columns[part], np.matmul(stack.transpose(0, 2, 1), stack), band)
    return band


def _weighted_jacobian(rows: TaskRows, weights: Array | None, part: slice) -> Array:
    """The Jacobian of the blocks `part`, times the square roots of the weights."""
    return rows.jacobian[part] if weights is None else np.sqrt(weights[part])[:, :, None] * rows.jacobian[part]


@kernel
def _add_blocks_to_band(columns: Any, squares: Any, band: Any) -> None:
    """Add symmetric blocks `squares` (B, m, m) at rows and columns `columns` (B, m) to the lower `band` (n, w + 1)."""
    for b in range(columns.shape[0]):
        for j in range(columns.shape[1]):
            first = columns[b, j]
            if first < 0:
                continue
            for i in range(columns.shape[1]):
                if columns[b, i] >= first:
                    band[first, columns[b, i] - first] += squares[b, j, i]


class FactoredBand:
    """The factored quasi-definite matrix [K, C'; C, -softness] of a band K = L L' and ties C (t, n)."""

    def __init__(self, band: Array, ties: Array, softness: float) -> None:
        self._factor = cholesky_banded(band.T, lower=True, check_finite=False, overwrite_ab=True)
        self._reach = self._solve_triangular(ties.T, "N") if len(ties) else None  # (n, t) L^-1 C'
        if self._reach is not None:
            schur = self._reach.T @ self._reach + softness * np.eye(len(ties))
            self._schur = cho_factor(schur, check_finite=False)

    def solve(self, right: Array, tie_right: Array) -> tuple[Array, Array]:
        """Solve K x + C' y = right and C x - softness y = tie_right; return x (n,) and y (t,)."""
        half = self._solve_triangular(right[:, None], "N")
        y = np.zeros(0)
        if self._reach is not None:
            y = cho_solve(self._schur, self._reach.T @ half[:, 0] - tie_right, check_finite=False)
            half[:, 0] -= self._reach @ y
        return self._solve_triangular(half, "T")[:, 0], y

    def _solve_triangular(self, right: Array, transposed: str) -> Array:
        """(n, k) L^-1 `right` or, if `transposed` is "T", L'^-1 `right`, for `right` (n, k)."""
        out, _ = dtbtrs(self._factor, right, uplo="L", trans=transposed)
        return np.asarray(out)


def dense_jacobian(rows: Sequence[TaskRows], size: int) -> Array:
    """(t, n) dense Jacobian of the t rows of some batches. `size` is n, the number of variables."""
    parts = [np.zeros((0, size))]
    for batch in rows:
        out = np.zeros((*batch.value.shape, size + 1))  # the last column is for columns without a variable
        for b, columns in enumerate(batch.columns):
            out[b][:, columns] = batch.jacobian[b]
        parts.append(out[..., :-1].reshape(-1, size))
    return np.concatenate(parts)


def bound_distances(here: LinearisedProblem) -> Array:
    """(b,) distances to all finite bounds, negative beyond a bound; in each batch, lower bounds come first."""
    out = []
    for bounded in here.bounded:
        value, low, high = bounded.rows.value, bounded.lower, bounded.upper
        out += [(value - low)[np.isfinite(low)], (high - value)[np.isfinite(high)]]
    return joined_vector(out)


def bound_distance_changes(here: LinearisedProblem, step: Array) -> Array:
    """(b,) first-order change of `bound_distances` if the n variables change by `step` (n,)."""
    out = []
    for bounded in here.bounded:
        change = bounded.rows.along(step)
        out += [change[np.isfinite(bounded.lower)], -change[np.isfinite(bounded.upper)]]
    return joined_vector(out)


def bound_values_by_rows(here: LinearisedProblem, values: Array) -> list[tuple[Array, Array]]:
    """Split `values` (b,) of bounds: per batch (B, R) for lower and (B, R) for upper bounds; 0 for infinite bounds."""
    out, start = [], 0
    for bounded in here.bounded:
        pair = []
        for finite in (np.isfinite(bounded.lower), np.isfinite(bounded.upper)):
            part = np.zeros(finite.shape)
            end = start + int(np.count_nonzero(finite))
            part[finite] = values[start:end]
            pair.append(part)
            start = end
        out.append((pair[0], pair[1]))
    return out
