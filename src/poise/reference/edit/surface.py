"""Surfaces to walk on: their height anywhere, and where treads are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.spatial import Array


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


def tread_ahead(run: float, count: int, edge: float, before: float | None, ahead: float, half: float) -> float:
    """Where the middle of a foot goes, m: within a tread, and no more than one tread beyond the step before.

    `half` is half the length of the sole, m. Tread 0 is the ground before the stairs, tread `count` the one after.
    """
    tread = _tread(ahead, run, count, edge)
    if before is not None:
        last = _tread(before, run, count, edge)
        climbing = 0 < last < count and run < 4 * half  # treads that are deep take more than one step
        tread = last + 1 if climbing else min(tread, last + 1)
        ahead = min(ahead, before + run) if climbing else ahead
    low = -math.inf if tread == 0 else edge + (tread - 1) * run
    high = math.inf if tread >= count else edge + tread * run
    if high - low < 2 * half:
        return 0.5 * (low + high)
    return min(max(ahead, low + half), high - half)


def _tread(ahead: float, run: float, count: int, edge: float) -> int:
    return int(np.clip(math.floor((ahead - edge) / run) + 1, 0, count))
