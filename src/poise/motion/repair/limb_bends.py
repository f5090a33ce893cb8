"""The direction in which elbows and knees bend, found from the motion: a straight limb looks the same at any roll.

In the upright pose, with arms hanging, elbows shall bend forward and knees backward. Skeletons differ (CMU's arms are
rolled by 30 degrees), so the roll that achieves this is put into `Skeleton.upright`; a roll moves no joint.
"""

from dataclasses import replace

import numpy as np

from poise.arrays import Array, readonly
from poise.motion.clip import Clip
from poise.motion.roles import SIDES, Roles, upright_joint_places
from poise.motion.skeleton import Places, Skeleton, skeleton_kinematics
from poise.rotations import quat_between, quat_conjugate, quat_from_axis_angle, quat_log, quat_multiply

_ENOUGH = 0.15  # rad: least mean bend from which a direction can be read
_SAMPLES = 200  # frames examined
_DOWN = readonly([0.0, 0.0, -1.0])
_LIMBS = (  # parts that roll, the part below them, and the sign of the bend about y
    (("upper_arm", "forearm"), "hand", -1.0),
    (("thigh", "shank"), "foot", 1.0),
)


def with_repaired_limb_bends(clip: Clip, roles: Roles) -> Clip:
    """The clip with limbs rolled in the upright pose to match the bends in its motion; unchanged without bends."""
    rolls = _repaired_limb_rolls(clip, roles)
    if not rolls:
        return clip
    pose = np.array(upright_joint_places(clip.skeleton).rotation[0])  # in the world; other joints keep theirs
    for joint, rotation in rolls.items():
        pose[joint] = rotation
    parents = np.array(clip.skeleton.parents[1:])
    pose[1:] = quat_multiply(quat_conjugate(pose[parents]), pose[1:])
    return replace(clip, skeleton=replace(clip.skeleton, upright=readonly(pose)))


def _repaired_limb_rolls(clip: Clip, roles: Roles) -> dict[int, Array]:
    """By joint that is rolled, its world rotation (4,) in the new upright pose."""
    upright, moving = upright_joint_places(clip.skeleton), clip.rotation[:: 1 + clip.frames // _SAMPLES]
    rotations = skeleton_kinematics(clip.skeleton, np.zeros((len(moving), 3)), moving).rotation
    was = upright.rotation[0]
    rolled: dict[int, Array] = {}
    for side in SIDES:
        for parts, beyond, sign in _LIMBS:
            joints = [roles.joints[f"{side}_{part}"] for part in parts]
            end = roles.joints.get(f"{side}_{beyond}")
            swings = _hanging_limb_swings(clip.skeleton, upright, joints, end)
            roll = _repaired_bend_roll(rotations[:, joints], quat_multiply(swings, was[joints]), sign)
            if roll is None:
                continue
            about_bone = quat_multiply(quat_conjugate(swings), quat_multiply(roll, swings))
            rolled |= dict(zip(joints, quat_multiply(about_bone, was[joints]), strict=True))
            if end is not None and beyond == "hand":  # a hand rolls with its arm; a foot keeps its direction
                rolled[end] = quat_multiply(about_bone[1], was[end])
    return rolled


def _hanging_limb_swings(skeleton: Skeleton, upright: Places, joints: list[int], end: int | None) -> Array:
    """Rotations (2, 4) after which the two bones of a limb hang straight down."""
    upper, lower = upright.position[0, joints]
    tips = [upright.ends[0, k] for k, tip in enumerate(skeleton.ends) if tip.joint == joints[1]]
    ends = tips if end is None else [upright.position[0, end]]
    bones = np.array([lower - upper, ends[0] - lower if ends else _DOWN])
    bones[np.linalg.norm(bones, axis=1) == 0] = _DOWN
    return quat_between(bones, _DOWN)


def _repaired_bend_roll(rotations: Array, frames: Array, sign: float) -> Array | None:
    """The rotation (4,) about the hanging limb after which the limb's mean bend is about `sign` * y; None without bend.

    `rotations` (T, 2, 4) are those of upper and lower bone in the motion, `frames` (2, 4) those when the bones hang.
    """
    above, below = np.moveaxis(quat_multiply(rotations, quat_conjugate(frames)), 1, 0)
    x, y, _ = np.mean(quat_log(quat_multiply(quat_conjugate(above), below)), axis=0)
    if np.hypot(x, y) < _ENOUGH:
        return None
    return quat_from_axis_angle([0.0, 0.0, 1.0], sign * np.pi / 2 - np.arctan2(y, x))
