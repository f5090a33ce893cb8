"""One step of the interior point method: the linear system of the optimality conditions.

Equality rows A x = -a with multipliers y are softened by a proximal term, A dx - softness dy = -a, which leaves the
solution where it is but asks no row to be independent of the others: the matrix H + A'A / softness + G' diag(z / s) G
is banded and positive definite always. Bounds G x + g = s > 0 have multipliers z with s z = barrier
[Nocedal2006, Eq. (19.6)].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.optimize.banded import Factored, dense, normal_band
from poise.optimize.bounds import by_rows, room, room_along
from poise.optimize.rows import Linearised, Rows, joined, split, stacked
from poise.spatial import Array


@dataclass(frozen=True, eq=False)
class Duals:
    """Slacks and multipliers, or a change of them."""

    slack: Array  # (b,) distances to bounds, as the search has them
    press: Array  # (b,) multipliers of bounds
    pull: Array  # (e,) multipliers of equal rows
    tie: Array  # (t,) multipliers of tied rows


@dataclass(frozen=True)
class System:
    """What a step's matrix needs besides the rows."""

    size: int
    bandwidth: int
    softness: float
    damping: float


def newton_step(here: Linearised, duals: Duals, barrier: float, system: System) -> tuple[Array, Duals]:
    """The step (n,) of the variables, and that of slacks and multipliers."""
    ratio = duals.press / duals.slack
    gap = room(here) - duals.slack
    ties = dense(here.tied, system.size)
    drive = barrier / duals.slack - ratio * gap
    right = -_gradient(here, duals, drive, system) - ties.T @ duals.tie
    band = normal_band(_weighted(here, ratio, system), system.size, system.bandwidth, system.damping)
    step, tie_step = Factored(band, ties, system.softness).solve(right, -stacked(here.tied))
    pull_step = (stacked(here.equal) + joined([rows.along(step) for rows in here.equal])) / system.softness
    slack_step = room_along(here, step) + gap
    press_step = barrier / duals.slack - duals.press - ratio * slack_step
    return step, Duals(slack_step, press_step, pull_step, tie_step)


def _gradient(here: Linearised, duals: Duals, drive: Array, system: System) -> Array:
    """(n,) of the cost, the softened equalities and the barrier."""
    out = np.zeros(system.size)
    for rows in here.cost:
        out += rows.pulled(rows.value, system.size)
    pull = duals.pull + stacked(here.equal) / system.softness
    for rows, part in zip(here.equal, split(pull, here.equal), strict=True):
        out += rows.pulled(part, system.size)
    for bounded, (low, high) in zip(here.bounded, by_rows(here, drive), strict=True):
        out -= bounded.rows.pulled(low - high, system.size)
    return out


def _weighted(here: Linearised, ratio: Array, system: System) -> list[tuple[Rows, Array | None]]:
    """All rows with their weights in the step's matrix."""
    out: list[tuple[Rows, Array | None]] = [(rows, None) for rows in here.cost]
    out += [(rows, np.full(rows.value.shape, 1.0 / system.softness)) for rows in here.equal]
    pairs = by_rows(here, ratio)
    return out + [(bounded.rows, low + high) for bounded, (low, high) in zip(here.bounded, pairs, strict=True)]
