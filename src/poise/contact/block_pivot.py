"""Contact modes by block principal pivoting: the fast path, exact when it terminates.

Each contact is open, sticking, or sliding with its force on a vertex or an edge of the friction polygon. Given the
modes, the impulses follow from one linear system; modes that the solution contradicts are changed, all at once at
first, then one by one [Judice1994]. One to four systems usually suffice. If the modes cycle, the caller falls back to
Lemke's method. The tangential impulse has two coordinates, so a sticking contact has three unknowns for any number of
facets, and is not degenerate.
"""

import numpy as np

from poise.arrays import Array, Ints
from poise.contact.problem import OPEN, STICK, complementarity_residual, nearest_friction_impulse
from poise.kernel import kernel


@kernel
def _solve_linear_system(a: Array, x: Array, m: int) -> bool:
    """Overwrite x (m,) with a^-1 x by Gaussian elimination with partial pivoting; False if a is singular."""
    for k in range(m):
        p = k
        largest = abs(a[k, k])
        for i in range(k + 1, m):
            if abs(a[i, k]) > largest:
                largest = abs(a[i, k])
                p = i
        if not largest > 1e-300:
            return False
        if p != k:
            for j in range(k, m):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            x[k], x[p] = x[p], x[k]
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, m):
            factor = a[i, k] * inverse
            if factor != 0.0:
                for j in range(k + 1, m):
                    a[i, j] -= factor * a[k, j]
                x[i] -= factor * x[k]
    for k in range(m - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, m):
            total -= a[k, j] * x[j]
        x[k] = total / a[k, k]
    return True


@kernel
def _active_unknowns(
    modes: Ints, bilateral: int, unilateral: int, friction: Array, directions: Array, columns: Array
) -> int:
    """List the active unknowns in `columns`; returns their number.

    columns[u] = (row, c1, c2, kind): kind 0 is a plain row; kind 1 the normal of a sliding contact, with tangential
    impulses (c1, c2) times its own; kind 2 a coordinate along an edge with direction (c1, c2) in the tangent plane.
    """
    m = 0
    for i in range(bilateral):
        columns[m, 0], columns[m, 3] = i, 0.0
        m += 1
    for i in range(unilateral):
        if modes[i] != OPEN:
            columns[m, 0], columns[m, 3] = bilateral + i, 0.0
            m += 1
    sides = directions.shape[0]
    for c in range(friction.shape[0]):
        mode = modes[unilateral + c]
        n = bilateral + unilateral + 3 * c
        if mode == OPEN:
            continue
        if mode == STICK:
            for k in range(3):
                columns[m, 0], columns[m, 3] = n + k, 0.0
                m += 1
            continue
        k = (mode - 2) // 2
        mu = friction[c]
        if mode % 2 == 0:
            columns[m, 0], columns[m, 3] = n, 1.0
            columns[m, 1], columns[m, 2] = mu * directions[k, 0], mu * directions[k, 1]
            m += 1
        else:
            following = (k + 1) % sides
            dx = directions[following, 0] - directions[k, 0]
            dy = directions[following, 1] - directions[k, 1]
            length = np.sqrt(dx * dx + dy * dy)
            columns[m, 0], columns[m, 3] = n, 1.0
            columns[m, 1] = 0.5 * mu * (directions[k, 0] + directions[following, 0])
            columns[m, 2] = 0.5 * mu * (directions[k, 1] + directions[following, 1])
            m += 1
            columns[m, 0], columns[m, 3] = n, 2.0
            columns[m, 1], columns[m, 2] = dx / length, dy / length
            m += 1
    return m


@kernel
def _write_mode_system(matrix: Array, bias: Array, columns: Array, m: int, a: Array, x: Array) -> None:
    """Write the linear system a x = b of the m active unknowns; b goes into x."""
    for u in range(m):
        row = int(columns[u, 0])
        edge = columns[u, 3] == 2.0
        e1, e2 = columns[u, 1], columns[u, 2]
        x[u] = -(e1 * bias[row + 1] + e2 * bias[row + 2]) if edge else -bias[row]
        for t in range(m):
            col = int(columns[t, 0])
            kind = columns[t, 3]
            if kind == 0.0:
                value = e1 * matrix[row + 1, col] + e2 * matrix[row + 2, col] if edge else matrix[row, col]
            else:
                c1, c2 = columns[t, 1], columns[t, 2]
                if edge:
                    value = e1 * (c1 * matrix[row + 1, col + 1] + c2 * matrix[row + 1, col + 2])
                    value += e2 * (c1 * matrix[row + 2, col + 1] + c2 * matrix[row + 2, col + 2])
                    if kind == 1.0:
                        value += e1 * matrix[row + 1, col] + e2 * matrix[row + 2, col]
                else:
                    value = c1 * matrix[row, col + 1] + c2 * matrix[row, col + 2]
                    if kind == 1.0:
                        value += matrix[row, col]
            a[u, t] = value


@kernel
def _row_impulses(columns: Array, x: Array, m: int, impulse: Array) -> None:
    """Impulses (r,) of all rows from the m active unknowns."""
    impulse[:] = 0.0
    for u in range(m):
        row = int(columns[u, 0])
        kind = columns[u, 3]
        if kind != 2.0:
            impulse[row] += x[u]
        if kind != 0.0:
            impulse[row + 1] += columns[u, 1] * x[u]
            impulse[row + 2] += columns[u, 2] * x[u]


@kernel
def pivot_contact_modes(
    matrix: Array, bias: Array, bilateral: int, unilateral: int, friction: Array, directions: Array,
    modes: Ints, impulse: Array, most: int,
) -> int:  # fmt: skip
    """Find modes and impulses from `modes`, in place; returns the systems solved, negative if not settled in `most`."""
    tolerance = 2e-10  # m/s; well inside the certificate's tolerance
    r = bias.shape[0]
    contacts = friction.shape[0]
    a = np.empty((r, r))
    x = np.empty(r)
    w = np.empty(r)
    columns = np.zeros((r, 4))
    for iteration in range(1, most + 1):
        m = _active_unknowns(modes, bilateral, unilateral, friction, directions, columns)
        _write_mode_system(matrix, bias, columns, m, a, x)
        if not _solve_linear_system(a, x, m):
            return -iteration
        _row_impulses(columns, x, m, impulse)
        for i in range(r):
            total = bias[i]
            for j in range(r):
                total += matrix[i, j] * impulse[j]
            w[i] = total
        single = iteration > 5  # change all violators at first, later only the worst
        worst, which, change = 0.0, -1, 0
        for i in range(unilateral + contacts):
            row = bilateral + i if i < unilateral else bilateral + unilateral + 3 * (i - unilateral)
            mode = modes[i]
            wanted = mode
            amount = 0.0
            if mode == OPEN:
                if w[row] < -tolerance:
                    wanted, amount = STICK, -w[row]
            elif impulse[row] * matrix[row, row] < -tolerance:
                wanted, amount = OPEN, -impulse[row] * matrix[row, row]
            elif i >= unilateral:
                # The impulse is right if projecting it, less the remaining slip, onto the polygon gives it back.
                step = 1.0 / matrix[row, row]
                t1, t2 = impulse[row + 1], impulse[row + 2]
                asked, n1, n2 = nearest_friction_impulse(
                    t1 - step * w[row + 1], t2 - step * w[row + 2], friction[i - unilateral] * impulse[row], directions
                )
                away = np.sqrt((t1 - n1) ** 2 + (t2 - n2) ** 2) * matrix[row, row]
                if away > tolerance:
                    wanted, amount = asked, away
            if wanted != mode:
                if single:
                    if amount > worst:
                        worst, which, change = amount, i, wanted
                else:
                    modes[i] = wanted
                    which = i
        if which < 0:
            return iteration
        if single:
            modes[which] = change
    return -most


@kernel
def settle_contact_modes(
    matrix: Array, bias: Array, bilateral: int, unilateral: int, friction: Array, directions: Array,
    last: Ints, modes: Ints, impulse: Array, most: int,
) -> tuple[int, float]:  # fmt: skip
    """Find modes and impulses from a guess; returns the number of linear systems solved and the residual, m/s.

    The guess is the contacts' `last` modes if given; otherwise rows with negative bias stick and the others are open.
    The residual is infinite if the modes do not settle within `most` systems.
    """
    start = bilateral + unilateral
    for i in range(modes.shape[0]):
        row = bilateral + i if i < unilateral else start + 3 * (i - unilateral)
        modes[i] = STICK if bias[row] < 0.0 else OPEN
    for c in range(last.shape[0]):
        modes[unilateral + c] = last[c]
    count = pivot_contact_modes(matrix, bias, bilateral, unilateral, friction, directions, modes, impulse, most)
    if count <= 0:
        return count, np.inf
    return count, complementarity_residual(matrix, bias, bilateral, unilateral, friction, directions, impulse)


@kernel
def implied_contact_modes(
    matrix: Array, impulse: Array, bilateral: int, unilateral: int, friction: Array, directions: Array
) -> Ints:
    """Contact modes that impulses imply: open, sticking, or sliding at a vertex or on an edge."""
    contacts, sides = friction.shape[0], directions.shape[0]
    modes = np.zeros(unilateral + contacts, np.int64)
    for i in range(unilateral):
        row = bilateral + i
        modes[i] = STICK if impulse[row] * matrix[row, row] > 1e-9 else OPEN
    cosine = np.cos(np.pi / sides)
    for c in range(contacts):
        n = bilateral + unilateral + 3 * c
        bound = friction[c] * impulse[n]
        if impulse[n] * matrix[n, n] <= 1e-9:
            continue
        t1, t2 = impulse[n + 1], impulse[n + 2]
        least, edge = 1e300, 0
        for k in range(sides):
            following = (k + 1) % sides
            nx = directions[k, 0] + directions[following, 0]
            ny = directions[k, 1] + directions[following, 1]
            slack = bound * cosine - (t1 * nx + t2 * ny) / np.sqrt(nx * nx + ny * ny)
            if slack < least:
                least, edge = slack, k
        following = (edge + 1) % sides
        if least > 1e-6 * bound:
            modes[unilateral + c] = STICK
        elif t1 * directions[edge, 0] + t2 * directions[edge, 1] > bound * (1 - 1e-6):
            modes[unilateral + c] = 2 + 2 * edge
        elif t1 * directions[following, 0] + t2 * directions[following, 1] > bound * (1 - 1e-6):
            modes[unilateral + c] = 2 + 2 * following
        else:
            modes[unilateral + c] = 3 + 2 * edge
    return modes
