"""Props: objects in a scene that are not characters."""

import math
from dataclasses import dataclass
from typing import Any, Protocol
from xml.etree.ElementTree import Element, SubElement

from poise.body.mjcf import geom_element, mjcf_element, mjcf_numbers

Vector = tuple[float, float, float]
WOOD = "0.72 0.58 0.42 1"
STEEL = "0.55 0.57 0.60 1"
RUBBER = "0.80 0.45 0.32 1"
GLASS = "0.60 0.75 0.82 1"
PAINT = "0.35 0.55 0.75 1"


class Prop(Protocol):
    """Interface of all props."""

    @property
    def name(self) -> str:
        """Name in the scene; the names of the prop's bodies begin with it."""

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements in the world: free bodies, or fixed geoms."""


def _free_body(name: str, at: Vector, *geoms: Element) -> Element:
    body = mjcf_element("body", name=name, pos=at)
    SubElement(body, "freejoint", name=name)
    body.extend(geoms)
    return body


@dataclass(frozen=True)
class Ball:
    """A solid ball."""

    name: str = "ball"
    radius: float = 0.15  # m
    mass: float = 2.0  # kg
    at: Vector = (1.0, 0.0, 1.0)  # m, its centre

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements: one free body."""
        ball = geom_element(f"{self.name}_shape", "sphere", size=(self.radius,), mass=self.mass, rgba=RUBBER)
        return [_free_body(self.name, self.at, ball)]


@dataclass(frozen=True)
class Box:
    """A solid box."""

    name: str = "box"
    size: Vector = (0.4, 0.4, 0.4)  # m, full edges
    mass: float = 10.0  # kg
    at: Vector = (1.0, 0.0, 0.2)  # m, its centre

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements: one free body."""
        half = [edge / 2 for edge in self.size]
        box = geom_element(f"{self.name}_shape", "box", size=half, mass=self.mass, rgba=WOOD)
        return [_free_body(self.name, self.at, box)]


@dataclass(frozen=True)
class Barbell:
    """A bar along y with a disc at each end."""

    name: str = "barbell"
    mass: float = 30.0  # kg, total
    length: float = 1.6  # m
    disc: float = 0.2  # m, radius
    at: Vector = (0.4, 0.0, 0.2)  # m, its centre

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements: one free body of three geoms."""
        half = self.length / 2
        bar = min(10.0, 0.3 * self.mass)
        ends = (0, -half, 0, 0, half, 0)
        geoms = [geom_element(f"{self.name}_bar", "capsule", fromto=ends, size=(0.015,), mass=bar, rgba=STEEL)]
        disc: dict[str, Any] = {"size": (self.disc,), "mass": (self.mass - bar) / 2, "rgba": STEEL}
        for side, sign in (("left", 1), ("right", -1)):
            span = (0, sign * (half - 0.13), 0, 0, sign * (half - 0.08), 0)
            geoms.append(geom_element(f"{self.name}_{side}", "cylinder", fromto=span, **disc))
        return [_free_body(self.name, self.at, *geoms)]


@dataclass(frozen=True)
class Tray:
    """A tray with a glass standing on it: two free bodies, `name` and `name_glass`."""

    name: str = "tray"
    size: tuple[float, float] = (0.4, 0.3)  # m
    mass: float = 0.8  # kg
    glass_mass: float = 0.3  # kg
    glass_radius: float = 0.035  # m
    glass_height: float = 0.12  # m
    at: Vector = (0.4, 0.0, 1.1)  # m, middle of the tray

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements: the free bodies of the tray and the glass."""
        thickness = 0.012
        half = (self.size[0] / 2, self.size[1] / 2, thickness / 2)
        tray = geom_element(f"{self.name}_shape", "box", size=half, mass=self.mass, rgba=STEEL)
        x, y, z = self.at
        on_top = (x, y, z + (thickness + self.glass_height) / 2)
        shape = (self.glass_radius, self.glass_height / 2)
        glass = geom_element(f"{self.name}_glass_shape", "cylinder", size=shape, mass=self.glass_mass, rgba=GLASS)
        return [_free_body(self.name, self.at, tray), _free_body(f"{self.name}_glass", on_top, glass)]


@dataclass(frozen=True)
class Bar:
    """A horizontal bar along y, fixed in the world, to hang from."""

    name: str = "bar"
    height: float = 2.3  # m
    x: float = 0.0  # m
    length: float = 2.0  # m
    radius: float = 0.016  # m

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements: a body fixed to the world, so that grips can name it."""
        body = Element("body", name=self.name, pos=mjcf_numbers((self.x, 0, self.height)))
        half = self.length / 2
        ends = (0, -half, 0, 0, half, 0)
        body.append(geom_element(f"{self.name}_shape", "capsule", fromto=ends, size=(self.radius,), rgba=STEEL))
        for side, y in (("left", half), ("right", -half)):
            foot = (0, y, 0, 0, y, -self.height)
            body.append(geom_element(f"{self.name}_{side}", "capsule", fromto=foot, size=(0.02,), rgba=STEEL))
        return [body]


@dataclass(frozen=True)
class Block:
    """A box fixed in the world: a wall, a pillar, a table."""

    name: str = "block"
    size: Vector = (1.0, 0.2, 1.6)  # m, full edges
    at: Vector = (2.0, 0.5, 0.8)  # m, its centre

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements: a body fixed to the world."""
        body = Element("body", name=self.name, pos=mjcf_numbers(self.at))
        body.append(geom_element(f"{self.name}_shape", "box", size=[edge / 2 for edge in self.size], rgba=WOOD))
        return [body]


@dataclass(frozen=True)
class GroundMark:
    """A mark on the ground that shows where something is meant to land; visual only."""

    name: str = "mark"
    at: tuple[float, float] = (1.0, 0.0)  # m
    heading: float = 0.0  # degrees, direction of its length
    ahead: float = 0.0  # m, of its centre in front of `at`, as a footprint lies in front of the ankle
    size: tuple[float, float] = (0.28, 0.12)  # m, along and across

    def mjcf_elements(self) -> list[Element]:
        """MJCF elements: a body fixed to the world, so that scripts can name it."""
        turn = (0.0, 0.0, math.radians(self.heading))
        body = mjcf_element("body", name=self.name, pos=(*self.at, 0.0), euler=turn)
        half = (self.size[0] / 2, self.size[1] / 2, 0.002)
        paint = {"contype": "0", "conaffinity": "0", "group": "1", "rgba": PAINT}
        body.append(geom_element(f"{self.name}_shape", "ellipsoid", pos=(self.ahead, 0, 0), size=half, **paint))
        return [body]


# Prop classes by kind
PROPS = {"ball": Ball, "box": Box, "barbell": Barbell, "tray": Tray, "bar": Bar, "block": Block, "mark": GroundMark}
