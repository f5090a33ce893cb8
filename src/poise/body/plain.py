"""A compiled model written out as plain MJCF: no defaults, no classes, no degrees, no files.

Scenes put several such texts into one document, and recordings carry it, so it must mean the same everywhere.
A mesh becomes the box around it, since its file would not travel along.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

import mujoco
from mujoco import mjtGeom, mjtJoint

from poise.body.mjcf import numbers

_JOINTS = {int(mjtJoint.mjJNT_BALL): "ball", int(mjtJoint.mjJNT_HINGE): "hinge"}
_GEOMS = {
    int(mjtGeom.mjGEOM_SPHERE): ("sphere", 1),
    int(mjtGeom.mjGEOM_CAPSULE): ("capsule", 2),
    int(mjtGeom.mjGEOM_ELLIPSOID): ("ellipsoid", 3),
    int(mjtGeom.mjGEOM_CYLINDER): ("cylinder", 2),
    int(mjtGeom.mjGEOM_BOX): ("box", 3),
}


def plain(model: mujoco.MjModel, name: str) -> str:
    """The bodies of a model as MJCF, every digit kept."""
    root = ET.Element("mujoco", model=name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    elements = {0: ET.SubElement(root, "worldbody")}
    for body in range(1, model.nbody):
        elements[body] = _body(elements[int(model.body_parentid[body])], model, body)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _body(parent: ET.Element, model: mujoco.MjModel, body: int) -> ET.Element:
    place = {"pos": numbers(model.body_pos[body]), "quat": numbers(model.body_quat[body])}
    element = ET.SubElement(parent, "body", {"name": model.body(body).name, **place})
    for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
        element.append(_joint(model, joint))
    inertial = {
        "pos": numbers(model.body_ipos[body]),
        "quat": numbers(model.body_iquat[body]),
        "mass": repr(float(model.body_mass[body])),
        "diaginertia": numbers(model.body_inertia[body]),
    }
    if model.body_mass[body] > 0:
        ET.SubElement(element, "inertial", inertial)
    for geom in range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body]):
        element.append(_geom(model, geom))
    return element


def _joint(model: mujoco.MjModel, joint: int) -> ET.Element:
    name = model.joint(joint).name
    if model.jnt_type[joint] == mjtJoint.mjJNT_FREE:
        return ET.Element("freejoint", {"name": name})
    dof = int(model.jnt_dofadr[joint])
    written = {
        "name": name,
        "type": _JOINTS[int(model.jnt_type[joint])],
        "pos": numbers(model.jnt_pos[joint]),
        "axis": numbers(model.jnt_axis[joint]),
        "damping": repr(float(model.dof_damping[dof])),
        "armature": repr(float(model.dof_armature[dof])),
    }
    if model.jnt_limited[joint]:
        written |= {"limited": "true", "range": numbers(model.jnt_range[joint])}
    return ET.Element("joint", written)


def _geom(model: mujoco.MjModel, geom: int) -> ET.Element:
    kind, count = _GEOMS.get(int(model.geom_type[geom]), ("box", 3))
    size, shift = model.geom_size[geom][:count], model.geom_pos[geom]
    if int(model.geom_type[geom]) not in _GEOMS:
        size = model.geom_aabb[geom][3:]
        turned = model.geom_aabb[geom][:3].copy()
        mujoco.mju_rotVecQuat(turned, model.geom_aabb[geom][:3], model.geom_quat[geom])
        shift = shift + turned
    return ET.Element(
        "geom",
        {
            "name": model.geom(geom).name,
            "type": kind,
            "size": numbers(size),
            "pos": numbers(shift),
            "quat": numbers(model.geom_quat[geom]),
            "mass": "0",
            "rgba": numbers(model.geom_rgba[geom]),
            "group": str(int(model.geom_group[geom])),
            "contype": str(int(model.geom_contype[geom])),
            "conaffinity": str(int(model.geom_conaffinity[geom])),
        },
    )
