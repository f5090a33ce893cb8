"""Small problems for the interior point method, written out in full."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.physics.interior import InteriorSettings
from poise.physics.rows import BoundedRows, LinearisedProblem, TaskRows

EXACT = InteriorSettings(
    iterations=300, tolerance=1e-10, steady=1e-12, least_barrier=1e-13, softness=1e-8, damping=1e-9
)


@dataclass(frozen=True)
class Vectors:
    """A problem over plain vectors (n,)."""

    size: int
    bandwidth: int
    at: Callable[[np.ndarray], LinearisedProblem]

    def moved(self, point, step):
        return point + step


def whole(name, matrix, value):
    """Rows (R,) on all variables, as one block."""
    count = matrix.shape[1]
    return TaskRows(name, np.arange(count)[None], matrix[None], value[None])


def least_squares(matrix, wanted, equal=None, bounds=None, tied=None):
    """|matrix x - wanted|^2 with equal = (A, b), tied = (A, b) and bounds = (lower, upper) on x."""
    size = matrix.shape[1]

    def at(x):
        return LinearisedProblem(
            [whole("cost", matrix, matrix @ x - wanted)],
            [] if equal is None else [whole("equal", equal[0], equal[0] @ x - equal[1])],
            [] if bounds is None else [BoundedRows(whole("bounds", np.eye(size), x), bounds[0][None], bounds[1][None])],
            [] if tied is None else [whole("tied", tied[0], tied[0] @ x - tied[1])],
        )

    return Vectors(size, size - 1, at)


@dataclass(frozen=True)
class Chain:
    """Minimum effort of x+ = advance(x, u) over N steps between given ends: variables x0 u0 x1 u1 ... xN.

    `advance` gives x+ (N, s) and its derivatives by x (N, s, s) and u (N, s); `end` the rows of the last state and
    their derivatives.
    """

    steps: int
    state: int
    start: np.ndarray  # (s,)
    advance: Callable
    end: Callable
    least: float = -np.inf  # of u
    weight: float = 1.0

    @property
    def size(self):
        return self.steps * (self.state + 1) + self.state

    @property
    def bandwidth(self):
        return 2 * self.state

    def states(self, x):
        return np.append(x, 0.0).reshape(self.steps + 1, self.state + 1)[:, : self.state]

    def controls(self, x):
        return np.append(x, 0.0).reshape(self.steps + 1, self.state + 1)[:-1, self.state]

    def moved(self, point, step):
        return point + step

    def at(self, x):
        s, n = self.state, self.steps
        states, u = self.states(x), self.controls(x)
        after, by_x, by_u = self.advance(states[:-1], u)
        first = (s + 1) * np.arange(n)[:, None]
        jacobian = np.concatenate([-by_x, -by_u[:, :, None], np.broadcast_to(np.eye(s), (n, s, s))], axis=2)
        dynamics = TaskRows("dynamics", first + np.arange(2 * s + 1), jacobian, states[1:] - after)
        start = TaskRows("start", np.arange(s)[None], np.eye(s)[None], (states[0] - self.start)[None])
        value, slope = self.end(states[-1])
        end = TaskRows("end", (s + 1) * n + np.arange(s)[None], slope[None], value[None])
        unit, column = np.ones((n, 1, 1)), first + s
        effort = TaskRows("effort", column, self.weight * unit, self.weight * u[:, None])
        push = TaskRows("push", column, unit, u[:, None])
        limits = BoundedRows(push, np.full((n, 1), self.least), np.full((n, 1), np.inf))
        return LinearisedProblem([effort], [dynamics, start, end], [limits] if np.isfinite(self.least) else [])
