"""Ground that goes up and down along x, in straight pieces, and is the same all across.

It can be bent anew beyond a place while somebody walks towards it: what lies before that place stays as it is.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from poise.arrays import Array
from poise.body.mjcf import geom
from poise.world.terrain import DEPTH, GROUND, ORIGIN, Place, Terrain
from poise.world.terrain_kinds import Flat, Slope

FAR = 2500.0
"""m: how long the first and the last piece are; nobody runs further in the ten minutes of a tape."""
SHORT = 0.3
"""m: shorter pieces are nothing to stand on; a bend that is no further behind is bent anew itself."""
HALF_WIDTH = FAR
"""m, to each side."""


@dataclass(frozen=True)
class Profile:
    """Pieces of even slope."""

    knots: tuple[tuple[float, float], ...]  # m: x and height where pieces meet, along x
    first: float  # rise over run of the piece before the first knot
    last: float  # and of that after the last

    @classmethod
    def of(cls, terrain: Terrain) -> Profile | None:
        """The same ground as a profile, if it is one."""
        match terrain:
            case Profile():
                return terrain
            case Flat():
                return cls(((0.0, 0.0),), 0.0, 0.0)
            case Slope(degrees):
                rise = math.tan(math.radians(degrees))
                return cls(((0.0, 0.0),), rise, rise)
        return None

    def bent(self, x: float, degrees: float, onward: bool) -> Profile:
        """The same up to x, and beyond it a rise of so many degrees for whoever goes there: towards +x if `onward`.

        A bend that is hardly before x is bent anew itself, and one that bends nothing is dropped.
        """
        ahead = 1.0 if onward else -1.0
        old = () if self.first == self.last and len(self.knots) == 1 else self.knots
        x = next((knot for knot, _ in old if 0.0 <= ahead * (x - knot) < SHORT), x)
        knot, rise = (x, self.height(x, 0.0)), math.tan(math.radians(degrees))
        if onward:
            return Profile((*(k for k in old if k[0] < x), knot), self.first, rise)
        return Profile((knot, *(k for k in old if k[0] > x)), -rise, self.last)

    @property
    def level(self) -> bool:
        """Whether it neither rises nor falls anywhere."""
        return self.first == self.last == 0.0 and len({height for _, height in self.knots}) == 1

    def rise(self, onward: bool) -> float:
        """Degrees by which it rises in the end for whoever goes towards +x if `onward`, else towards -x."""
        return math.degrees(math.atan(self.last if onward else -self.first))

    def __str__(self) -> str:
        """Its slopes along x, and where each ends."""
        between = [(z1 - z0) / (x1 - x0) for (x0, z0), (x1, z1) in itertools.pairwise(self.knots)]
        slopes = [f"{math.degrees(math.atan(rise)):.3g}°" for rise in (self.first, *between, self.last)]
        pieces = [f"{slope} to {x:.2f} m" for slope, (x, _) in zip(slopes, self.knots, strict=False)]
        return ", ".join([*pieces, f"{slopes[-1]} beyond"])

    def geoms(self) -> list[Element]:
        """A slab for each piece."""
        (x0, z0), (x1, z1) = self.knots[0], self.knots[-1]
        points = [(x0 - FAR, z0 - FAR * self.first), *self.knots, (x1 + FAR, z1 + FAR * self.last)]
        return [_slab(f"ground{k}", *ends) for k, ends in enumerate(itertools.pairwise(points))]

    def assets(self) -> list[Element]:
        """None."""
        return []

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """The same for all y."""
        return float(self.heights(np.array([x]), np.zeros(1))[0])

    def heights(self, x: Array, y: Array) -> Array:  # noqa: ARG002
        """Straight between the knots."""
        at, level = np.array(self.knots).T
        beyond = self.first * np.minimum(x - at[0], 0.0) + self.last * np.maximum(x - at[-1], 0.0)
        return np.asarray(np.interp(x, at, level) + beyond)

    def summit(self) -> Place:
        """The origin."""
        return ORIGIN


def _slab(name: str, begin: tuple[float, float], end: tuple[float, float]) -> Element:
    """A box whose top goes from one point (x, z) to another."""
    along = complex(end[0] - begin[0], end[1] - begin[1])
    unit = along / abs(along)
    middle = complex(*begin) + along / 2 - DEPTH / 2 * unit * 1j
    half = math.atan2(unit.imag, unit.real) / 2
    return geom(
        name,
        "box",
        size=(abs(along) / 2, HALF_WIDTH, DEPTH / 2),
        pos=(middle.real, 0, middle.imag),
        quat=(math.cos(half), 0, -math.sin(half), 0),
        rgba=GROUND,
    )
