"""A primal-dual interior point method with Gauss-Newton steps, for least squares with many sparse constraints.

After [Nocedal2006, ch. 19]: a barrier that is lowered to nearly 0 keeps bounded rows within their bounds. Steps, see
`poise.physics.newton`, are shortened by a merit function, the l1 penalty of Eq. (18.27) with the weight of Eq. (18.36).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy.linalg import LinAlgError
from threadpoolctl import threadpool_limits

from poise.arrays import Array
from poise.errors import PoiseError
from poise.physics.newton import Duals, NewtonSystem, bound_distances
from poise.physics.rows import LinearisedProblem, cost_of, largest_violation, stacked_values

X = TypeVar("X")

_DECREASE = 1e-4  # fraction of the predicted decrease of the merit that a step must achieve
_ROUNDING = 1e-10  # relative increase of the merit that is rounding
_SHORTEST = 0.02  # fraction of the longest step that is taken even if the merit does not improve
_MOST_DAMPING = 1e2
_PATIENCE = 4  # iterations with a steady cost before restoration, or with short steps before recentring
_STUCK = 0.1  # steps taken by less than this fraction are short, once the barrier is lowered
_STARTS = 6  # most starts of a search, the first and recentrings together
_RESTORATIONS = 5  # most steps of a restoration
_FIRMER = 1e-3  # factor of the constraints' softness in restorations
_HOPELESS = 1e12  # damping with which every matrix of finite numbers is positive definite


class InteriorProblem(Protocol[X]):
    """A problem over points of type X, which need not be vectors. Steps from a point are vectors (n,)."""

    @property
    def size(self) -> int:
        """Number of variables, n."""

    @property
    def bandwidth(self) -> int:
        """The largest difference between the indices of two variables of one block of rows."""

    def at(self, point: X) -> LinearisedProblem:
        """Values and derivatives of all rows at a point. The shapes of the rows are the same at every point."""

    def moved(self, point: X, step: Array) -> X:
        """The point moved by a step (n,)."""


@dataclass(frozen=True)
class InteriorSettings:
    """Stopping criteria and parameters of the search."""

    iterations: int = 120  # most iterations
    tolerance: float = 1e-8  # violation of constraints, as the problem scales them
    acceptable: float = 3e-7  # violation accepted after restoration, as inconsistent data may allow no less
    steady: float = 1e-3  # relative change below which the cost is steady
    barrier: float = 1e-2  # weight of the barrier at the start
    least_barrier: float = 1e-7  # weight of the barrier at the end
    softness: float = 1e-7  # of equality rows: see `poise.physics.newton`
    damping: float = 1e-6  # least multiple of 1 that is added to a step's matrix
    boundary: float = 0.99  # fraction of the way to a bound that a step may take


@dataclass(frozen=True)
class OptimiserProgress:
    """Progress of a search at one iteration."""

    iteration: int
    cost: float
    violation: float
    barrier: float
    length: float  # fraction of the last step that was taken


@dataclass(frozen=True, eq=False)
class InteriorSolution(Generic[X]):
    """The point at which a search ended, with its cost and remaining violation of constraints."""

    point: X
    linearised: LinearisedProblem
    cost: float
    violation: float  # largest over all constraints
    iterations: int
    converged: bool  # whether all constraints hold within the settings' tolerance


def ignore_progress(_: OptimiserProgress) -> None:
    """A watcher of progress that does nothing."""


def minimise(
    problem: InteriorProblem[X],
    start: X,
    settings: InteriorSettings | None = None,
    watch: Callable[[OptimiserProgress], None] = ignore_progress,
) -> InteriorSolution[X]:
    """Minimise the problem's cost from `start`, which need not satisfy any constraint. `watch` is told the progress."""
    with threadpool_limits(1):  # the blocks are small: with threads it takes eight times as long
        return _InteriorSearch(problem, start, settings or InteriorSettings()).run(watch)


@dataclass(frozen=True, eq=False)
class _TrialPoint(Generic[X]):
    """A point reached by a trial step of the line search, with its merit."""

    point: X
    here: LinearisedProblem
    slack: Array  # (b,)
    gap: float  # sum of all constraint violations
    merit: float


class _InteriorSearch(Generic[X]):
    def __init__(self, problem: InteriorProblem[X], start: X, settings: InteriorSettings) -> None:
        self._problem, self._settings = problem, settings
        self._point, self._here = start, problem.at(start)
        _check_finite(self._here)
        self._damping, self._starts = settings.damping, 0
        self._recentre()

    def run(self, watch: Callable[[OptimiserProgress], None]) -> InteriorSolution[X]:
        chosen = self._settings
        costs: list[float] = []
        calm, stuck, length, done = 0, 0, 1.0, False
        for iteration in range(chosen.iterations + 1):
            cost, violation = cost_of(self._here), largest_violation(self._here)
            watch(OptimiserProgress(iteration, cost, violation, self._barrier, length))
            costs.append(cost)
            calm = calm + 1 if length > 0.5 and self._is_steady(costs[-2:]) else 0
            last = iteration == chosen.iterations or self._starts > _STARTS
            last_barrier = self._barrier <= chosen.least_barrier
            settled = last_barrier and calm >= 2 and violation < chosen.tolerance
            creeping = last_barrier and len(costs) > _PATIENCE and self._is_steady(costs[-_PATIENCE:])
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
        """Restart from the current point with a large barrier: at the start, and where bounds leave no room to step."""
        self._starts += 1
        self._barrier, self._penalty = self._settings.barrier, 1.0
        slack = np.maximum(bound_distances(self._here), np.sqrt(self._barrier))
        pulls = (np.zeros(stacked_values(rows).size) for rows in (self._here.equal, self._here.tied))
        self._duals = Duals(slack, self._barrier / slack, *pulls)

    def _is_steady(self, costs: list[float]) -> bool:
        return len(costs) > 1 and abs(costs[0] - costs[-1]) <= self._settings.steady * costs[-1]

    def _restore(self) -> bool:
        """Find the nearby point of least violation. Move there if the violation is acceptable; return whether it is."""
        newton, best = self._newton_system(_FIRMER), (self._point, self._here)
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
        """Take one step of variables, slacks and multipliers; return the fraction of the step that was taken."""
        newton = self._newton_system()
        step, change = newton.step()
        duals, boundary = self._duals, self._settings.boundary
        most = _positive_step_fraction(duals.slack, change.slack, boundary)
        length = self._line_search(newton, step, change, most)
        shortened = length < 0.3 * most
        damping = self._damping * 10 if shortened else self._damping / 3
        self._damping = float(np.clip(damping, self._settings.damping, _MOST_DAMPING))
        self._duals = Duals(
            duals.slack + length * change.slack,
            duals.press + _positive_step_fraction(duals.press, change.press, boundary) * change.press,
            duals.pull + length * change.pull,
            duals.tie + length * change.tie,
        )
        return length

    def _newton_system(self, softer: float = 1.0) -> NewtonSystem:
        """The linear system of a step. Increases the damping if rounding makes the matrix indefinite."""
        shape = self._problem.size, self._problem.bandwidth
        while True:
            softness = softer * self._settings.softness
            try:
                return NewtonSystem(self._here, self._duals, self._barrier, shape, softness, self._damping)
            except LinAlgError:
                if self._damping > _HOPELESS:
                    raise PoiseError("the optimiser failed: derivatives are not finite") from None
                self._damping *= 100

    def _line_search(self, newton: NewtonSystem, step: Array, change: Duals, most: float) -> float:
        """Move along a step as far as the merit improves; return the fraction of the step that was taken.

        Where constraints are curved, a good full step may violate constraints and raise the merit. Before such a step
        is shortened, a second-order correction is tried [Nocedal2006, sec. 15.6].
        """
        before, descent = self._merit_and_descent(step, change.slack)

        def merit_improves(trial: _TrialPoint[X], length: float) -> bool:
            return trial.merit <= before.merit + _ROUNDING * abs(before.merit) + _DECREASE * length * descent

        length = most
        trial = self._trial(length * step, length * change.slack)
        if not merit_improves(trial, length) and trial.gap > before.gap:
            corrected = self._trial(length * step + newton.correction(trial.here, trial.slack), length * change.slack)
            trial = corrected if merit_improves(corrected, length) else trial
        while not merit_improves(trial, length) and length > _SHORTEST * most:
            length *= 0.5
            trial = self._trial(length * step, length * change.slack)
        _check_finite(trial.here)
        self._point, self._here = trial.point, trial.here
        return length

    def _trial(self, step: Array, slack_step: Array) -> _TrialPoint[X]:
        """The trial point after a step (n,) of the variables and a step (b,) of the slacks."""
        point, slack = self._problem.moved(self._point, step), self._duals.slack + slack_step
        return self._evaluated_trial(point, self._problem.at(point), slack)

    def _evaluated_trial(self, point: X, here: LinearisedProblem, slack: Array) -> _TrialPoint[X]:
        parts = (stacked_values(here.equal), stacked_values(here.tied), bound_distances(here) - slack)
        gap = float(sum(np.abs(part).sum() for part in parts))
        barrier = self._barrier * float(np.log(slack).sum())
        return _TrialPoint(point, here, slack, gap, cost_of(here) - barrier + self._penalty * gap)

    def _merit_and_descent(self, step: Array, slack_step: Array) -> tuple[_TrialPoint[X], float]:
        """The current point with its merit, and the merit's slope along a step. Raises the penalty to make it < 0."""
        slope, curvature = self._predicted_change(step, slack_step)
        gap = self._evaluated_trial(self._point, self._here, self._duals.slack).gap
        if gap > 0:
            self._penalty = max(self._penalty, (slope + 0.5 * curvature) / (0.5 * gap))
        return self._evaluated_trial(self._point, self._here, self._duals.slack), slope - self._penalty * gap

    def _lower_barrier(self, length: float) -> None:
        slack, press = self._duals.slack, self._duals.press
        if not slack.size:
            self._barrier = self._settings.least_barrier
        elif length > 0.3:
            mean = float(slack @ press) / slack.size
            self._barrier = max(self._settings.least_barrier, min(0.5 * self._barrier, 0.2 * mean))

    def _predicted_change(self, step: Array, slack_step: Array) -> tuple[float, float]:
        """Slope and curvature of the sum of cost and barrier along a step."""
        slope, curvature = 0.0, 0.0
        for rows in self._here.cost:
            change = rows.along(step)
            slope += float(np.sum(rows.value * change))
            curvature += float(np.sum(change**2))
        push = slack_step / self._duals.slack
        return slope - self._barrier * float(push.sum()), curvature + self._barrier * float(push @ push)


def _positive_step_fraction(value: Array, step: Array, boundary: float) -> float:
    """The largest fraction of a step, at most 1, that takes positive values at most `boundary` of the way to 0."""
    down = step < 0
    return float(min(1.0, boundary * np.min(-value[down] / step[down], initial=np.inf)))


def _check_finite(here: LinearisedProblem) -> None:
    """Raise a PoiseError if a value of any row is not finite."""
    for rows in (*here.cost, *here.equal, *here.tied, *(bounded.rows for bounded in here.bounded)):
        if not np.isfinite(rows.value).all():
            raise PoiseError(f"the optimiser failed: a number is not finite in '{rows.name}'")
