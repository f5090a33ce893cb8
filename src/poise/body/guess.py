"""Data that MJCF does not hold (groups, feet, hands, torque limits), guessed from names, shapes and actuators."""

import re

import mujoco
import numpy as np
from mujoco import mjtBias, mjtGeom, mjtJoint, mjtTrn

from poise.arrays import Array, readonly
from poise.body.parts import Foot, Hand, Joint
from poise.body.surface import solid_geoms_of_body
from poise.body.symmetry import name_side

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
    """Feet from links named foot, else toe or ankle, with the corners of the sole in the standing pose as contacts."""
    links = [model.body(i).name for i in range(1, model.nbody)]
    for word in ("foot", "toe", "ankle"):
        found = (_guess_foot(model, standing, joints, link) for link in links if word in link.lower())
        if usable := tuple(foot for foot in found if foot is not None):
            return usable
    return ()


def guess_hands(model: mujoco.MjModel) -> tuple[Hand, ...]:
    """Hands from links named hand; the contact point of a hand is the link's centre of mass."""
    links = [model.body(i).name for i in range(1, model.nbody)]
    return tuple(Hand(n, n, readonly(model.body(n).ipos)) for n in links if "hand" in n.lower())


def _guess_foot(model: mujoco.MjModel, standing: Array, joints: tuple[Joint, ...], link: str) -> Foot | None:
    data = mujoco.MjData(model)
    data.qpos[:] = standing
    mujoco.mj_kinematics(model, data)
    body = model.body(link).id
    solid, carrier = solid_geoms_of_body(model, body), _carrying_joint(model, joints, body)
    if not solid or carrier is None:
        return None
    cloud = np.concatenate([_geom_low_points(model, data, g) for g in solid])
    ground = np.min(cloud[:, 2])
    sole = cloud[cloud[:, 2] < ground + _SOLE]
    (back, right, _), (front, left, _) = sole.min(axis=0), sole.max(axis=0)
    outer, inner = (right, left) if name_side(link) == "right" else (left, right)
    corners = np.array([[x, y, ground] for x in (back, front) for y in (outer, inner)])
    frame = data.xmat[body].reshape(3, 3)
    return Foot(link, link, readonly((corners - data.xpos[body]) @ frame), carrier)


def _carrying_joint(model: mujoco.MjModel, joints: tuple[Joint, ...], body: int) -> str | None:
    """Name of the joint that moves link `body`: the link's own joint, else that of the nearest jointed ancestor."""
    names = {joint.link: joint.name for joint in joints[1:]}
    while body and model.body(body).name not in names:
        body = int(model.body_parentid[body])
    return names.get(model.body(body).name)


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
