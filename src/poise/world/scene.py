"""A scene: characters, terrain and props, compiled into one MuJoCo model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np

from poise.arrays import Array, Mask
from poise.body.body import Body
from poise.body.mjcf import mjcf_element, mjcf_numbers
from poise.body.self_contact import SelfContactPair, self_contact_pairs
from poise.errors import PoiseError, unknown_name
from poise.world.props import Prop
from poise.world.terrain import Place, Terrain
from poise.world.terrain_kinds import Flat, parse_terrain

LOOK_AHEAD = 0.08
"""Distance (m) up to which surfaces are contact candidates: twice what a limb of 5 m/s travels in a step at 120 Hz."""

SELF_FRICTION = (0.3, 0.3, 0.005, 0.0001, 0.0001)
"""Friction of links of one body: along the two tangents (0.3, as of cloth on cloth), torsional, rolling."""

TERRAIN_BIT, PROP_BIT, FIRST_BODY_BIT = 1, 2, 4
"""Collision bits (contype, conaffinity) of MuJoCo's geoms; each body has its own."""


@dataclass(frozen=True)
class Scene:
    """Characters and props on a terrain. The first body is the performer."""

    bodies: tuple[Body, ...]
    terrain: Terrain = field(default_factory=Flat)
    props: tuple[Prop, ...] = ()
    friction: float = 1.0  # coefficient of all surfaces
    gravity: float = 9.81  # m/s^2
    places: tuple[Place, ...] = ()  # of the second and further bodies; by default side by side, 1.2 m apart
    self_contact: bool = True  # whether links of one body touch each other instead of passing through

    def __post_init__(self) -> None:
        if not 0 <= self.friction < np.inf:
            raise PoiseError(f"friction {self.friction}: must be finite and at least 0")
        if not np.isfinite(self.gravity):
            raise PoiseError(f"gravity {self.gravity}: must be finite")
        names = [prop.name for prop in self.props]
        for name in names:
            if names.count(name) > 1:
                raise PoiseError(f"two props are named '{name}': give each its own name")

    @classmethod
    def of(
        cls, body: Body | str, terrain: Terrain | str | None = None, props: Sequence[Prop] = (), friction: float = 1.0
    ) -> "Scene":
        """A scene with one character; body and terrain may be given by name and short form."""
        character = Body.named(body) if isinstance(body, str) else body
        ground = parse_terrain(terrain) if isinstance(terrain, str) else terrain or Flat()
        return cls((character,), ground, tuple(props), friction)

    @property
    def body(self) -> Body:
        """The performer."""
        return self.bodies[0]

    def prefix(self, index: int) -> str:
        """Prefix of the names of the index-th body's links: empty for the first."""
        return "" if index == 0 else f"{self.bodies[index].name}.{index + 1}/"

    def place(self, index: int) -> Place:
        """Starting place of the index-th body (index >= 1)."""
        if 1 <= index <= len(self.places):
            return self.places[index - 1]
        y = 1.2 * index
        return Place(y=y, z=self.terrain.height(0.0, y))

    @cached_property
    def xml(self) -> str:
        """MJCF of the whole scene, self-contained."""
        return self.described(LOOK_AHEAD, LOOK_AHEAD)

    def described(self, look_ahead: float, to_fields: float) -> str:
        """MJCF of the scene with collision margins for these look-ahead distances (m), the second for height fields."""
        if (look_ahead, to_fields) not in self._described:
            self._described[look_ahead, to_fields] = self._describe(look_ahead, to_fields)
        return self._described[look_ahead, to_fields]

    @cached_property
    def _described(self) -> dict[tuple[float, float], str]:
        return {}

    def _describe(self, look_ahead: float, to_fields: float) -> str:
        root = Element("mujoco", model=self.body.name if self.bodies else "scene")
        SubElement(root, "compiler", angle="radian", autolimits="true")
        root.append(mjcf_element("option", gravity=(0, 0, -self.gravity), cone="elliptic", jacobian="dense"))
        assets = SubElement(root, "asset")
        world = SubElement(root, "worldbody")
        assets.extend(self.terrain.assets())
        for item in self.terrain.geoms():
            reach = 2 * to_fields - look_ahead if item.get("type") == "hfield" else look_ahead
            self._set_collision(item, TERRAIN_BIT, 0, reach)
            world.append(item)
        for index, body in enumerate(self.bodies):
            self._add_body(world, body, index, look_ahead)
        for prop in self.props:
            for item in prop.mjcf_elements():
                self._set_collision(item, PROP_BIT, TERRAIN_BIT | PROP_BIT, look_ahead)
                world.append(item)
        SubElement(root, "contact").extend(
            mjcf_element("pair", geom1=pair.first, geom2=pair.second, margin=-pair.slack, gap=look_ahead + pair.slack,
                         friction=SELF_FRICTION, condim=3)
            for pair in self._self_pairs
        )  # fmt: skip
        return ElementTree.tostring(root, encoding="unicode")

    @cached_property
    def _self_pairs(self) -> list[SelfContactPair]:
        """The pairs of geoms of one body that can touch, with the names of the scene."""
        prefixed = ((self.prefix(index), pair) for index, body in enumerate(self.bodies)
                    for pair in self_contact_pairs(body))  # fmt: skip
        return [pair._replace(first=name + pair.first, second=name + pair.second) for name, pair in prefixed]

    @property
    def self_pairs(self) -> Mask:
        """Mask (npair,) of the pairs of the compiled scene that make contact in a simulation."""
        return np.full(self.model.npair, self.self_contact)

    def _set_collision(self, item: Element, own: int, others: int, look_ahead: float) -> None:
        """Set collision bits, margin and friction of the geoms of an element, except of visual ones."""
        for part in item.iter("geom"):
            if part.get("contype") == "0" and part.get("conaffinity") == "0":
                continue
            part.set("contype", str(own))
            part.set("conaffinity", str(others))
            part.set("margin", repr(look_ahead / 2))  # MuJoCo adds the margins of the two surfaces
            part.set("condim", "3")
            part.set("friction", mjcf_numbers((self.friction, 0.005, 0.0001)))

    def _add_body(self, world: Element, body: Body, index: int, look_ahead: float) -> None:
        source = ElementTree.fromstring(body.mjcf)
        own = FIRST_BODY_BIT << index
        beside = sum(FIRST_BODY_BIT << other for other in range(len(self.bodies)) if other != index)
        others = TERRAIN_BIT | PROP_BIT | beside
        prefix = self.prefix(index)
        for item in source.iter():
            if prefix and "name" in item.attrib:
                item.set("name", prefix + item.get("name", ""))
        self._set_collision(source, own, others, look_ahead)
        world.extend(source.findall("worldbody/body"))

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The compiled scene."""
        try:
            return mujoco.MjModel.from_xml_string(self.xml)
        except ValueError as error:
            raise PoiseError("the scene does not compile: " + " ".join(str(error).split())) from None

    def link_id(self, name: str) -> int:
        """Body id in the compiled scene of a link of the first character, a prop, or ``world``."""
        found = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name)
        if found < 0:
            raise unknown_name("body part", name, [self.model.body(i).name for i in range(1, self.model.nbody)])
        return int(found)

    def per_dof(self, values: Sequence[Array], otherwise: float) -> Array:
        """Values (nv,) for the scene's DOFs from those of each body; `otherwise` for the DOFs of props."""
        out = np.full(self.model.nv, otherwise)
        for index, numbers_of_body in enumerate(values):
            out[self.dofs(index)] = numbers_of_body
        return out

    def dofs(self, index: int) -> slice:
        """DOFs of the index-th body in the scene."""
        joint = self.model.joint(self.prefix(index) + self.bodies[index].joints[0].name)
        return slice(int(joint.dofadr[0]), int(joint.dofadr[0]) + self.bodies[index].nv)

    def coordinates(self, index: int) -> slice:
        """Coordinates of the index-th body in the scene."""
        joint = self.model.joint(self.prefix(index) + self.bodies[index].joints[0].name)
        return slice(int(joint.qposadr[0]), int(joint.qposadr[0]) + self.bodies[index].nq)

    def dof_name(self, dof: int) -> str:
        """Name of a DOF, for messages."""
        for index, body in enumerate(self.bodies):
            span = self.dofs(index)
            if span.start <= dof < span.stop:
                return f"{self.prefix(index)}{body.dof_names[dof - span.start]}"
        joint = self.model.joint(int(self.model.dof_jntid[dof]))
        return f"{joint.name}[{dof - int(joint.dofadr[0])}]"

    def __repr__(self) -> str:
        return f"Scene({', '.join(body.name for body in self.bodies)} on {self.terrain!r}, {len(self.props)} props)"
