"""Shooting: the smallest change of a simulation's parameters that meets its targets [Fattal2006] appendix A.

Newton's method with steps of least norm: du = J+ (c - S(u) + J du), where S are simulated values, c their targets, du
the change from the animator's values, and J = dS/du by finite differences, kept with Broyden's update [Broyden1965]. An
iteration is one Jacobian by finite differences with all steps taken with it. docs/poses-method.md lists the additions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array

ITERATIONS = 20  # Largest number of Jacobians by finite differences
NUDGES = (0.25, -0.25, 0.5, -0.5)
"""Finite-difference steps, in units; the next one is used after an iteration without progress."""
STRIDE = 1.0  # Largest change of a parameter in a step, in units
DAMPING = 0.5  # Singular value (tolerances per unit) below which a direction is damped
TRIES = (1.0, 0.5, 0.25, -0.25, 2.0)
"""Multiples of an iteration's first step that are tried in turn until one reduces the residual."""
DEPARTURES = 4  # Largest number of restarts from other points
AWAY = 1.0  # Largest distance of each parameter at a restart from its initial change, in units
NEARER = 0.5
"""A step that leaves more than this share of the residual ends the iteration: the Jacobian is no longer good."""
_LEAST = 1e-9  # finite-difference step, in units, of a parameter that must not change


class SimulationOutcome(NamedTuple):
    """For each target the value that a simulation reached, or its residual; not finite where the simulation failed."""

    exact: Array  # (m,)
    smooth: Array  # (m,) the same numbers, or related ones that depend on the parameters more smoothly


Simulate = Callable[[Sequence[Array], bool], Sequence[SimulationOutcome]]
"""Outcomes of simulations with several changes (n,) of the parameters; if the flag is True, only `smooth` is needed."""


@dataclass(frozen=True, eq=False)
class Shot:
    """A shooting problem with m targets and n parameters; "in units" means in multiples of `unit`."""

    simulate: Simulate
    target: Array  # (m,)
    tolerance: Array  # (m,)
    unit: Array  # (n,) usual change of each parameter
    most: Array  # (n,) largest change of each parameter
    first: Array  # (n,) initial change
    slopes: Array | None = None  # (m, n) initial Jacobian, from a similar problem, in tolerances per unit


@dataclass(frozen=True, eq=False)
class ShotResult:
    """Result of shooting."""

    change: Array  # (n,) of the parameters
    reached: Array  # (m,) reached value for each target
    off: Array  # (m,) residuals, in tolerances
    iterations: int
    simulations: int
    slopes: Array | None = None  # (m, n) last Jacobian, in tolerances per unit

    @property
    def converged(self) -> bool:
        """Whether all targets are within their tolerances."""
        return bool(np.all(np.abs(self.off) <= 1.0))


def shoot(shot: Shot, watch: Callable[[ShotResult], None] | None = None) -> ShotResult:
    """Find the smallest change that meets the targets, or the best change; `watch` gets the result of an iteration."""
    best = _shoot_once(shot, watch)
    for departure in range(DEPARTURES):
        if best.converged or not np.all(np.isfinite(best.off)):
            break
        first = shot.first + shot.unit * AWAY * _shooting_restart_offsets(len(shot.first), departure)
        there = _shoot_once(replace(shot, first=first, slopes=None), watch, best)
        chosen = there if np.linalg.norm(there.off) < np.linalg.norm(best.off) else best  # False for NaN
        best = replace(chosen, iterations=there.iterations, simulations=there.simulations)
    return best


def _shoot_once(shot: Shot, watch: Callable[[ShotResult], None] | None, before: ShotResult | None = None) -> ShotResult:
    """Search from the shot's initial change until the targets are met or no step helps; add to counts of `before`."""
    earlier = (0, 0) if before is None else (before.iterations, before.simulations)
    search = _ShootingSearch(shot, earlier[1])
    search.take_steps()
    stuck = 0
    for iteration in range(ITERATIONS + 1):
        here = search.result_so_far(earlier[0] + iteration)
        if watch is not None:
            watch(here)
        lost = not np.all(np.isfinite(here.off)) or stuck == len(NUDGES)
        if here.converged or lost or iteration == ITERATIONS:
            break
        around = search.measure_jacobian(NUDGES[stuck])
        stuck = 0 if search.take_steps(TRIES) or search.take_best(around) else stuck + 1
    return here


def _shooting_restart_offsets(size: int, which: int) -> Array:
    """(size,) quasi-random numbers between -1 and 1, the same each time: multiples of the golden ratio."""
    return np.asarray(2.0 * (np.arange(1 + which * size, 1 + (1 + which) * size) * 0.6180339887498949 % 1.0) - 1.0)


class _ShootingSearch:
    """The best change so far, in units of the parameters, and its residuals, in tolerances."""

    def __init__(self, shot: Shot, simulations: int) -> None:
        self._shot = shot
        self._bound = shot.most / shot.unit
        self._simulations = simulations
        self._at = np.clip(shot.first / shot.unit, -self._bound, self._bound)  # (n,)
        (self._off,) = self._simulated_residuals([self._at])
        self._jacobian = shot.slopes

    def result_so_far(self, iterations: int) -> ShotResult:
        """The best change so far as a result after a number of iterations."""
        shot, off = self._shot, self._off.exact
        reached = off * shot.tolerance + shot.target
        return ShotResult(self._at * shot.unit, reached, off, iterations, self._simulations, self._jacobian)

    def take_steps(self, parts: Sequence[float] = ()) -> bool:
        """Take steps while the Jacobian is good, the first by a multiple out of `parts`; return whether one helped."""
        moved, fresh = False, True
        while fresh and self._jacobian is not None and not np.all(np.abs(self._off.exact) <= 1.0):
            distance = self._residual_norm
            moved |= self._take_step(self._jacobian, parts or TRIES[:2])
            fresh = self._residual_norm <= NEARER * distance
            parts = ()
        return moved

    @property
    def _residual_norm(self) -> float:
        return float(np.linalg.norm(self._off.exact))

    def _take_step(self, jacobian: Array, parts: Sequence[float]) -> bool:
        """Try multiples `parts` of a step until one reduces the residual; update the Jacobian. True if one did."""
        start, off = self._at, self._off
        step = least_norm_shooting_step(jacobian, start, off.exact, self._bound)
        for part in parts:
            candidate = np.clip(start + part * step, -self._bound, self._bound)
            (outcome,) = self._simulated_residuals([candidate])
            if np.abs(candidate - start).max() >= abs(NUDGES[0]):  # shorter steps say less than the Jacobian
                gained = outcome.smooth - off.smooth
                jacobian = self._jacobian = shooting_jacobian_update(jacobian, candidate - start, gained)
            if np.linalg.norm(outcome.exact) < self._residual_norm:  # False for NaN
                self._at, self._off = candidate, outcome
                return True
        return False

    def _simulated_residuals(self, points: Sequence[Array], slopes: bool = False) -> list[SimulationOutcome]:
        """Residuals, in tolerances, of simulations with the changes `points` (n,), in units."""
        shot = self._shot
        self._simulations += len(points)
        outcomes = shot.simulate([point * shot.unit for point in points], slopes)
        offs = [((np.asarray(values) - shot.target) / shot.tolerance for values in pair) for pair in outcomes]
        return [SimulationOutcome(*off) for off in offs]

    def take_best(self, seen: Sequence[tuple[Array, SimulationOutcome]]) -> bool:
        """Take the best of some simulated changes if it reduces the residual; return whether it does."""
        distance = self._residual_norm
        for point, outcome in seen:
            if np.linalg.norm(outcome.exact) < self._residual_norm:  # False for NaN
                self._at, self._off = point, outcome
        return self._residual_norm < distance

    def measure_jacobian(self, nudge: float) -> list[tuple[Array, SimulationOutcome]]:
        """Set the Jacobian by one-sided differences, 0 where a simulation failed; return the simulated changes."""
        sign, room = np.sign(nudge), np.minimum(abs(nudge), np.maximum(self._bound, _LEAST))
        sides = np.where(np.abs(self._at + sign * room) <= self._bound, sign, -sign) * room
        points = [self._at + side * axis for side, axis in zip(sides, np.eye(len(sides)), strict=True)]
        outcomes = self._simulated_residuals(points, slopes=True)
        columns = [(outcome.smooth - self._off.smooth) / side for outcome, side in zip(outcomes, sides, strict=True)]
        self._jacobian = np.where(np.isfinite(columns), columns, 0.0).T
        return list(zip(points, outcomes, strict=True))


def least_norm_shooting_step(jacobian: Array, at: Array, off: Array, bound: Array) -> Array:
    """(n,) step to the smallest change that meets the linearised targets, in units; parameters stay within bounds."""
    free: NDArray[np.bool_] = np.ones(len(at), bool)
    step = np.zeros(len(at))
    for _ in range(len(at)):
        left, size, right = np.linalg.svd(jacobian[:, free], full_matrices=False)
        rest = -off - jacobian[:, ~free] @ step[~free]
        share = size / (size**2 + DAMPING**2)
        idle = at[free] - right.T @ (right @ at[free])  # component of the change so far that moves no target
        step[free] = right.T @ (share * (left.T @ rest)) - idle
        beyond = free & (np.abs(at + step) > bound)
        step = np.clip(at + step, -bound, bound) - at
        if not beyond.any() or not (free & ~beyond).any():
            break
        free &= ~beyond
    longest = float(np.abs(step).max(initial=0.0))
    return step if longest <= STRIDE else step * STRIDE / longest


def shooting_jacobian_update(jacobian: Array, step: Array, change: Array) -> Array:
    """Broyden's update: the nearest Jacobian that maps a step to a change; unchanged if the simulation failed."""
    if not np.all(np.isfinite(change)):
        return jacobian
    return np.asarray(jacobian + np.outer(change - jacobian @ step, step) / float(step @ step))
