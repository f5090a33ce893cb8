"""Loads that are taken up while a motion is performed, known beforehand: a plan of any length sees them coming."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from poise.errors import PoiseError


@dataclass(frozen=True)
class Load:
    """What a link carries from a time on: a mass at a point of it."""

    link: str
    mass: float  # kg
    since: float  # s
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m in the link's frame

    def __post_init__(self) -> None:
        if not (0 < self.mass < 1e4 and 0 <= self.since < 1e6):
            raise PoiseError(f"load of {self.mass} kg at {self.since} s: must be more than 0 and not before 0")
        if not all(isfinite(each) for each in self.point):
            raise PoiseError(f"load on '{self.link}': its point {self.point} must be finite")
