"""Factor the mass matrix as L'L, which keeps the sparsity of the kinematic tree [Featherstone2008, ch. 6].

L is lower triangular and non-zero only between a DOF and its ancestors. `parent` (nv,) is the preceding DOF of each,
-1 at a root.
"""

import numpy as np

from poise.arrays import Array, Ints
from poise.kernel import kernel


@kernel
def factor_mass(mass: Array, diagonal: Array, parent: Ints, factor: Array) -> None:
    """Write L with L'L = mass + diag(diagonal) into `factor` (nv, nv)."""
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
def half_solve_mass(factor: Array, parent: Ints, columns: Array) -> None:
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
def solve_mass_columns(factor: Array, parent: Ints, columns: Array) -> None:
    """Overwrite columns (nv, r) with (L'L)^-1 columns."""
    half_solve_mass(factor, parent, columns)
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
def solve_mass(factor: Array, parent: Ints, x: Array) -> None:
    """Overwrite x (nv,) with (L'L)^-1 x."""
    solve_mass_columns(factor, parent, x.reshape(-1, 1))
