"""Ground of straight slopes along x, constant along y. Ahead of a walking character, the slope can be changed."""

import itertools
import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from poise.arrays import Array
from poise.body.mjcf import geom_element
from poise.world.terrain import DEPTH, GROUND_COLOUR, Terrain
from poise.world.terrain_kinds import Flat, Slope

FAR = 2500.0  # Length (m) of the first and last piece: further than anyone runs in ten minutes, the longest tape
SHORT = 0.3  # Least length (m) of a piece: a change of slope within this distance beyond a knot moves to that knot
HALF_WIDTH = FAR  # Half the width (m) of the ground


@dataclass(frozen=True)
class GroundProfile(Terrain):
    """Ground in pieces of constant slope."""

    knots: tuple[tuple[float, float], ...]  # m: x and height where pieces meet, in order of x
    first: float  # rise over run of the piece before the first knot
    last: float  # rise over run of the piece after the last knot

    @classmethod
    def of(cls, terrain: Terrain) -> "GroundProfile | None":
        """The terrain as a profile, or None if it is not flat, a slope or a profile."""
        match terrain:
            case GroundProfile():
                return terrain
            case Flat():
                return cls(((0.0, 0.0),), 0.0, 0.0)
            case Slope(degrees):
                rise = math.tan(math.radians(degrees))
                return cls(((0.0, 0.0),), rise, rise)
        return None

    def bent(self, x: float, degrees: float, onward: bool) -> "GroundProfile":
        """The profile with a slope of `degrees`, uphill in the direction of travel, beyond x: towards +x if `onward`.

        A knot less than SHORT before x moves the change to that knot; a knot without a change of slope is dropped.
        """
        ahead = 1.0 if onward else -1.0
        old = () if self.first == self.last and len(self.knots) == 1 else self.knots
        x = next((knot for knot, _ in old if 0.0 <= ahead * (x - knot) < SHORT), x)
        knot, rise = (x, self.height(x, 0.0)), math.tan(math.radians(degrees))
        if onward:
            return GroundProfile((*(k for k in old if k[0] < x), knot), self.first, rise)
        return GroundProfile((knot, *(k for k in old if k[0] > x)), -rise, self.last)

    @property
    def level(self) -> bool:
        """Whether the ground is level everywhere."""
        return self.first == self.last == 0.0 and len({height for _, height in self.knots}) == 1

    def rise(self, onward: bool) -> float:
        """Slope (degrees) of the last piece in the direction of travel: towards +x if `onward`, else towards -x."""
        return math.degrees(math.atan(self.last if onward else -self.first))

    def __str__(self) -> str:
        """Slopes along x, and where each ends."""
        between = [(z1 - z0) / (x1 - x0) for (x0, z0), (x1, z1) in itertools.pairwise(self.knots)]
        slopes = [f"{math.degrees(math.atan(rise)):.3g}°" for rise in (self.first, *between, self.last)]
        pieces = [f"{slope} to {x:.2f} m" for slope, (x, _) in zip(slopes, self.knots, strict=False)]
        return ", ".join([*pieces, f"{slopes[-1]} beyond"])

    def geoms(self) -> list[Element]:
        """MJCF geoms: one slab per piece."""
        (x0, z0), (x1, z1) = self.knots[0], self.knots[-1]
        points = [(x0 - FAR, z0 - FAR * self.first), *self.knots, (x1 + FAR, z1 + FAR * self.last)]
        return [_slab_geom(f"ground{k}", *ends) for k, ends in enumerate(itertools.pairwise(points))]

    def heights(self, x: Array, y: Array) -> Array:  # noqa: ARG002
        """Heights (m) of the ground, linear between the knots."""
        at, level = np.array(self.knots).T
        beyond = self.first * np.minimum(x - at[0], 0.0) + self.last * np.maximum(x - at[-1], 0.0)
        return np.asarray(np.interp(x, at, level) + beyond)


def _slab_geom(name: str, begin: tuple[float, float], end: tuple[float, float]) -> Element:
    """A box whose top edge runs from one point (x, z) to another."""
    along = complex(end[0] - begin[0], end[1] - begin[1])
    unit = along / abs(along)
    middle = complex(*begin) + along / 2 - DEPTH / 2 * unit * 1j
    half = math.atan2(unit.imag, unit.real) / 2
    size, place = (abs(along) / 2, HALF_WIDTH, DEPTH / 2), (middle.real, 0, middle.imag)
    quat = (math.cos(half), 0, -math.sin(half), 0)
    return geom_element(name, "box", size=size, pos=place, quat=quat, rgba=GROUND_COLOUR)
