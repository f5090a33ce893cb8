"""Writing plans and elements as MJCF with all digits; `MjSpec.to_xml` would round numbers to six digits."""

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from poise.body.plans.plan import BodyPlan, Geom, Segment

_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def plan_mjcf(plan: BodyPlan) -> str:
    """The MJCF text of a plan: the body alone, without floor and actuators."""
    return mjcf_document(plan.name, ((s.parent, s.name, _segment_element(s)) for s in plan.segments), plan.joined)


def mjcf_document(
    model: str, links: Iterable[tuple[object, object, Element]], excluded: Iterable[tuple[str, str]] = ()
) -> str:
    """The MJCF text of a model whose links are given as (key of the parent, own key, element), parents first.

    A link whose parent is not among the links is a child of the world. Links of `excluded` pairs make no contact.
    """
    root = ET.Element("mujoco", model=model)
    # All inertias are explicit: none is inferred from shapes, balanced or bounded from below.
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    world = ET.SubElement(root, "worldbody")
    written: dict[object, Element] = {}
    for parent, key, link in links:
        written.get(parent, world).append(link)
        written[key] = link
    if pairs := [mjcf_element("exclude", body1=one, body2=other) for one, other in excluded]:
        ET.SubElement(root, "contact").extend(pairs)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def mjcf_numbers(values: Iterable[float]) -> str:
    """Numbers as MJCF text at full precision."""
    return " ".join(repr(float(v)) for v in values)


def _segment_element(segment: Segment) -> Element:
    body = mjcf_element("body", name=segment.name, pos=segment.offset)
    body.extend(_joint_elements(segment))
    mass = float(segment.mass)
    body.append(mjcf_element("inertial", pos=segment.com, quat=segment.frame, mass=mass, diaginertia=segment.inertia))
    body.extend(_plan_geom_element(each) for each in segment.geoms)
    return body


def _joint_elements(segment: Segment) -> list[Element]:
    joint = segment.joint
    if joint.kind == "weld":
        return []
    if joint.kind == "free":
        return [mjcf_element("freejoint", name=joint.name)]
    passive = {"damping": joint.damping, "armature": joint.armature}
    if joint.kind == "ball":
        return [mjcf_element("joint", name=joint.name, type="ball", **passive)]
    names = [joint.name] if len(joint.axes) == 1 else [f"{joint.name}_{axis}" for axis in joint.axes]
    return [
        mjcf_element("joint", name=name, type="hinge", axis=_AXES[axis], limited="true", range=bounds, **passive)
        for name, axis, *bounds in zip(names, joint.axes, joint.lower, joint.upper, strict=True)
    ]


def _plan_geom_element(shape: Geom) -> Element:
    single = len(shape.points) == 1
    where = {"pos": shape.points[0]} if single else {"fromto": [value for point in shape.points for value in point]}
    seen: dict[str, Any] = {"group": "0"} if shape.solid else {"group": "1", "contype": "0", "conaffinity": "0"}
    return geom_element(shape.name, shape.shape, size=shape.size, rgba=shape.rgba, mass="0", **where, **seen)


def geom_element(name: str, kind: str, **attributes: object) -> Element:
    """An MJCF geom element; attributes as in `mjcf_element`."""
    return mjcf_element("geom", name=name, type=kind, **attributes)


def mjcf_element(tag: str, **attributes: object) -> Element:
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
