"""Lemke's method on the facet form of the contact problem [Cottle1992].

The standard problem has one variable per normal, per friction facet and per slip speed:
``z = (normals, facets, slip)``, ``w = M z + q``. Coplanar contacts make it highly degenerate, so the method
uses Harris's ratio test with the largest pivot and lets the artificial variable leave whenever it can. Callers perturb
q slightly, and polish the result on the true problem.
"""

import numpy as np

from poise.arrays import Array
from poise.kernel import kernel


@kernel
def lemke_row_scale(matrix: Array, first_contact: int) -> Array:
    """Scale (r,) m/s per N s of impulses: the matrix's diagonal, the normal's entry for all three rows of a contact."""
    r = matrix.shape[0]
    scale = np.empty(r)
    for i in range(r):
        source = i if i < first_contact else i - (i - first_contact) % 3
        scale[i] = max(abs(matrix[source, source]), 1e-12)
    return scale


@kernel
def lemke_standard_form(
    matrix: Array, bias: Array, unilateral: int, friction: Array, directions: Array, scale: Array
) -> tuple[Array, Array]:
    """M and q of a problem without bilateral rows; impulses are scaled to m/s by `scale` (r,)."""
    contacts, sides = friction.shape[0], directions.shape[0]
    normals = unilateral + contacts
    size = normals + contacts * (sides + 1)
    # Row of each impulse variable; for a facet, the first of its two tangential rows and its direction in them.
    row = np.empty(normals + contacts * sides, np.int64)
    along = np.zeros((row.shape[0], 2))
    for i in range(unilateral):
        row[i] = i
    for c in range(contacts):
        row[unilateral + c] = unilateral + 3 * c
        for k in range(sides):
            facet = normals + c * sides + k
            row[facet] = unilateral + 3 * c + 1
            along[facet, 0], along[facet, 1] = directions[k]
    m = np.zeros((size, size))
    q = np.zeros(size)
    for i in range(row.shape[0]):
        r = row[i]
        if i < normals:
            q[i] = bias[r]
        else:
            q[i] = along[i, 0] * bias[r] + along[i, 1] * bias[r + 1]
        for j in range(row.shape[0]):
            s = row[j]
            if j < normals:
                first = matrix[r, s]
                second = matrix[r + 1, s] if i >= normals else 0.0
            else:
                first = along[j, 0] * matrix[r, s] + along[j, 1] * matrix[r, s + 1]
                second = along[j, 0] * matrix[r + 1, s] + along[j, 1] * matrix[r + 1, s + 1] if i >= normals else 0.0
            value = first if i < normals else along[i, 0] * first + along[i, 1] * second
            m[i, j] = value / scale[s]
    for c in range(contacts):
        slip = normals + contacts * sides + c
        m[slip, unilateral + c] = friction[c]
        for k in range(sides):
            facet = normals + c * sides + k
            m[facet, slip] = 1.0
            m[slip, facet] = -1.0
    return m, q


@kernel
def impulses_from_lemke(
    z: Array, rows: int, unilateral: int, friction: Array, directions: Array, scale: Array
) -> Array:
    """Impulses (rows,) from the variables z of the standard form."""
    contacts, sides = friction.shape[0], directions.shape[0]
    out = np.zeros(rows)
    for i in range(unilateral):
        out[i] = z[i] / scale[i]
    for c in range(contacts):
        n = unilateral + 3 * c
        out[n] = z[unilateral + c] / scale[n]
        for k in range(sides):
            facet = z[unilateral + contacts + c * sides + k] / scale[n]
            out[n + 1] += directions[k, 0] * facet
            out[n + 2] += directions[k, 1] * facet
    return out


@kernel
def lemke(matrix: Array, q: Array, cover: Array, most: int) -> tuple[Array, int]:
    """z with 0 <= z, 0 <= M z + q, z'(M z + q) = 0, by `most` pivots; their number, negative without solution."""
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
        # Harris's ratio test: the largest pivot among the rows that block within a small slack.
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
