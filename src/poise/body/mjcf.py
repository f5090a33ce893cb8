"""Writing plans and elements as MJCF with all digits; `MjSpec.to_xml` would round to six."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from poise.body.plans.plan import BodyPlan, Geom, Segment

Attributes = dict[str, Any]  # the values are str, but ElementTree's stubs reject dict[str, str]
_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def plan_mjcf(plan: BodyPlan) -> str:
    """The MJCF of a plan: the body alone, without floor and actuators."""
    root = ET.Element("mujoco", model=plan.name)
    # All inertias are explicit: none is inferred from shapes, balanced or bounded from below.
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    elements: dict[str | None, ET.Element] = {None: ET.SubElement(root, "worldbody")}
    for segment in plan.segments:
        elements[segment.name] = _segment_element(elements[segment.parent], segment)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def mjcf_numbers(values: Iterable[float]) -> str:
    """Numbers as MJCF text at full precision."""
    return " ".join(repr(float(v)) for v in values)


def _segment_element(parent: ET.Element, segment: Segment) -> ET.Element:
    body = ET.SubElement(parent, "body", name=segment.name, pos=mjcf_numbers(segment.offset))
    for joint in _joint_elements(segment):
        body.append(joint)
    ET.SubElement(
        body,
        "inertial",
        pos=mjcf_numbers(segment.com),
        quat=mjcf_numbers(segment.frame),
        mass=repr(float(segment.mass)),
        diaginertia=mjcf_numbers(segment.inertia),
    )
    for geom in segment.geoms:
        body.append(_plan_geom_element(geom))
    return body


def _joint_elements(segment: Segment) -> list[ET.Element]:
    joint = segment.joint
    if joint.kind == "weld":
        return []
    if joint.kind == "free":
        return [ET.Element("freejoint", name=joint.name)]
    passive: Attributes = {"damping": repr(joint.damping), "armature": repr(joint.armature)}
    if joint.kind == "ball":
        return [ET.Element("joint", name=joint.name, type="ball", **passive)]
    single = len(joint.axes) == 1
    return [
        ET.Element(
            "joint",
            name=joint.name if single else f"{joint.name}_{axis}",
            type="hinge",
            axis=_AXES[axis],
            limited="true",
            range=mjcf_numbers((low, high)),
            **passive,
        )
        for axis, low, high in zip(joint.axes, joint.lower, joint.upper, strict=True)
    ]


def _plan_geom_element(geom: Geom) -> ET.Element:
    where: Attributes = {"pos": mjcf_numbers(geom.points[0])} if len(geom.points) == 1 else {
        "fromto": mjcf_numbers(value for point in geom.points for value in point)
    }  # fmt: skip
    seen: Attributes = {"group": "0"} if geom.solid else {"group": "1", "contype": "0", "conaffinity": "0"}
    return ET.Element(
        "geom",
        name=geom.name,
        type=geom.shape,
        size=mjcf_numbers(geom.size),
        rgba=mjcf_numbers(geom.rgba),
        mass="0",
        **where,
        **seen,
    )


def geom(name: str, kind: str, **attributes: object) -> Element:
    """A geom element with attributes as for `element`."""
    return element("geom", name=name, type=kind, **attributes)


def element(tag: str, **attributes: object) -> Element:
    """An MJCF element whose attributes are strings, numbers or sequences of numbers; floats keep all digits."""
    written = {}
    for key, value in attributes.items():
        if isinstance(value, str):
            written[key] = value
        elif isinstance(value, Iterable):
            written[key] = mjcf_numbers(value)
        elif isinstance(value, (float, int)):
            written[key] = repr(value)
    return Element(tag, written)
