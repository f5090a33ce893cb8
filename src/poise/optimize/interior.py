"""A primal-dual interior point method with Gauss-Newton steps, for least squares with many sparse constraints.

Equality rows are kept by proximal multipliers: the matrix of a step is H + A'A / softness + G' diag(z / s) G, banded and
positive definite, and no constraint needs to be independent of the others. Bounds have slacks s and multipliers
z with s z = barrier -> 0 [Nocedal2006, ch. 19]. Steps are cut by a merit function, Eq. (18.36) there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy.linalg import LinAlgError

from poise.optimize.banded import Factored, dense, normal_band
from poise.optimize.rows import Array, Linearised, Rows, split, stacked, violations

X = TypeVar("X")


class Problem(Protocol[X]):
    """What is minimised, over points X that need not be vectors."""

    @property
    def size(self) -> int:
        """Number of variables, n."""

    @property
    def bandwidth(self) -> int:
        """The largest distance between two variables of one block."""

    def at(self, point: X) -> Linearised:
        """Values and derivatives. The shapes are the same at every point."""

    def moved(self, point: X, step: Array) -> X:
        """The point a step (n,) further."""


@dataclass(frozen=True)
class InteriorSettings:
    """When to stop, and how carefully to go."""

    iterations: int = 120
    tolerance: float = 1e-9  # of constraints, as the problem scales them
    steady: float = 1e-3  # relative change of the cost
    barrier: float = 1e-2
    least_barrier: float = 1e-7
    softness: float = 1e-7
    damping: float = 1e-6
    boundary: float = 0.99  # share of the way to a bound that a step may take


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    iteration: int
    cost: float
    violation: float
    barrier: float
    length: float  # share of the last step that was taken


@dataclass(frozen=True, eq=False)
class Solution(Generic[X]):
    """Where the search ended, certified by what is left over."""

    point: X
    linearised: Linearised
    cost: float
    violation: float  # largest of all constraints
    iterations: int
    converged: bool


def in_silence(_: Progress) -> None:
    """Nobody is told."""


def minimise(
    problem: Problem[X],
    start: X,
    settings: InteriorSettings | None = None,
    watch: Callable[[Progress], None] = in_silence,
) -> Solution[X]:
    """Search from a start, which need not satisfy anything."""
    return _Search(problem, start, settings or InteriorSettings()).run(watch)


class _Search(Generic[X]):
    def __init__(self, problem: Problem[X], start: X, settings: InteriorSettings) -> None:
        self._problem, self._settings = problem, settings
        self._point = start
        self._here = problem.at(start)
        self._barrier, self._damping = settings.barrier, settings.damping
        self._pull = np.zeros(stacked(self._here.equal).size)  # multipliers of equal rows
        self._tie_pull = np.zeros(stacked(self._here.tied).size)
        self._slack = np.maximum(_room(self._here), np.sqrt(settings.barrier))
        self._press = self._barrier / self._slack  # multipliers of bounds
        self._penalty = 1.0

    def run(self, watch: Callable[[Progress], None]) -> Solution[X]:
        chosen = self._settings
        last, calm, length = np.inf, 0, 1.0
        for iteration in range(chosen.iterations + 1):
            cost, violation = _cost(self._here), _violation(self._here)
            watch(Progress(iteration, cost, violation, self._barrier, length))
            calm = calm + 1 if abs(last - cost) <= chosen.steady * cost and length > 0.5 else 0
            done = violation < chosen.tolerance and calm >= 2 and self._barrier <= chosen.least_barrier
            if done or iteration == chosen.iterations:
                break
            last = cost
            length = self._advance()
            self._lower_barrier(length)
        return Solution(self._point, self._here, cost, violation, iteration, done)

    def _advance(self) -> float:
        """Take one step; the share of it that was taken."""
        step, slack_step, press_step, pull, tie_pull = self._step()
        share = _share(self._slack, slack_step, self._settings.boundary)
        slope, curvature = self._predicted(step, slack_step)
        gap = np.abs(self._gaps()).sum()
        if gap > 0:
            self._penalty = max(self._penalty, (slope + 0.5 * max(curvature, 0.0)) / (0.5 * gap))
        before, descent = self._merit(self._here, self._slack), slope - self._penalty * gap
        length = share
        while True:
            point = self._problem.moved(self._point, length * step)
            here = self._problem.at(point)
            slack = self._slack + length * slack_step
            if self._merit(here, slack) <= before + 1e-4 * length * descent + 1e-10 * abs(before) or length < 0.02 * share:
                break
            length *= 0.5
        self._damping = min(self._damping * 10, 1e2) if length < 0.2 * share else max(
            self._damping / 3, self._settings.damping
        )
        dual = _share(self._press, press_step, self._settings.boundary)
        self._point, self._here, self._slack = point, here, slack
        self._press = self._press + dual * press_step
        self._pull = self._pull + length * (pull - self._pull)
        self._tie_pull = self._tie_pull + length * (tie_pull - self._tie_pull)
        return length

    def _step(self) -> tuple[Array, Array, Array, Array, Array]:
        here, n, soft = self._here, self._problem.size, self._settings.softness
        ratio = self._press / self._slack
        gap = _room(here) - self._slack
        stiff = _by_rows(here, ratio, np.add)
        drive = _by_rows(here, self._barrier / self._slack - ratio * gap, np.subtract)
        equal = stacked(here.equal)
        right = np.zeros(n)
        for rows in here.cost:
            right -= rows.pulled(rows.value, n)
        for rows, part in zip(here.equal, split(self._pull + equal / soft, here.equal) if here.equal else [], strict=True):
            right -= rows.pulled(part, n)
        for bounded, part in zip(here.bounded, drive, strict=True):
            right += bounded.rows.pulled(part, n)
        ties = dense(here.tied, n)
        right -= ties.T @ self._tie_pull
        weighted: list[tuple[Rows, Array | None]] = [(rows, None) for rows in here.cost]
        weighted += [(rows, np.full(rows.value.shape, 1 / soft)) for rows in here.equal]
        weighted += [(bounded.rows, part) for bounded, part in zip(here.bounded, stiff, strict=True)]
        factored = self._factored(weighted, ties)
        step, tie_step = factored.solve(right, -stacked(here.tied))
        pull = self._pull + (equal + np.concatenate([r.along(step).ravel() for r in here.equal] or [np.zeros(0)])) / soft
        slack_step = _along_room(here, step) + gap
        press_step = self._barrier / self._slack - self._press - ratio * slack_step
        return step, slack_step, press_step, pull, self._tie_pull + tie_step

    def _factored(self, weighted: list[tuple[Rows, Array | None]], ties: Array) -> Factored:
        while True:
            band = normal_band(weighted, self._problem.size, self._problem.bandwidth, self._damping)
            try:
                return Factored(band, ties, self._settings.softness)
            except LinAlgError:
                self._damping *= 100

    def _lower_barrier(self, length: float) -> None:
        if not self._slack.size:
            self._barrier = self._settings.least_barrier
        elif length > 0.3:
            mean = float(self._slack @ self._press) / self._slack.size
            self._barrier = max(self._settings.least_barrier, min(0.5 * self._barrier, 0.2 * mean))

    def _predicted(self, step: Array, slack_step: Array) -> tuple[float, float]:
        """Slope and curvature of cost and barrier along a step."""
        slope, curvature = 0.0, 0.0
        for rows in self._here.cost:
            change = rows.along(step)
            slope += float(np.sum(rows.value * change))
            curvature += float(np.sum(change**2))
        push = slack_step / self._slack
        return slope - self._barrier * float(push.sum()), curvature + self._barrier * float(push @ push)

    def _gaps(self) -> Array:
        return np.concatenate([stacked(self._here.equal), stacked(self._here.tied), _room(self._here) - self._slack])

    def _merit(self, here: Linearised, slack: Array) -> float:
        gaps = np.abs(stacked(here.equal)).sum() + np.abs(stacked(here.tied)).sum()
        gaps += np.abs(_room(here) - slack).sum()
        return _cost(here) - self._barrier * float(np.log(slack).sum()) + self._penalty * float(gaps)


def _cost(here: Linearised) -> float:
    return 0.5 * sum(float(np.sum(rows.value**2)) for rows in here.cost)


def _room(here: Linearised) -> Array:
    """Distances to all finite bounds: the lower ones of a batch, then its upper ones."""
    out = []
    for bounded in here.bounded:
        value, low, high = bounded.rows.value, bounded.lower, bounded.upper
        out += [(value - low)[np.isfinite(low)], (high - value)[np.isfinite(high)]]
    return np.concatenate(out) if out else np.zeros(0)


def _along_room(here: Linearised, step: Array) -> Array:
    out = []
    for bounded in here.bounded:
        change = bounded.rows.along(step)
        out += [change[np.isfinite(bounded.lower)], -change[np.isfinite(bounded.upper)]]
    return np.concatenate(out) if out else np.zeros(0)


def _by_rows(here: Linearised, values: Array, join: np.ufunc) -> list[Array]:
    """Values of the bounds, joined to one per row: those of the lower bound and of the upper."""
    out, start = [], 0
    for bounded in here.bounded:
        pair = []
        for finite in (np.isfinite(bounded.lower), np.isfinite(bounded.upper)):
            part = np.zeros(finite.shape)
            count = np.count_nonzero(finite)
            part[finite] = values[start : start + count]
            start += count
            pair.append(part)
        out.append(join(*pair))
    return out


def _share(value: Array, step: Array, boundary: float) -> float:
    """The share of a step that keeps positive values positive."""
    down = step < 0
    return float(min(1.0, boundary * np.min(-value[down] / step[down], initial=np.inf)))


def _violation(here: Linearised) -> float:
    return max((float(excess.max(initial=0.0)) for _, excess in violations(here)), default=0.0)
