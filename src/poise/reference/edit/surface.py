"""Surfaces to walk on: their height anywhere, and where treads are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.frozen import Array

MARGIN = 0.02  # m, from soles to the edges of treads
HEEL_ROOM, TOE_HANG = 0.05, 0.04  # m, on the way down: heels have to pass an edge, toes may hang over the next
DEEP = 2.0  # lengths of a foot; treads that are deeper take more than one step


@dataclass(frozen=True, eq=False)
class Surface:
    """A height over the ground, told in a frame that lies at `origin` and faces `heading`."""

    height: Callable[[Array, Array], Array]
    origin: tuple[float, float] = (0.0, 0.0)  # m
    heading: float = 0.0  # rad

    @property
    def forward(self) -> Array:
        """(2,) its own x in the world."""
        return np.array([math.cos(self.heading), math.sin(self.heading)])

    def laid(self, origin: Array, heading: float) -> Surface:
        """The same, elsewhere."""
        return Surface(self.height, (float(origin[0]), float(origin[1])), heading)

    def ahead(self, point: Array) -> float:
        """How far a point is along its own x, m."""
        return float((point[:2] - self.origin) @ self.forward)

    def at(self, points: Array) -> Array:
        """Heights (...) under points (..., 3) of the world."""
        away = points[..., :2] - self.origin
        (x, y), (c, s) = np.moveaxis(away, -1, 0), self.forward
        return np.asarray(self.height(c * x + s * y, c * y - s * x), float) * np.ones(points.shape[:-1])


def ramp(angle: float, *, hinged: bool) -> Surface:
    """A plane that rises along x by `angle` (rad); a hinged one is level behind its origin."""
    slope = math.tan(angle)
    return Surface(lambda x, _: slope * (np.maximum(x, 0.0) if hinged else x))


def staircase(rise: float, run: float, count: int, edge: float) -> Surface:
    """Steps along x, the first at `edge`; level before them and after the last."""
    return Surface(lambda x, _: rise * np.clip(np.floor((x - edge) / run) + 1, 0, count))


@dataclass(frozen=True)
class Treads:
    """Where feet go on stairs. Tread 0 is the ground before them, tread `count` the one after."""

    run: float  # m
    count: int
    edge: float  # m, where the first step is
    up: bool

    def fit(self, before: float | None, ahead: float, sole: tuple[float, float, float]) -> float:
        """Where the middle of a foot goes, m, that would go to `ahead` after a step to `before`.

        Within a tread, and on stairs one beyond that of the step before. `sole`: from its middle back to the heel
        and forward to the ball and the toes, m. On treads that are too short heels hang over on the way up, toes on
        the way down.
        """
        tread, (back, ball, front) = self._tread(ahead), sole
        if before is not None:
            last = self._tread(before)
            climbing = 0 < last < self.count and self.run < DEEP * (back + front)
            tread = last + 1 if climbing else min(tread, last + 1)
            ahead = min(ahead, before + self.run) if climbing else ahead
        behind, toes = (MARGIN, front + MARGIN) if self.up else (HEEL_ROOM, front - TOE_HANG)
        end = math.inf if tread >= self.count else self.edge + tread * self.run
        low = -math.inf if tread == 0 else self.edge + (tread - 1) * self.run + back + behind
        high, furthest = end - max(toes, ball + MARGIN), end - ball - MARGIN
        if low > high:
            return high if self.up else min(low, furthest)
        return min(max(ahead, low), high)

    def _tread(self, ahead: float) -> int:
        return int(np.clip(math.floor((ahead - self.edge) / self.run) + 1, 0, self.count))
