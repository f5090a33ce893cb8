"""The lengths of bones: where a file has them, and where it has none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, readonly
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding
from poise.motion.repair.settings import ImportSettings
from poise.motion.roles import SIDES, Roles, upright_places
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate

ZERO = 1e-6  # m
ELSEWHERE = 0.02  # of the figure's size, that a joint is on average away from its offset


def true_offsets(clip: Clip, settings: ImportSettings) -> tuple[Clip, Finding]:
    """The clip on a skeleton with the offsets that its joints really have.

    Some exporters write the place of every joint in every frame and leave the offsets empty or in another unit.
    """
    typical = clip.skeleton.offsets if clip.translation is None else np.median(clip.translation, axis=0)
    away = np.linalg.norm((typical - clip.skeleton.offsets)[1:], axis=-1)
    wrong = int(np.count_nonzero(away > ELSEWHERE * np.linalg.norm(typical[1:], axis=-1).sum()))
    if not wrong or settings.offsets == "file":
        found = f"{wrong} joints are never at their offsets" if wrong else "joints are at their offsets"
        return clip, Finding("offsets", found, "nothing", "offsets=file", 0)
    offsets = np.concatenate([clip.skeleton.offsets[:1], typical[1:]])
    moved = replace(clip, skeleton=replace(clip.skeleton, offsets=readonly(offsets)))
    done = "the offsets of the skeleton are now where its joints are usually"
    return moved, Finding("offsets", f"{wrong} joints are never at their offsets", done, "offsets=file", wrong)


def zero_lengths(skeleton: Skeleton) -> Finding:
    """Which joints have no bone to their parent."""
    short = np.linalg.norm(skeleton.offsets, axis=-1) < ZERO
    names = [name for k, name in enumerate(skeleton.names) if short[k] and skeleton.parents[k] >= 0]
    found = f"{len(names)} joints lie in their parents: {', '.join(names)}" if names else "every joint has a bone"
    return Finding("zero_length", found, "nothing; a body fuses them" if names else "nothing", "", names)


def leg_length(clip: Clip, roles: Roles) -> float:
    """Thigh and shank, in the clip's unit; the mean of both legs."""
    lengths = np.linalg.norm(clip.skeleton.offsets, axis=-1)
    return float(np.mean([_way(clip, roles, side, lengths) for side in SIDES]))


def _way(clip: Clip, roles: Roles, side: str, lengths: Array) -> float:
    """From hip to ankle over whatever joints are between."""
    joint, hip, total = roles.joints[f"{side}_foot"], roles.joints[f"{side}_thigh"], 0.0
    while joint != hip:
        total += float(lengths[joint])
        joint = clip.skeleton.parents[joint]
    return total


# The bone between chest and shoulders that a well-known conversion of the CMU database lost.

SHORT_TRUNK = 0.565  # hips to shoulders against hip to ankle; 0.59 by [DrillisContini1966]


def mend_thorax(clip: Clip, roles: Roles | None, settings: ImportSettings) -> tuple[Clip, Finding]:
    """The clip with neck and shoulders a bone above the chest, if that bone is missing."""
    joints = () if roles is None else collapsed_joints(clip, roles)
    missing = bool(joints) and roles is not None and trunk_ratio(clip, roles) < SHORT_TRUNK
    mend = bool(joints) and (missing if settings.thorax is None else settings.thorax)
    if not joints or roles is None:
        return clip, Finding("thorax", "neck and shoulders have their own places", "nothing", "thorax=no", False)
    names = ", ".join(clip.skeleton.names[joint] for joint in joints)
    chest = roles.joints["chest"]
    bone = clip.skeleton.offsets[chest]
    found = (
        f"{names} coincide with {clip.skeleton.names[chest]}, and the trunk is {trunk_ratio(clip, roles):.2f} legs long"
        + (" (0.59 is usual): a bone is missing" if missing else "")
    )
    done = (
        f"these joints' offsets are now that of the chest, {np.linalg.norm(bone) * 100:.1f} cm" if mend else "nothing"
    )
    return (_lifted(clip, joints, chest) if mend else clip), Finding("thorax", found, done, "thorax=no", mend)


def collapsed_joints(clip: Clip, roles: Roles) -> tuple[int, ...]:
    """Neck and shoulders, if all of them lie in the chest joint although the chest has a length to continue."""
    skeleton, chest = clip.skeleton, roles.joints["chest"]
    leg = leg_length(clip, roles)
    lengths = np.linalg.norm(skeleton.offsets, axis=-1)
    above = [joint for joint in skeleton.children[chest] if lengths[joint] < ZERO * leg]
    shoulders = {_below(clip, roles.joints[f"{side}_upper_arm"], chest) for side in SIDES}
    neck = {_below(clip, roles.neck[0], chest)} if roles.neck else set()
    whole = len(shoulders) == 2 and shoulders | neck <= set(above) and lengths[chest] > 0.02 * leg
    return tuple(sorted(shoulders | neck)) if whole else ()


def trunk_ratio(clip: Clip, roles: Roles) -> float:
    """Hips to shoulders against hip to ankle, in the upright pose."""
    where = upright_places(clip.skeleton).position[0]
    hips, shoulders = (
        np.mean([where[roles.joints[f"{side}_{role}"]] for side in SIDES], axis=0) for role in ("thigh", "upper_arm")
    )
    return float(np.linalg.norm(shoulders - hips)) / leg_length(clip, roles)


def _below(clip: Clip, joint: int, chest: int) -> int:
    """The child of the chest through which a joint hangs on it."""
    while clip.skeleton.parents[joint] != chest:
        joint = clip.skeleton.parents[joint]
    return joint


def _lifted(clip: Clip, joints: tuple[int, ...], chest: int) -> Clip:
    """The clip with joints moved on from the chest, in the upright pose along the chest's own bone."""
    below, own = upright_places(clip.skeleton).rotation[0, [clip.skeleton.parents[chest], chest]]
    bone = quat_rotate(quat_multiply(quat_conjugate(own), below), clip.skeleton.offsets[chest])
    offsets = np.array(clip.skeleton.offsets)
    offsets[list(joints)] += bone
    moved = None
    if clip.translation is not None:
        moved = np.array(clip.translation)
        moved[:, list(joints)] += bone
        moved = readonly(moved)
    return replace(clip, skeleton=replace(clip.skeleton, offsets=readonly(offsets)), translation=moved)
