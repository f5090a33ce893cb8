"""What a body should do to move like a skeleton: places and turns of its parts, in its own proportions.

Legs, and with them the way over ground, scale with the length of the legs, so that feet that stand still go on
standing still; trunk and arms scale with their own lengths and start where the part below them ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from poise.frozen import Array
from poise.motion import Clip
from poise.reference.retarget_figure import SIDES, Figure
from poise.spatial import quat_between, quat_conjugate, quat_from_axis_angle, quat_multiply, quat_rotate

_UP = np.array([0.0, 0.0, 1.0])
_LOW = 5.0  # percentile of the height of an ankle: where it is in a flat stance
_ANKLE = (0.02, 0.16)  # heights of an ankle above the sole that are believed, in leg lengths


def turn_goals(clip: Clip, source: Figure, target: Figure) -> dict[str, Array]:
    """Role to (T, 4): how far from the body's standing pose each part is turned, in the world."""
    out = {}
    for role, joint in source.joints.items():
        if role in target.joints:
            rest = quat_multiply(quat_conjugate(source.turn[role]), _posed_alike(source, target, role))
            out[role] = quat_multiply(clip.places.rotation[:, joint], rest)
    return out


def _posed_alike(source: Figure, target: Figure, role: str) -> Array:
    """(4,) the turn from the body's standing pose to the skeleton's: from hanging arms to a T, say.

    Only directions of bones are compared; joint frames may lie any way. A foot goes along with its shank, as far as
    its sole is concerned, and is then turned to where the toes point.
    """
    side, _, part = role.partition("_")
    if part in ("foot", "toes"):
        leg = _posed_alike(source, target, f"{side}_shank")
        ours, theirs = target.bone(f"{side}_foot"), source.bone(f"{side}_foot")
        if ours is None or theirs is None:
            return leg
        up = quat_rotate(leg, _UP)
        return quat_multiply(_about(up, quat_rotate(leg, ours), theirs), leg)
    if part == "hand":
        return _posed_alike(source, target, f"{side}_forearm")
    ours, theirs = target.bone(role), source.bone(role)
    return np.array([1.0, 0.0, 0.0, 0.0]) if ours is None or theirs is None else quat_between(ours, theirs)


def _about(axis: Array, start: Array, end: Array) -> Array:
    """The turn about a unit axis that brings one direction as near as possible to another."""
    flat, wanted = (v - axis * (v @ axis) for v in (start, end))
    return quat_from_axis_angle(axis, np.arctan2(axis @ np.cross(flat, wanted), flat @ wanted))


def place_goals(clip: Clip, source: Figure, target: Figure) -> dict[str, Array]:
    """Role to (T, 3) m: where each part's joint should be; `hips` is half way between the thighs."""
    at = {role: clip.places.position[:, joint] for role, joint in source.joints.items()}
    legs = target.length("thigh", "shank") / source.length("thigh", "shank")
    lift = np.array([0.0, 0.0, float(target.middle("foot")[2]) - legs * _ankle_of_clip(at, source)])
    out = {role: legs * at[role] + lift for side in SIDES for role in (f"{side}_shank", f"{side}_foot")}
    hips = (at["left_thigh"] + at["right_thigh"]) / 2
    out["hips"] = legs * hips + lift
    return out | _trunk(at, hips, out["hips"], source, target)


def _trunk(
    at: Mapping[str, Array], hips: Array, base: Array, source: Figure, target: Figure
) -> dict[str, Array]:  # fmt: skip
    """Shoulders above the hips, then arms and head from there."""
    shoulders = (at["left_upper_arm"] + at["right_upper_arm"]) / 2
    middle = base + _ratio(source, target, "thigh", "upper_arm") * (shoulders - hips)
    width = _breadth(target) / _breadth(source)
    out = {}
    for side in SIDES:
        arm = [f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")]
        out[arm[0]] = middle + width * (at[arm[0]] - shoulders)
        for role, beyond in pairwise(arm):
            if beyond in at and beyond in target.joints:
                out[beyond] = out[role] + _length(target, role) * _unit(at[beyond] - at[role])
    return out


def _ratio(source: Figure, target: Figure, low: str, high: str) -> float:
    """How much longer the body is between two pairs of joints."""
    ours, theirs = (np.linalg.norm(f.middle(high) - f.middle(low)) for f in (target, source))
    return float(ours / theirs)


def _breadth(figure: Figure) -> float:
    return float(np.linalg.norm(figure.place["left_upper_arm"] - figure.place["right_upper_arm"]))


def _length(figure: Figure, role: str) -> float:
    bone = figure.bone(role)
    return 0.0 if bone is None else float(np.linalg.norm(bone))


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-9))


def _ankle_of_clip(at: Mapping[str, Array], source: Figure) -> float:
    """m above the floor in a flat stance: the heights that the ankles come down to."""
    leg = source.length("thigh", "shank")
    lows = [np.percentile(at[f"{side}_foot"][:, 2], _LOW) for side in SIDES]
    return float(np.clip(np.mean(lows), _ANKLE[0] * leg, _ANKLE[1] * leg))
