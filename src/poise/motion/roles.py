"""Which joint of a skeleton is which part of a person, by its name or by the shape of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from poise.frozen import Array, Frozen
from poise.motion.role_names import FAMILIES, PARTS, Family, family_parts, shows, spelled
from poise.motion.role_stance import is_left, leftwards, on_all_fours, upright_places
from poise.motion.role_topology import ancestors, limb_parts, reaches
from poise.motion.skeleton import Skeleton

SIDES = ("left", "right")
_NEEDED = ("thigh", "shank", "foot", "upper_arm", "forearm")
_CHAINS = (("thigh", "shank", "foot", "toes"), ("clavicle", "upper_arm", "forearm", "hand"))


@dataclass(frozen=True, eq=False)
class Roles:
    """The humanoid in a skeleton."""

    joints: Mapping[str, int]
    """pelvis, chest, neck, head; left_ and right_ clavicle, upper_arm, forearm, hand, thigh, shank, foot, toes"""
    spine: tuple[int, ...]  # above the pelvis, up to and including the chest, which carries the arms
    neck: tuple[int, ...]  # above the chest, up to and including the head
    family: str  # whose names they are, or "topology"


def find_roles(skeleton: Skeleton, poses: Array | None = None) -> Roles | None:
    """The humanoid in a skeleton of any unit and axes; None if it is none.

    Where names do not tell, poses do: some of a motion (T, J, 3), or the upright one.
    """
    poses = upright_places(skeleton).position if poses is None else poses
    found = _by_names(skeleton) or _by_topology(skeleton, poses)
    if found is None:
        return None
    family, limbs = found
    paired = {f"{side}_{part}": limbs[f"{side}_{part}"] for side in SIDES for part in PARTS
              if f"left_{part}" in limbs and f"right_{part}" in limbs}  # fmt: skip
    roles = _with_middle(skeleton, paired, family)
    if roles is None or on_all_fours(skeleton, poses, roles.joints, named=family != "topology"):
        return None
    return roles


def _by_names(skeleton: Skeleton) -> tuple[str, dict[str, int]] | None:
    """The family that names most limbs, its own signs counting most among equals."""
    spellings = spelled(skeleton.names)

    def merit(family: Family) -> tuple[int, bool]:
        return len(family_parts(spellings, family)), shows(skeleton.names, family)

    best = max((f for f in FAMILIES if _is_whole(skeleton, family_parts(spellings, f))), key=merit, default=None)
    return None if best is None else (best.name, family_parts(spellings, best))


def _is_whole(skeleton: Skeleton, limbs: Mapping[str, int]) -> bool:
    """Are all needed parts there, each below the one it hangs on?"""
    if any(f"{side}_{part}" not in limbs for side in SIDES for part in _NEEDED):
        return False
    for side in SIDES:
        for chain in _CHAINS:
            present = [limbs[f"{side}_{part}"] for part in chain if f"{side}_{part}" in limbs]
            if any(a == b or a not in ancestors(skeleton, b) for a, b in pairwise(present)):
                return False
    return True


def _by_topology(skeleton: Skeleton, poses: Array) -> tuple[str, dict[str, int]] | None:
    pairs = limb_parts(skeleton)
    if pairs is None:
        return None
    left = leftwards(poses, *pairs)
    limbs: dict[str, int] = {}
    for one, other in pairs:
        halves = (one, other) if is_left(skeleton, poses, one, other, left) else (other, one)
        for side, half in zip(SIDES, halves, strict=True):
            limbs |= {f"{side}_{part}": joint for part, joint in half.items()}
    return "topology", limbs


def _with_middle(skeleton: Skeleton, limbs: Mapping[str, int], family: str) -> Roles | None:
    """The limbs completed by what lies between them; None if legs and arms meet in one joint."""
    chest = _meeting(skeleton, limbs["left_upper_arm"], limbs["right_upper_arm"])
    pelvis = _meeting(skeleton, _meeting(skeleton, limbs["left_thigh"], limbs["right_thigh"]), chest)
    if chest == pelvis:
        return None
    spine = _between(skeleton, pelvis, chest)
    arms = {limbs[f"{side}_upper_arm"] for side in SIDES}
    head = _head(skeleton, chest, arms)
    neck = () if head is None else _between(skeleton, chest, head)
    joints = {"pelvis": pelvis, "chest": chest}
    if head is not None:
        joints |= {"neck": neck[0], "head": head} if len(neck) > 1 else {"head": head}
    return Roles(Frozen({**joints, **limbs}), spine, neck, family)


def _meeting(skeleton: Skeleton, a: int, b: int) -> int:
    """The lowest joint above both."""
    above = set(ancestors(skeleton, a))
    return next(joint for joint in ancestors(skeleton, b) if joint in above)


def _between(skeleton: Skeleton, top: int, bottom: int) -> tuple[int, ...]:
    """The joints below `top` on the way to `bottom`, which is the last."""
    way = ancestors(skeleton, bottom)
    return tuple(reversed(way[: way.index(top)]))


def _head(skeleton: Skeleton, chest: int, arms: set[int]) -> int | None:
    """The joint called head, else the last that has length on the longest way up from the chest, arms apart."""
    called = [j for j, (_, stem) in enumerate(spelled(skeleton.names)) if stem == "head"]
    for joint in called:
        if joint != chest and chest in ancestors(skeleton, joint):
            return joint
    reach = reaches(skeleton)
    arm_roots = {j for arm in arms for j in ancestors(skeleton, arm)}
    tops = [c for c in skeleton.children[chest] if c not in arm_roots]
    if not tops:
        return None
    top = max(tops, key=lambda c: reach[c])
    while any(reach[c] > 0 for c in skeleton.children[top]):
        top = max(skeleton.children[top], key=lambda c: reach[c])
    return top
