"""Which step to take: a value function over steps and headings [Treuille2007], [McCann2007].

The state is the step just taken and how far the wanted heading is to the left of the present one. Going on with step b
after step a costs what b costs while it lasts, the risk of the transition, and what comes after b, discounted by time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.frozen import Array
from poise.reference.steps import Step

HEADING = 1.0
"""Cost of a wrong heading, per rad and second."""
SPEED = 1.0
"""Cost of a wrong speed, per m/s and second."""
EFFORT = 0.05
"""Cost of turning, per rad: no turns for nothing."""
DISCOUNT = 0.8
"""What a cost weighs a second later."""
BINS = 72
"""Headings that are told apart; between them costs are interpolated."""

_ANGLES = np.arange(0.0, 2 * np.pi, 2 * np.pi / BINS)  # rad, by which the wanted heading is further to the left
_MOMENTS = np.linspace(0.0, 1.0, 9)  # of a step, at which its heading is judged
_SETTLED = 1e-6


@dataclass(frozen=True, eq=False)
class Values:
    """What steps cost with all that follows, for one wanted speed."""

    risk: Array  # (S, S) of a step after another; infinite where it cannot follow
    onward: Array  # (S, BINS) cost of a step and of all that follows it, for each heading it may begin with

    def after(self, step: int, away: float) -> Array:
        """(S,) what each step costs after one, when the wanted heading is `away` (rad) to the left."""
        return np.asarray(self.risk[step] + [_row_at(row, np.array(away)) for row in self.onward])

    def best(self, after: int, away: float) -> int:
        """The step to take after another, when the wanted heading is `away` (rad) to the left."""
        return int(np.argmin(self.after(after, away)))


def values(steps: Sequence[Step], risk: Array, speed: float) -> Values:
    """The value function for a wanted speed (m/s); whoever is to stand may face anywhere."""
    running = np.array([_running(step, speed) for step in steps])
    discount = np.array([[DISCOUNT**step.seconds] for step in steps])
    onward = running
    while True:
        best = np.min(risk[:, :, None] + onward, axis=1)  # (S, BINS) after each step
        later = np.array([_row_at(row, _ANGLES - step.turn) for row, step in zip(best, steps, strict=True)])
        before, onward = onward, running + discount * later
        if np.allclose(onward, before, rtol=0.0, atol=_SETTLED):
            return Values(risk, onward)


def _running(step: Step, speed: float) -> Array:
    """(BINS,) cost of a step while it lasts."""
    away = _ANGLES[:, None] - _MOMENTS * step.turn
    wrong = np.abs(np.angle(np.exp(1j * away))).mean(axis=1)
    while_it_lasts = HEADING * (speed > 0) * wrong + SPEED * abs(step.speed - speed)
    return np.asarray(step.seconds * while_it_lasts + EFFORT * abs(step.turn))


def _row_at(row: Array, away: Array) -> Array:
    """A row (BINS,) over headings at others, rad."""
    return np.asarray(np.interp(away, _ANGLES, row, period=2 * np.pi))
