"""One step of the interior point method: the linear system of the optimality conditions.

Equality rows A x = -a with multipliers y are softened by a proximal term, A dx - softness dy = -a, which leaves the
solution where it is but asks no row to be independent of the others: the matrix H + A'A / softness + G' diag(z / s) G
is banded and positive definite always. Bounds G x + g = s > 0 have multipliers z with s z = barrier
[Nocedal2006, Eq. (19.6)].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import Array
from poise.optimize.banded import Factored, dense, normal_band
from poise.optimize.bounds import by_rows, room, room_along
from poise.optimize.rows import Linearised, Rows, joined, split, stacked


@dataclass(frozen=True, eq=False)
class Duals:
    """Slacks and multipliers, or a change of them."""

    slack: Array  # (b,) distances to bounds, as the search has them
    press: Array  # (b,) multipliers of bounds
    pull: Array  # (e,) multipliers of equal rows
    tie: Array  # (t,) multipliers of tied rows


@dataclass(frozen=True)
class Conditioning:
    """How a step's matrix is kept definite."""

    softness: float
    damping: float


class Newton:
    """The system of a problem at a point: its step, and corrections of it."""

    def __init__(
        self, here: Linearised, duals: Duals, barrier: float, shape: tuple[int, int], chosen: Conditioning
    ) -> None:
        """`shape` is number of variables and bandwidth."""
        self._here, self._duals, self._barrier, self._softness = here, duals, barrier, chosen.softness
        self._size, bandwidth = shape
        self._ratio = duals.press / duals.slack
        self._ties = dense(here.tied, self._size)
        band = normal_band(self._weighted(), self._size, bandwidth, chosen.damping)
        self._factored = Factored(band, self._ties, chosen.softness)

    def step(self) -> tuple[Array, Duals]:
        """The step (n,) of the variables, and that of slacks and multipliers."""
        here, duals = self._here, self._duals
        right = -self._ties.T @ duals.tie
        for rows in here.cost:
            right -= rows.pulled(rows.value, self._size)
        for rows, part in zip(here.equal, split(duals.pull, here.equal), strict=True):
            right -= rows.pulled(part, self._size)
        gap, wanted = room(here) - duals.slack, self._barrier / duals.slack
        right += self._restoring(stacked(here.equal), gap) + self._pressed(wanted)
        step, tie_step = self._factored.solve(right, -stacked(here.tied))
        pull_step = (stacked(here.equal) + joined([rows.along(step) for rows in here.equal])) / self._softness
        slack_step = room_along(here, step) + gap
        return step, Duals(slack_step, wanted - duals.press - self._ratio * slack_step, pull_step, tie_step)

    def correction(self, trial: Linearised, slack: Array) -> Array:
        """(n,) what undoes, to first order, how far constraints are off at a trial point with slacks (b,)."""
        right = self._restoring(stacked(trial.equal), room(trial) - slack)
        return self._factored.solve(right, -stacked(trial.tied))[0]

    def _restoring(self, equal: Array, gap: Array) -> Array:
        """(n,) forces towards constraints that are off by equal (e,) and gap (b,)."""
        out = -self._pressed(self._ratio * gap)
        for rows, part in zip(self._here.equal, split(equal / self._softness, self._here.equal), strict=True):
            out -= rows.pulled(part, self._size)
        return out

    def _pressed(self, values: Array) -> Array:
        """(n,) forces of values (b,) away from bounds."""
        out = np.zeros(self._size)
        for bounded, (low, high) in zip(self._here.bounded, by_rows(self._here, values), strict=True):
            out += bounded.rows.pulled(low - high, self._size)
        return out

    def _weighted(self) -> list[tuple[Rows, Array | None]]:
        """All rows with their weights in the step's matrix."""
        here = self._here
        out: list[tuple[Rows, Array | None]] = [(rows, None) for rows in here.cost]
        out += [(rows, np.full(rows.value.shape, 1.0 / self._softness)) for rows in here.equal]
        pairs = by_rows(here, self._ratio)
        return out + [(bounded.rows, low + high) for bounded, (low, high) in zip(here.bounded, pairs, strict=True)]
