"""What the stance of a skeleton tells about it: which side is left, and whether it is a person at all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.motion.kinematics import Places, forward
from poise.motion.role_names import has_tail, spelled
from poise.motion.role_topology import Pair
from poise.motion.skeleton import Skeleton
from poise.spatial import Array

_ALONG = 0.7  # cosine: legs at less than this to the trunk's line stand under it, as a dog's do
_LONG_ARMS = 0.85  # of the legs: a human's reach to the wrist 0.68 of the way to the ankle


def leftwards(skeleton: Skeleton, legs: Pair, arms: Pair) -> Array:
    """(3,) where its left is: by where the feet point, else as axes usually lie."""
    places = upright_places(skeleton).position[0]
    middle = {part: places[[one[part], other[part]]].mean(axis=0)
              for one, other in (legs, arms) for part in one if part in other}  # fmt: skip
    up = middle["upper_arm"] - middle["foot"]
    left = np.cross(up, middle["toes"] - middle["foot"]) if "toes" in middle else np.zeros(3)
    if np.linalg.norm(left) < 1e-2 * float(up @ up):
        return np.asarray(np.eye(3)[(np.argmax(np.abs(up)) + 2) % 3])  # y up: x; z up: y
    return np.asarray(left)


def is_left(skeleton: Skeleton, one: Mapping[str, int], other: Mapping[str, int], left: Array) -> bool:
    """Is the first of two limbs the left one? By name, else by place."""
    spellings = spelled(skeleton.names)
    told, also_told = ({spellings[joint][0] for joint in limb.values()} - {""} for limb in (one, other))
    if {*told, *also_told} == {"left", "right"} and len(told) == len(also_told) == 1:
        return told == {"left"}
    places = upright_places(skeleton).position[0]
    first, second = (places[list(limb.values())].mean(axis=0) for limb in (one, other))
    return bool((first - second) @ left > 0)


def on_all_fours(skeleton: Skeleton, joints: Mapping[str, int], *, named: bool) -> bool:
    """Is it a dog? Where the zero pose shows no stance (all bones along one axis), only a tail gives it away."""
    places = upright_places(skeleton).position[0]
    at = {role: places[joint] for role, joint in joints.items()}
    left, right = (_unit(at[f"{side}_foot"] - at[f"{side}_thigh"]) for side in ("left", "right"))
    cosine = float(_unit(left + right) @ _unit(at["chest"] - at["pelvis"]))
    if left @ right < _ALONG or cosine > _ALONG:
        return has_tail(skeleton.names)
    if cosine < -_ALONG:
        return False
    return not named or has_tail(skeleton.names) or _arm_length(at) > _LONG_ARMS * _leg_length(at)


def upright_places(skeleton: Skeleton) -> Places:
    """One frame: all joints in the upright pose where one is known, else in the zero pose; the root at the origin."""
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1))
    pose = zero if skeleton.upright is None else skeleton.upright
    return forward(skeleton, np.zeros((1, 3)), pose[None])


def _leg_length(at: Mapping[str, Array]) -> float:
    return _way(at["left_thigh"], at["left_shank"], at["left_foot"])


def _arm_length(at: Mapping[str, Array]) -> float:
    return _way(at["left_upper_arm"], at["left_forearm"], at.get("left_hand", at["left_forearm"]))


def _way(*points: Array) -> float:
    return float(np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1)))


def _unit(v: Array) -> Array:
    return np.asarray(v / max(float(np.linalg.norm(v)), 1e-12))
