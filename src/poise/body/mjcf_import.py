"""A user's MJCF as a body: checked, reduced to the character, completed by guesses from names, shapes and actuators.

The body's MJCF is written anew from the compiled model, without defaults, classes, degrees or files, because scenes and
recordings copy this MJCF into other documents. A mesh becomes its bounding box, because these documents would lack the
file of the mesh.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
from mujoco import mjtBias, mjtGeom, mjtJoint, mjtTrn

from poise.arrays import Array, Frozen, readonly
from poise.body.assemble import grounded_pose, model_joints
from poise.body.body import Body
from poise.body.mjcf import (
    check_mjcf,
    compile_mjcf,
    geom_element,
    inline_includes,
    mjcf_document,
    mjcf_element,
    parse_mjcf,
    read_mjcf_file,
    resolve_assets,
)
from poise.body.parts import Foot, Hand, Joint
from poise.body.surface import solid_geoms_of_body
from poise.body.symmetry import find_symmetry, name_side
from poise.errors import PoiseError

_DROPPED = frozenset(
    ("actuator", "sensor", "keyframe", "tendon", "equality", "contact", "custom", "visual", "statistic", "size",
     "option", "deformable")
)  # fmt: skip
_UNUSED = frozenset(
    ("size", "custom", "sensor", "visual", "statistic", "extension", "plugin", "texture", "layer", "skin",
     "lengthrange")
)  # fmt: skip
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
    """Build the body of an MJCF file or text."""
    text, where, folder = _read_mjcf(source)
    tree = parse_mjcf(text, where)
    inline_includes(tree, folder, where)
    _drop_unused(tree)
    resolve_assets(tree, folder, where)
    check_mjcf(tree, where, of_body=True)
    _name_mjcf_elements(tree)
    full = compile_mjcf(ET.tostring(tree, encoding="unicode"), where)
    root = _free_root_name(full, where)
    _check_joint_types(full, root, where)
    _strip_mjcf_to_body(tree, root)
    name = tree.get("model") or where.removesuffix(".xml")
    pairs = full.exclude_signature.tolist()  # of bodies between which the MJCF excludes contact
    excluded = [(full.body(pair >> 16).name, full.body(pair & 0xFFFF).name) for pair in pairs]
    mjcf = model_mjcf(compile_mjcf(ET.tostring(tree, encoding="unicode"), where), name, excluded)
    model = compile_mjcf(mjcf, where)
    joints = model_joints(model, lambda _: None, guess_group)
    links = [model.body(i).name for i in range(1, model.nbody)]
    torque = readonly(guess_torque_limits(full, model))
    keys = (full.key(k) for k in range(full.nkey) if full.nq == model.nq)
    upright = (key.qpos for key in keys if _UPRIGHT.search(key.name))  # of a keyframe named stand or home, if any
    standing = grounded_pose(model, next(upright, model.qpos0))
    return Body(
        name=name,
        mjcf=mjcf,
        joints=joints,
        standing=standing,
        torque_limit=torque,
        torque_limits=Frozen({"model": torque}),
        feet=guess_feet(model, standing, joints),
        hands=tuple(Hand(link, readonly(model.body(link).ipos)) for link in links if "hand" in link.lower()),
        head=next((link for link in links if "head" in link.lower()), None),
        symmetry=find_symmetry(model, joints, links),
    )


def _read_mjcf(source: str | Path) -> tuple[str, str, Path]:
    """The MJCF text, a name of the source for messages, and the folder to which file references are relative."""
    if isinstance(source, str) and "<" in source:
        return source, "MJCF text", Path.cwd()
    path = Path(source)
    return read_mjcf_file(path), path.name, path.resolve().parent


def _drop_unused(tree: ET.Element) -> None:
    """Remove what a body does not keep and the first compilation does not need."""
    for parent in list(tree.iter()):
        parent.attrib.pop("texture", None)
        for child in [c for c in parent if c.tag in _UNUSED]:
            parent.remove(child)
    compiler = ET.SubElement(tree, "compiler")
    ET.SubElement(compiler, "lengthrange", mode="none")  # else MuJoCo simulates muscles, which may never end


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


def _name_mjcf_element(node: ET.Element, stem: str, taken: set[tuple[str, str | None]]) -> None:
    """Give the element the name `stem`, or `stem` with a number if the name is taken; a named element is unchanged."""
    if node.get("name"):
        return
    tag = "joint" if node.tag == "freejoint" else node.tag
    tries = (stem if k == 0 else f"{stem}_{k}" for k in range(10_000))
    name = next(n for n in tries if (tag, n) not in taken)
    node.set("name", name)
    taken.add((tag, name))


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


def _strip_mjcf_to_body(tree: ET.Element, root: str) -> None:
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


def model_mjcf(model: mujoco.MjModel, name: str, excluded: Iterable[tuple[str, str]] = ()) -> str:
    """The bodies of a compiled model as MJCF text, with all digits; contact is excluded between `excluded` bodies."""
    links = ((int(model.body_parentid[b]), b, _body_element(model, b)) for b in range(1, model.nbody))
    own = {model.body(b).name for b in range(1, model.nbody)}
    return mjcf_document(name, links, [pair for pair in excluded if own.issuperset(pair)])


def _body_element(model: mujoco.MjModel, body: int) -> ET.Element:
    written = mjcf_element("body", name=model.body(body).name, pos=model.body_pos[body], quat=model.body_quat[body])
    joints, geoms = int(model.body_jntadr[body]), int(model.body_geomadr[body])
    written.extend(_mjcf_joint_of_body(model, k) for k in range(joints, joints + int(model.body_jntnum[body])))
    if (mass := float(model.body_mass[body])) > 0:
        pos, quat, inertia = model.body_ipos[body], model.body_iquat[body], model.body_inertia[body]
        written.append(mjcf_element("inertial", pos=pos, quat=quat, mass=mass, diaginertia=inertia))
    written.extend(_geom_element_of(model, k) for k in range(geoms, geoms + int(model.body_geomnum[body])))
    return written


def _mjcf_joint_of_body(model: mujoco.MjModel, joint: int) -> ET.Element:
    name = model.joint(joint).name
    if model.jnt_type[joint] == mjtJoint.mjJNT_FREE:
        return mjcf_element("freejoint", name=name)
    kind, dof = _JOINTS[int(model.jnt_type[joint])], int(model.jnt_dofadr[joint])
    passive = {"damping": float(model.dof_damping[dof]), "armature": float(model.dof_armature[dof])}
    limits = {"limited": "true", "range": model.jnt_range[joint]} if model.jnt_limited[joint] else {}
    pos, axis = model.jnt_pos[joint], model.jnt_axis[joint]
    return mjcf_element("joint", name=name, type=kind, pos=pos, axis=axis, **passive, **limits)


def _geom_element_of(model: mujoco.MjModel, index: int) -> ET.Element:
    kind, count = _GEOMS.get(int(model.geom_type[index]), ("box", 3))
    size, shift = model.geom_size[index][:count], model.geom_pos[index]
    if int(model.geom_type[index]) not in _GEOMS:
        size = model.geom_aabb[index][3:]
        centre = model.geom_aabb[index][:3].copy()
        mujoco.mju_rotVecQuat(centre, model.geom_aabb[index][:3], model.geom_quat[index])
        shift = shift + centre
    place = {"size": size, "pos": shift, "quat": model.geom_quat[index]}
    flags = {key: int(getattr(model, f"geom_{key}")[index]) for key in ("group", "contype", "conaffinity")}
    return geom_element(model.geom(index).name, kind, **place, mass="0", rgba=model.geom_rgba[index], **flags)


_LEG = re.compile(r"thigh|hip|knee|shin|shank|calf|leg|foot|feet|ankle|toe|femur|tibia", re.IGNORECASE)
_ARM = re.compile(r"shoulder|arm|elbow|wrist|hand|humerus|radius|clavicle|finger|thumb", re.IGNORECASE)
_HEAD = re.compile(r"neck|head", re.IGNORECASE)
_SOLE = 0.02  # m: points up to this height above the lowest point of a foot belong to its sole


def guess_group(link: str) -> str:
    """The group (left_leg, trunk, head ...) of a link, guessed from the link's name."""
    side = name_side(link)
    if side and _ARM.search(link):
        return f"{side}_arm"
    if side and _LEG.search(link):
        return f"{side}_leg"
    return "head" if _HEAD.search(link) else "trunk"


def guess_torque_limits(full: mujoco.MjModel, model: mujoco.MjModel) -> Array:
    """Torque limits (nv,) N m of `model`, from actuatorfrcrange or the actuators of `full`; infinite without either."""
    limits = np.full(model.nv, np.inf)
    limits[:6] = 0.0
    for j in range(1, model.njnt):
        twin = full.joint(model.joint(j).name).id
        start = int(model.jnt_dofadr[j])
        count = 3 if model.jnt_type[j] == mjtJoint.mjJNT_BALL else 1
        if full.jnt_actfrclimited[twin]:
            limits[start : start + count] = np.max(np.abs(full.jnt_actfrcrange[twin]))
        else:
            limits[start : start + count] = _actuator_torque_limit(full, twin, count)
    return limits


def _actuator_torque_limit(full: mujoco.MjModel, joint: int, count: int) -> Array:
    """Sum (count,) N m of the largest torques of a joint's actuators; infinite without actuators."""
    total = np.zeros(count)
    for a in range(full.nu):
        if full.actuator_trntype[a] == mjtTrn.mjTRN_JOINT and full.actuator_trnid[a, 0] == joint:
            total += np.abs(full.actuator_gear[a, :count]) * _actuator_force_limit(full, a)
    return np.where(total > 0, total, np.inf)


def _actuator_force_limit(full: mujoco.MjModel, actuator: int) -> float:
    """The largest force of an actuator before the gear; infinite if unbounded."""
    if full.actuator_forcelimited[actuator]:
        return float(np.max(np.abs(full.actuator_forcerange[actuator])))
    if full.actuator_biastype[actuator] == mjtBias.mjBIAS_NONE and full.actuator_ctrllimited[actuator]:
        return float(abs(full.actuator_gainprm[actuator, 0]) * np.max(np.abs(full.actuator_ctrlrange[actuator])))
    return float(np.inf)


def guess_feet(model: mujoco.MjModel, standing: Array, joints: tuple[Joint, ...]) -> tuple[Foot, ...]:
    """Feet from links named "foot", or else "toe" or "ankle"; their contacts are the corners of the standing sole."""
    links = [model.body(i).name for i in range(1, model.nbody)]
    for word in ("foot", "toe", "ankle"):
        found = (_guess_foot(model, standing, joints, link) for link in links if word in link.lower())
        if usable := tuple(foot for foot in found if foot is not None):
            return usable
    return ()


def _guess_foot(model: mujoco.MjModel, standing: Array, joints: tuple[Joint, ...], link: str) -> Foot | None:
    data = mujoco.MjData(model)
    data.qpos[:] = standing
    mujoco.mj_kinematics(model, data)
    body = model.body(link).id
    solid, names = solid_geoms_of_body(model, body), {joint.link: joint.name for joint in joints[1:]}
    carrier = names.get(model.body(model.body_weldid[body]).name)  # the joint of the link or its nearest ancestor's
    if not solid or carrier is None:
        return None
    cloud = np.concatenate([_geom_low_points(model, data, g) for g in solid])
    ground = np.min(cloud[:, 2])
    sole = cloud[cloud[:, 2] < ground + _SOLE]
    (back, right, _), (front, left, _) = sole.min(axis=0), sole.max(axis=0)
    outer, inner = (right, left) if name_side(link) == "right" else (left, right)
    corners = np.array([[x, y, ground] for x in (back, front) for y in (outer, inner)])
    frame = data.xmat[body].reshape(3, 3)
    return Foot(link, readonly((corners - data.xpos[body]) @ frame), carrier)


def _geom_low_points(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Points (k, 3) m, in the world, where a shape may touch a plane below it."""
    centre, frame, size = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3), model.geom_size[geom]
    if model.geom_type[geom] == mjtGeom.mjGEOM_SPHERE:
        return np.array([centre - [0, 0, size[0]]])
    if model.geom_type[geom] == mjtGeom.mjGEOM_CAPSULE:
        return np.array([centre + s * size[1] * frame[:, 2] - [0, 0, size[0]] for s in (-1, 1)])
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    middle, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    return np.asarray(centre + (middle + corners * half) @ frame.T)
