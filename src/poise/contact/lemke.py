"""Lemke's method on the facet form of the contact problem [Cottle1992].

The standard problem has one variable per normal, per friction facet and per slip speed:
``z = (normals, facets, slip)``, ``w = M z + q``. Coplanar contacts make it highly degenerate, so the method
uses Harris's ratio test with the largest pivot, lets the artificial variable leave whenever it may, and
perturbs q a little; the basis it ends with is handed on, and the caller solves that basis with the true q.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from poise.contact.problem import Array, ContactProblem


def standard_form(problem: ContactProblem) -> tuple[Array, Array, Array]:
    """(M, q, recover): bilateral rows eliminated, impulses scaled to m/s.

    ``impulse = recover @ [z, 1]`` gives back the impulses of all rows, bilateral ones included.
    """
    p = problem
    nb, nu, nc = p.bilateral, p.unilateral, len(p.friction)
    sides = len(p.directions)
    rows = len(p.bias)
    normals = np.r_[nb : nb + nu, nb + nu + 3 * np.arange(nc)].astype(int)
    # spread: impulses of the unilateral and friction rows from z = (normals, facets, slip)
    size = nu + nc * (2 + sides)
    spread = np.zeros((rows, size))
    spread[normals, np.arange(nu + nc)] = 1 / p.scale[normals]
    for c in range(nc):
        facets = slice(nu + nc + c * sides, nu + nc + (c + 1) * sides)
        t = nb + nu + 3 * c + 1
        spread[t : t + 2, facets] = p.directions.T / p.scale[t]
    constant = np.zeros(rows)
    if nb:
        # w_b = 0 gives the bilateral impulses as an affine function of the others.
        lead = p.matrix[:nb, :nb]
        spread[:nb] = -np.linalg.solve(lead, p.matrix[:nb] @ spread)
        constant[:nb] = -np.linalg.solve(lead, p.bias[:nb])
    velocity = p.matrix @ spread
    offset = p.bias + p.matrix @ constant
    matrix = np.zeros((size, size))
    q = np.zeros(size)
    matrix[: nu + nc] = velocity[normals]
    q[: nu + nc] = offset[normals]
    for c in range(nc):
        t = nb + nu + 3 * c + 1
        facets = slice(nu + nc + c * sides, nu + nc + (c + 1) * sides)
        slip = nu + nc + nc * sides + c
        matrix[facets] = p.directions @ velocity[t : t + 2]
        q[facets] = p.directions @ offset[t : t + 2]
        matrix[facets, slip] += 1
        matrix[slip, nu + c] = p.friction[c]
        matrix[slip, facets] = -1
    return matrix, q, np.column_stack([spread, constant])


@njit(cache=True)
def lemke(matrix: Any, q: Any, cover: Any, most: int) -> tuple[Any, int]:
    """z with 0 <= z, 0 <= M z + q, z'(M z + q) = 0, and the pivots used (negative: ended on a ray)."""
    n = q.shape[0]
    z = np.zeros(n)
    # table[:, :n+1]: coefficients of the nonbasic variables; table[:, n+1]: values of the basic ones.
    table = np.zeros((n, n + 2))
    basic = np.empty(n, np.int64)  # 0..n-1: w, n..2n-1: z, 2n: artificial
    nonbasic = np.empty(n + 1, np.int64)
    lowest, leaving = 0.0, -1
    for i in range(n):
        for j in range(n):
            table[i, j] = matrix[i, j]
        table[i, n] = cover[i]
        table[i, n + 1] = q[i]
        basic[i] = i
        nonbasic[i] = n + i
        if q[i] < 0 and q[i] / cover[i] < lowest:
            lowest, leaving = q[i] / cover[i], i
    nonbasic[n] = 2 * n
    if leaving < 0:
        return z, 0
    entering = n
    for count in range(1, most + 1):
        # Exchange the basic variable of row `leaving` with the nonbasic one of column `entering`.
        pivot = table[leaving, entering]
        out = basic[leaving]
        basic[leaving] = nonbasic[entering]
        nonbasic[entering] = out
        inverse = 1.0 / pivot
        for j in range(n + 2):
            table[leaving, j] *= -inverse
        table[leaving, entering] = inverse
        for i in range(n):
            if i == leaving:
                continue
            factor = table[i, entering]
            if factor == 0.0:
                continue
            table[i, entering] = 0.0
            for j in range(n + 2):
                table[i, j] += factor * table[leaving, j]
        if out == 2 * n:
            for i in range(n):
                if basic[i] >= n:
                    z[basic[i] - n] = max(0.0, table[i, n + 1])
            return z, count
        wanted = out + n if out < n else out - n
        for j in range(n + 1):
            if nonbasic[j] == wanted:
                entering = j
        # Harris: the largest pivot among the rows that block within a small slack.
        reach = 1e300
        for i in range(n):
            slope = table[i, entering]
            if slope < -1e-11:
                reach = min(reach, (max(table[i, n + 1], 0.0) + 1e-12) / -slope)
        if reach == 1e300:
            return z, -count
        leaving, largest = -1, 0.0
        for i in range(n):
            slope = -table[i, entering]
            if slope > 1e-11 and max(table[i, n + 1], 0.0) <= reach * slope:
                if basic[i] == 2 * n:
                    leaving = i
                    break
                if slope > largest:
                    largest, leaving = slope, i
        if leaving < 0:
            return z, -count
    return z, -most
