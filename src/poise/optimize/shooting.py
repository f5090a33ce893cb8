"""Shooting: the least change of a simulation's parameters that has it meet its targets [Fattal2006] appendix A.

The paper's weight alpha cancels out of its equations; what is left is Newton's method with steps of least norm,

    du = J+ (c - S(u) + J du),      J = dS/du by finite differences, J+ its pseudo-inverse,

du the change from the animator's values. Added here: targets are measured in tolerances and changes in units of what
is usual for them; steps are bounded; a step that does not help is halved, then tried the other way round, then doubled
(contacts put kinks into S); parameters keep within bounds.
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
    """Jacobians, at most."""
    nudge: float = 0.1
    """Change of a parameter to see what it does, in its units."""
    stride: float = 1.5
    """Largest change of a parameter in an iteration, in its units."""
    relax: float = 1e-6
    """Singular values below this part of the largest count as none."""
    tries: tuple[float, ...] = (1.0, 0.5, 0.25, -0.25, 2.0)
    """Parts of a step that are tried in turn until one helps."""


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
    simulations = 0

    def simulate(changes: Sequence[Array]) -> list[Array]:
        nonlocal simulations
        simulations += len(changes)
        return [(np.asarray(outcome) - shot.target) / shot.tolerance for outcome in shot.simulate(changes)]

    def hit(change: Array, off: Array, iterations: int) -> Hit:
        return Hit(change, off * shot.tolerance + shot.target, off, iterations, simulations)

    bound = shot.most / shot.unit
    best = np.clip(shot.first / shot.unit, -bound, bound)
    (off,) = simulate([best * shot.unit])
    for iteration in range(settings.iterations):
        here = hit(best * shot.unit, off, iteration)
        if watch is not None:
            watch(here)
        if here.converged or not np.all(np.isfinite(off)):
            return here
        jacobian = _jacobian(simulate, best, off, bound, shot.unit, settings.nudge)
        step = _step(jacobian, best, off, bound, settings)
        found = _improvement(simulate, best, off, step, bound, shot.unit, settings.tries)
        if found is None:
            return hit(best * shot.unit, off, iteration + 1)
        best, off = found
    return hit(best * shot.unit, off, settings.iterations)


def _jacobian(
    simulate: Callable[[Sequence[Array]], list[Array]], at: Array, off: Array, bound: Array, unit: Array, nudge: float
) -> Array:
    """(m, n) by forward differences, away from the bounds; 0 where a simulation fails."""
    sides = np.where(at + nudge <= bound, nudge, -nudge)
    outcomes = simulate([(at + side * axis) * unit for side, axis in zip(sides, np.eye(len(at)), strict=True)])
    columns = [(outcome - off) / side for outcome, side in zip(outcomes, sides, strict=True)]
    return np.where(np.isfinite(columns), columns, 0.0).T


def _step(jacobian: Array, at: Array, off: Array, bound: Array, settings: ShootingSettings) -> Array:
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


def _improvement(
    simulate: Callable[[Sequence[Array]], list[Array]],
    at: Array,
    off: Array,
    step: Array,
    bound: Array,
    unit: Array,
    tries: Sequence[float],
) -> tuple[Array, Array] | None:
    """The first part of a step that comes nearer, and what comes of it."""
    for part in tries:
        candidate = np.clip(at + part * step, -bound, bound)
        (outcome,) = simulate([candidate * unit])
        if np.linalg.norm(outcome) < np.linalg.norm(off):  # never for what is not finite
            return candidate, outcome
    return None
