"""Loads: a compact box as part of a link.

On a hand, the box hangs from the contact point along the hand and makes contact. On any other link, it is centred on
the link's centre of mass and makes no contact. The link's mass, centre and inertia in the MJCF include the box, so that
every model made from the body includes the box, also the model in a recording.
"""

from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.mjcf import geom_element, mjcf_element
from poise.body.plans.anthropometry import point_inertia
from poise.errors import PoiseError
from poise.rotations import quat_between, quat_to_matrix

HEAVIEST = 1000.0  # Largest mass (kg) of a load
DENSITY = 2000.0  # kg/m^3, that of bricks
SIDES = np.array([1.2, 0.65, 1.28])  # length, width, height over the side of a cube of equal volume: a canister
COLOUR = "0.35 0.42 0.5 1"


class LoadBox(NamedTuple):
    """A box in the frame of a link."""

    mass: float  # kg
    centre: Array  # (3,) m
    turn: Array  # (4,) orientation
    half: Array  # (3,) m, half the lengths of the sides
    solid: bool  # whether the box makes contact

    @property
    def inertia(self) -> Array:
        """Inertia (3, 3) kg m^2 about the box's centre, in the axes of the link."""
        axes = quat_to_matrix(self.turn)
        squares = self.half**2
        return np.asarray(axes @ np.diag(self.mass / 3 * (squares.sum() - squares)) @ axes.T)


def parse_body_load(text: str) -> tuple[str, float]:
    """Link and mass (kg) from text such as ``right_hand=15``."""
    link, _, mass = text.partition("=")
    try:
        return link.strip(), float(mass)
    except ValueError:
        raise PoiseError(f"load '{text}' is not of the form LINK=KG") from None


def add_load(body: Body, link: str, mass: float) -> Body:
    """A new body with a load of `mass` kg on a link. Its MJCF includes the load, and its plan is None."""
    if not (isfinite(mass) and 0 < mass <= HEAVIEST):
        raise PoiseError(f"load of {mass} kg on '{link}': must be above 0 and at most {HEAVIEST:g} kg")
    box = _load_box(body, link, mass)
    tree = ET.fromstring(body.mjcf)
    element = next(each for each in tree.iter("body") if each.get("name") == link)
    if element.find(f"geom[@name='{link}_load']") is not None:
        raise PoiseError(f"'{link}' carries a load already: give one load with the total mass")
    for old in element.findall("inertial"):
        element.remove(old)
    element.append(_loaded_inertial(body, link, box))
    seen: dict[str, Any] = {"group": "0"} if box.solid else {"group": "1", "contype": "0", "conaffinity": "0"}
    place = {"pos": box.centre, "quat": box.turn, "size": box.half}
    element.append(geom_element(f"{link}_load", "box", mass="0", rgba=COLOUR, **place, **seen))
    ET.indent(tree)
    return replace(body, mjcf=ET.tostring(tree, encoding="unicode") + "\n", plan=None)


def _load_box(body: Body, link: str, mass: float) -> LoadBox:
    """The box of a load of `mass` kg on a link."""
    index = body.link_id(link)
    half = 0.5 * (mass / DENSITY) ** (1 / 3) * SIDES
    hand = next((each for each in body.hands if each.link == link), None)
    if hand is None:
        return LoadBox(mass, np.array(body.model.body_ipos[index]), np.array([1.0, 0.0, 0.0, 0.0]), half, False)
    long = float(np.linalg.norm(hand.point))
    along = hand.point / long if long > 0 else np.array([0.0, 0.0, -1.0])
    return LoadBox(mass, hand.point + half[2] * along, quat_between([0.0, 0.0, -1.0], along), half, True)


def _loaded_inertial(body: Body, link: str, box: LoadBox) -> ET.Element:
    """MJCF inertial element of link and load as one rigid body, by the parallel axis theorem."""
    model, index = body.model, body.link_id(link)
    axes = quat_to_matrix(model.body_iquat[index])
    own = axes @ np.diag(model.body_inertia[index]) @ axes.T
    masses = np.array([model.body_mass[index], box.mass])
    centres = np.array([model.body_ipos[index], box.centre])
    centre = masses @ centres / masses.sum()
    total = own + box.inertia
    for mass, away in zip(masses, centres - centre, strict=True):
        total = total + point_inertia(mass, away)
    six = (*np.diag(total), total[0, 1], total[0, 2], total[1, 2])
    return mjcf_element("inertial", pos=centre, mass=float(masses.sum()), fullinertia=six)
