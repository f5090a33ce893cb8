"""The surface of a body: shapes, spheres and parts that make contact, distances, the lowest point."""

import math
from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np
from mujoco import mjtGeom

from poise.arrays import Array, Ints, readonly
from poise.body.body import Body
from poise.rotations import quat_rotate


@dataclass(frozen=True, eq=False)
class ContactSphere:
    """A sphere fixed to a link."""

    name: str
    link: str
    centre: Array  # (3,) m in the link frame
    radius: float  # m


def contact_spheres_of_body(body: Body) -> tuple[ContactSphere, ...]:
    """Spheres that can touch the ground: solid spheres, ends of solid capsules, corners of solid boxes (radius 0)."""
    model = body.model
    out = []
    for g in solid_geoms_of_body(model):
        radius, ends = _geom_sphere_centres(int(model.geom_type[g]), model.geom_size[g])
        link = model.body(model.geom_bodyid[g]).name
        for number, end in enumerate(ends):
            centre = model.geom_pos[g] + quat_rotate(model.geom_quat[g], end)
            out.append(ContactSphere(f"{model.geom(g).name}_{number}", link, readonly(centre), radius))
    return tuple(out)


def solid_geoms_of_body(model: mujoco.MjModel, body: int | None = None) -> list[int]:
    """Ids of the geoms that make contact, of the link `body` or (None) of all links, without the world's geoms."""
    solid = (model.geom_contype | model.geom_conaffinity) != 0
    return np.flatnonzero(solid & (model.geom_bodyid != 0 if body is None else model.geom_bodyid == body)).tolist()


def _geom_sphere_centres(kind: int, size: Array) -> tuple[float, Array]:
    """Radius (m) and centres (k, 3) m, in the geom's frame, of the spheres of a sphere, capsule or box; else none."""
    if kind == mjtGeom.mjGEOM_SPHERE:
        return float(size[0]), np.zeros((1, 3))
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return float(size[0]), np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]])
    if kind == mjtGeom.mjGEOM_BOX:
        return 0.0, np.array(list(product((-1.0, 1.0), repeat=3))) * size
    return 0.0, np.zeros((0, 3))


def distance_to_link(model: mujoco.MjModel, body: int, place: Array) -> float:
    """Distance (m) from a point in a link's frame to the link's nearest geom: 0 inside, infinite without geoms."""
    own = np.flatnonzero(model.geom_bodyid == body).tolist()
    return max(min((distance_to_geom(model, geom, place) for geom in own), default=math.inf), 0.0)


def distance_to_geom(model: mujoco.MjModel, geom: int, place: Array) -> float:
    """Signed distance (m) from a point in the link frame to a geom; ellipsoids and meshes count as bounding spheres."""
    inverse, point = np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(inverse, model.geom_quat[geom])
    mujoco.mju_rotVecQuat(point, np.asarray(place, float) - model.geom_pos[geom], inverse)
    size, kind = model.geom_size[geom], mjtGeom(int(model.geom_type[geom]))
    if kind == mjtGeom.mjGEOM_PLANE:
        return abs(float(point[2]))
    if kind == mjtGeom.mjGEOM_BOX:
        return _distance_to_body_box(np.abs(point) - size)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return _distance_to_body_box(np.array([math.hypot(point[0], point[1]), abs(point[2])]) - size[:2])
    if kind == mjtGeom.mjGEOM_CAPSULE:
        point[2] -= min(max(point[2], -size[1]), size[1])
    radius = size[0] if kind in (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE) else model.geom_rbound[geom]
    return float(np.linalg.norm(point) - radius)


def _distance_to_body_box(excess: Array) -> float:
    """Signed distance (m) to a box or cylinder from the excess (K,) m beyond its faces in orthogonal directions."""
    return float(np.linalg.norm(np.maximum(excess, 0.0)) + min(excess.max(), 0.0))


def lowest_geom_height(model: mujoco.MjModel, qpos: Array) -> float:
    """Height (m) of the lowest point of all solid geoms in a pose (nq,); infinite if there are none."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    heights = [float(data.geom_xpos[g, 2]) - _depth_in_body_geom(model, data, g) for g in solid_geoms_of_body(model)]
    return min(heights, default=np.inf)


def _depth_in_body_geom(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Distance (m) by which a shape extends below its centre."""
    axis = data.geom_xmat[geom].reshape(3, 3)[2]  # z components of the shape's axes
    down, size, kind = np.abs(axis), model.geom_size[geom], model.geom_type[geom]
    if kind == mjtGeom.mjGEOM_SPHERE:
        return float(size[0])
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return float(size[0] + size[1] * down[2])
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return float(size[0] * np.hypot(down[0], down[1]) + size[1] * down[2])
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        return float(np.linalg.norm(size * down))
    if kind == mjtGeom.mjGEOM_BOX:
        return float(size @ down)
    mesh = int(model.geom_dataid[geom])
    if mesh < 0:
        return float(model.geom_rbound[geom])
    start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    return float(-np.min(model.mesh_vert[start : start + count] @ axis))


@dataclass(frozen=True, eq=False)
class ContactPart:
    """Points of a link that make contact together."""

    name: str  # left_foot_heel, left_foot_ball, left_toes_tip, left_hand
    limb: str  # left_foot, left_hand
    link: str
    points: Array  # (k, 3) m in the link frame


def contact_parts(body: Body) -> tuple[ContactPart, ...]:
    """The contact parts of a body: heel, ball and (if it has hinged toes) toe tip of each foot, then the hands."""
    parts, carriers = [], {joint.parent_link for joint in body.joints}
    for foot in body.feet:
        parts.append(ContactPart(f"{foot.link}_heel", foot.link, foot.link, readonly(foot.points[:2])))
        parts.append(ContactPart(f"{foot.link}_ball", foot.link, foot.link, readonly(foot.points[2:])))
        for joint in body.joints if foot.link != body.links[0] else ():  # the root, such as a lamp's base, has no toes
            if joint.parent_link == foot.link and joint.link not in carriers:
                parts.append(ContactPart(f"{joint.link}_tip", foot.link, joint.link, _toe_tip_point(body, joint.link)))
    parts += [ContactPart(hand.link, hand.link, hand.link, readonly(hand.point[None])) for hand in body.hands]
    return tuple(parts)


def _toe_tip_point(body: Body, link: str) -> Array:
    """Lowest point (1, 3) m of the foremost solid shape of the toes, in the link frame."""
    model, body_id = body.model, body.link_id(link)
    front = max(solid_geoms_of_body(model, body_id), key=lambda g: model.geom_pos[g, 0], default=-1)
    if front < 0:
        return readonly(2 * model.body_ipos[body_id][None])
    return readonly((model.geom_pos[front] - np.array([0.0, 0.0, model.geom_size[front, 0]]))[None])


def foot_links(body: Body) -> tuple[Ints, ...]:
    """For each foot, the ids of its links: the foot's own link and all descendants of this link."""
    return tuple(descendant_links(body.model, body.link_id(foot.link)) for foot in body.feet)


def descendant_links(model: mujoco.MjModel, top: int) -> Ints:
    """Ids of the link `top` and all its descendants, ascending."""
    found = {top}
    for link in range(1, model.nbody):  # parents come before their children
        if int(model.body_parentid[link]) in found:
            found.add(link)
    return np.array(sorted(found), np.int64)
