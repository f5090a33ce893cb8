"""Solve a contact problem and certify the solution.

`lemke` (the default) starts with block pivoting from a guess of the modes. If that does not settle, Lemke's method
follows, polished by pivoting. If the certificate fails, Lemke's method is repeated with other covering vectors, then on
problems softened by increasing compliance; each result is polished on the true problem. If all attempts fail, the best
is returned with status `APPROXIMATE` and its residual. `sweeps` is projected Gauss-Seidel, for many contacts whose
exact forces do not matter.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from poise.arrays import Array, Ints
from poise.contact.block_pivot import implied_contact_modes, pivot_contact_modes, settle_contact_modes
from poise.contact.lemke import impulses_from_lemke, lemke, lemke_row_scale, lemke_standard_form
from poise.contact.problem import (
    TOLERANCE,
    ContactProblem,
    ContactSolution,
    LcpStatus,
    friction_polygon,
    nearest_friction_impulse,
)
from poise.kernel import kernel


@kernel
def gauss_seidel_sweeps(
    matrix: Array, bias: Array, bilateral: int, unilateral: int, friction: Array, directions: Array,
    impulse: Array, most: int, tolerance: float,
) -> int:  # fmt: skip
    """Improve `impulse` until a sweep changes no row velocity by `tolerance` m/s; returns the number of sweeps."""
    r = bias.shape[0]
    for count in range(1, most + 1):
        change = 0.0
        row = 0
        while row < r:
            is_contact = row >= bilateral + unilateral
            velocity = bias[row]
            for j in range(r):
                velocity += matrix[row, j] * impulse[j]
            old = impulse[row]
            impulse[row] = old - velocity / matrix[row, row]
            if row >= bilateral:
                impulse[row] = max(0.0, impulse[row])
            change = max(change, abs(impulse[row] - old) * matrix[row, row])
            if not is_contact:
                row += 1
                continue
            w1, w2 = bias[row + 1], bias[row + 2]
            for j in range(r):
                w1 += matrix[row + 1, j] * impulse[j]
                w2 += matrix[row + 2, j] * impulse[j]
            # A step size that does not overshoot for the 2 x 2 tangential block.
            stiffness = max(matrix[row + 1, row + 1], matrix[row + 2, row + 2])
            stiffness += abs(0.5 * (matrix[row + 1, row + 2] + matrix[row + 2, row + 1]))
            old1, old2 = impulse[row + 1], impulse[row + 2]
            bound = friction[(row - bilateral - unilateral) // 3] * impulse[row]
            _, impulse[row + 1], impulse[row + 2] = nearest_friction_impulse(
                old1 - w1 / stiffness, old2 - w2 / stiffness, bound, directions
            )
            moved = np.hypot(impulse[row + 1] - old1, impulse[row + 2] - old2)
            change = max(change, moved * stiffness)
            row += 3
        if change < tolerance:
            return count
    return most


Modes = Ints
Solver = Literal["lemke", "sweeps"]

NO_MODES: Modes = np.zeros(0, np.int64)

SWEEPS = 200  # Most sweeps of the Gauss-Seidel solver in a step


def solve_contacts(problem: ContactProblem, solver: Solver = "lemke", last: Modes = NO_MODES) -> ContactSolution:
    """Solve a contact problem and certify the result; `last` (c,) are modes of its contacts to start from."""
    if solver == "sweeps":
        return solve_contacts_by_sweeps(problem)
    modes = np.empty(problem.unilateral + len(problem.friction), np.int64)
    impulse = np.zeros(len(problem.bias))
    iterations, residual = settle_contact_modes(*problem, last, modes, impulse, 8)
    if residual <= TOLERANCE:
        return ContactSolution(impulse, residual, iterations, LcpStatus.EXACT, modes)
    return solve_contacts_by_lemke(problem)


def solve_contacts_by_lemke(problem: ContactProblem) -> ContactSolution:
    """Solve by Lemke's method with its retries; the residual of the result is always verified."""
    best: ContactSolution | None = None
    pivots = 0
    for attempt, (impulse, count) in enumerate(_lemke_attempts(problem)):
        pivots += abs(count)
        modes = _implied_modes(problem, impulse)
        polished = np.zeros_like(impulse)
        pivot_contact_modes(*problem, modes, polished, 12)
        for candidate in (polished, impulse):
            residual = problem.residual(candidate)
            status = LcpStatus.EXACT if attempt == 0 else LcpStatus.RETRIED
            if residual <= TOLERANCE:
                return ContactSolution(candidate, residual, pivots, status, modes)
            if best is None or residual < best.residual:
                best = ContactSolution(candidate, residual, pivots, LcpStatus.APPROXIMATE, modes)
    assert best is not None
    return best


def solve_contacts_by_sweeps(problem: ContactProblem, sweeps: int = SWEEPS, tolerance: float = 1e-9) -> ContactSolution:
    """Solve by projected Gauss-Seidel; the status is exact only if the certificate confirms it."""
    impulse = np.zeros(len(problem.bias))
    count = gauss_seidel_sweeps(*problem, impulse, sweeps, tolerance)
    residual = problem.residual(impulse)
    status = LcpStatus.EXACT if residual <= TOLERANCE else LcpStatus.APPROXIMATE
    return ContactSolution(impulse, residual, count, status, _implied_modes(problem, impulse))


def _eliminate_bilateral_rows(problem: ContactProblem) -> tuple[ContactProblem, Array, Array]:
    """The problem without its bilateral rows, and offset, gain: bilateral impulses = offset + gain @ others."""
    nb = problem.bilateral
    lead, coupling, back = problem.matrix[:nb, :nb], problem.matrix[:nb, nb:], problem.matrix[nb:, :nb]
    gain: Array = -np.linalg.solve(lead, coupling).astype(float)
    offset: Array = -np.linalg.solve(lead, problem.bias[:nb]).astype(float)
    matrix = np.ascontiguousarray(problem.matrix[nb:, nb:] + back @ gain)
    return problem._replace(matrix=matrix, bias=problem.bias[nb:] + back @ offset, bilateral=0), offset, gain


def compile_contact_solvers() -> None:
    """Compile all solver kernels, so that no step waits for the compiler."""
    problem = ContactProblem(np.eye(3), np.array([-0.1, 0.5, 0.0]), 0, 0, np.ones(1), friction_polygon(4))
    for solution in (solve_contacts(problem), solve_contacts_by_lemke(problem), solve_contacts_by_sweeps(problem)):
        assert solution.ok


def _lemke_attempts(problem: ContactProblem) -> Iterator[tuple[Array, int]]:
    """Unverified impulses and number of pivots of successive attempts of Lemke's method."""
    p, offset, gain = _eliminate_bilateral_rows(problem) if problem.bilateral else (problem, None, None)
    scale = lemke_row_scale(p.matrix, p.bilateral + p.unilateral)
    matrix, q = lemke_standard_form(p.matrix, p.bias, p.unilateral, p.friction, p.directions, scale)
    size = len(q)
    for attempt, softness in enumerate((0.0, 0.0, 0.0, 0.0, 1e-8, 1e-6, 1e-4, 1e-2)):
        # Fixed quasi-random numbers, so that the result is reproducible.
        cover, nudge = 0.5 + _quasi_random(size, 2 * attempt), 1e-9 * _quasi_random(size, 2 * attempt + 1)
        softened = matrix if softness == 0 else matrix + softness * np.eye(size)
        z, count = lemke(softened, q + nudge, cover, 50 * size + 50)
        impulse = impulses_from_lemke(z, len(p.bias), p.unilateral, p.friction, p.directions, scale)
        if offset is not None and gain is not None:
            impulse = np.concatenate([offset + gain @ impulse, impulse])
        yield impulse, count


def _quasi_random(size: int, which: int) -> Array:
    """The `which`-th set of quasi-random numbers (size,) in [0, 1): fractional parts of multiples of an irrational."""
    step = (0.6180339887498949, 0.7548776662466927, 0.8191725133961645, 0.4142135623730951)[which % 4]
    numbers: Array = (np.arange(1 + which, size + 1 + which, dtype=float) * step) % 1.0
    return numbers


def _implied_modes(problem: ContactProblem, impulse: Array) -> Modes:
    p = problem
    return implied_contact_modes(p.matrix, impulse, p.bilateral, p.unilateral, p.friction, p.directions)
