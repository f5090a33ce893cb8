"""The humanoid in a skeleton: which joint is which body part, by joint names or by the shape of the tree.

A name is read as a side and a stem: "mixamorig:LeftUpLeg", "Bip01 L Thigh", "thigh_l", "lfemur". A stem may mean
different joints in different naming families ("shoulder", "leg", "foot"), so a family is accepted or rejected as a
whole.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.arrays import Array, Frozen, Mask
from poise.motion.role_topology import Pair, find_limbs, tip_distances
from poise.motion.skeleton import Skeleton, joint_ancestors

SIDES = ("left", "right")
PARTS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
_NEEDED = ("thigh", "shank", "foot", "upper_arm", "forearm")
_CHAINS = (("thigh", "shank", "foot", "toes"), ("clavicle", "upper_arm", "forearm", "hand"))
_SIDES = {"left": "left", "l": "left", "lft": "left", "right": "right", "r": "right", "rgt": "right"}
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SHARED = 0.7  # of all names: a token that begins or ends as many names is decoration, such as "mixamorig" or "jnt"
_ALONG = 0.7  # cosine: legs and trunk this well aligned are straight; a dog's legs stand across its trunk
_SOMETIMES = 0.2  # of the poses: a figure upright in more of them is a biped
_LONG_ARMS = 0.85  # of the leg: longer arms are forelegs; a human arm (to the wrist) has 0.68 of the leg (to the ankle)


@dataclass(frozen=True)
class NamingFamily:
    """A naming family: the part of the limbs that each stem means, and a pattern that identifies the family."""

    name: str
    parts: Mapping[str, str]
    sign: str  # regular expression, searched in lower-case names, that excludes families with the same stems


def _naming_family(name: str, sign: str, **stems: str) -> NamingFamily:
    """A family from the stems of each part, separated by blanks: shank="leg calf"."""
    return NamingFamily(name, {stem: part for part, text in stems.items() for stem in text.split()}, sign)


_MAYA = {"thigh": "upleg", "shank": "leg", "foot": "foot", "clavicle": "shoulder", "upper_arm": "arm",
         "forearm": "forearm", "hand": "hand"}  # fmt: skip
_SURGEON = {"thigh": "hip", "shank": "knee", "foot": "ankle", "clavicle": "collar clavicle", "upper_arm": "shoulder",
            "forearm": "elbow", "hand": "wrist"}  # fmt: skip
_PAINTER = {"foot": "foot", "toes": "toe toes toe0 toebase ball", "clavicle": "clavicle shoulder collar",
            "upper_arm": "upperarm", "forearm": "forearm lowerarm", "hand": "hand"}  # fmt: skip
_ROKOKO, _POSER = _PAINTER | {"upper_arm": "arm upperarm"}, _PAINTER | {"upper_arm": "shldr shldrbend"}

FAMILIES = (
    _naming_family("lafan1", r"lefttoe$", **_MAYA, toes="toe"),
    _naming_family("mixamo", r"mixamorig|toe_?end|headtop", **_MAYA, toes="toebase"),
    _naming_family("cmu", r"hipjoint|fingerbase", **_MAYA, toes="toebase"),
    _naming_family("rokoko", r"leftshin|spine4", **_ROKOKO, thigh="thigh", shank="shin"),
    _naming_family("soma", r"leftshin", **_ROKOKO, thigh="leg", shank="shin"),
    _naming_family("biped", r"bip\d", **_PAINTER, thigh="thigh", shank="calf"),
    _naming_family("unreal", r"thigh_l|spine_01", **_PAINTER, thigh="thigh", shank="calf"),
    _naming_family("rigify", r"shin\W", **_PAINTER, thigh="thigh", shank="shin"),
    _naming_family("poser", r"shldr", **_POSER, thigh="thigh thighbend", shank="shin"),
    _naming_family("xsens", r"^t8$|^l5$", **_PAINTER, thigh="upperleg", shank="lowerleg"),
    _naming_family("xsens", r"chest4", **_SURGEON, toes="toe"),
    _naming_family("unity", r"upper_?leg", **_PAINTER, thigh="upperleg", shank="lowerleg"),
    _naming_family("amass", r"left_hip|l_hip|spine3", **_SURGEON, toes="foot"),
    _naming_family("classic", r"leftcollar", **_SURGEON, toes="toe toes"),
    _naming_family("asf", r"lfemur", thigh="femur", shank="tibia", foot="foot", toes="toes", clavicle="clavicle",
            upper_arm="humerus", forearm="radius", hand="wrist hand")
)  # fmt: skip
_STEMS = frozenset(stem for family in FAMILIES for stem in family.parts)


@dataclass(frozen=True, eq=False)
class Roles:
    """The joints of the humanoid in a skeleton, by role."""

    joints: Mapping[str, int]
    """pelvis, chest, neck, head; left_ and right_ clavicle, upper_arm, forearm, hand, thigh, shank, foot, toes"""
    spine: tuple[int, ...]  # joints above the pelvis, up to and including the chest, which carries the arms
    neck: tuple[int, ...]  # joints above the chest, up to and including the head
    family: str  # the naming family that identified the joints, or "topology"


def find_roles(skeleton: Skeleton, poses: Array | None = None) -> Roles | None:
    """The humanoid in a skeleton, or None; where names do not decide, joint positions `poses` (T, J, 3) do."""
    poses = skeleton.standing.position if poses is None else poses
    found = _limbs_by_names(skeleton) or _limbs_by_topology(skeleton, poses)
    if found is None:
        return None
    family, limbs = found
    paired = {f"{side}_{part}": limbs[f"{side}_{part}"] for side in SIDES for part in PARTS
              if f"left_{part}" in limbs and f"right_{part}" in limbs}  # fmt: skip
    roles = _roles_with_trunk(skeleton, paired, family)
    if roles is None or is_quadruped(skeleton, poses, roles.joints, named=family != "topology"):
        return None
    return roles


def _limbs_by_names(skeleton: Skeleton) -> tuple[str, dict[str, int]] | None:
    """Name of the family that names the most limb joints, and these joints by role; a family's sign breaks ties."""
    spellings = joint_sides_and_stems(skeleton.names)
    named = [(family, family_limbs(spellings, family)) for family in FAMILIES]
    whole = [
        (len(limbs), any(re.search(family.sign, name.lower()) for name in skeleton.names), family.name, limbs)
        for family, limbs in named
        if _has_whole_limbs(skeleton, limbs)
    ]
    return max(whole, key=lambda each: each[:2])[2:] if whole else None


def _has_whole_limbs(skeleton: Skeleton, limbs: Mapping[str, int]) -> bool:
    """Whether all needed parts are present, each a descendant of the part before it in its chain."""
    if any(f"{side}_{part}" not in limbs for side in SIDES for part in _NEEDED):
        return False
    for side in SIDES:
        for chain in _CHAINS:
            present = [limbs[f"{side}_{part}"] for part in chain if f"{side}_{part}" in limbs]
            if any(a == b or a not in joint_ancestors(skeleton, b) for a, b in pairwise(present)):
                return False
    return True


def _limbs_by_topology(skeleton: Skeleton, poses: Array) -> tuple[str, dict[str, int]] | None:
    pairs = find_limbs(skeleton)
    if pairs is None:
        return None
    left = left_directions(poses, *pairs)
    limbs: dict[str, int] = {}
    for one, other in pairs:
        halves = (one, other) if is_left_limb(skeleton, poses, one, other, left) else (other, one)
        for side, half in zip(SIDES, halves, strict=True):
            limbs |= {f"{side}_{part}": joint for part, joint in half.items()}
    return "topology", limbs


def _roles_with_trunk(skeleton: Skeleton, limbs: Mapping[str, int], family: str) -> Roles | None:
    """The limbs completed by pelvis, spine, neck and head; None if legs and arms meet in one joint."""
    chest = _common_ancestor(skeleton, limbs["left_upper_arm"], limbs["right_upper_arm"])
    pelvis = _common_ancestor(skeleton, _common_ancestor(skeleton, limbs["left_thigh"], limbs["right_thigh"]), chest)
    if chest == pelvis:
        return None
    head = _head_joint(skeleton, chest, {limbs[f"{side}_upper_arm"] for side in SIDES})
    neck = () if head is None else _joints_between(skeleton, chest, head)
    joints = {"pelvis": pelvis, "chest": chest}
    if head is not None:
        joints |= {"neck": neck[0], "head": head} if len(neck) > 1 else {"head": head}
    return Roles(Frozen({**joints, **limbs}), _joints_between(skeleton, pelvis, chest), neck, family)


def _common_ancestor(skeleton: Skeleton, a: int, b: int) -> int:
    """The lowest common ancestor of two joints."""
    above = set(joint_ancestors(skeleton, a))
    return next(joint for joint in joint_ancestors(skeleton, b) if joint in above)


def _joints_between(skeleton: Skeleton, top: int, bottom: int) -> tuple[int, ...]:
    """The joints on the path from `top` (not included) down to `bottom` (included)."""
    path = joint_ancestors(skeleton, bottom)
    return tuple(reversed(path[: path.index(top)]))


def _head_joint(skeleton: Skeleton, chest: int, arms: set[int]) -> int | None:
    """The joint named head, else the last joint with a bone on the longest path up from the chest beside the arms."""
    for joint, (_, stem) in enumerate(joint_sides_and_stems(skeleton.names)):
        if stem == "head" and joint != chest and chest in joint_ancestors(skeleton, joint):
            return joint
    reach = tip_distances(skeleton)
    arm_roots = {j for arm in arms for j in joint_ancestors(skeleton, arm)}
    tops = [c for c in skeleton.children[chest] if c not in arm_roots]
    if not tops:
        return None
    top = max(tops, key=lambda c: reach[c])
    while any(reach[c] > 0 for c in skeleton.children[top]):
        top = max(skeleton.children[top], key=lambda c: reach[c])
    return top


def joint_sides_and_stems(names: Sequence[str]) -> list[tuple[str, str]]:
    """(side, stem) of each name in lower case, without common decoration; the side is "" for the middle."""
    return [_side_and_stem(tokens) for tokens in _undecorated_names([_name_tokens(name) for name in names])]


def has_tail(names: Iterable[str]) -> bool:
    """Whether any joint is named a tail; ponytails and coat-tails do not count."""
    return any("tail" in _name_tokens(name) for name in names)


def family_limbs(spellings: Sequence[tuple[str, str]], family: NamingFamily) -> dict[str, int]:
    """For each role (left_thigh ...), the first joint whose side and stem in `spellings` mean this role in a family."""
    found: dict[str, int] = {}
    for joint, (side, stem) in enumerate(spellings):
        if side and stem in family.parts:
            found.setdefault(f"{side}_{family.parts[stem]}", joint)
    return found


def _name_tokens(name: str) -> list[str]:
    """Words and numbers of a name in lower case, without a namespace."""
    return [token.lower() for token in _TOKEN.findall(re.split(r"[:|]", name)[-1])]


def _undecorated_names(names: list[list[str]]) -> list[list[str]]:
    """Names, as lists of tokens, without the tokens with which most names begin or end."""
    for end in (0, -1):
        while True:
            counts = Counter(tokens[end] for tokens in names if len(tokens) > 1)
            token, count = counts.most_common(1)[0] if counts else ("", 0)
            if count < 2 or count < _SHARED * len(names):
                break
            kept = slice(1, None) if end == 0 else slice(None, -1)
            names = [tokens[kept] if tokens and tokens[end] == token else tokens for tokens in names]
    return names


def _side_and_stem(tokens: list[str]) -> tuple[str, str]:
    for k, token in enumerate(tokens):
        if token in _SIDES and len(tokens) > 1:
            return _SIDES[token], "".join(tokens[:k] + tokens[k + 1 :])
    stem = "".join(tokens)
    if stem[:1] in ("l", "r") and stem[1:] in _STEMS:  # lfemur, rtoes
        return _SIDES[stem[0]], stem[1:]
    return "", stem


def left_directions(poses: Array, legs: Pair, arms: Pair) -> Array:
    """Direction of the figure's left (T, 3) in poses (T, J, 3), from feet or knees, else from files' usual axes."""
    middle = {part: poses[:, [one[part], other[part]]].mean(axis=1)
              for one, other in (legs, arms) for part in one if part in other}  # fmt: skip
    up = middle["upper_arm"] - middle["foot"]
    ahead = middle.get("toes", middle["foot"]) - middle["foot"]
    bend = middle["shank"] - (middle["thigh"] + middle["foot"]) / 2
    left = np.cross(up, ahead if np.any(ahead) else bend)
    if np.linalg.norm(left, axis=1).mean() < 1e-2 * np.sum(up**2, axis=1).mean():
        return np.asarray(np.eye(3)[(np.argmax(np.abs(up), axis=1) + 2) % 3])  # y up: x; z up: y
    return np.asarray(left)


def is_left_limb(
    skeleton: Skeleton, poses: Array, one: Mapping[str, int], other: Mapping[str, int], left: Array
) -> bool:
    """Whether limb `one` is the left: by name, else by positions `poses` (T, J, 3) along directions `left` (T, 3)."""
    spellings = joint_sides_and_stems(skeleton.names)
    side, other_side = ({spellings[joint][0] for joint in limb.values()} - {""} for limb in (one, other))
    if {*side, *other_side} == {"left", "right"} and len(side) == len(other_side) == 1:
        return side == {"left"}
    first, second = (poses[:, list(limb.values())].mean(axis=1) for limb in (one, other))
    return bool(np.sum((first - second) * left) > 0)


def is_quadruped(skeleton: Skeleton, poses: Array, joints: Mapping[str, int], *, named: bool) -> bool:
    """Whether the figure is a quadruped, such as a dog. A figure that is upright in some poses (T, J, 3) is not.

    If the zero pose has no stance (all bones along one axis), only a tail identifies a quadruped. `named` tells that
    names identified the limbs.
    """
    parallel, cosine = _leg_roles_against_trunk(poses, joints)
    if np.mean(parallel & (cosine < -_ALONG)) > _SOMETIMES:
        return False
    zero = skeleton.standing.position
    parallel, cosine = _leg_roles_against_trunk(zero, joints)
    if not parallel[0] or cosine[0] > _ALONG:
        return has_tail(skeleton.names)
    if cosine[0] < -_ALONG:
        return False
    at = {role: zero[0, joint] for role, joint in joints.items()}
    leg = _path_length(at["left_thigh"], at["left_shank"], at["left_foot"])
    arm = _path_length(at["left_upper_arm"], at["left_forearm"], at.get("left_hand", at["left_forearm"]))
    return not named or has_tail(skeleton.names) or arm > _LONG_ARMS * leg


def _leg_roles_against_trunk(poses: Array, joints: Mapping[str, int]) -> tuple[Mask, Array]:
    """For each pose (T,): whether the legs are parallel, and the cosine between legs and trunk, -1 when upright."""
    at = {role: poses[:, joint] for role, joint in joints.items()}
    left, right = (unit_vectors(at[f"{side}_foot"] - at[f"{side}_thigh"]) for side in ("left", "right"))
    trunk = unit_vectors(at["chest"] - at["pelvis"])
    return np.sum(left * right, axis=1) >= _ALONG, np.sum(unit_vectors(left + right) * trunk, axis=1)


def _path_length(*points: Array) -> float:
    return float(np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1)))


def unit_vectors(v: Array) -> Array:
    """Vectors (..., 3) of length 1 in the directions of v (..., 3); 0 stays 0."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(length > 0, length, 1.0))
