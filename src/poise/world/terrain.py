"""The ground: flat, sloped, stepped, rough, or read from a file.

A terrain knows its geometry as MJCF elements, its height under a point, and the place a character starts from.
Heights are continued beyond steps, so that controllers can ask anywhere.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol
from xml.etree.ElementTree import Element

import numpy as np

from poise.errors import PoiseError, unknown
from poise.world.elements import geom, numbers
from poise.world.forms import TERRAIN_FORMS

GROUND = "0.93 0.93 0.91 1"
STEP = "0.86 0.87 0.88 1"
HALF_WIDTH = 2.0  # m, of steps and platforms to each side
DEPTH = 2.0  # m, how far solid ground reaches below its surface
LARGEST = 1e4  # m, degrees, or seeds, in short forms
FIRST_EDGE = 0.6  # m ahead of the origin, where stairs and drops begin


@dataclass(frozen=True)
class Place:
    """Where a character stands: position on the ground and heading."""

    x: float = 0.0  # m
    y: float = 0.0  # m
    z: float = 0.0  # m, height of the ground there
    yaw: float = 0.0  # rad, 0 faces +x


class Terrain(Protocol):
    """What every terrain offers."""

    def geoms(self) -> list[Element]:
        """MJCF geoms of the ground, fixed to the world."""

    def assets(self) -> list[Element]:
        """MJCF assets that the geoms need."""

    def height(self, x: float, y: float) -> float:
        """Height of the surface, m."""

    def summit(self) -> Place:
        """A high place to fall from, facing down."""


@dataclass(frozen=True)
class Flat:
    """Level ground at z = 0."""

    def geoms(self) -> list[Element]:
        """One plane."""
        return [geom("ground", "plane", size=(50, 50, 1), rgba=GROUND)]

    def assets(self) -> list[Element]:
        """None."""
        return []

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """Zero everywhere."""
        return 0.0

    def summit(self) -> Place:
        """The origin."""
        return Place()


@dataclass(frozen=True)
class Slope:
    """A plane through the origin that rises along +x."""

    degrees: float

    def geoms(self) -> list[Element]:
        """One tilted plane."""
        half = math.radians(self.degrees) / 2
        turn = (math.cos(half), 0, -math.sin(half), 0)
        return [geom("ground", "plane", size=(50, 50, 1), quat=turn, rgba=GROUND)]

    def assets(self) -> list[Element]:
        """None."""
        return []

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """Proportional to x."""
        return x * math.tan(math.radians(self.degrees))

    def summit(self) -> Place:
        """The origin, facing downhill."""
        return Place(yaw=math.pi if self.degrees > 0 else 0.0)


@dataclass(frozen=True)
class Platforms:
    """Boxes with level tops over a base plane: stairs, drops, gaps, and whatever a file describes."""

    tops: tuple[tuple[float, float, float, float, float], ...]  # x from, x to, y from, y to, height of the top
    base: float = 0.0  # m, height of the plane around them
    top: Place = Place()  # where `summit` is

    def geoms(self) -> list[Element]:
        """The plane and a box per platform."""
        lowest = min([self.base, *(top[4] for top in self.tops)]) - DEPTH
        elements = [geom("ground", "plane", size=(50, 50, 1), pos=(0, 0, self.base), rgba=GROUND)]
        for index, (x0, x1, y0, y1, z) in enumerate(self.tops):
            size = ((x1 - x0) / 2, (y1 - y0) / 2, (z - lowest) / 2)
            centre = ((x0 + x1) / 2, (y0 + y1) / 2, (z + lowest) / 2)
            elements.append(geom(f"platform{index}", "box", size=size, pos=centre, rgba=STEP))
        return elements

    def assets(self) -> list[Element]:
        """None."""
        return []

    def height(self, x: float, y: float) -> float:
        """The highest top over the point, else the base."""
        over = [z for x0, x1, y0, y1, z in self.tops if x0 <= x < x1 and y0 <= y < y1]
        return max([self.base, *over])

    def summit(self) -> Place:
        """As given."""
        return self.top


def stairs(rise: float, run: float, count: int) -> Platforms:
    """Steps that climb along +x (or descend, if the rise is negative), from the origin to a landing."""
    width = (-HALF_WIDTH, HALF_WIDTH)
    edges = FIRST_EDGE + run * np.arange(count + 1)
    if rise > 0:
        ends = [*edges[1:-1], edges[-2] + 20.0]
        steps = [(a, b, *width, rise * (k + 1)) for k, (a, b) in enumerate(zip(edges[:-1], ends, strict=True))]
        top = Place(float(edges[-2]) + 0.25, 0.0, rise * count, math.pi)
        return Platforms(tuple(_floats(s) for s in steps), 0.0, top)
    steps = [(a, b, *width, rise * (k + 1)) for k, (a, b) in enumerate(itertools.pairwise(edges[:-1]))]
    landing = (-20.0, FIRST_EDGE, *width, 0.0)
    return Platforms(tuple(_floats(s) for s in (landing, *steps)), rise * count, Place(FIRST_EDGE - 0.25))


def drop(height: float, every: float | None = None, count: int = 60) -> Platforms:
    """Ground that falls by ``height`` once, or again ``every`` so many metres (negative: it rises)."""
    levels = 1 if every is None else count
    length = every or 20.0
    width = (-HALF_WIDTH, HALF_WIDTH)
    edges = [FIRST_EDGE + length * k for k in range(levels)]
    shelves = [(-20.0, FIRST_EDGE, *width, 0.0)]
    shelves += [(edge, edge + length, *width, -height * (k + 1)) for k, edge in enumerate(edges)]
    base = min(0.0, -height * levels) - (0.0 if height > 0 else DEPTH)
    return Platforms(tuple(_floats(s) for s in shelves), base, Place(FIRST_EDGE - 0.25))


@dataclass(frozen=True)
class Rough:
    """Smooth random bumps around z = 0, level near the origin."""

    amplitude: float  # m, height of the highest bump above the mean
    seed: int = 0

    CELL = 0.1  # m
    HALF = 12.0  # m, from the centre to each edge; the field is centred 8 m ahead
    CENTRE = 8.0  # m

    @cached_property
    def _grid(self) -> np.ndarray:
        """Heights (rows along y, columns along x), between -amplitude and amplitude."""
        side = int(2 * self.HALF / self.CELL) + 1
        random = np.random.default_rng(self.seed)
        noise = np.fft.rfft2(random.standard_normal((side, side)))
        frequency = np.hypot(np.fft.fftfreq(side, self.CELL)[:, None], np.fft.rfftfreq(side, self.CELL)[None])
        smooth = np.fft.irfft2(noise * np.exp(-((frequency / 0.9) ** 2)), (side, side))  # bumps about 1 m wide
        smooth /= np.abs(smooth).max()
        axis = np.linspace(-self.HALF, self.HALF, side)
        away = np.hypot(axis[None] + self.CENTRE, axis[:, None])
        return np.asarray(self.amplitude * smooth * np.clip((away - 0.4) / 0.6, 0, 1))

    def geoms(self) -> list[Element]:
        """One height field."""
        place = (self.CENTRE, 0, self._grid.min())
        return [geom("ground", "hfield", hfield="rough", pos=place, rgba=GROUND)]

    def assets(self) -> list[Element]:
        """The height field's samples, between 0 and 1; MJCF lists the rows from the far side (+y) to the near."""
        grid = self._grid
        span = grid.max() - grid.min()
        field = Element(
            "hfield",
            name="rough",
            nrow=str(len(grid)),
            ncol=str(len(grid)),
            size=numbers((self.HALF, self.HALF, span, DEPTH)),
            elevation=numbers(((grid - grid.min()) / span)[::-1].ravel()),
        )
        return [field]

    def height(self, x: float, y: float) -> float:
        """Linear on the two triangles of each cell, as MuJoCo has them."""
        grid = self._grid
        column = np.clip((x - self.CENTRE + self.HALF) / self.CELL, 0, len(grid) - 1.001)
        row = np.clip((y + self.HALF) / self.CELL, 0, len(grid) - 1.001)
        i, j = int(row), int(column)
        u, v = column - j, row - i
        a, b, c, d = grid[i, j], grid[i, j + 1], grid[i + 1, j], grid[i + 1, j + 1]
        if u >= v:
            return float(a + u * (b - a) + v * (d - b))
        return float(a + v * (c - a) + u * (d - c))

    def summit(self) -> Place:
        """The origin."""
        return Place()


def parse_terrain(text: str) -> Terrain:
    """A terrain from its short form (`TERRAIN_FORMS`), or from a file of platforms (.toml)."""
    kind, *rest = text.split(":")
    if kind not in TERRAIN_FORMS:
        if ("/" in text or text.endswith(".toml")) and text.isprintable():
            return read_terrain(Path(text))
        raise unknown("terrain", kind, TERRAIN_FORMS)
    try:
        values = [float(part) for part in rest]
        if not all(abs(value) <= LARGEST for value in values):
            raise ValueError
        match kind, values:
            case "flat", []:
                return Flat()
            case "slope", [degrees] if abs(degrees) < 80:
                return Slope(degrees)
            case "stairs", [rise, run, count] if rise and run > 0 and 1 <= count == int(count) <= 200:
                return stairs(rise, run, int(count))
            case "rough", [amplitude, *seed] if (
                amplitude > 0 and len(seed) <= 1 and all(s == int(s) >= 0 for s in seed)
            ):
                return Rough(amplitude, int(seed[0]) if seed else 0)
            case "drop", [height, *every] if height and len(every) <= 1 and all(e > 0 for e in every):
                return drop(height, every[0] if every else None)
    except ValueError:
        pass
    raise PoiseError(f"terrain '{text}' is not of the form {TERRAIN_FORMS[kind]}")


def read_terrain(path: Path) -> Platforms:
    """Platforms from a TOML file: ``[[platform]]`` with ``x``, ``y`` (from, to) and ``z``, all in metres."""
    try:
        data = tomllib.loads(path.read_text())
    except OSError as error:
        raise PoiseError(f"cannot read terrain file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PoiseError(f"terrain file {path}: {error}") from None
    tops = []
    listed, base = data.get("platform", []), data.get("base", 0.0)
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise PoiseError(f"terrain file {path}: 'platform' must be a list of tables, [[platform]]")
    if not isinstance(base, (int, float)) or not math.isfinite(base):
        raise PoiseError(f"terrain file {path}: base must be a finite number")
    for number, item in enumerate(listed, 1):
        x, y, z = item.get("x"), item.get("y"), item.get("z")
        if not (isinstance(x, list) and isinstance(y, list) and len(x) == len(y) == 2 and _are_numbers(*x, *y, z)):
            raise PoiseError(f"terrain file {path}: platform {number} needs x = [from, to], y = [from, to], z")
        top = _floats((*x, *y, z))
        if top[0] >= top[1] or top[2] >= top[3] or not all(map(math.isfinite, top)):
            raise PoiseError(f"terrain file {path}: platform {number} has an empty or unbounded area")
        tops.append(top)
    if not tops:
        raise PoiseError(f"terrain file {path}: no [[platform]] in it")
    highest = max(tops, key=lambda top: top[4])
    start = Place((highest[0] + highest[1]) / 2, (highest[2] + highest[3]) / 2, highest[4])
    return Platforms(tuple(tops), float(base), start)


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, (int, float)) for value in values)


def _floats(values: tuple[float, ...]) -> tuple[float, float, float, float, float]:
    a, b, c, d, e = (float(value) for value in values)
    return a, b, c, d, e
