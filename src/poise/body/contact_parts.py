"""The parts of a body that make contact: heels, balls of the feet, toe tips, hands."""

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array, Ints, readonly
from poise.body.body import Body
from poise.body.surface import solid_geoms_of_body


@dataclass(frozen=True, eq=False)
class ContactPart:
    """Points of a link that make contact together."""

    name: str  # left_foot_heel, left_foot_ball, left_toes_tip, left_hand
    limb: str  # left_foot, left_hand
    link: str
    points: Array  # (k, 3) m in the link frame


def contact_parts(body: Body) -> tuple[ContactPart, ...]:
    """The contact parts of a body: heel, ball and (if it has hinged toes) toe tip of each foot, then the hands."""
    parts = []
    for foot in body.feet:
        parts.append(ContactPart(f"{foot.name}_heel", foot.name, foot.link, readonly(foot.points[:2])))
        parts.append(ContactPart(f"{foot.name}_ball", foot.name, foot.link, readonly(foot.points[2:])))
        for link in _toe_links(body, foot.link):
            parts.append(ContactPart(f"{link}_tip", foot.name, link, _toe_tip_point(body, link)))
    parts += [ContactPart(hand.name, hand.name, hand.link, readonly(hand.point[None])) for hand in body.hands]
    return tuple(parts)


def _toe_links(body: Body, foot: str) -> list[str]:
    """Names of the childless links hinged to a foot; none if the foot is the root, such as a lamp's base."""
    carriers = {joint.parent_link for joint in body.joints}
    below = [joint.link for joint in body.joints if joint.parent_link == foot and joint.link not in carriers]
    return below if foot != body.links[0] else []


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
