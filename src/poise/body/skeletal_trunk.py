"""Trunk, neck and head of a figure with any number of joints in its spine and neck.

The table's three parts of the trunk are cut where the skeleton has its joints: each slice weighs its share of the
part's length, is as wide as the part and as long as itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import dist

import numpy as np

from poise.body import anthropometry as tables
from poise.body import human, shapes
from poise.body.anatomy import FREE, WELD, joint
from poise.body.anthropometry import Proportions, Row
from poise.body.plan import Colour, Geom, JointPlan, Segment, Vector, minus
from poise.body.skeletal_figure import ADULT, Figure

LEAST = 0.06  # of the trunk that any link gets, however near its joints are
CHEST = 0.25  # of the trunk that the chest gets: the arms hang on it
NECK_MASS = 0.14  # of head and neck together, where the neck has links of its own
_PARTS = (tables.LOWER_TRUNK, tables.MIDDLE_TRUNK, tables.UPPER_TRUNK)

# Round shapes across the trunk, as the bundled figures have them: height (of hip to C7), half-width and radius (of
# stature), colour, solid.
_ROUND: tuple[tuple[str, float, float, float, Colour, bool], ...] = (
    ("hips", 0.024, 0.0432, 0.0540, shapes.TROUSERS, True),
    ("belt", 0.097, 0.0378, 0.0524, shapes.TROUSERS, False),
    ("waist", 0.169, 0.0360, 0.0508, shapes.SHIRT, True),
    ("navel", 0.242, 0.0360, 0.0515, shapes.SHIRT, False),
    ("belly", 0.331, 0.0360, 0.0520, shapes.SHIRT, True),
    ("side", 0.420, 0.0378, 0.0530, shapes.SHIRT, False),
    ("stomach", 0.509, 0.0396, 0.0546, shapes.SHIRT, True),
    ("flank", 0.599, 0.0407, 0.0549, shapes.SHIRT, False),
    ("ribs", 0.687, 0.0420, 0.0560, shapes.SHIRT, True),
    ("breast", 0.767, 0.0454, 0.0560, shapes.SHIRT, False),
    ("chest", 0.848, 0.0483, 0.0526, shapes.SHIRT, True),
    ("collar", 0.912, 0.0504, 0.0392, shapes.SHIRT, False),
)


@dataclass(frozen=True)
class _Cut:
    """A link of the trunk: its joint, and the stretch of the trunk's height (m above the hips) it is made of."""

    link: str
    joint: JointPlan
    place: Vector  # m from the middle of the hips
    low: float
    high: float


def trunk(figure: Figure) -> tuple[Segment, ...]:
    """Pelvis and spine, up to the chest."""
    cuts = _cuts(figure)
    parents = [None, *(cut.link for cut in cuts)]
    return tuple(_segment(figure, cut, parent, below.place if parent else None)
                 for cut, parent, below in zip(cuts, parents, [cuts[0], *cuts], strict=False))  # fmt: skip


def head(figure: Figure) -> tuple[Segment, ...]:
    """Neck and head. Without joints of its own the head is welded to the chest."""
    p, chest = figure.proportions, figure.spine[-1]
    places = figure.neck or ((chest[0], 0.0, p.trunk),)
    count = len(places)
    links = (*(f"neck_{k + 1}" for k in range(count - 1)), "head")
    joints = _named("neck", "head", count)
    segments, parent, below = [], "chest", chest
    lengths = [dist(a, b) for a, b in pairwise(places)]
    for link, name, place, end in zip(links, joints, places, [*places[1:], None], strict=True):
        offset = minus(place, below)
        nature = joint(name, "neck", share=_share(count)) if figure.neck else WELD
        if end is None:
            segments.append(_skull(figure, parent, nature, offset, place, count > 1))
        else:
            mass = NECK_MASS * p.segment_mass(tables.HEAD) * dist(place, end) / sum(lengths)
            segments.append(_vertebra(p, link, parent, nature, offset, minus(end, place), mass))
        parent, below = link, place
    return tuple(segments)


def _cuts(figure: Figure) -> list[_Cut]:
    length, count = figure.proportions.trunk, len(figure.spine)
    heights = [z / length for _, _, z in figure.spine]
    low = np.zeros(count + 1)
    least = min(LEAST, (1 - CHEST) / (2 * count))
    for k, height in enumerate(heights):
        low[k + 1] = max(height, low[k] + (2 * least if k == 0 else least))
    low = np.minimum(low, 1 - CHEST - least * np.arange(count, -1, -1) + least)
    bounds = length * np.array([*low, 1.0])
    links = ("pelvis", *(f"spine_{k + 1}" for k in range(count - 1)), "chest")
    names = _named("spine", "chest", count)
    joints = (FREE, *(joint(name, "spine", share=_share(count)) for name in names))
    places = ((0.0, 0.0, 0.0), *figure.spine)
    return [_Cut(*each) for each in zip(links, joints, places, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]


def _named(first: str, last: str, count: int) -> tuple[str, ...]:
    """Names of the joints in a row: spine, spine_2, ..., chest; a single one has the first name."""
    middle = tuple(f"{first}_{k}" for k in range(2, count))
    return (first, *middle, last) if count > 1 else (first,)


def _share(count: int) -> float:
    """The part of the published range for each of several joints in a row; not all bend at once."""
    return min(1.0, 1.6 / count)


def _segment(figure: Figure, cut: _Cut, parent: str | None, below: Vector | None) -> Segment:
    p = figure.proportions
    mass, centre, inertia = _slice(p, cut.low, cut.high)
    if cut.link == "chest" and figure.clavicle is not None:
        rest = 1 - 2 * human.CLAVICLE_MASS * p.mass / mass
        mass, inertia = rest * mass, (rest * inertia[0], rest * inertia[1], rest * inertia[2])
    offset = (0.0, 0.0, p.metres(p.hip)) if below is None else minus(cut.place, below)
    com = minus((_line(figure, centre), 0.0, centre), cut.place)
    return Segment(cut.link, parent, cut.joint, offset, mass, com, inertia, _looks(figure, cut), "trunk")


def _slice(p: Proportions, low: float, high: float) -> tuple[float, float, Vector]:
    """Mass (kg), height of the centre (m above the hips) and inertia of a stretch of the trunk."""
    bounds = p.trunk * np.cumsum([0.0, *p.trunk_split])
    parts = []
    for row, bottom, top in zip(_PARTS, bounds, bounds[1:], strict=False):
        a, b = max(low, float(bottom)), min(high, float(top))
        if b > a:
            mass = p.segment_mass(row) * (b - a) / float(top - bottom)
            parts.append((mass, (0.0, 0.0, (a + b) / 2), _disc(row, mass, float(top - bottom), b - a)))
    mass, (_, _, centre), inertia = tables.combined(*parts)
    return mass, centre, inertia


def _disc(row: Row, mass: float, whole: float, height: float) -> Vector:
    """Inertia of a slice of a part of the trunk: the part's cross-section, its own height."""
    about_x, about_y, about_z = tables.upright_inertia(row, mass, whole)
    x, y, z = (about_y + about_z - about_x) / 2, (about_x + about_z - about_y) / 2, mass * height**2 / 12
    return y + z, x + z, x + y


def _line(figure: Figure, height: float) -> float:
    """How far forward the middle of the trunk is at a height, along the joints of the spine."""
    points = sorted((z, x) for x, _, z in ((0.0, 0.0, 0.0), *figure.spine, *figure.neck[:1]))
    return float(np.interp(height, [z for z, _ in points], [x for _, x in points]))


def _looks(figure: Figure, cut: _Cut) -> tuple[Geom, ...]:
    p = figure.proportions
    looks = []
    for name, at, wide, radius, colour, solid in _ROUND:
        height = at * p.trunk
        if cut.low <= height < cut.high:
            x, z = _line(figure, height) - cut.place[0], height - cut.place[2]
            half, thick = p.metres(wide) * p.girth * _breadth(p, at), p.metres(radius) * p.girth
            looks.append(shapes.capsule(f"{cut.link}_{name}", (x, -half, z), (x, half, z), thick, colour, solid=solid))
    if cut.link == "chest" and figure.clavicle is None:
        looks.append(_yoke(p, minus(figure.shoulder, cut.place)))
    return tuple(looks)


def _breadth(p: Proportions, at: float) -> float:
    """How broad the trunk is at a height (of hip to C7) against an adult's: from the hips' to the shoulders' ratio."""
    hips, shoulders = p.hip_half / ADULT.hip_half, p.shoulder_half / ADULT.shoulder_half
    return float(np.clip(hips + at * (shoulders - hips), 0.8, 1.3))


def _yoke(p: Proportions, shoulder: Vector) -> Geom:
    """The shoulders of a figure without clavicles."""
    x, y, z = shoulder
    radius = p.metres(0.032) * p.girth
    return shapes.capsule("chest_shoulders", (x, -0.96 * y, z), (x, 0.96 * y, z), radius, shapes.SHIRT)


def _vertebra(
    p: Proportions, link: str, parent: str, nature: JointPlan, offset: Vector, end: Vector, mass: float
) -> Segment:
    """A link of the neck."""
    thick, length = 0.66 * p.metres(p.skull[1]), float(np.linalg.norm(end))
    looks = (shapes.capsule(f"{link}_shape", (0.0, 0.0, 0.0), end, thick, shapes.SKIN),)
    com = (end[0] / 2, end[1] / 2, end[2] / 2)
    return Segment(link, parent, nature, offset, mass, com, tables.cylinder_inertia(mass, thick, length), looks, "head")


def _skull(figure: Figure, parent: str, nature: JointPlan, offset: Vector, place: Vector, on_neck: bool) -> Segment:
    p = figure.proportions
    a, b, c = (p.metres(s) for s in p.skull)
    top = max(figure.crown - place[2], 1.7 * c)
    mass = (1 - NECK_MASS if on_neck else 1.0) * p.segment_mass(tables.HEAD)
    centre = (0.25 * a, 0.0, top - c)
    throat = shapes.capsule("head_neck", (0.0, 0.0, -0.1 * c), (0.1 * a, 0.0, top - 1.4 * c), 0.66 * b, shapes.SKIN)
    inertia = tables.ellipsoid_inertia(mass, (a, b, c))
    looks = (throat, *shapes.face("head", centre, (a, b, c)))
    return Segment("head", parent, nature, offset, mass, centre, inertia, looks, "head")
