"""Symmetric positive definite systems whose entries lie near the diagonal, with a few rows that tie far ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky_banded
from scipy.linalg.lapack import dtbtrs

from poise.frozen import Array
from poise.kernel import kernel
from poise.optimize.rows import Rows

_AT_ONCE = 128
"""Blocks that are squared together: more take memory, not less time."""


def normal_band(weighted: Iterable[tuple[Rows, Array | None]], size: int, bandwidth: int, damping: float) -> Array:
    """The lower band (n, w + 1) of K = damping + the sum of J' W J: [j, d] is K[j + d, j].

    Weights are (B, R), or None for 1. Batches with the very same columns are squared together.
    """
    band = np.zeros((size, bandwidth + 1))
    band[:, 0] = damping
    alike: dict[int, list[tuple[Rows, Array | None]]] = {}
    for rows, weights in weighted:
        alike.setdefault(id(rows.columns), []).append((rows, weights))
    for batches in alike.values():
        columns = batches[0][0].columns
        for start in range(0, len(columns), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            stack = np.concatenate([_weighted(rows, weights, part) for rows, weights in batches], axis=1)
            _scatter(columns[part], np.matmul(stack.transpose(0, 2, 1), stack), band)
    return band


def _weighted(rows: Rows, weights: Array | None, part: slice) -> Array:
    """The Jacobian of a part of the blocks, times the roots of the weights."""
    return rows.jacobian[part] if weights is None else np.sqrt(weights[part])[:, :, None] * rows.jacobian[part]


@kernel
def _scatter(columns: Any, squares: Any, band: Any) -> None:
    """Add symmetric blocks (B, m, m) to the lower band (n, w + 1)."""
    for b in range(columns.shape[0]):
        for j in range(columns.shape[1]):
            first = columns[b, j]
            if first < 0:
                continue
            for i in range(columns.shape[1]):
                if columns[b, i] >= first:
                    band[first, columns[b, i] - first] += squares[b, j, i]


class Factored:
    """A band K and ties C (t, n), as the quasi-definite matrix [K, C'; C, -softness]; K = L L'."""

    def __init__(self, band: Array, ties: Array, softness: float) -> None:
        self._factor = cholesky_banded(band.T, lower=True, check_finite=False, overwrite_ab=True)
        self._reach = self._triangular(ties.T, "N") if len(ties) else None  # (n, t) L^-1 C'
        if self._reach is not None:
            schur = self._reach.T @ self._reach + softness * np.eye(len(ties))
            self._schur = cho_factor(schur, check_finite=False)

    def solve(self, right: Array, tie_right: Array) -> tuple[Array, Array]:
        """x (n,) and y (t,) of K x + C' y = right, C x - softness y = tie_right."""
        half = self._triangular(right[:, None], "N")
        y = np.zeros(0)
        if self._reach is not None:
            y = cho_solve(self._schur, self._reach.T @ half[:, 0] - tie_right, check_finite=False)
            half[:, 0] -= self._reach @ y
        return self._triangular(half, "T")[:, 0], y

    def _triangular(self, right: Array, transposed: str) -> Array:
        """L^-1 or, with "T", L'^-1 times (n, k)."""
        out, _ = dtbtrs(self._factor, right, uplo="L", trans=transposed)
        return np.asarray(out)


def dense(rows: Sequence[Rows], size: int) -> Array:
    """(t, n) the Jacobian of a few rows, written out."""
    parts = [np.zeros((0, size))]
    for batch in rows:
        out = np.zeros((*batch.value.shape, size + 1))  # the last for columns without a variable
        for b, columns in enumerate(batch.columns):
            out[b][:, columns] = batch.jacobian[b]
        parts.append(out[..., :-1].reshape(-1, size))
    return np.concatenate(parts)
