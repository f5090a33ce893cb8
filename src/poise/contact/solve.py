"""From a contact problem to a verified solution.

``lemke`` (the default): contact modes by pivoting; if they do not settle, Lemke's method, whose basis is
polished by pivoting; if its certificate fails, again with other covering vectors, then on problems softened
by a ladder of compliances (each polished on the true problem). Only if all of that fails is the best attempt
returned, with status `APPROXIMATE` and its residual. ``sweeps``: projected Gauss-Seidel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from poise.contact.lemke import lemke, standard_form
from poise.contact.pivoting import OPEN, STICK, pivot
from poise.contact.problem import TOLERANCE, Array, ContactProblem, ContactSolution, Status
from poise.contact.sweep import sweep

Solver = Literal["lemke", "sweeps"]

SWEEPS = 200
"""Sweeps of the Gauss-Seidel solver in a step."""


def solve(problem: ContactProblem, solver: Solver = "lemke") -> ContactSolution:
    """Solve the contact problem and certify the result."""
    if solver == "sweeps":
        return solve_by_sweeps(problem)
    modes = first_modes(problem)
    impulse = np.zeros(len(problem.bias))
    iterations = _pivot(problem, modes, impulse, 20)
    if iterations > 0:
        residual = problem.residual(impulse)
        if residual <= TOLERANCE:
            return ContactSolution(impulse, residual, iterations, Status.EXACT)
    return solve_by_lemke(problem)


def solve_by_lemke(problem: ContactProblem) -> ContactSolution:
    """Lemke's method with its retries; never returns an unverified result."""
    best: ContactSolution | None = None
    pivots = 0
    for attempt, (impulse, count) in enumerate(_attempts(problem)):
        pivots += abs(count)
        for candidate in (_polished(problem, impulse), impulse):
            residual = problem.residual(candidate)
            status = Status.EXACT if attempt == 0 else Status.RETRIED
            if residual <= TOLERANCE:
                return ContactSolution(candidate, residual, pivots, status)
            if best is None or residual < best.residual:
                best = ContactSolution(candidate, residual, pivots, Status.APPROXIMATE)
    assert best is not None
    return best


def solve_by_sweeps(problem: ContactProblem, sweeps: int = SWEEPS, tolerance: float = 1e-9) -> ContactSolution:
    """Projected Gauss-Seidel; exact only if the certificate says so."""
    p = problem
    impulse = np.zeros(len(p.bias))
    count = sweep(
        p.matrix, p.bias, p.bilateral, p.unilateral, p.friction, p.directions, impulse, sweeps, tolerance
    )
    residual = p.residual(impulse)
    status = Status.EXACT if residual <= TOLERANCE else Status.APPROXIMATE
    return ContactSolution(impulse, residual, int(count), status)


def first_modes(problem: ContactProblem) -> np.ndarray:
    """Approaching rows closed and sticking, the others open."""
    p = problem
    normals = np.r_[
        p.bilateral : p.bilateral + p.unilateral,
        p.bilateral + p.unilateral + 3 * np.arange(len(p.friction)),
    ].astype(int)
    return np.where(p.bias[normals] < 0, STICK, OPEN).astype(np.int64)


def _attempts(problem: ContactProblem) -> Iterator[tuple[Array, int]]:
    """Impulses (unverified) and pivots of successive attempts of Lemke's method."""
    matrix, q, recover = standard_form(problem)
    size = len(q)
    random = np.random.default_rng(0)  # fixed: the same problem always takes the same path
    for softness in (0.0, 0.0, 0.0, 0.0, 1e-8, 1e-6, 1e-4, 1e-2):
        cover = 0.5 + random.random(size)
        nudge = 1e-9 * random.random(size)
        softened = matrix + softness * np.eye(size)
        z, count = lemke(softened, q + nudge, cover, 50 * size + 50)
        yield recover @ np.append(z, 1.0), int(count)


def _polished(problem: ContactProblem, impulse: Array) -> Array:
    """The exact solution in the modes that a nearly exact one shows, changed as pivoting asks."""
    polished = np.zeros(len(problem.bias))
    modes = modes_of(problem, impulse)
    _pivot(problem, modes, polished, 12)
    return polished


def modes_of(problem: ContactProblem, impulse: Array) -> np.ndarray:
    """Contact modes read off impulses: open, sticking, or sliding at a vertex or on an edge."""
    p = problem
    start = p.bilateral + p.unilateral
    tiny = 1e-9 / p.scale
    modes = np.where(impulse[p.bilateral : start] > tiny[p.bilateral : start], STICK, OPEN)
    sides = len(p.directions)
    found = []
    for c, mu in enumerate(p.friction):
        n = start + 3 * c
        normal, tangent = impulse[n], impulse[n + 1 : n + 3]
        if normal <= tiny[n]:
            found.append(OPEN)
            continue
        along = p.directions @ tangent
        middle = p.directions + np.roll(p.directions, -1, axis=0)
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        slack = mu * normal * np.cos(np.pi / sides) - middle @ tangent
        k = int(np.argmax(along))
        if slack.min() > 1e-6 * mu * normal:
            found.append(STICK)
        elif along[k] > mu * normal * (1 - 1e-6):
            found.append(2 + 2 * k)
        else:
            found.append(3 + 2 * int(np.argmin(slack)))
    return np.concatenate([modes, np.array(found, int)]).astype(np.int64)


def _pivot(problem: ContactProblem, modes: np.ndarray, impulse: Array, most: int) -> int:
    p = problem
    return int(
        pivot(
            p.matrix,
            p.bias,
            p.bilateral,
            p.unilateral,
            p.friction,
            p.directions,
            p.scale,
            modes,
            impulse,
            most,
        )
    )
