"""Limbs and feet of a body: joint chains, leg lengths, contact parts and sole points."""

from collections.abc import Collection

import numpy as np

from poise.arrays import Array, Mask
from poise.body.body import Body
from poise.body.parts import Joint
from poise.body.surface import contact_parts
from poise.errors import PoiseError, unknown_name
from poise.reference.body_clip import posed_data

STRETCH, STRAIGHT = 0.985, 0.997  # leg lengths: usual limit of a leg's stretch, and limit if the motion exceeds that


def chain_joints(body: Body, link: str) -> list[Joint]:
    """The joints on the way from the root to a link, in this order; without the joint of the root."""
    of_link = {joint.link: joint for joint in body.joints}
    chain: list[Joint] = []
    model, number = body.model, body.link_id(link)
    while number:
        joint = of_link.get(body.links[number - 1])
        if joint is not None and joint.kind != "free":
            chain.insert(0, joint)
        number = int(model.body_parentid[number])
    return chain


def limb_joints(body: Body, link: str) -> list[Joint]:
    """The joints of the limb that a link belongs to, on the way from the trunk to the link."""
    chain = chain_joints(body, link)
    return [joint for joint in chain if joint.group == chain[-1].group]


def has_legs(body: Body) -> bool:
    """Whether the body has feet, and joints between each foot and the root's link."""
    return bool(body.feet) and all(chain_joints(body, foot.link) for foot in body.feet)


def require_legs(body: Body, for_whom: str) -> None:
    """Raise a PoiseError unless `has_legs`. `for_whom` names what needs legs."""
    body.require("feet", for_whom=for_whom)
    if not has_legs(body):
        raise PoiseError(f"body '{body.name}' lacks legs, which {for_whom} needs: its feet are part of the root's link")


def leg_lengths(body: Body) -> Array:
    """(F,) m: length of the leg of each of the F feet, from hip to ankle with a straight knee."""
    data = next(posed_data(body, body.model.qpos0[None]))
    ways = [data.xanchor[[joint_element_id(body, j) for j in chain_joints(body, foot.link)]] for foot in body.feet]
    return np.array([np.linalg.norm(np.diff(way, axis=0), axis=1).sum() for way in ways])


def hip_points(body: Body) -> list[tuple[str, Array]]:
    """For each foot: its hip joint as a link and a position (3,) m in the link's frame."""
    data, found = next(posed_data(body, body.model.qpos0[None])), []
    for foot in body.feet:
        hip = chain_joints(body, foot.link)[0]
        link = body.link_id(str(hip.parent_link))
        away = data.xanchor[joint_element_id(body, hip)] - data.xpos[link]
        found.append((str(hip.parent_link), data.xmat[link].reshape(3, 3).T @ away))
    return found


def pelvis_drop(hip: Array, foot: Array, lengths: Array, used: Array) -> Array:
    """(T,) m by which the pelvis must drop, so that each foot (T, F, 3) m is within easy reach of its hip.

    That is nearly the leg's length (F,) m, or the distance `used` (T, F) m in the motion if that is more.
    """
    reach = np.maximum(STRETCH * lengths, np.minimum(used, STRAIGHT * lengths))
    across = np.linalg.norm((hip - foot)[..., :2], axis=-1)
    up = hip[..., 2] - foot[..., 2]
    return np.asarray(np.maximum(up - np.sqrt(np.maximum(reach**2 - across**2, 0.0)), 0.0).max(axis=1))


def joint_element_id(body: Body, joint: Joint) -> int:
    """MuJoCo's joint id of the first of the MuJoCo joints that make up `joint`."""
    return int(body.model.joint(joint.elements[0]).id)


def foot_parts(body: Body) -> list[list[int]]:
    """For each foot: indices of the contact parts of the foot and its toes."""
    below = {foot.link: {foot.link, *(j.link for j in body.joints if j.parent_link == foot.link)} for foot in body.feet}
    parts = contact_parts(body)
    return [[i for i, part in enumerate(parts) if part.link in below[foot.link]] for foot in body.feet]


def parts_moved_by(body: Body, dofs: Collection[int]) -> Mask:
    """(P,) whether each contact part is moved by any of the given degrees of freedom."""
    chains = [chain_joints(body, part.link) for part in contact_parts(body)]
    return np.array([any(dof in dofs for joint in chain for dof in joint.dofs) for chain in chains], bool)


def toe_dofs(body: Body) -> list[list[int]]:
    """For each foot: indices of the degrees of freedom of its toes."""
    return [[dof for j in body.joints if j.parent_link == foot.link for dof in j.dofs] for foot in body.feet]


def sole_points(body: Body) -> list[Array]:
    """For each foot: contact points (n, 3) m of foot and toes in the foot's frame, with toes as when standing."""
    data, parts, found = next(posed_data(body, body.standing[None])), contact_parts(body), []
    for foot, numbers in zip(body.feet, foot_parts(body), strict=True):
        link, own = body.link_id(foot.link), [(body.link_id(parts[i].link), parts[i].points) for i in numbers]
        world = np.concatenate([data.xpos[b] + points @ data.xmat[b].reshape(3, 3).T for b, points in own])
        found.append((world - data.xpos[link]) @ data.xmat[link].reshape(3, 3))
    return found


def sole_spans(body: Body) -> list[tuple[float, float, float]]:
    """For each foot: distances (m) of heel (backward), ball and toes (forward) from the middle of the foot's points."""
    spans = []
    for foot, points in zip(body.feet, sole_points(body), strict=True):
        along = points[:, 0] - foot.points[:, 0].mean()
        spans.append((float(-along.min()), float(np.ptp(foot.points[:, 0]) / 2), float(along.max())))
    return spans


def part_point(body: Body, name: str) -> tuple[str, Array]:
    """The link of a named body part, and a point (3,) m in its frame: hand's grip, sole's middle or centre of mass."""
    for hand in body.hands:
        if hand.link == name:
            return hand.link, hand.point
    for foot in body.feet:
        if foot.link == name:
            return foot.link, foot.points.mean(axis=0)
    if name == "head" and body.head is not None:
        name = body.head
    if name not in body.links:
        ends = {*(hand.link for hand in body.hands), *(foot.link for foot in body.feet)}
        raise unknown_name("body part", name, {*body.links} | ends)
    return name, np.array(body.model.body_ipos[body.link_id(name)])
