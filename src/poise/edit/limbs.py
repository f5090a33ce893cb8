"""Limbs and feet of a body: joint chains, leg lengths, contact parts and sole points."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.body import Body
from poise.body.contact_parts import contact_parts
from poise.body.parts import Joint
from poise.errors import PoiseError, unknown_name

STRETCH, STRAIGHT = 0.985, 0.997  # leg lengths: usual limit of a leg's stretch, and limit if the motion exceeds it


def chain_joints(body: Body, link: str) -> list[Joint]:
    """The joints from the root's link to a link, without the root's own."""
    of_link = {joint.link: joint for joint in body.joints}
    chain: list[Joint] = []
    model, number = body.model, body.link_id(link)
    while number:
        joint = of_link.get(body.links[number - 1])
        if joint is not None and joint.kind != "free":
            chain.insert(0, joint)
        number = int(model.body_parentid[number])
    return chain


def has_legs(body: Body) -> bool:
    """Whether the body has feet, with joints between them and the root's link."""
    return bool(body.feet) and all(chain_joints(body, foot.link) for foot in body.feet)


def require_legs(body: Body, for_whom: str) -> None:
    """Raise a PoiseError unless the body has feet, and joints between them and the root's link."""
    body.require("feet", for_whom=for_whom)
    if not has_legs(body):
        raise PoiseError(f"body '{body.name}' lacks legs, which {for_whom} needs: its feet are part of the root's link")


def leg_lengths(body: Body) -> Array:
    """(F,) m: length of each leg from hip to the foot's joint, with the knee straight."""
    data = mujoco.MjData(body.model)
    mujoco.mj_kinematics(body.model, data)
    ways = [data.xanchor[[joint_element_id(body, j) for j in chain_joints(body, foot.link)]] for foot in body.feet]
    return np.array([np.linalg.norm(np.diff(way, axis=0), axis=1).sum() for way in ways])


def hip_points(body: Body) -> list[tuple[str, Array]]:
    """The hip joint of each foot's leg, as a link and a position in its frame."""
    data, found = mujoco.MjData(body.model), []
    mujoco.mj_kinematics(body.model, data)
    for foot in body.feet:
        hip = chain_joints(body, foot.link)[0]
        link = body.link_id(str(hip.parent_link))
        away = data.xanchor[joint_element_id(body, hip)] - data.xpos[link]
        found.append((str(hip.parent_link), data.xmat[link].reshape(3, 3).T @ away))
    return found


def easy_reach(lengths: Array, used: Array) -> Array:
    """(T, F) m: greatest stretch of legs: a little less than their lengths, or as far as they are `used` already."""
    return np.maximum(STRETCH * lengths, np.minimum(used, STRAIGHT * lengths))


def pelvis_drop(hip: Array, foot: Array, reach: Array) -> Array:
    """(T,) m by which the pelvis must drop so that no foot (T, F, 3) is beyond its `reach` (T, F) from the hip."""
    across = np.linalg.norm((hip - foot)[..., :2], axis=-1)
    up = hip[..., 2] - foot[..., 2]
    return np.asarray(np.maximum(up - np.sqrt(np.maximum(reach**2 - across**2, 0.0)), 0.0).max(axis=1))


def joint_element_id(body: Body, joint: Joint) -> int:
    """MuJoCo's id of a joint's first element."""
    return int(body.model.joint(joint.elements[0]).id)


def foot_parts(body: Body) -> list[list[int]]:
    """Indices of each foot's contact parts: its own, and those of links below it."""
    below = {foot.link: {foot.link, *(j.link for j in body.joints if j.parent_link == foot.link)} for foot in body.feet}
    parts = contact_parts(body)
    return [[i for i, part in enumerate(parts) if part.link in below[foot.link]] for foot in body.feet]


def parts_moved_by(body: Body, dofs: Collection[int]) -> NDArray[np.bool_]:
    """(P,) which contact parts the given degrees of freedom move."""
    chains = [chain_joints(body, part.link) for part in contact_parts(body)]
    return np.array([any(dof in dofs for joint in chain for dof in joint.dofs) for chain in chains], bool)


def toe_dofs(body: Body) -> list[list[int]]:
    """Degrees of freedom of each foot's toes."""
    return [[dof for j in body.joints if j.parent_link == foot.link for dof in j.dofs] for foot in body.feet]


def sole_points(body: Body) -> list[Array]:
    """Contact points (n, 3) m of each foot and its toes, in the foot's frame, in the standing pose."""
    data, parts, found = mujoco.MjData(body.model), contact_parts(body), []
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    for foot, numbers in zip(body.feet, foot_parts(body), strict=True):
        link, own = body.link_id(foot.link), [(body.link_id(parts[i].link), parts[i].points) for i in numbers]
        world = np.concatenate([data.xpos[b] + points @ data.xmat[b].reshape(3, 3).T for b, points in own])
        found.append((world - data.xpos[link]) @ data.xmat[link].reshape(3, 3))
    return found


def sole_spans(body: Body) -> list[tuple[float, float, float]]:
    """Distances (m) of each foot's heel, ball and toes from the middle of its contact points."""
    spans = []
    for foot, points in zip(body.feet, sole_points(body), strict=True):
        along = points[:, 0] - foot.points[:, 0].mean()
        spans.append((float(-along.min()), float(np.ptp(foot.points[:, 0]) / 2), float(along.max())))
    return spans


def part_point(body: Body, name: str) -> tuple[str, Array]:
    """A body part by name, as a link and a point (3,) m: a hand's grip, a sole's middle, else the centre of mass."""
    for hand in body.hands:
        if hand.name == name:
            return hand.link, hand.point
    for foot in body.feet:
        if foot.name == name:
            return foot.link, foot.points.mean(axis=0)
    if name == "head" and body.head is not None:
        name = body.head
    if name not in body.links:
        raise unknown_name(
            "body part", name, {*body.links, *(h.name for h in body.hands), *(f.name for f in body.feet)}
        )
    return name, np.array(body.model.body_ipos[body.link_id(name)])
