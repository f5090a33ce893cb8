"""A primal-dual interior point method with Gauss-Newton steps, for least squares with many sparse constraints.

After [Nocedal2006, ch. 19]: a barrier keeps bounded rows in their bounds and goes to 0; steps, see
`poise.physics.newton`, are cut by a merit function, the l1 penalty of Eq. (18.27) with the weight of Eq. (18.36).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy.linalg import LinAlgError
from threadpoolctl import threadpool_limits

from poise.arrays import Array
from poise.errors import PoiseError
from poise.physics.newton import Conditioning, Duals, Newton, room
from poise.physics.rows import Linearised, cost_of, largest_violation, stacked

X = TypeVar("X")

_DECREASE = 1e-4  # share of the promised decrease of the merit that a step must bring
_ROUNDING = 1e-10  # of the merit: less of an increase is none
_SHORTEST = 0.02  # share of a step that is taken even if it does not help
_MOST_DAMPING = 1e2
_PATIENCE = 4  # iterations with a steady cost after which constraints alone are mended, or with short steps
_STUCK = 0.1  # share of a step: shorter is short, once the barrier is lowered
_STARTS = 6  # times that a search begins anew, the first included, before it gives up
_RESTORATIONS = 5
_FIRMER = 1e-3  # softness of constraints in restorations: where they contradict each other no more
_HOPELESS = 1e12  # damping that makes every matrix of finite numbers definite


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
    tolerance: float = 1e-8  # of constraints, as the problem scales them
    acceptable: float = 3e-7  # the same, where data contradict each other by their own rounding and it gets no better
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
class InteriorSolution(Generic[X]):
    """Where the search ended, certified by what is left over."""

    point: X
    linearised: Linearised
    cost: float
    violation: float  # largest of all constraints
    iterations: int
    converged: bool  # whether all constraints hold


def unwatched(_: Progress) -> None:
    """Nobody is told."""


def minimise(
    problem: Problem[X],
    start: X,
    settings: InteriorSettings | None = None,
    watch: Callable[[Progress], None] = unwatched,
) -> InteriorSolution[X]:
    """Search from a start, which need not satisfy anything."""
    with threadpool_limits(1):  # the blocks are small: threads cost eight times what they give
        return _Search(problem, start, settings or InteriorSettings()).run(watch)


@dataclass(frozen=True, eq=False)
class _Trial(Generic[X]):
    """A point that a step may lead to."""

    point: X
    here: Linearised
    slack: Array  # (b,)
    gap: float  # how far all constraints are off together
    merit: float


class _Search(Generic[X]):
    def __init__(self, problem: Problem[X], start: X, settings: InteriorSettings) -> None:
        self._problem, self._settings = problem, settings
        self._point, self._here = start, problem.at(start)
        _check_finite(self._here)
        self._damping, self._starts = settings.damping, 0
        self._recentre()

    def run(self, watch: Callable[[Progress], None]) -> InteriorSolution[X]:
        chosen = self._settings
        costs: list[float] = []
        calm, stuck, length, done = 0, 0, 1.0, False
        for iteration in range(chosen.iterations + 1):
            cost, violation = cost_of(self._here), largest_violation(self._here)
            watch(Progress(iteration, cost, violation, self._barrier, length))
            costs.append(cost)
            calm = calm + 1 if length > 0.5 and self._steady(costs[-2:]) else 0
            last = iteration == chosen.iterations or self._starts > _STARTS
            last_barrier = self._barrier <= chosen.least_barrier
            settled = last_barrier and calm >= 2 and violation < chosen.tolerance
            creeping = last_barrier and len(costs) > _PATIENCE and self._steady(costs[-_PATIENCE:])
            if settled or creeping or last:
                done, costs = self._restore(), []
            if done or last:
                break
            length = self._advance()
            stuck = stuck + 1 if length < _STUCK and self._barrier < chosen.barrier else 0
            if stuck < _PATIENCE:
                self._lower_barrier(length)
            else:
                self._recentre()
                stuck = 0
        return InteriorSolution(
            self._point, self._here, cost_of(self._here), largest_violation(self._here), iteration, done
        )

    def _recentre(self) -> None:
        """Begin anew from here, far from all bounds: at the start, or where bounds leave no room for steps."""
        self._starts += 1
        self._barrier, self._penalty = self._settings.barrier, 1.0
        slack = np.maximum(room(self._here), np.sqrt(self._barrier))
        pulls = (np.zeros(stacked(rows).size) for rows in (self._here.equal, self._here.tied))
        self._duals = Duals(slack, self._barrier / slack, *pulls)

    def _steady(self, costs: list[float]) -> bool:
        return len(costs) > 1 and abs(costs[0] - costs[-1]) <= self._settings.steady * costs[-1]

    def _restore(self) -> bool:
        """Go to where constraints hold as well as they can, if it is near and that is well enough; whether it is."""
        newton, best = self._newton(_FIRMER), (self._point, self._here)
        point, here = best
        for _ in range(_RESTORATIONS):
            point = self._problem.moved(point, newton.correction(here, self._duals.slack))
            here = self._problem.at(point)
            if largest_violation(here) >= largest_violation(best[1]):
                break
            best = point, here
        if largest_violation(best[1]) >= self._settings.acceptable:
            return False
        self._point, self._here = best
        return True

    def _advance(self) -> float:
        """Take one step; the share of it that was taken."""
        newton = self._newton()
        step, change = newton.step()
        duals, boundary = self._duals, self._settings.boundary
        most = _share(duals.slack, change.slack, boundary)
        length = self._take(newton, step, change, most)
        shortened = length < 0.3 * most
        damping = self._damping * 10 if shortened else self._damping / 3
        self._damping = float(np.clip(damping, self._settings.damping, _MOST_DAMPING))
        self._duals = Duals(
            duals.slack + length * change.slack,
            duals.press + _share(duals.press, change.press, boundary) * change.press,
            duals.pull + length * change.pull,
            duals.tie + length * change.tie,
        )
        return length

    def _newton(self, softer: float = 1.0) -> Newton:
        """The system of a step; with more damping where rounding makes the matrix indefinite."""
        shape = self._problem.size, self._problem.bandwidth
        while True:
            chosen = Conditioning(softer * self._settings.softness, self._damping)
            try:
                return Newton(self._here, self._duals, self._barrier, shape, chosen)
            except LinAlgError:
                if self._damping > _HOPELESS:
                    raise PoiseError("the optimiser broke down: derivatives are not finite") from None
                self._damping *= 100

    def _take(self, newton: Newton, step: Array, change: Duals, most: float) -> float:
        """Go along a step as far as the merit becomes better; the share of it.

        Where constraints are curved, the whole step may leave them and look worse than it is: before it is cut, it is
        corrected to second order [Nocedal2006, sec. 15.6].
        """
        before, descent = self._merit_and_descent(step, change.slack)

        def better(trial: _Trial[X], length: float) -> bool:
            return trial.merit <= before.merit + _ROUNDING * abs(before.merit) + _DECREASE * length * descent

        length = most
        trial = self._trial(length * step, length * change.slack)
        if not better(trial, length) and trial.gap > before.gap:
            corrected = self._trial(length * step + newton.correction(trial.here, trial.slack), length * change.slack)
            trial = corrected if better(corrected, length) else trial
        while not better(trial, length) and length > _SHORTEST * most:
            length *= 0.5
            trial = self._trial(length * step, length * change.slack)
        _check_finite(trial.here)
        self._point, self._here = trial.point, trial.here
        return length

    def _trial(self, step: Array, slack_step: Array) -> _Trial[X]:
        """The merit a step further."""
        point, slack = self._problem.moved(self._point, step), self._duals.slack + slack_step
        return self._judged(point, self._problem.at(point), slack)

    def _judged(self, point: X, here: Linearised, slack: Array) -> _Trial[X]:
        parts = (stacked(here.equal), stacked(here.tied), room(here) - slack)
        gap = float(sum(np.abs(part).sum() for part in parts))
        barrier = self._barrier * float(np.log(slack).sum())
        return _Trial(point, here, slack, gap, cost_of(here) - barrier + self._penalty * gap)

    def _merit_and_descent(self, step: Array, slack_step: Array) -> tuple[_Trial[X], float]:
        """The merit here and its slope along a step, the penalty raised so that this is downwards."""
        slope, curvature = self._predicted(step, slack_step)
        gap = self._judged(self._point, self._here, self._duals.slack).gap
        if gap > 0:
            self._penalty = max(self._penalty, (slope + 0.5 * curvature) / (0.5 * gap))
        return self._judged(self._point, self._here, self._duals.slack), slope - self._penalty * gap

    def _lower_barrier(self, length: float) -> None:
        slack, press = self._duals.slack, self._duals.press
        if not slack.size:
            self._barrier = self._settings.least_barrier
        elif length > 0.3:
            mean = float(slack @ press) / slack.size
            self._barrier = max(self._settings.least_barrier, min(0.5 * self._barrier, 0.2 * mean))

    def _predicted(self, step: Array, slack_step: Array) -> tuple[float, float]:
        """Slope and curvature of cost and barrier along a step."""
        slope, curvature = 0.0, 0.0
        for rows in self._here.cost:
            change = rows.along(step)
            slope += float(np.sum(rows.value * change))
            curvature += float(np.sum(change**2))
        push = slack_step / self._duals.slack
        return slope - self._barrier * float(push.sum()), curvature + self._barrier * float(push @ push)


def _share(value: Array, step: Array, boundary: float) -> float:
    """The share of a step that keeps positive values positive."""
    down = step < 0
    return float(min(1.0, boundary * np.min(-value[down] / step[down], initial=np.inf)))


def _check_finite(here: Linearised) -> None:
    """Stop at the first number that is not one, before it spreads."""
    for rows in (*here.cost, *here.equal, *here.tied, *(bounded.rows for bounded in here.bounded)):
        if not np.isfinite(rows.value).all():
            raise PoiseError(f"the optimiser met a number that is not finite in '{rows.name}'")
