"""Shooting: the least change of a simulation's parameters that has it meet its targets [Fattal2006] appendix A.

The paper's weight alpha cancels out of its equations; what is left is Newton's method with steps of least norm,

    du = J+ (c - S(u) + J du),      J = dS/du by finite differences, J+ its pseudo-inverse,

du the change from the animator's values. Added here: targets are measured in tolerances and changes in units of what
is usual for them; steps are bounded; a step that does not help is halved, then tried the other way round, then doubled
(contacts put kinks into S); parameters keep within bounds. Finite differences cost a simulation for each parameter, so
a Jacobian is used again, corrected by what its steps led to [Broyden1965], as long as each brings the targets nearer
by half; an iteration is a Jacobian by finite differences with all steps that are taken with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.spatial import Array

Simulate = Callable[[Sequence[Array]], Sequence[Array]]
"""What comes (m,) of each of several changes (n,) of the parameters; not finite where a simulation fails."""


@dataclass(frozen=True, eq=False)
class Shot:
    """A shooting problem."""

    simulate: Simulate
    target: Array  # (m,)
    tolerance: Array  # (m,)
    unit: Array  # (n,) a usual change of each parameter
    most: Array  # (n,) the largest change of each
    first: Array  # (n,) the change to begin with


@dataclass(frozen=True)
class ShootingSettings:
    """How targets are sought."""

    iterations: int = 20
    """Jacobians by finite differences, at most."""
    nudge: float = 0.25
    """Change of a parameter to see what it does, in its units."""
    stride: float = 1.5
    """Largest change of a parameter in a step, in its units."""
    relax: float = 1e-6
    """Singular values below this part of the largest count as none."""
    tries: tuple[float, ...] = (1.0, 0.5, 0.25, -0.25, 2.0)
    """Parts of the first step of an iteration that are tried in turn until one helps."""
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

    @property
    def converged(self) -> bool:
        """Whether all is within its tolerance."""
        return bool(np.all(np.abs(self.off) <= 1.0))


def shoot(shot: Shot, settings: ShootingSettings | None = None, watch: Callable[[Hit], None] | None = None) -> Hit:
    """Seek the least change that meets the targets; the best that was found, if none does."""
    settings = settings or ShootingSettings()
    search = _Search(shot, settings)
    for iteration in range(settings.iterations):
        here = search.hit(iteration)
        if watch is not None:
            watch(here)
        if here.converged or not np.all(np.isfinite(here.off)):
            return here
        if not search.iterate():
            return search.hit(iteration + 1)
    return search.hit(settings.iterations)


class _Search:
    """The best change so far, in units of the parameters, and how far off it is, in tolerances."""

    def __init__(self, shot: Shot, settings: ShootingSettings) -> None:
        self._shot, self._settings = shot, settings
        self._bound = shot.most / shot.unit
        self._simulations = 0
        self._at = np.clip(shot.first / shot.unit, -self._bound, self._bound)  # (n,)
        (self._off,) = self._simulate([self._at])  # (m,)

    def hit(self, iterations: int) -> Hit:
        """What is reached by now."""
        shot, off = self._shot, self._off
        return Hit(self._at * shot.unit, off * shot.tolerance + shot.target, off, iterations, self._simulations)

    def iterate(self) -> bool:
        """Come nearer with a new Jacobian; False if it leads nowhere."""
        jacobian = self._differences()
        parts: Sequence[float] = self._settings.tries
        moved = False
        while True:
            distance = np.linalg.norm(self._off)
            jacobian, nearer = self._step(jacobian, parts)
            moved |= nearer
            worn = not np.linalg.norm(self._off) <= self._settings.nearer * distance
            if worn or np.all(np.abs(self._off) <= 1.0):
                return moved
            parts = self._settings.tries[:2]

    def _step(self, jacobian: Array, parts: Sequence[float]) -> tuple[Array, bool]:
        """Go the first of some parts of a step that comes nearer, if any; and the Jacobian, corrected by all tried."""
        start, off = self._at, self._off
        step = least_step(jacobian, start, off, self._bound, self._settings)
        for part in parts:
            candidate = np.clip(start + part * step, -self._bound, self._bound)
            (outcome,) = self._simulate([candidate])
            if np.abs(candidate - start).max() >= self._settings.nudge:  # a shorter one tells less than what is known
                jacobian = corrected(jacobian, candidate - start, outcome - off)
            if np.linalg.norm(outcome) < np.linalg.norm(off):  # never for what is not finite
                self._at, self._off = candidate, outcome
                return jacobian, True
        return jacobian, False

    def _simulate(self, points: Sequence[Array]) -> list[Array]:
        shot = self._shot
        self._simulations += len(points)
        outcomes = shot.simulate([point * shot.unit for point in points])
        return [(np.asarray(outcome) - shot.target) / shot.tolerance for outcome in outcomes]

    def _differences(self) -> Array:
        """(m, n) the Jacobian by forward differences, away from the bounds; 0 where a simulation fails."""
        nudge = self._settings.nudge
        sides = np.where(self._at + nudge <= self._bound, nudge, -nudge)
        outcomes = self._simulate(
            [self._at + side * axis for side, axis in zip(sides, np.eye(len(sides)), strict=True)]
        )
        columns = [(outcome - self._off) / side for outcome, side in zip(outcomes, sides, strict=True)]
        return np.where(np.isfinite(columns), columns, 0.0).T


def least_step(jacobian: Array, at: Array, off: Array, bound: Array, settings: ShootingSettings) -> Array:
    """The way to the nearest change that meets the linearised targets; what hits a bound stays there."""
    free: NDArray[np.bool_] = np.ones(len(at), bool)
    aim = np.zeros(len(at))
    for _ in range(len(at)):
        rest = -off + jacobian @ at - jacobian[:, ~free] @ aim[~free]
        aim[free] = np.linalg.pinv(jacobian[:, free], rcond=settings.relax) @ rest
        beyond = free & (np.abs(aim) > bound)
        aim = np.clip(aim, -bound, bound)
        if not beyond.any() or not (free & ~beyond).any():
            break
        free &= ~beyond
    step = aim - at
    longest = float(np.abs(step).max(initial=0.0))
    return step if longest <= settings.stride else step * settings.stride / longest


def corrected(jacobian: Array, step: Array, change: Array) -> Array:
    """The Jacobian next to this one that has a step lead to a change; the same, if the simulation failed."""
    square = float(step @ step)
    if square == 0.0 or not np.all(np.isfinite(change)):
        return jacobian
    return np.asarray(jacobian + np.outer(change - jacobian @ step, step) / square)
