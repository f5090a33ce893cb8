"""A mass matrix factored as L'L with the children first, which keeps the sparsity of the kinematic tree.

[Featherstone2008, ch. 6]. L is lower triangular, non-zero only between a degree of freedom and its ancestors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def factor_mass(mass: Any, diagonal: Any, parent: Any, factor: Any) -> None:
    """Lower-triangular L with L'L = mass + diag(diagonal), non-zero only between a DOF and its ancestors."""
    n = mass.shape[0]
    for i in range(n):
        for j in range(i + 1):
            factor[i, j] = mass[i, j]
    for k in range(n - 1, -1, -1):
        root = np.sqrt(factor[k, k] + diagonal[k])
        factor[k, k] = root
        inverse = 1.0 / root
        i = parent[k]
        while i >= 0:
            factor[k, i] *= inverse
            i = parent[i]
        i = parent[k]
        while i >= 0:
            j = i
            value = factor[k, i]
            while j >= 0:
                factor[i, j] -= value * factor[k, j]
                j = parent[j]
            i = parent[i]


@kernel
def half_solve(factor: Any, parent: Any, columns: Any) -> None:
    """Overwrite columns (nv, r) with L'^-1 columns."""
    n, r = columns.shape
    for k in range(n - 1, -1, -1):
        inverse = 1.0 / factor[k, k]
        for c in range(r):
            columns[k, c] *= inverse
        i = parent[k]
        while i >= 0:
            value = factor[k, i]
            for c in range(r):
                columns[i, c] -= value * columns[k, c]
            i = parent[i]


@kernel
def solve_columns(factor: Any, parent: Any, columns: Any) -> None:
    """Overwrite columns (nv, r) with (L'L)^-1 columns."""
    half_solve(factor, parent, columns)
    n, r = columns.shape
    for k in range(n):
        i = parent[k]
        while i >= 0:
            value = factor[k, i]
            for c in range(r):
                columns[k, c] -= value * columns[i, c]
            i = parent[i]
        inverse = 1.0 / factor[k, k]
        for c in range(r):
            columns[k, c] *= inverse


@kernel
def solve_mass(factor: Any, parent: Any, x: Any) -> None:
    """Overwrite x (nv,) with (L'L)^-1 x."""
    solve_columns(factor, parent, x.reshape(-1, 1))
