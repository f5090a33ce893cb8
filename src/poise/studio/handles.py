"""Handles on a body: dragging one bends its limb; dragging the pelvis bends the legs while the feet stay in place."""

from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.surface import lowest_geom_height
from poise.edit.limbs import has_legs, limb_joints
from poise.errors import unknown_name
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
    found = [_make_handle(hand.name, hand.link, hand.point) for hand in body.hands]
    if has_legs(body):
        found += [_make_handle(foot.name, foot.link, foot.points.mean(axis=0)) for foot in body.feet]
        found.append(_make_handle(PELVIS, body.links[0], body.model.body_ipos[1]))
    if body.head is not None:
        found.append(_make_handle("head", body.head, body.model.body_ipos[body.link_id(body.head)]))
    if body.trunk != body.links[0]:
        found.append(_make_handle("chest", body.trunk, body.model.body_ipos[body.link_id(body.trunk)]))
    ends = {each.link for each in found}
    if not body.hands and not body.head:
        found += [
            _make_handle(link, link, body.model.body_ipos[body.link_id(link)])
            for link in body.links[1:]
            if link not in ends
        ]
    return tuple(found)


def _make_handle(name: str, link: str, point: Array) -> Handle:
    x, y, z = np.asarray(point, float).tolist()
    return Handle(name, link, (x, y, z))


def pose_on_ground(body: Body, coordinates: Array) -> Array:
    """Pose (nq,) of coordinates (nv,), with its lowest point on the ground."""
    qpos = pose_from_coordinates(body, coordinates)
    qpos[2] -= lowest_geom_height(body.model, qpos)
    return qpos


def angles_of_drag(body: Body, coordinates: Array, name: str, place: Array) -> dict[int, float]:
    """Angles (rad, by degree of freedom) that bring a handle to `place` (3,) m, or as near as the limits allow."""
    by_name = {handle.name: handle for handle in pose_handles(body)}
    if name not in by_name:
        raise unknown_name("handle", name, by_name)
    handle, start = by_name[name], pose_on_ground(body, coordinates)
    if name == PELVIS:
        return _crouch_angles(body, coordinates, handle, place)
    bends = [dof for joint in limb_joints(body, handle.link) for dof in joint.dofs]
    solver = PoseSolver(body, [(handle.link, handle.point)])
    found = solver.solve(
        _slightly_bent_pose(body, coordinates, bends), places=place[None], place_weights=30.0, prior=start,
        prior_weights=_prior_weights(body, bends), iterations=60,
    )  # fmt: skip
    return _limb_angles(body, found.qpos, bends)


def _slightly_bent_pose(body: Body, coordinates: Array, bends: list[int]) -> Array:
    """Pose (nq,) with its limbs slightly bent: a straight limb has no preferred direction to bend in."""
    eased = np.array(coordinates)
    middle = np.clip(0.5 * (body.lower[bends] + body.upper[bends]), -0.5, 0.5)
    eased[bends] += EASE * (middle - eased[bends])
    return pose_on_ground(body, eased)


def _crouch_angles(body: Body, coordinates: Array, handle: Handle, place: Array) -> dict[int, float]:
    """Angles of the legs (rad, by degree of freedom) that bring the pelvis to a place while the feet stay."""
    start = pose_on_ground(body, coordinates)
    feet = [foot.link for foot in body.feet]
    solver = PoseSolver(body, [(handle.link, handle.point), *((link, np.zeros(3)) for link in feet)], feet)
    data = mujoco.MjData(body.model)
    data.qpos[:] = start
    mujoco.mj_kinematics(body.model, data)
    ids = [body.link_id(link) for link in feet]
    places = np.vstack([place, data.xpos[ids]])
    turns = np.array([matrix_to_quat(data.xmat[k].reshape(3, 3)) for k in ids])
    bends = [dof for link in feet for joint in limb_joints(body, link) for dof in joint.dofs]
    weights = _prior_weights(body, bends)
    weights[:3] = LOOSE
    found = solver.solve(
        _slightly_bent_pose(body, coordinates, bends), places=places, place_weights=[10.0, *[30.0] * len(feet)],
        turns=turns, turn_weights=10.0, prior=start, prior_weights=weights, iterations=60,
    )  # fmt: skip
    return _limb_angles(body, found.qpos, bends)


def _prior_weights(body: Body, bends: list[int]) -> Array:
    weights = np.full(body.nv, FIRM)
    weights[bends] = LOOSE
    return weights


def _limb_angles(body: Body, qpos: Array, bends: list[int]) -> dict[int, float]:
    coordinates = PoseSpace(body).angles(qpos[None])[0]
    return {dof: float(coordinates[dof]) for dof in bends}
