"""MJCF: plans and elements written with all digits (`MjSpec.to_xml` would round them), and texts of any origin checked.

Before MuJoCo compiles a text: its size, nesting and counts, and the files to which it refers.
"""

import math
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import mujoco

from poise.body.plans.plan import BodyPlan, Geom, Segment
from poise.errors import PoiseError
from poise.files import read_file

_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def plan_mjcf(plan: BodyPlan) -> str:
    """The MJCF text of a plan: the body alone, without floor and actuators."""
    return mjcf_document(plan.name, ((s.parent, s.name, _segment_element(s)) for s in plan.segments), plan.joined)


def mjcf_document(
    model: str, links: Iterable[tuple[object, object, Element]], excluded: Iterable[tuple[str, str]] = ()
) -> str:
    """The MJCF text of links (parent's key, own key, element), parents first; links of `excluded` pairs never touch."""
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


LARGEST = 2**24  # bytes of a text
LARGEST_ASSET = 2**27  # bytes of the file of a mesh or height field
MOST_INCLUDES = 100
DEEPEST = 200  # levels of nested elements; MuJoCo's reader stops at 500
MOST_ELEMENTS = 10_000  # including copies
MOST_SAMPLES = 4_000_000  # values in arrays that an attribute announces: height fields, textures, user data
MOST_DOFS = 600
_COPIES = ("replicate", "composite", "flexcomp")  # elements with a `count` of copies
_COUNTS = frozenset(
    ("actdim", "cellcount", "count", "gridsize", "height", "ncol", "nrow", "nsample", "params", "width", "njmax",
     "nconmax", "nstack", "nkey", "nuserdata", "nuser_actuator", "nuser_body", "nuser_cam", "nuser_geom", "nuser_jnt",
     "nuser_sensor", "nuser_site", "nuser_tendon")
)  # fmt: skip
_COUNTS_OF = {"numeric": "size", "user": "dim"}  # counts in attributes that mean something else in other elements
_REFUSED = frozenset(("plugin", "extension", "model", "attach", "include"))
_NOT_FINITE = re.compile(r"(?:^|\s)[-+]?(?:nan|inf|infinity)(?=\s|$)", re.IGNORECASE)


def parse_mjcf(text: str, where: str) -> ET.Element:
    """The tree of an MJCF text of bounded size; messages call the text `where`."""
    if len(text) > LARGEST:
        raise PoiseError(f"{where}: larger than {LARGEST >> 20} MB")
    if "<!ENTITY" in text:
        raise PoiseError(f"{where}: defines XML entities; write what they stand for")
    try:
        tree = ET.fromstring(text)
    except (ET.ParseError, ValueError) as error:  # ValueError: a lone surrogate
        raise PoiseError(f"{where}: not well-formed XML: {error}") from None
    if tree.tag != "mujoco":
        raise PoiseError(f"{where}: not MJCF: the outermost element is <{tree.tag}>, not <mujoco>")
    return tree


def read_mjcf_file(path: Path) -> str:
    """The text of an MJCF file."""
    try:
        return read_file(path, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise PoiseError(f"{path.name}: not a text file") from None


def inline_includes(
    tree: ET.Element, folder: Path, where: str, top: Path | None = None, seen: set[Path] | None = None
) -> None:
    """Replace each <include file=...> by the content of the file, which must be in `top` (`folder`) or below."""
    top, seen = top or folder.resolve(), set() if seen is None else seen
    for parent in list(tree.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag != "include":
                continue
            path = _file_below(child.get("file", ""), folder, top, where)
            if path in seen:
                raise PoiseError(f"{where}: includes '{path.name}', which is included already")
            seen.add(path)
            if len(seen) > MOST_INCLUDES:
                raise PoiseError(f"{where}: more than {MOST_INCLUDES} files are included")
            included = parse_mjcf(read_mjcf_file(path), f"{where} includes {path.name}")
            inline_includes(included, path.parent, path.name, top, seen)
            parent[place : place + 1] = list(included)


def _file_below(name: str, folder: Path, top: Path, where: str) -> Path:
    """The path of a file that an MJCF text in `folder` names; raises unless it is in the folder `top` or below."""
    try:
        path = (folder / name).resolve()
        if PurePosixPath(name).is_absolute() or not path.is_relative_to(top) or not path.is_file():
            raise OSError
        large = path.stat().st_size > LARGEST_ASSET
    except (OSError, ValueError, RuntimeError):  # RuntimeError: symbolic links in a circle
        what = f"'{name}' is not a file in the folder of the MJCF file or below"
        raise PoiseError(f"{where}: cannot read a file: {what}") from None
    if large:
        raise PoiseError(f"{where}: '{name}' is larger than {LARGEST_ASSET >> 20} MB")
    return path


def resolve_assets(tree: ET.Element, folder: Path, where: str) -> None:
    """Make the paths of the files of meshes and height fields absolute; they must be in `folder` or below."""
    meshes, strip = "", False
    for compiler in tree.iter("compiler"):
        meshes = compiler.get("meshdir") or compiler.get("assetdir") or meshes
        strip = compiler.get("strippath", str(strip)) in ("true", "True")
        for key in ("meshdir", "texturedir", "assetdir", "strippath"):
            compiler.attrib.pop(key, None)
    for node in tree.iter():
        if given := node.get("file"):
            name = given if not strip else PurePosixPath(given).name
            if PurePosixPath(name).is_absolute():
                raise PoiseError(f'{where}: {node.tag} has file="{given}"; only files below its folder are read')
            node.set("file", str(_file_below(str(PurePosixPath(meshes) / name), folder, folder.resolve(), where)))


def check_mjcf(tree: ET.Element, where: str, of_body: bool = False) -> None:
    """Raise for numbers that are not finite, too many elements, or plugins; files and muscles are for bodies only."""
    total, samples, stack = 0, 0.0, [(tree, 1.0, 1)]
    while stack:
        node, copies, depth = stack.pop()
        if depth > DEEPEST:
            raise PoiseError(f"{where}: elements are nested more than {DEEPEST} deep")
        announced = _announced(node, where)
        copies *= announced if node.tag in _COPIES else 1.0
        samples += copies * announced
        total += int(min(copies, MOST_SAMPLES))
        if total > MOST_ELEMENTS or samples > MOST_SAMPLES:
            raise PoiseError(f"{where}: {_named(node)} and what comes before make more than {MOST_ELEMENTS} elements "
                             f"or {MOST_SAMPLES} samples")  # fmt: skip
        muscle = "muscle" in (node.tag, node.get("gaintype"), node.get("biastype"))
        if node.tag in _REFUSED or (muscle and not of_body):
            raise PoiseError(f"{where}: <{node.tag}> is not supported")
        for key, value in node.attrib.items():
            if key not in ("name", "class") and _NOT_FINITE.search(value):
                raise PoiseError(f'{where}: {_named(node)} has {key}="{value}", which is not a finite number')
            if key.startswith("file") and not of_body:
                raise PoiseError(f"{where}: {_named(node)} needs the file '{value}'; only text is read here")
        stack.extend((child, copies, depth + 1) for child in reversed(node))


def _announced(node: ET.Element, where: str) -> float:
    """The number of array values that the counts of an element announce."""
    product = 1.0
    for key, value in node.attrib.items():
        if key in _COUNTS or _COUNTS_OF.get(node.tag) == key:
            try:
                product *= math.prod(max(1.0, abs(float(word))) for word in value.split())
            except ValueError:
                raise PoiseError(f'{where}: {_named(node)} has {key}="{value}", which is not a number') from None
        elif key == "memory" and not re.fullmatch(r"\d{1,3}[KM]?", value.strip()):
            raise PoiseError(f'{where}: {_named(node)} has memory="{value}", which is more than 999M')
    return product


def _named(node: ET.Element) -> str:
    return f"{node.tag} '{node.get('name') or node.get('joint') or 'unnamed'}'"


def compile_mjcf(text: str, where: str) -> mujoco.MjModel:
    """The model of a checked MJCF text."""
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except (ValueError, mujoco.FatalError) as error:
        cause = ", ".join(part.strip() for part in str(error).splitlines() if part.strip())
        raise PoiseError(f"{where}: {cause.removeprefix('Error: ')}") from None
    if model.nv > MOST_DOFS:
        raise PoiseError(f"{where}: has {model.nv} degrees of freedom; at most {MOST_DOFS} are possible")
    return model
