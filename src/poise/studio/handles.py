"""Handles on a body: dragging one bends its limb; dragging the pelvis bends the legs while the feet stay in place."""

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.surface import lowest_geom_height
from poise.edit.limbs import has_legs, limb_joints, part_point
from poise.errors import known_name
from poise.reference.body_clip import posed_data
from poise.reference.key_poses import pose_from_coordinates
from poise.retarget.ik import PoseSolver
from poise.rotations import matrix_to_quat

FIRM, LOOSE = 30.0, 0.03  # Prior weights of the coordinates that stay and of those that bend
EASE = 0.2  # Share of the distance to the middle of their range by which limbs are bent before solving
PELVIS = "pelvis"


class Handle(NamedTuple):
    """A point of a link that can be dragged."""

    name: str
    link: str
    point: tuple[float, float, float]  # m, in the link's frame


def pose_handles(body: Body) -> tuple[Handle, ...]:
    """Hands, feet, head, chest and, for a body with legs, the pelvis; all links for a body without hands and head."""
    parts = {hand.link: hand.link for hand in body.hands}  # by name of the handle
    if has_legs(body):
        parts |= {foot.link: foot.link for foot in body.feet} | {PELVIS: body.links[0]}
    if body.head is not None:
        parts["head"] = body.head
    if body.trunk != body.links[0]:
        parts["chest"] = body.trunk
    if not body.hands and not body.head:
        ends = {part_point(body, part)[0] for part in parts.values()}
        parts |= {link: link for link in body.links[1:] if link not in ends}
    found = ((name, *part_point(body, part)) for name, part in parts.items())
    return tuple(Handle(name, link, (x, y, z)) for name, link, point in found for x, y, z in (point.tolist(),))


def pose_on_ground(body: Body, coordinates: Array) -> Array:
    """Pose (nq,) of coordinates (nv,), with its lowest point on the ground."""
    qpos = pose_from_coordinates(body, coordinates)
    qpos[2] -= lowest_geom_height(body.model, qpos)
    return qpos


def angles_of_drag(body: Body, coordinates: Array, name: str, place: Array) -> dict[int, float]:
    """Angles (rad, by degree of freedom) that bring a handle to `place` (3,) m, or as near as the limits allow."""
    by_name = {handle.name: handle for handle in pose_handles(body)}
    handle, start = by_name[known_name("handle", name, by_name)], pose_on_ground(body, coordinates)
    feet = [foot.link for foot in body.feet] if name == PELVIS else []  # which stay while the legs bend
    bends = [dof for link in feet or [handle.link] for joint in limb_joints(body, link) for dof in joint.dofs]
    weights = np.full(body.nv, FIRM)
    weights[bends] = LOOSE
    eased = np.array(coordinates)  # slightly bent: a straight limb has no preferred direction to bend in
    eased[bends] += EASE * (np.clip(0.5 * (body.lower[bends] + body.upper[bends]), -0.5, 0.5) - eased[bends])
    wanted: dict[str, Any] = {"places": place[None], "place_weights": 30.0}
    if feet:
        weights[:3] = LOOSE
        data, ids = next(posed_data(body, start[None])), [body.link_id(link) for link in feet]
        turns = np.array([matrix_to_quat(data.xmat[k].reshape(3, 3)) for k in ids])
        wanted = {"places": np.vstack([place, data.xpos[ids]]), "place_weights": [10.0, *[30.0] * len(feet)]}
        wanted |= {"turns": turns, "turn_weights": 10.0}
    solver = PoseSolver(body, [(handle.link, handle.point), *((link, np.zeros(3)) for link in feet)], feet)
    first = pose_on_ground(body, eased)
    found = solver.solve(first, prior=start, prior_weights=weights, iterations=60, **wanted)
    angles = PoseSpace(body).angles(found.qpos[None])[0]
    return {dof: float(angles[dof]) for dof in bends}
