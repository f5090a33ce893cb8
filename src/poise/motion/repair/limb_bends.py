"""Which way elbows and knees bend: told by motion alone, since a straight limb looks the same however it is rolled.

Where an arm hangs in the upright pose its elbow is meant to bend forward, and a knee backward. Skeletons differ (CMU's
arms are rolled by 30 degrees), so the roll that makes it true is put into `Skeleton.upright`, which moves no joint.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, readonly
from poise.motion.clip import Clip
from poise.motion.roles import SIDES, Roles, upright_places
from poise.motion.skeleton import Places, Skeleton, forward
from poise.rotations import quat_between, quat_conjugate, quat_from_axis_angle, quat_log, quat_multiply

_ENOUGH = 0.15  # rad: mean bend below which nothing can be told
_SAMPLES = 200  # frames looked at
_DOWN = readonly([0.0, 0.0, -1.0])
_LIMBS = (  # parts that roll, the next one, and which way about y it bends
    (("upper_arm", "forearm"), "hand", -1.0),
    (("thigh", "shank"), "foot", 1.0),
)


def with_bends(clip: Clip, roles: Roles) -> Clip:
    """The clip on a skeleton whose upright pose is rolled to how its limbs bend; the same where nothing tells."""
    rolls = _rolls(clip, roles)
    if not rolls:
        return clip
    pose = _with_turns(clip.skeleton, rolls)
    return replace(clip, skeleton=replace(clip.skeleton, upright=readonly(pose)))


def _rolls(clip: Clip, roles: Roles) -> dict[int, Array]:
    """Joint of a limb to its turn (4,) in the world in the rolled upright pose."""
    upright, moving = upright_places(clip.skeleton), clip.rotation[:: 1 + clip.frames // _SAMPLES]
    turns = forward(clip.skeleton, np.zeros((len(moving), 3)), moving).rotation
    was = upright.rotation[0]
    rolled: dict[int, Array] = {}
    for side in SIDES:
        for parts, beyond, sign in _LIMBS:
            joints = [roles.joints[f"{side}_{part}"] for part in parts]
            end = roles.joints.get(f"{side}_{beyond}")
            swings = _swings(clip.skeleton, upright, joints, end)
            roll = _roll(turns[:, joints], quat_multiply(swings, was[joints]), sign)
            if roll is None:
                continue
            about_bone = quat_multiply(quat_conjugate(swings), quat_multiply(roll, swings))
            rolled |= dict(zip(joints, quat_multiply(about_bone, was[joints]), strict=True))
            if end is not None and beyond == "hand":  # a hand rolls with its arm; a foot points where it did
                rolled[end] = quat_multiply(about_bone[1], was[end])
    return rolled


def _swings(skeleton: Skeleton, upright: Places, joints: list[int], end: int | None) -> Array:
    """(2, 4) turns that let the two bones of a limb hang."""
    upper, lower = upright.position[0, joints]
    tips = [upright.ends[0, k] for k, tip in enumerate(skeleton.ends) if tip.joint == joints[1]]
    ends = tips if end is None else [upright.position[0, end]]
    bones = np.array([lower - upper, ends[0] - lower if ends else _DOWN])
    bones[np.linalg.norm(bones, axis=1) == 0] = _DOWN
    return quat_between(bones, _DOWN)


def _roll(turns: Array, frames: Array, sign: float) -> Array | None:
    """The turn about the hanging limb that makes it bend about `sign` times y, in the mean."""
    above, below = np.moveaxis(quat_multiply(turns, quat_conjugate(frames)), 1, 0)
    x, y, _ = np.mean(quat_log(quat_multiply(quat_conjugate(above), below)), axis=0)
    if np.hypot(x, y) < _ENOUGH:
        return None
    return quat_from_axis_angle([0.0, 0.0, 1.0], sign * np.pi / 2 - np.arctan2(y, x))


def _with_turns(skeleton: Skeleton, turns: dict[int, Array]) -> Array:
    """(J, 4) the upright pose with some joints turned as told in the world, all others as they were there."""
    world = np.array(upright_places(skeleton).rotation[0])
    for joint, turn in turns.items():
        world[joint] = turn
    parents = np.array(skeleton.parents[1:])
    world[1:] = quat_multiply(quat_conjugate(world[parents]), world[1:])
    return world
