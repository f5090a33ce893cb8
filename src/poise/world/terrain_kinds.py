"""Flat, sloped and rough terrain, and the parser of terrain short forms."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from poise.arrays import Array
from poise.body.mjcf import geom_element, mjcf_numbers
from poise.errors import PoiseError, unknown_name
from poise.forms import TERRAIN_BOUNDS, TERRAIN_FORMS
from poise.world import platforms
from poise.world.terrain import DEPTH, ENDLESS, GROUND_COLOUR, Place, Terrain

LARGEST = 1e4  # m, degrees, or seed: largest number accepted in short forms


@dataclass(frozen=True)
class Flat(Terrain):
    """Level ground at z = 0."""

    def geoms(self) -> list[Element]:
        """One plane."""
        return [geom_element("ground", "plane", size=ENDLESS, rgba=GROUND_COLOUR)]

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """Height (m): zero everywhere."""
        return 0.0

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

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """Proportional to x."""
        return x * math.tan(math.radians(self.degrees))

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
            return replace(platforms.read_terrain_file(folder / text), form=text)
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
                return replace(platforms.stairs_terrain(rise, run, int(count)), form=text)
            case "rough", [amplitude, *seed] if (
                amplitude > 0 and len(seed) <= 1 and all(s == int(s) >= 0 for s in seed)
            ):
                return Rough(amplitude, int(seed[0]) if seed else 0)
            case "spiral", [height, degrees, radius, count] if (
                height > 0 and 0 < degrees <= 60 and radius > 0 and 1 <= count == int(count) <= 300 / degrees
            ):
                return replace(platforms.spiral_terrain(height, degrees, radius, int(count)), form=text)
            case "drop", [height, *every] if height and len(every) <= 1 and all(e > 0 for e in every):
                return replace(platforms.drop_terrain(height, every[0] if every else None), form=text)
            case "hurdle", [height, *every] if (
                height > 0 and len(every) <= 1 and all(e > platforms.HURDLE_DEPTH for e in every)
            ):
                return replace(platforms.hurdle_terrain(height, every[0] if every else None), form=text)
    except ValueError:
        pass
    raise PoiseError(f"terrain '{text}' must be of the form {TERRAIN_FORMS[kind]} {TERRAIN_BOUNDS[kind]}")
