"""What the stance of a skeleton tells about it: which side is left, and whether it is a person at all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from poise.frozen import Array
from poise.motion.kinematics import Places, forward
from poise.motion.role_names import has_tail, spelled
from poise.motion.role_topology import Pair
from poise.motion.skeleton import Skeleton

_ALONG = 0.7  # cosine: legs at less than this to the trunk's line stand under it, as a dog's do
_SOMETIMES = 0.2  # of the poses
_LONG_ARMS = 0.85  # of the legs: a human's reach to the wrist 0.68 of the way to the ankle


def leftwards(poses: Array, legs: Pair, arms: Pair) -> Array:
    """(T, 3) where its left is in poses (T, J, 3): by where feet point or knees bend, else as axes usually lie."""
    middle = {part: poses[:, [one[part], other[part]]].mean(axis=1)
              for one, other in (legs, arms) for part in one if part in other}  # fmt: skip
    up = middle["upper_arm"] - middle["foot"]
    ahead = middle.get("toes", middle["foot"]) - middle["foot"]
    bend = middle["shank"] - (middle["thigh"] + middle["foot"]) / 2
    left = np.cross(up, ahead if np.any(ahead) else bend)
    if np.linalg.norm(left, axis=1).mean() < 1e-2 * np.sum(up**2, axis=1).mean():
        return np.asarray(np.eye(3)[(np.argmax(np.abs(up), axis=1) + 2) % 3])  # y up: x; z up: y
    return np.asarray(left)


def is_left(skeleton: Skeleton, poses: Array, one: Mapping[str, int], other: Mapping[str, int], left: Array) -> bool:
    """Is the first of two limbs the left one? By name, else by place in poses (T, J, 3) whose `left` is (T, 3)."""
    spellings = spelled(skeleton.names)
    told, also_told = ({spellings[joint][0] for joint in limb.values()} - {""} for limb in (one, other))
    if {*told, *also_told} == {"left", "right"} and len(told) == len(also_told) == 1:
        return told == {"left"}
    first, second = (poses[:, list(limb.values())].mean(axis=1) for limb in (one, other))
    return bool(np.sum((first - second) * left) > 0)


def on_all_fours(skeleton: Skeleton, poses: Array, joints: Mapping[str, int], *, named: bool) -> bool:
    """Is it a dog? Who is upright in some of the poses (T, J, 3) is not.

    Where the zero pose shows no stance either (all bones along one axis), only a tail gives it away.
    """
    parallel, cosine = _legs_to_trunk(poses, joints)
    if np.mean(parallel & (cosine < -_ALONG)) > _SOMETIMES:
        return False
    zero = upright_places(skeleton).position
    parallel, cosine = _legs_to_trunk(zero, joints)
    if not parallel[0] or cosine[0] > _ALONG:
        return has_tail(skeleton.names)
    if cosine[0] < -_ALONG:
        return False
    at = {role: zero[0, joint] for role, joint in joints.items()}
    return not named or has_tail(skeleton.names) or _arm_length(at) > _LONG_ARMS * _leg_length(at)


def upright_places(skeleton: Skeleton) -> Places:
    """One frame: all joints in the upright pose where one is known, else in the zero pose; the root at the origin."""
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1))
    pose = zero if skeleton.upright is None else skeleton.upright
    return forward(skeleton, np.zeros((1, 3)), pose[None])


def _legs_to_trunk(poses: Array, joints: Mapping[str, int]) -> tuple[NDArray[np.bool_], Array]:
    """(T,) whether the legs are parallel, and the cosine between them and the trunk: -1 for who is upright."""
    at = {role: poses[:, joint] for role, joint in joints.items()}
    left, right = (_unit(at[f"{side}_foot"] - at[f"{side}_thigh"]) for side in ("left", "right"))
    trunk = _unit(at["chest"] - at["pelvis"])
    return np.sum(left * right, axis=1) >= _ALONG, np.sum(_unit(left + right) * trunk, axis=1)


def _leg_length(at: Mapping[str, Array]) -> float:
    return _way(at["left_thigh"], at["left_shank"], at["left_foot"])


def _arm_length(at: Mapping[str, Array]) -> float:
    return _way(at["left_upper_arm"], at["left_forearm"], at.get("left_hand", at["left_forearm"]))


def _way(*points: Array) -> float:
    return float(np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1)))


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))
