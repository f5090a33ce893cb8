"""The interface of terrains, and constants that they share."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol
from xml.etree.ElementTree import Element

import numpy as np

from poise.arrays import Array

GROUND_COLOUR = "0.93 0.93 0.91 1"
ENDLESS = (0, 0, 1)  # MJCF size of a plane drawn without end; for contacts all planes are infinite
DEPTH = 2.0  # m, thickness of solid ground


@dataclass(frozen=True)
class Place:
    """Position and heading of a character on the ground."""

    x: float = 0.0  # m
    y: float = 0.0  # m
    z: float = 0.0  # m, height of the ground there
    yaw: float = 0.0  # rad, 0 faces +x


ORIGIN = Place()


class Terrain(Protocol):
    """Interface of all terrains, with defaults."""

    @abstractmethod
    def geoms(self) -> list[Element]:
        """MJCF geoms of the ground, fixed to the world."""

    def assets(self) -> list[Element]:
        """MJCF assets that the geoms need."""
        return []

    def height(self, x: float, y: float) -> float:
        """Height of the surface, m."""
        return float(self.heights(np.array([x]), np.array([y]))[0])

    @abstractmethod
    def heights(self, x: Array, y: Array) -> Array:
        """Heights (N,) m of the surface at points (N,)."""

    def summit(self) -> Place:
        """A high place to fall from, facing downhill."""
        return ORIGIN

    def __str__(self) -> str:
        """The short form, or the kind of terrain if it has none."""
        return type(self).__name__.lower()
