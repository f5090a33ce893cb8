"""Shooting: the least change of a simulation's parameters that has it meet its targets [Fattal2006] appendix A.

The paper's weight alpha cancels out of its equations; what is left is Newton's method with steps of least norm,

    du = J+ (c - S(u) + J du),      J = dS/du by finite differences, J+ its pseudo-inverse,

du the change from the animator's values. Added here:

- Targets are measured in tolerances and changes in units of what is usual for them; parameters keep within bounds.
- Steps are bounded, and damped where it takes a large change to move targets a little. One that does not help is
  halved, then tried the other way round, then doubled: contacts put kinks into S.
- Finite differences cost a simulation for each parameter. So a Jacobian is used again, corrected by what its steps led
  to [Broyden1965], as long as each brings the targets nearer by half. An iteration is a Jacobian by finite differences
  with all steps that are taken with it.
- Where that ends before the targets are met, it begins anew from elsewhere, and the best of all is taken.
- Where S is noisy, the Jacobian may be that of something smooth which goes along with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array

_LEAST = 1e-9  # units: a parameter that may not change is nudged by this, to no effect


class SimulationOutcome(NamedTuple):
    """What comes of a simulation; not finite where it fails."""

    reached: Array  # (m,) of the targets
    smooth: Array  # (m,) the same, or what goes along with it and depends on the parameters more smoothly


class Simulate(Protocol):
    """Simulates with several changes (n,) of the parameters."""

    def __call__(self, changes: Sequence[Array], slopes: bool) -> Sequence[SimulationOutcome]:
        """What comes of each. If only `slopes` are sought, no more than what is smooth is asked for."""


@dataclass(frozen=True, eq=False)
class Shot:
    """A shooting problem."""

    simulate: Simulate
    target: Array  # (m,)
    tolerance: Array  # (m,)
    unit: Array  # (n,) a usual change of each parameter
    most: Array  # (n,) the largest change of each
    first: Array  # (n,) the change to begin with
    slopes: Array | None = None  # (m, n) the Jacobian of a problem like this one, to begin with


@dataclass(frozen=True)
class ShootingSettings:
    """How targets are sought."""

    iterations: int = 20
    """Jacobians by finite differences, at most."""
    nudges: tuple[float, ...] = (0.25, -0.25, 0.5, -0.5)
    """Changes of a parameter to see what it does, in its units; the next one where the last led nowhere."""
    stride: float = 1.0
    """Largest change of a parameter in a step, in its units."""
    damping: float = 0.5
    """Ways that move the targets by less than so many tolerances per unit of the parameters are not taken whole."""
    tries: tuple[float, ...] = (1.0, 0.5, 0.25, -0.25, 2.0)
    """Parts of the first step of an iteration that are tried in turn until one helps."""
    departures: int = 4
    """How often to begin anew from elsewhere, if targets are out of reach from where it began."""
    away: float = 1.0
    """How far away that is at most, of each parameter, in its units."""
    nearer: float = 0.5
    """A step that leaves more than this part of the distance ends the iteration: its Jacobian is worn out."""


@dataclass(frozen=True, eq=False)
class Hit:
    """What came of shooting; it says itself whether the targets are met."""

    change: Array  # (n,) of the parameters
    reached: Array  # (m,)
    off: Array  # (m,) in tolerances
    iterations: int
    simulations: int
    slopes: Array | None = None  # (m, n) the last Jacobian, in tolerances per unit

    @property
    def converged(self) -> bool:
        """Whether all is within its tolerance."""
        return bool(np.all(np.abs(self.off) <= 1.0))


def shoot(shot: Shot, settings: ShootingSettings | None = None, watch: Callable[[Hit], None] | None = None) -> Hit:
    """Seek the least change that meets the targets; the best that was found, if none does."""
    settings = settings or ShootingSettings()
    best = _seek(shot, settings, watch)
    for departure in range(settings.departures):
        if best.converged or not np.all(np.isfinite(best.off)):
            break
        first = shot.first + shot.unit * settings.away * _scattered(len(shot.first), departure)
        there = _seek(replace(shot, first=first, slopes=None), settings, watch, best)
        chosen = there if np.linalg.norm(there.off) < np.linalg.norm(best.off) else best  # never what is not finite
        best = replace(chosen, iterations=there.iterations, simulations=there.simulations)
    return best


def _seek(
    shot: Shot, settings: ShootingSettings, watch: Callable[[Hit], None] | None, before: Hit | None = None
) -> Hit:
    """From where the shot begins, until the targets are met or nothing helps any more; what was made before counts."""
    made = (0, 0) if before is None else (before.iterations, before.simulations)
    search = _Search(shot, settings, made[1])
    search.go_on()
    stuck = 0
    for iteration in range(settings.iterations + 1):
        here = search.hit(made[0] + iteration)
        if watch is not None:
            watch(here)
        lost = not np.all(np.isfinite(here.off)) or stuck == len(settings.nudges)
        if here.converged or lost or iteration == settings.iterations:
            break
        around = search.look_around(settings.nudges[stuck])
        stuck = 0 if search.go_on(settings.tries) or search.settle_for(around) else stuck + 1
    return here


def _scattered(size: int, which: int) -> Array:
    """Numbers between -1 and 1 without a pattern, the same each time: multiples of the golden ratio."""
    return np.asarray(2.0 * (np.arange(1 + which * size, 1 + (1 + which) * size) * 0.6180339887498949 % 1.0) - 1.0)


class _Search:
    """The best change so far, in units of the parameters, and how far off it is, in tolerances."""

    def __init__(self, shot: Shot, settings: ShootingSettings, simulations: int) -> None:
        """``simulations`` is how many have been made before."""
        self._shot, self._settings = shot, settings
        self._bound = shot.most / shot.unit
        self._simulations = simulations
        self._at = np.clip(shot.first / shot.unit, -self._bound, self._bound)  # (n,)
        (self._off,) = self._simulate([self._at])
        self._jacobian = shot.slopes

    def hit(self, iterations: int) -> Hit:
        """What is reached by now."""
        shot, off = self._shot, self._off.reached
        reached = off * shot.tolerance + shot.target
        return Hit(self._at * shot.unit, reached, off, iterations, self._simulations, self._jacobian)

    def go_on(self, parts: Sequence[float] = ()) -> bool:
        """Take steps with the Jacobian that there is, the first with some parts to try; False if none helps."""
        moved, fresh = False, True
        while fresh and self._jacobian is not None and not np.all(np.abs(self._off.reached) <= 1.0):
            distance = self._distance
            moved |= self._step(self._jacobian, parts or self._settings.tries[:2])
            fresh = self._distance <= self._settings.nearer * distance
            parts = ()
        return moved

    @property
    def _distance(self) -> float:
        return float(np.linalg.norm(self._off.reached))

    def _step(self, jacobian: Array, parts: Sequence[float]) -> bool:
        """Go the first of some parts of a step that comes nearer, if any; what all lead to corrects the Jacobian."""
        start, off, settings = self._at, self._off, self._settings
        step = least_step(jacobian, start, off.reached, self._bound, settings)
        for part in parts:
            candidate = np.clip(start + part * step, -self._bound, self._bound)
            (outcome,) = self._simulate([candidate])
            if np.abs(candidate - start).max() >= abs(settings.nudges[0]):  # a shorter way tells less than is known
                jacobian = self._jacobian = corrected(jacobian, candidate - start, outcome.smooth - off.smooth)
            if np.linalg.norm(outcome.reached) < self._distance:  # never for what is not finite
                self._at, self._off = candidate, outcome
                return True
        return False

    def _simulate(self, points: Sequence[Array], slopes: bool = False) -> list[SimulationOutcome]:
        """What comes of changes in units, in tolerances from the targets."""
        shot = self._shot
        self._simulations += len(points)
        outcomes = shot.simulate([point * shot.unit for point in points], slopes)
        return [
            SimulationOutcome(*((np.asarray(values) - shot.target) / shot.tolerance for values in pair))
            for pair in outcomes
        ]

    def settle_for(self, seen: Sequence[tuple[Array, SimulationOutcome]]) -> bool:
        """Take the best of some changes that have been seen, if it is nearer."""
        distance = self._distance
        for point, outcome in seen:
            if np.linalg.norm(outcome.reached) < self._distance:  # never for what is not finite
                self._at, self._off = point, outcome
        return self._distance < distance

    def look_around(self, nudge: float) -> list[tuple[Array, SimulationOutcome]]:
        """The Jacobian by differences to one side, within the bounds, 0 where a simulation fails; what was seen."""
        way, room = np.sign(nudge), np.minimum(abs(nudge), np.maximum(self._bound, _LEAST))
        sides = np.where(np.abs(self._at + way * room) <= self._bound, way, -way) * room
        points = [self._at + side * axis for side, axis in zip(sides, np.eye(len(sides)), strict=True)]
        outcomes = self._simulate(points, slopes=True)
        columns = [(outcome.smooth - self._off.smooth) / side for outcome, side in zip(outcomes, sides, strict=True)]
        self._jacobian = np.where(np.isfinite(columns), columns, 0.0).T
        return list(zip(points, outcomes, strict=True))


def least_step(jacobian: Array, at: Array, off: Array, bound: Array, settings: ShootingSettings) -> Array:
    """(n,) towards the nearest change that meets the linearised targets; what hits a bound stays there."""
    free: NDArray[np.bool_] = np.ones(len(at), bool)
    step = np.zeros(len(at))
    for _ in range(len(at)):
        left, size, right = np.linalg.svd(jacobian[:, free], full_matrices=False)
        rest = -off - jacobian[:, ~free] @ step[~free]
        share = size / (size**2 + settings.damping**2)
        idle = at[free] - right.T @ (right @ at[free])  # of what has been changed so far, what moves no target
        step[free] = right.T @ (share * (left.T @ rest)) - idle
        beyond = free & (np.abs(at + step) > bound)
        step = np.clip(at + step, -bound, bound) - at
        if not beyond.any() or not (free & ~beyond).any():
            break
        free &= ~beyond
    longest = float(np.abs(step).max(initial=0.0))
    return step if longest <= settings.stride else step * settings.stride / longest


def corrected(jacobian: Array, step: Array, change: Array) -> Array:
    """The Jacobian next to this one that has a step lead to a change; the same, if the simulation failed."""
    if not np.all(np.isfinite(change)):
        return jacobian
    return np.asarray(jacobian + np.outer(change - jacobian @ step, step) / float(step @ step))
