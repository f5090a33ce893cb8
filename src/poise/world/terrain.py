"""What every terrain offers, and what terrains share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from xml.etree.ElementTree import Element

from poise.arrays import Array

GROUND = "0.93 0.93 0.91 1"
ENDLESS = (0, 0, 1)
"""Size of a plane that is drawn as far as one sees; in contact all planes are endless."""
DEPTH = 2.0  # m, how far solid ground reaches below its surface


@dataclass(frozen=True)
class Place:
    """Where a character stands: position on the ground and heading."""

    x: float = 0.0  # m
    y: float = 0.0  # m
    z: float = 0.0  # m, height of the ground there
    yaw: float = 0.0  # rad, 0 faces +x


ORIGIN = Place()


class Terrain(Protocol):
    """What every terrain offers."""

    def geoms(self) -> list[Element]:
        """MJCF geoms of the ground, fixed to the world."""

    def assets(self) -> list[Element]:
        """MJCF assets that the geoms need."""

    def height(self, x: float, y: float) -> float:
        """Height of the surface, m."""

    def heights(self, x: Array, y: Array) -> Array:
        """(N,) m: the same at many places at once."""

    def summit(self) -> Place:
        """A high place to fall from, facing down."""
