"""Which way elbows bend: told by motion alone, since a straight arm looks the same however it is rolled.

An arm that hangs in the upright pose is meant to bend its elbow forward. Skeletons differ (CMU's are rolled by 30
degrees), so the roll that makes it true is put into `Skeleton.upright`, which moves no joint.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.frozen import readonly
from poise.motion.clip import Clip
from poise.motion.kinematics import Places, forward
from poise.motion.role_stance import upright_places
from poise.motion.roles import SIDES, Roles, find_roles
from poise.motion.skeleton import Skeleton
from poise.spatial import (
    Array,
    quat_between,
    quat_conjugate,
    quat_from_axis_angle,
    quat_log,
    quat_multiply,
)

_ENOUGH = 0.15  # rad: mean bend of an elbow below which nothing can be told
_SAMPLES = 200  # frames looked at
_DOWN = readonly([0.0, 0.0, -1.0])


def with_elbows(clip: Clip) -> Clip:
    """The clip on a skeleton whose upright pose is rolled to how its elbows bend; the same where nothing tells."""
    roles = find_roles(clip.skeleton)
    rolls = {} if roles is None else _rolls(clip, roles)
    if not rolls:
        return clip
    pose = _with_turns(clip.skeleton, rolls)
    return replace(clip, skeleton=replace(clip.skeleton, upright=readonly(pose)))


def _rolls(clip: Clip, roles: Roles) -> dict[int, Array]:
    """Joint of an arm to its turn (4,) in the world in the rolled upright pose."""
    upright, moving = upright_places(clip.skeleton), clip.rotation[:: 1 + clip.frames // _SAMPLES]
    turns = forward(clip.skeleton, np.zeros((len(moving), 3)), moving).rotation
    was = upright.rotation[0]
    rolled: dict[int, Array] = {}
    for side in SIDES:
        arm = [roles.joints[f"{side}_{p}"] for p in ("upper_arm", "forearm", "hand") if f"{side}_{p}" in roles.joints]
        swings = _swings(clip.skeleton, upright, arm)
        roll = _roll(turns[:, arm[:2]], quat_multiply(swings, was[arm])[:2])
        if roll is not None:
            about_bone = quat_multiply(quat_conjugate(swings), quat_multiply(roll, swings))
            rolled |= dict(zip(arm, quat_multiply(about_bone, was[arm]), strict=True))
    return rolled


def _swings(skeleton: Skeleton, upright: Places, arm: list[int]) -> Array:
    """(k, 4) turns that let the bones of an arm hang; the hand goes with the forearm."""
    upper, lower, *hand = upright.position[0, arm]
    tips = [upright.ends[0, k] for k, end in enumerate(skeleton.ends) if end.joint == arm[1]]
    wrist = (hand or tips or [lower + _DOWN])[0]
    swings = quat_between([lower - upper, wrist - lower], _DOWN)
    return np.asarray(swings[[0, 1, 1][: len(arm)]])


def _roll(turns: Array, frames: Array) -> Array | None:
    """The turn about the hanging arm that brings the mean bend of its elbow to forward, about -y."""
    above, below = np.moveaxis(quat_multiply(turns, quat_conjugate(frames)), 1, 0)
    x, y, _ = np.mean(quat_log(quat_multiply(quat_conjugate(above), below)), axis=0)
    if np.hypot(x, y) < _ENOUGH:
        return None
    return quat_from_axis_angle([0.0, 0.0, 1.0], -np.pi / 2 - np.arctan2(y, x))


def _with_turns(skeleton: Skeleton, turns: dict[int, Array]) -> Array:
    """(J, 4) the upright pose with some joints turned as told in the world, all others as they were there."""
    world = np.array(upright_places(skeleton).rotation[0])
    for joint, turn in turns.items():
        world[joint] = turn
    parents = np.array(skeleton.parents[1:])
    world[1:] = quat_multiply(quat_conjugate(world[parents]), world[1:])
    return world
