"""Symmetric banded systems, solved by Cholesky's method in one thread.

LAPACK's banded solver hands pieces of a few hundred numbers to several threads, which then wait for each other: on a
busy machine it takes a hundred times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.frozen import Array
from poise.kernel import kernel


def solve_banded(columns: Array, right: Array) -> Array:
    """x (N,) of A x = right (N,) for positive definite A; `columns[j, d]` is A[j + d, j]. Overwrites `columns`."""
    out = np.array(right)
    _solve(columns, out)
    return out


@kernel
def _solve(columns: Any, x: Any) -> None:
    size, width = columns.shape
    for j in range(size):
        column = columns[j]
        column /= np.sqrt(column[0])
        x[j] /= column[0]
        for d in range(1, min(width, size - j)):
            factor = column[d]
            if factor != 0.0:
                x[j + d] -= factor * x[j]
                below = columns[j + d]
                for k in range(width - d):
                    below[k] -= factor * column[d + k]
    for j in range(size - 1, -1, -1):
        column = columns[j]
        rest = x[j]
        for d in range(1, min(width, size - j)):
            rest -= column[d] * x[j + d]
        x[j] = rest / column[0]
