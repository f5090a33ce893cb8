"""Friction that drives slips instead of braking them, taken while a performance goes on.

Limbs that are too fast for the step make points that should stick slip. The audit measures this on recordings; a search
that must not find such motions needs it from thousands of performances that nobody records.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.frozen import Array
from poise.measure.audit import EARTH
from poise.world.result import StepResult
from poise.world.world import World


class Friction:
    """Work of friction in each second."""

    def __init__(self, world: World) -> None:
        self._world, self._second = world, round(1.0 / world.settings.step)
        self._driving: list[float] = []
        self._working: list[float] = []
        self._little = 0.01 * float(world.scene.body.mass) * EARTH  # J

    def watch(self, step: Callable[[], StepResult]) -> StepResult:
        """Take a step and what friction did in it."""
        data = self._world.terms.data
        place, turn = data.xpos.copy(), data.xmat.copy().reshape(-1, 3, 3)
        result = step()
        bearing = result.impulse[:, 0] > 0
        body, point = result.body[bearing], result.point[bearing]
        local = np.einsum("nij,ni->nj", turn[body], point - place[body])
        moved = np.einsum("nij,nj->ni", data.xmat.reshape(-1, 3, 3)[body], local) + data.xpos[body] - point
        frame, impulse = result.frame[bearing], result.impulse[bearing]
        tangential: Array = impulse[:, 1:2] * frame[:, 1] + impulse[:, 2:3] * frame[:, 2]
        work = np.einsum("ni,ni->n", tangential, moved) / self._world.settings.step  # J
        self._driving.append(float(np.maximum(work, 0.0).sum()))
        self._working.append(float(np.abs(work).sum()))
        return result

    @property
    def driven(self) -> float:
        """Of friction's work, the share that drives in the worst second."""
        seconds = range(0, len(self._driving), self._second)
        shares = [
            sum(self._driving[k : k + self._second]) / (sum(self._working[k : k + self._second]) + self._little)
            for k in seconds
        ]
        return max(shares, default=0.0)
