"""A user's MJCF as a body: checked, reduced to the character, completed by guesses.

The body's MJCF is written anew from the compiled model, without defaults, classes, degrees or files: scenes put several
bodies into one document and recordings contain it, so it must mean the same everywhere. A mesh becomes its bounding
box, because its file would be missing there.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
from mujoco import mjtGeom, mjtJoint

from poise.arrays import Frozen, readonly
from poise.body import guess, symmetry
from poise.body.assemble import grounded_pose, model_joints
from poise.body.body import Body
from poise.body.mjcf import mjcf_numbers
from poise.errors import PoiseError

_DROPPED = frozenset(
    ("actuator", "sensor", "keyframe", "tendon", "equality", "contact", "custom", "visual", "statistic", "size",
     "option", "deformable")
)  # fmt: skip
_NOT_FINITE = re.compile(r"(?:^|\s)[-+]?(?:nan|inf|infinity)(?=\s|$)", re.IGNORECASE)
_UPRIGHT = re.compile(r"stand|home", re.IGNORECASE)
_JOINTS = {int(mjtJoint.mjJNT_BALL): "ball", int(mjtJoint.mjJNT_HINGE): "hinge"}
_GEOMS = {
    int(mjtGeom.mjGEOM_SPHERE): ("sphere", 1),
    int(mjtGeom.mjGEOM_CAPSULE): ("capsule", 2),
    int(mjtGeom.mjGEOM_ELLIPSOID): ("ellipsoid", 3),
    int(mjtGeom.mjGEOM_CYLINDER): ("cylinder", 2),
    int(mjtGeom.mjGEOM_BOX): ("box", 3),
}


def import_mjcf(source: str | Path) -> Body:
    """The body of an MJCF file or text."""
    text, where, folder = _read_mjcf(source)
    tree = _parse_mjcf(text, where)
    _inline_includes(tree, folder, where)
    _absolute_asset_paths(tree, folder)
    _check_mjcf_numbers(tree, where)
    _name_mjcf_elements(tree)
    full = _compile_mjcf(ET.tostring(tree, encoding="unicode"), where)
    root = _free_root_name(full, where)
    _check_joint_types(full, root, where)
    _strip_to_character(tree, root)
    name = tree.get("model") or where.removesuffix(".xml")
    return _body_from_mjcf(
        name, model_mjcf(_compile_mjcf(ET.tostring(tree, encoding="unicode"), where), name), full, where
    )


def _body_from_mjcf(name: str, mjcf: str, full: mujoco.MjModel, where: str) -> Body:
    model = _compile_mjcf(mjcf, where)
    joints = model_joints(model, lambda _: None, guess.guess_group)
    links = [model.body(i).name for i in range(1, model.nbody)]
    torque = readonly(guess.guess_torque_limits(full, model))
    standing = grounded_pose(model, _keyframe_pose(full, model))
    return Body(
        name=name,
        mjcf=mjcf,
        joints=joints,
        standing=standing,
        torque_limit=torque,
        torque_limits=Frozen({"model": torque}),
        feet=guess.guess_feet(model, standing, joints),
        hands=guess.guess_hands(model),
        head=next((link for link in links if "head" in link.lower()), None),
        symmetry=symmetry.find_symmetry(model, joints, links),
    )


def _read_mjcf(source: str | Path) -> tuple[str, str, Path]:
    """The text, its name for messages, and the folder to which its file references are relative."""
    if isinstance(source, str) and "<" in source:
        return source, "MJCF text", Path.cwd()
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8"), path.name, path.resolve().parent
    except OSError as error:
        raise PoiseError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise PoiseError(f"{path.name}: not a text file") from None


def _parse_mjcf(text: str, where: str) -> ET.Element:
    try:
        tree = ET.fromstring(text)
    except ET.ParseError as error:
        raise PoiseError(f"{where}: not well-formed XML: {error}") from None
    if tree.tag != "mujoco":
        raise PoiseError(f"{where}: not MJCF: the outermost element is <{tree.tag}>, not <mujoco>")
    return tree


def _inline_includes(tree: ET.Element, folder: Path, where: str) -> None:
    """Replace each <include file=...> by its contents."""
    for parent in list(tree.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag == "include":
                text, name, inner = _read_mjcf(folder / child.get("file", ""))
                included = _parse_mjcf(text, f"{where} includes {name}")
                _inline_includes(included, inner, name)
                parent[place : place + 1] = list(included)


def _absolute_asset_paths(tree: ET.Element, folder: Path) -> None:
    """Make the paths of meshes and textures absolute."""
    if not any(element.get("file") for element in tree.iter()):
        return
    compiler = tree.find("compiler")
    if compiler is None:
        compiler = ET.SubElement(tree, "compiler")
    for kind in ("meshdir", "texturedir"):
        given = compiler.get(kind) or compiler.get("assetdir") or ""
        compiler.set(kind, str(folder / given))
    compiler.attrib.pop("assetdir", None)


def _check_mjcf_numbers(tree: ET.Element, where: str) -> None:
    for element in tree.iter():
        for key, value in element.attrib.items():
            if key not in ("name", "class") and _NOT_FINITE.search(value):
                name = element.get("name") or element.get("joint") or "unnamed"
                raise PoiseError(f"{where}: {element.tag} '{name}' has {key}=\"{value}\", which is not a finite number")


def _name_mjcf_elements(tree: ET.Element) -> None:
    """Give a name to every body, joint and geom without one."""
    taken = {(e.tag, e.get("name")) for e in tree.iter()}
    for body in tree.iter("body"):
        _name_mjcf_element(body, "link", taken)
        for child in body:
            if child.tag == "freejoint" or (child.tag == "joint" and child.get("type") == "free"):
                _name_mjcf_element(child, "root", taken)
            elif child.tag in ("joint", "geom"):
                _name_mjcf_element(child, f"{body.get('name')}_{child.tag}", taken)


def _name_mjcf_element(element: ET.Element, stem: str, taken: set[tuple[str, str | None]]) -> None:
    if element.get("name"):
        return
    tag = "joint" if element.tag == "freejoint" else element.tag
    tries = (stem if k == 0 else f"{stem}_{k}" for k in range(10_000))
    name = next(n for n in tries if (tag, n) not in taken)
    element.set("name", name)
    taken.add((tag, name))


def _compile_mjcf(text: str, where: str) -> mujoco.MjModel:
    try:
        return mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        cause = ", ".join(part.strip() for part in str(error).splitlines() if part.strip())
        raise PoiseError(f"{where}: {cause.removeprefix('Error: ')}") from None


def _free_root_name(model: mujoco.MjModel, where: str) -> str:
    """Name of the one free-rooted body; raises if there is none or if anything else moves."""
    free = [j for j in range(model.njnt) if model.jnt_type[j] == mjtJoint.mjJNT_FREE]
    roots = [model.body(int(model.jnt_bodyid[j])).name for j in free]
    moving = {model.body(int(model.body_rootid[model.jnt_bodyid[j]])).name for j in range(model.njnt)}
    if not moving:
        raise PoiseError(f"{where}: no body has a joint")
    if not roots:
        raise PoiseError(f"{where}: no free root: add <freejoint/> to body '{min(moving)}'")
    if len(moving) > 1:
        raise PoiseError(f"{where}: several characters ({', '.join(sorted(moving))}): a body file holds exactly one")
    return str(roots[0])


def _check_joint_types(model: mujoco.MjModel, root: str, where: str) -> None:
    for j in range(model.njnt):
        joint, link = model.joint(j).name, int(model.jnt_bodyid[j])
        if model.jnt_type[j] == mjtJoint.mjJNT_SLIDE:
            raise PoiseError(f"{where}: joint '{joint}' is a slide joint; use only free, ball and hinge joints")
        if model.jnt_stiffness[j]:
            raise PoiseError(f"{where}: joint '{joint}' has a spring (stiffness); remove it: controllers add stiffness")
        if model.body_jntnum[link] > 1 and model.jnt_type[j] != mjtJoint.mjJNT_HINGE:
            raise PoiseError(f"{where}: joint '{joint}' shares link '{model.body(link).name}' with other joints; "
                             "only hinges may")  # fmt: skip
    if model.body(root).jntnum[0] != 1:
        raise PoiseError(f"{where}: the root '{root}' has joints besides the free one; remove them")


def _strip_to_character(tree: ET.Element, root: str) -> None:
    """Remove everything but the character: floor, lights, cameras, actuators, sensors and keyframes."""
    for section in [child for child in tree if child.tag in _DROPPED]:
        tree.remove(section)
    for world in tree.findall("worldbody"):
        for child in list(world):
            if not any(body.get("name") == root for body in child.iter("body")):
                world.remove(child)
    for parent in list(tree.iter()):
        for child in [c for c in parent if c.tag in ("camera", "light") and parent.tag != "default"]:
            parent.remove(child)


def _keyframe_pose(full: mujoco.MjModel, model: mujoco.MjModel) -> np.ndarray:
    """Pose (nq,) of a keyframe named stand or home if there is one, else the model's zero pose."""
    for k in range(full.nkey):
        if _UPRIGHT.search(full.key(k).name) and full.nq == model.nq:
            return np.array(full.key(k).qpos)
    return np.array(model.qpos0)


def model_mjcf(model: mujoco.MjModel, name: str) -> str:
    """The bodies of a compiled model as MJCF, with all digits."""
    root = ET.Element("mujoco", model=name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    elements = {0: ET.SubElement(root, "worldbody")}
    for body in range(1, model.nbody):
        elements[body] = _body_element(elements[int(model.body_parentid[body])], model, body)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _body_element(parent: ET.Element, model: mujoco.MjModel, body: int) -> ET.Element:
    place = {"pos": mjcf_numbers(model.body_pos[body]), "quat": mjcf_numbers(model.body_quat[body])}
    element = ET.SubElement(parent, "body", {"name": model.body(body).name, **place})
    for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
        element.append(_joint_element(model, joint))
    inertial = {
        "pos": mjcf_numbers(model.body_ipos[body]),
        "quat": mjcf_numbers(model.body_iquat[body]),
        "mass": repr(float(model.body_mass[body])),
        "diaginertia": mjcf_numbers(model.body_inertia[body]),
    }
    if model.body_mass[body] > 0:
        ET.SubElement(element, "inertial", inertial)
    for geom in range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body]):
        element.append(_geom_element_of(model, geom))
    return element


def _joint_element(model: mujoco.MjModel, joint: int) -> ET.Element:
    name = model.joint(joint).name
    if model.jnt_type[joint] == mjtJoint.mjJNT_FREE:
        return ET.Element("freejoint", {"name": name})
    dof = int(model.jnt_dofadr[joint])
    written = {
        "name": name,
        "type": _JOINTS[int(model.jnt_type[joint])],
        "pos": mjcf_numbers(model.jnt_pos[joint]),
        "axis": mjcf_numbers(model.jnt_axis[joint]),
        "damping": repr(float(model.dof_damping[dof])),
        "armature": repr(float(model.dof_armature[dof])),
    }
    if model.jnt_limited[joint]:
        written |= {"limited": "true", "range": mjcf_numbers(model.jnt_range[joint])}
    return ET.Element("joint", written)


def _geom_element_of(model: mujoco.MjModel, geom: int) -> ET.Element:
    kind, count = _GEOMS.get(int(model.geom_type[geom]), ("box", 3))
    size, shift = model.geom_size[geom][:count], model.geom_pos[geom]
    if int(model.geom_type[geom]) not in _GEOMS:
        size = model.geom_aabb[geom][3:]
        centre = model.geom_aabb[geom][:3].copy()
        mujoco.mju_rotVecQuat(centre, model.geom_aabb[geom][:3], model.geom_quat[geom])
        shift = shift + centre
    return ET.Element(
        "geom",
        {
            "name": model.geom(geom).name,
            "type": kind,
            "size": mjcf_numbers(size),
            "pos": mjcf_numbers(shift),
            "quat": mjcf_numbers(model.geom_quat[geom]),
            "mass": "0",
            "rgba": mjcf_numbers(model.geom_rgba[geom]),
            "group": str(int(model.geom_group[geom])),
            "contype": str(int(model.geom_contype[geom])),
            "conaffinity": str(int(model.geom_conaffinity[geom])),
        },
    )
