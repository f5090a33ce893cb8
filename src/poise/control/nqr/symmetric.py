"""Small symmetric systems of equations, solved in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def solve_symmetric(system: Any) -> None:
    """Overwrite [S B], S symmetric and positive definite, with [U S^-1 B], U'U = S.

    Of S only the upper triangle is read. Loops run over slices of rows: they start at 0, which is what makes numba
    vectorise them.
    """
    n = system.shape[0]
    for k in range(n):
        row = system[k, k:]
        inverse = 1.0 / np.sqrt(row[0])
        for j in range(row.shape[0]):
            row[j] *= inverse
        for i in range(1, n - k):
            _take_off(row[i], row[i:], system[k + i, k + i :])
    for k in range(n - 1, -1, -1):
        answer = system[k, n:]
        for i in range(k + 1, n):
            _take_off(system[k, i], system[i, n:], answer)
        inverse = 1.0 / system[k, k]
        for j in range(answer.shape[0]):
            answer[j] *= inverse


@kernel
def _take_off(share: float, row: Any, out: Any) -> None:
    for j in range(out.shape[0]):
        out[j] -= share * row[j]
