"""First poses for retargeting: every joint turned so that its link comes as near as it can to the wanted turn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.body import Body
from poise.body.parts import Joint
from poise.body.rigging import hinge_angles
from poise.frozen import Array
from poise.reference.ik_kinematics import Kinematics
from poise.reference.retarget_figure import Figure
from poise.spatial import quat_conjugate, quat_exp, quat_multiply, quat_rotate, slerp

_CREDIBLE = 0.6  # rad beyond a hinge's limits


def first_poses(body: Body, target: Figure, turns: Mapping[str, Array], hips: Array) -> Array:
    """(T, nq) poses for turns (T, 4) from the standing pose by role, and places (T, 3) of the middle of the hips."""
    wanted = _wanted(target, turns)
    frames, model = len(hips), body.model
    stand = _standing_turns(body)
    qpos = np.tile(body.standing, (frames, 1))
    world = np.empty((len(body.links), frames, 4))
    joints = {joint.link: joint for joint in body.joints}
    for link, name in enumerate(body.links):
        parent = int(model.body_parentid[link + 1]) - 1
        here = model.body_quat[link + 1] if parent < 0 else quat_multiply(world[parent], model.body_quat[link + 1])
        joint = joints.get(name)
        if joint is None:
            world[link] = here
        elif joint.kind == "free":
            world[link] = quat_multiply(turns["pelvis"], stand[link])
            qpos[:, 3:7] = world[link]
        else:
            local = _local(joint, body, wanted, link, here, stand[link])
            qpos[:, list(joint.qpos)], turned = _joint_values(joint, local)
            world[link] = quat_multiply(here, turned)
    qpos[:, :3] = hips - quat_rotate(qpos[:, 3:7], hips_in_root(body, target))
    return qpos


def hips_in_root(body: Body, target: Figure) -> Array:
    """(3,) m the middle of the hips in the root's frame."""
    return quat_rotate(quat_conjugate(body.standing[3:7]), target.middle("thigh") - body.standing[:3])


def _wanted(target: Figure, turns: Mapping[str, Array]) -> dict[int, Array]:
    """Link to its turn from standing: those with a role, and between pelvis, chest and head an even share."""
    out = {link: turns[role] for role, link in target.joints.items() if role in turns}
    for low, high, chain in (("pelvis", "chest", target.spine), ("chest", "head", target.neck)):
        if low in turns and high in turns:
            for k, link in enumerate(chain):
                out[link] = slerp(turns[low], turns[high], np.asarray((k + 1) / len(chain)))
    return out


def _standing_turns(body: Body) -> Array:
    return np.asarray(Kinematics(body, (), body.links).at(body.standing[None])[1][0])


def _local(
    joint: Joint, body: Body, wanted: Mapping[int, Array], link: int, here: Array, stand: Array
) -> Array:  # fmt: skip
    """(T, 4) the turn that the joint should make; that of the standing pose where nothing is wanted."""
    if link in wanted:
        return quat_multiply(quat_conjugate(here), quat_multiply(wanted[link], stand))
    values = body.standing[list(joint.qpos)]
    if joint.kind == "ball":
        return np.broadcast_to(values, here.shape)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(joint.axes, values, strict=True):
        turn = quat_multiply(turn, quat_exp(angle * axis))
    return np.broadcast_to(turn, here.shape)


def _joint_values(joint: Joint, local: Array) -> tuple[Array, Array]:
    """The joint's coordinates (T, k) for a wanted turn, and the turn (T, 4) that it can make."""
    if joint.kind == "ball":
        return local, local
    angles = hinge_angles(local, joint.axes)
    turned = np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0]), local.shape)
    for k, axis in enumerate(joint.axes):
        turned = quat_multiply(turned, quat_exp(angles[:, k, None] * axis))
    return angles, turned


def believable(body: Body, qpos: Array) -> Array:
    """Poses (T, nq) whose hinges, where they are turned far beyond their limits, pass from one sound frame to the next.

    Capture may have an ankle the wrong way round for some frames, and another way in each.
    """
    out, frames = np.array(qpos), np.arange(len(qpos))
    for joint in [j for j in body.joints if j.kind == "hinge"]:
        for column, low, high in zip(joint.qpos, joint.lower, joint.upper, strict=True):
            over = qpos[:, column] - np.clip(qpos[:, column], low, high)
            sound = np.abs((over + np.pi) % (2 * np.pi) - np.pi) < _CREDIBLE
            if not sound.any():
                out[:, column] = body.standing[column]
            elif not sound.all():
                out[:, column] = np.interp(frames, frames[sound], np.clip(qpos[sound, column], low, high))
    return out
