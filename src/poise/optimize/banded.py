"""Symmetric positive definite systems whose entries lie near the diagonal, with a few rows that tie far ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cho_solve_banded, cholesky_banded

from poise.kernel import kernel
from poise.optimize.rows import Array, Rows


@kernel
def _scatter(columns: Any, squares: Any, band: Any) -> None:
    """Add blocks (B, m, m) to the lower band (w + 1, n)."""
    for b in range(columns.shape[0]):
        for j in range(columns.shape[1]):
            right = columns[b, j]
            if right < 0:
                continue
            for i in range(columns.shape[1]):
                below = columns[b, i] - right
                if columns[b, i] >= 0 and below >= 0:
                    band[below, right] += squares[b, i, j]


def normal_band(weighted: Iterable[tuple[Rows, Array | None]], size: int, bandwidth: int, damping: float) -> Array:
    """The lower band (w + 1, n) of damping + the sum of J' W J; weights (B, R), or None for 1."""
    band = np.zeros((bandwidth + 1, size))
    band[0] = damping
    for rows, weights in weighted:
        scaled = rows.jacobian if weights is None else rows.jacobian * weights[:, :, None]
        _scatter(rows.columns, np.matmul(rows.jacobian.transpose(0, 2, 1), scaled), band)
    return band


class Factored:
    """A band K and ties C, as the quasi-definite matrix [K, C'; C, -softness]."""

    def __init__(self, band: Array, ties: Array, softness: float) -> None:
        self._factor = cholesky_banded(band, lower=True, check_finite=False, overwrite_ab=True)
        self._ties = ties  # (t, n)
        if len(ties):
            self._reach = cho_solve_banded((self._factor, True), ties.T, check_finite=False)  # (n, t)
            self._schur = cho_factor(ties @ self._reach + softness * np.eye(len(ties)), check_finite=False)

    def solve(self, right: Array, tie_right: Array) -> tuple[Array, Array]:
        """x and y of K x + C' y = right, C x - softness y = tie_right."""
        x = cho_solve_banded((self._factor, True), right, check_finite=False)
        if not len(self._ties):
            return x, np.zeros(0)
        y = cho_solve(self._schur, self._ties @ x - tie_right, check_finite=False)
        return x - self._reach @ y, y


def dense(rows: Iterable[Rows], size: int) -> Array:
    """(t, n) the Jacobian of a few rows, written out."""
    parts = []
    for batch in rows:
        out = np.zeros((*batch.value.shape, size + 1))
        for b, columns in enumerate(batch.columns):
            out[b][:, columns] = batch.jacobian[b]
        parts.append(out[..., :-1].reshape(-1, size))
    return np.concatenate(parts) if parts else np.zeros((0, size))
