"""Kinds of terrain (flat, sloped, rough; stairs, drops, hurdles, spirals), and the parser of their short forms."""

import cmath
import itertools
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.mjcf import geom_element, mjcf_numbers
from poise.errors import PoiseError, unknown_name
from poise.forms import TERRAIN_FORMS
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
    """Spiral stairs down: `count` steps of `height` m, `degrees` apart on a circle with its centre `radius` m left."""
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


LARGEST = 1e4  # m, degrees, or seed: largest number accepted in short forms


@dataclass(frozen=True)
class Flat(Terrain):
    """Level ground at z = 0."""

    def geoms(self) -> list[Element]:
        """One plane."""
        return [geom_element("ground", "plane", size=ENDLESS, rgba=GROUND_COLOUR)]

    def heights(self, x: Array, y: Array) -> Array:  # noqa: ARG002
        """Heights (m): zero everywhere."""
        return np.zeros(len(x))


@dataclass(frozen=True)
class Slope(Terrain):
    """A plane through the origin that rises along +x."""

    degrees: float

    def __str__(self) -> str:
        return f"slope:{self.degrees:.15g}"

    def geoms(self) -> list[Element]:
        """One tilted plane."""
        half = math.radians(self.degrees) / 2
        turn = (math.cos(half), 0, -math.sin(half), 0)
        return [geom_element("ground", "plane", size=ENDLESS, quat=turn, rgba=GROUND_COLOUR)]

    def heights(self, x: Array, y: Array) -> Array:  # noqa: ARG002
        """Proportional to x."""
        return np.asarray(x * math.tan(math.radians(self.degrees)))

    def summit(self) -> Place:
        """The origin, facing downhill."""
        return Place(yaw=math.pi if self.degrees > 0 else 0.0)


@dataclass(frozen=True)
class Rough(Terrain):
    """Smooth random bumps around z = 0, level near the origin and surrounded by level ground."""

    amplitude: float  # m, largest deviation from z = 0
    seed: int = 0

    CELL = 0.1  # m
    HALF = 12.0  # m, from the centre to each edge
    CENTRE = 8.0  # m, x of the centre
    BESIDE = -5e-3  # m, height of the ground around the field: lower, so that feet leaving it do not stub
    FAR = 60.0  # m, extent of the ground beyond the field

    def __str__(self) -> str:
        return f"rough:{self.amplitude:.15g}" + (f":{self.seed}" if self.seed else "")

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
        rim = self.HALF - np.maximum(np.abs(axis[None]), np.abs(axis[:, None]))
        level = np.minimum(np.clip((away - 0.4) / 0.6, 0, 1), np.clip((rim - 0.2) / 0.8, 0, 1))
        return np.asarray(self.amplitude * smooth * level)

    def geoms(self) -> list[Element]:
        """A height field and the boxes around it."""
        place = (self.CENTRE, 0, self._grid.min())
        return [geom_element("ground", "hfield", hfield="rough", pos=place, rgba=GROUND_COLOUR), *self._surroundings()]

    def _surroundings(self) -> list[Element]:
        """Boxes ahead, behind and on both sides."""
        long, middle = self.FAR / 2, self.HALF + self.FAR / 2
        ends = [("ahead", middle, 0.0, long, self.HALF), ("behind", -middle, 0.0, long, self.HALF)]
        sides = [("left", 0.0, middle, self.HALF + self.FAR, long), ("right", 0.0, -middle, self.HALF + self.FAR, long)]
        boxes = []
        for name, x, y, half_x, half_y in (*ends, *sides):
            size, place = (half_x, half_y, DEPTH / 2), (self.CENTRE + x, y, self.BESIDE - DEPTH / 2)
            boxes.append(geom_element(f"level_{name}", "box", size=size, pos=place, rgba=GROUND_COLOUR))
        return boxes

    def assets(self) -> list[Element]:
        """The height field, with samples between 0 and 1; MJCF lists the rows from +y to -y."""
        grid = self._grid
        span = grid.max() - grid.min()
        side, size = str(len(grid)), mjcf_numbers((self.HALF, self.HALF, span, DEPTH))
        elevation = mjcf_numbers(((grid - grid.min()) / span)[::-1].ravel())
        return [Element("hfield", name="rough", nrow=side, ncol=side, size=size, elevation=elevation)]

    def heights(self, x: Array, y: Array) -> Array:
        """Linear on the two triangles of each cell, as in MuJoCo."""
        grid, last = self._grid, len(self._grid) - 1.001
        column = np.clip((x - self.CENTRE + self.HALF) / self.CELL, 0.0, last)
        row = np.clip((y + self.HALF) / self.CELL, 0.0, last)
        i, j = row.astype(int), column.astype(int)
        u, v = column - j, row - i
        a, b, c, d = grid[i, j], grid[i, j + 1], grid[i + 1, j], grid[i + 1, j + 1]
        bumps = np.where(u >= v, a + u * (b - a) + v * (d - b), a + v * (c - a) + u * (d - c))
        return np.asarray(np.where(np.maximum(np.abs(x - self.CENTRE), np.abs(y)) <= self.HALF, bumps, self.BESIDE))


def parse_terrain(text: str, folder: Path = Path()) -> Terrain:
    """Parse a terrain short form (`TERRAIN_FORMS`), or read a file of platforms (.toml) relative to `folder`."""
    kind, *rest = text.split(":")
    if kind not in TERRAIN_FORMS:
        if ("/" in text or text.endswith(".toml")) and text.isprintable():
            return replace(read_terrain_file(folder / text), form=text)
        raise unknown_name("terrain", kind, TERRAIN_FORMS)
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
                return replace(stairs_terrain(rise, run, int(count)), form=text)
            case "rough", [amplitude, *seed] if (
                amplitude > 0 and len(seed) <= 1 and all(s == int(s) >= 0 for s in seed)
            ):
                return Rough(amplitude, int(seed[0]) if seed else 0)
            case "spiral", [height, degrees, radius, count] if (
                height > 0 and 0 < degrees <= 60 and radius > 0 and 1 <= count == int(count) <= 300 / degrees
            ):
                return replace(spiral_terrain(height, degrees, radius, int(count)), form=text)
            case "drop", [height, *every] if height and len(every) <= 1 and all(e > 0 for e in every):
                return replace(drop_terrain(height, every[0] if every else None), form=text)
            case "hurdle", [height, *every] if height > 0 and len(every) <= 1 and all(e > HURDLE_DEPTH for e in every):
                return replace(hurdle_terrain(height, every[0] if every else None), form=text)
    except ValueError:
        pass
    raise PoiseError(f"terrain '{text}' must be of the form {' '.join(TERRAIN_FORMS[kind])}")
