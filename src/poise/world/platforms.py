"""Ground of level platforms: stairs, drops, hurdles, spirals, or read from a file."""

import cmath
import itertools
import math
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.mjcf import geom_element
from poise.toml_reader import TomlTable
from poise.world.terrain import DEPTH, ENDLESS, GROUND_COLOUR, ORIGIN, Place, Terrain

STEP_COLOUR = "0.86 0.87 0.88 1"
HALF_WIDTH = 2.0  # m, half the width of steps and platforms
FIRST_EDGE = 0.6  # m ahead of the origin, where stairs and drops begin
FIRST_HURDLE = 2.0  # m ahead of the origin
HURDLE_DEPTH = 0.1  # m, along x
MOST_PLATFORMS = 2000  # in a file
LANDING = 1.0  # m, length of the level start of a spiral, behind the origin


Top = tuple[float, float, float, float, float]  # m: x from, x to, y from, y to, height


@dataclass(frozen=True)
class Platforms(Terrain):
    """Boxes with level tops over a base plane; heights are defined everywhere."""

    tops: tuple[Top, ...]
    base: float = 0.0  # m, height of the plane around them
    top: Place = ORIGIN  # the place that `summit` returns
    turns: tuple[float, ...] = ()  # rad, rotation of each platform about the pivot; empty for none
    pivot: complex = 0j  # m, x + iy
    form: str = field(default="platforms", compare=False)  # the short form or file that it was parsed from

    def __str__(self) -> str:
        return self.form

    def geoms(self) -> list[Element]:
        """The plane, and one box per platform."""
        lowest = min([self.base, *(top[4] for top in self.tops)]) - DEPTH
        elements = [geom_element("ground", "plane", size=ENDLESS, pos=(0, 0, self.base), rgba=GROUND_COLOUR)]
        turns = self.turns or (0.0,) * len(self.tops)
        for index, ((x0, x1, y0, y1, z), turn) in enumerate(zip(self.tops, turns, strict=True)):
            size = ((x1 - x0) / 2, (y1 - y0) / 2, (z - lowest) / 2)
            centre = complex((x0 + x1) / 2, (y0 + y1) / 2)
            centre = self.pivot + (centre - self.pivot) * cmath.rect(1.0, turn) if turn else centre
            place = (centre.real, centre.imag, (z + lowest) / 2)
            quat = (math.cos(turn / 2), 0, 0, math.sin(turn / 2))
            elements.append(geom_element(f"platform{index}", "box", size=size, pos=place, quat=quat, rgba=STEP_COLOUR))
        return elements

    def heights(self, x: Array, y: Array) -> Array:
        """Height of the highest top over each point, else of the base."""
        x0, x1, y0, y1, z = self._bounds
        at = self.pivot + (x + 1j * y - self.pivot)[:, None] * self._inverse_rotations  # (N, P)
        over = (x0 <= at.real) & (at.real < x1) & (y0 <= at.imag) & (at.imag < y1)
        return np.asarray(np.where(over, z, self.base).max(axis=1, initial=self.base))

    @cached_property
    def _bounds(self) -> Array:
        """Bounds (5, P) m: the rows are the columns of `tops`."""
        return np.array(self.tops).reshape(-1, 5).T

    @cached_property
    def _inverse_rotations(self) -> NDArray[np.complex128]:
        """Rotations (P,), as unit complex numbers, that undo the turn of each platform."""
        return np.exp(-1j * np.array(self.turns)) if self.turns else np.ones(len(self.tops), complex)

    def summit(self) -> Place:
        """The place given as `top`."""
        return self.top


def stairs_terrain(rise: float, run: float, count: int) -> Platforms:
    """Steps that climb along +x (or descend, if the rise is negative), from the origin to a landing."""
    width = (-HALF_WIDTH, HALF_WIDTH)
    edges = FIRST_EDGE + run * np.arange(count + 1)
    if rise > 0:
        ends = [*edges[1:-1], edges[-2] + 20.0]
        steps = [(a, b, *width, rise * (k + 1)) for k, (a, b) in enumerate(zip(edges[:-1], ends, strict=True))]
        top = Place(float(edges[-2]) + 0.25, 0.0, rise * count, math.pi)
        return Platforms(tuple(_platform_top(s) for s in steps), 0.0, top)
    steps = [(a, b, *width, rise * (k + 1)) for k, (a, b) in enumerate(itertools.pairwise(edges[:-1]))]
    landing = (-20.0, FIRST_EDGE, *width, 0.0)
    return Platforms(tuple(_platform_top(s) for s in (landing, *steps)), rise * count, Place(FIRST_EDGE - 0.25))


def drop_terrain(height: float, every: float | None = None, count: int = 60) -> Platforms:
    """Ground that drops by `height` m once, or repeatedly `every` m; it rises if `height` is negative."""
    levels = 1 if every is None else count
    length = every or 20.0
    width = (-HALF_WIDTH, HALF_WIDTH)
    edges = [FIRST_EDGE + length * k for k in range(levels)]
    shelves = [(-20.0, FIRST_EDGE, *width, 0.0)]
    shelves += [(edge, edge + length, *width, -height * (k + 1)) for k, edge in enumerate(edges)]
    base = min(0.0, -height * levels) - (0.0 if height > 0 else DEPTH)
    return Platforms(tuple(_platform_top(s) for s in shelves), base, Place(FIRST_EDGE - 0.25))


def hurdle_terrain(height: float, every: float | None = None, count: int = 20) -> Platforms:
    """One hurdle of `height` m on the ground, or one `every` m."""
    near = [FIRST_HURDLE + (every or 0.0) * k for k in range(1 if every is None else count)]
    bars = [(x, x + HURDLE_DEPTH, -HALF_WIDTH, HALF_WIDTH, height) for x in near]
    return Platforms(tuple(_platform_top(bar) for bar in bars))


def spiral_terrain(height: float, degrees: float, radius: float, count: int) -> Platforms:
    """Spiral stairs down: `count` steps of `height` m, `degrees` apart on a circle centred `radius` m to the left.

    Each step ends at a radius of the circle; its back lies under the higher step before it.
    """
    turn, outer = math.radians(degrees), radius + HALF_WIDTH
    landing = (-LANDING, 0.0, -HALF_WIDTH, min(radius, HALF_WIDTH), 0.0)
    back = outer * math.sin(turn)
    steps = [(-back, 0.0, -HALF_WIDTH, radius, -height * k) for k in range(count)]
    turns = (0.0, *(turn * (k + 1) for k in range(count)))
    tops = tuple(_platform_top(top) for top in (landing, *steps))
    return Platforms(tops, -height * count, ORIGIN, turns, complex(0.0, radius))


def read_terrain_file(path: Path) -> Platforms:
    """Platforms from a TOML file: ``[[platform]]`` with ``x``, ``y`` (from, to) and ``z``, all in metres."""
    file = TomlTable.read(path)
    tops, base = [], file.number("base", 0.0)
    for entry in file.tables("platform"):
        x, y = entry.numbers("x", 2), entry.numbers("y", 2)
        if x[0] >= x[1] or y[0] >= y[1]:
            raise entry.fail("the platform has no area: x = [from, to] and y = [from, to] must increase")
        tops.append(_platform_top((*x, *y, entry.number("z"))))
    if not 1 <= len(tops) <= MOST_PLATFORMS:
        raise file.fail(f"has {len(tops)} [[platform]], not 1 to {MOST_PLATFORMS}" if tops else "has no [[platform]]")
    highest = max(tops, key=lambda top: top[4])
    start = Place((highest[0] + highest[1]) / 2, (highest[2] + highest[3]) / 2, highest[4])
    return Platforms(tuple(tops), base, start)


def _platform_top(values: tuple[float, ...]) -> Top:
    x0, x1, y0, y1, z = map(float, values)
    return x0, x1, y0, y1, z
