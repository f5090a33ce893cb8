"""What a walker lacks in speed, learned step by step, and aimed at in addition.

The linear pendulum has no legs that swing and loses nothing when a foot strikes. What a walk lacks for that grows with
its speed, ahead otherwise than backward: it is learned as such, so that who was fast, went back and is to be fast
again knows it from before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.frozen import Array

MOST = np.array([1.0, 0.3])
"""m/s, of an adult, ahead and aside: the most that is aimed at in addition."""
FASTEST = 2.7
"""m/s, of an adult: nothing is added beyond; who is to walk faster than it can only stumbles the sooner."""
TELLS = np.array([0.5, 0.2])
"""m/s, of an adult: the most that counts of what two steps lack; who lacks more was pushed or stumbled."""
WARY = np.array([1.0, 0.3])
"""Share of it that is believed: aside each step errs to its own side."""
ALWAYS = 0.3
"""m/s, of an adult: what is lacked at any speed is learned as if by that speed."""

SMALLEST = 1e-6
"""Share: who learns less learns nothing."""


class Habit(NamedTuple):
    """What is lacked, learned; `slow` is the root of how much longer legs are than an adult's."""

    slow: float
    learned: Array  # (3, 2) ahead and aside, for each m/s ahead, backward, and always
    latest: Array  # (2,) m/s of what the last two steps lacked that is aimed at at once

    @classmethod
    def first(cls, slow: float, ahead: float) -> Habit:
        """Nothing is learned yet; who walks ahead lacks a share of its speed."""
        learned = np.zeros((3, 2))
        learned[0, 0] = ahead
        return cls(slow, learned, np.zeros(2))

    def extra(self, speed: float) -> Array:
        """(2,) m/s, ahead and aside, to aim at in addition when going at a speed (m/s)."""
        least, most = self._bounds(speed)
        return np.minimum(np.maximum(self._kinds(speed) @ self.learned + self.latest, least), most)

    def after(self, speed: float, lacked: Array, integral: float, prompt: float) -> Habit:
        """Two steps at a speed (m/s) lacked so much (2,) m/s, of which a share is learned, and one counts at once."""
        told = WARY * np.minimum(np.maximum(lacked, -self.slow * TELLS), self.slow * TELLS)
        kinds = self._kinds(speed)
        return self._replace(
            learned=self.learned + np.outer(integral * kinds / (kinds @ kinds), self._useful(speed, told, integral)),
            latest=prompt * told,
        )

    def _useful(self, speed: float, told: Array, integral: float) -> Array:
        """(2,) m/s: what of it may be learned, a share at a time, until all is known that can be made up for."""
        (least, most), known = self._bounds(speed), self._kinds(speed) @ self.learned
        down, up = np.minimum(least - known, 0.0), np.maximum(most - known, 0.0)
        share = max(integral, SMALLEST)
        return np.minimum(np.maximum(told, down / share), up / share)

    def calm(self) -> Habit:
        """Nothing is to be made up for at once."""
        return self._replace(latest=np.zeros(2))

    def _bounds(self, speed: float) -> tuple[Array, Array]:
        """(2,) m/s and (2,) m/s: the least and the most to aim at in addition; more would never be of use."""
        most = self.slow * MOST
        return -most, np.array([min(most[0], max(self.slow * FASTEST - speed, 0.0)), most[1]])

    def _kinds(self, speed: float) -> Array:
        return np.array([max(speed, 0.0), max(-speed, 0.0), ALWAYS * self.slow])
