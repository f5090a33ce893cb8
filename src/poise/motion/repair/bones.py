"""Checks and repairs of bone lengths: wrong offsets, bones of zero length, a missing thorax bone."""

from dataclasses import replace

import numpy as np

from poise.arrays import readonly
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding, ImportSettings
from poise.motion.roles import SIDES, Roles
from poise.motion.skeleton import Skeleton, joint_ancestors
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate

ZERO = 1e-6  # m: length below which a bone counts as of zero length
ELSEWHERE = 0.02  # of the total bone length: a joint whose median translation is this far off has a wrong offset
SHORT_TRUNK = 0.565  # hips to shoulders over hip to ankle: less means a missing bone; 0.59 by [DrillisContini1966]


def repair_offsets(clip: Clip, settings: ImportSettings) -> tuple[Clip, Finding]:
    """The clip; if joints are never at their offsets (some exporters), median translations replace the offsets."""
    typical = clip.skeleton.offsets if clip.translation is None else np.median(clip.translation, axis=0)
    away = np.linalg.norm((typical - clip.skeleton.offsets)[1:], axis=-1)
    wrong = int(np.count_nonzero(away > ELSEWHERE * np.linalg.norm(typical[1:], axis=-1).sum()))
    if not wrong or settings.offsets == "file":
        found = f"{wrong} joints are never at their offsets" if wrong else "all joints are at their offsets"
        return clip, Finding("offsets", found, "nothing", "offsets=file", 0)
    offsets = np.concatenate([clip.skeleton.offsets[:1], typical[1:]])
    moved = replace(clip, skeleton=replace(clip.skeleton, offsets=readonly(offsets)))
    done = "the offsets are replaced by the joints' median positions"
    return moved, Finding("offsets", f"{wrong} joints are never at their offsets", done, "offsets=file", wrong)


def find_zero_bones(skeleton: Skeleton) -> Finding:
    """The finding on joints at the same point as their parents."""
    short = np.linalg.norm(skeleton.offsets, axis=-1) < ZERO
    names = [name for k, name in enumerate(skeleton.names) if short[k] and skeleton.parents[k] >= 0]
    if not names:
        return Finding("zero_length", "every bone has a length", "nothing", "", names)
    found = f"{len(names)} joints coincide with their parents: {', '.join(names)}"
    return Finding("zero_length", found, "nothing; a body fuses them", "", names)


def leg_length(clip: Clip, roles: Roles) -> float:
    """Length from hip to ankle, in the clip's unit; the mean of both legs."""
    lengths, totals = np.linalg.norm(clip.skeleton.offsets, axis=-1).tolist(), []
    for side in SIDES:
        path = joint_ancestors(clip.skeleton, roles.joints[f"{side}_foot"])
        totals.append(sum(lengths[joint] for joint in path[: path.index(roles.joints[f"{side}_thigh"])]))
    return float(np.mean(totals))


def mend_thorax(clip: Clip, roles: Roles | None, settings: ImportSettings) -> tuple[Clip, Finding]:
    """The clip with the bone from chest to shoulders that a conversion of CMU's files lost, and the finding."""
    joints = () if roles is None else collapsed_joints(clip, roles)
    if not joints or roles is None:
        return clip, Finding("thorax", "neck and shoulders are apart from the chest", "nothing", "thorax=no", False)
    ratio, chest, skeleton = trunk_to_leg_ratio(clip, roles), roles.joints["chest"], clip.skeleton
    missing = ratio < SHORT_TRUNK
    mend = missing if settings.thorax is None else settings.thorax
    names = ", ".join(skeleton.names[joint] for joint in joints)
    found = f"{names} coincide with {skeleton.names[chest]}, and the trunk is {ratio:.2f} legs long"
    found += " (0.59 is usual): a bone is missing" if missing else ""
    length = np.linalg.norm(skeleton.offsets[chest]) * 100  # cm
    done = f"these joints are moved up by the chest's own bone, {length:.1f} cm" if mend else "nothing"
    return (_with_thorax_bone(clip, joints, chest) if mend else clip), Finding("thorax", found, done, "thorax=no", mend)


def collapsed_joints(clip: Clip, roles: Roles) -> tuple[int, ...]:
    """Neck and shoulders, if all of them coincide with the chest joint and the chest's bone has a length; else ()."""
    skeleton, chest = clip.skeleton, roles.joints["chest"]
    leg = leg_length(clip, roles)
    lengths = np.linalg.norm(skeleton.offsets, axis=-1)
    above = [joint for joint in skeleton.children[chest] if lengths[joint] < ZERO * leg]
    shoulders = {_chest_child_towards(clip, roles.joints[f"{side}_upper_arm"], chest) for side in SIDES}
    neck = {_chest_child_towards(clip, roles.neck[0], chest)} if roles.neck else set()
    whole = len(shoulders) == 2 and shoulders | neck <= set(above) and lengths[chest] > 0.02 * leg
    return tuple(sorted(shoulders | neck)) if whole else ()


def trunk_to_leg_ratio(clip: Clip, roles: Roles) -> float:
    """Distance from hips to shoulders in the upright pose over the length from hip to ankle."""
    where = clip.skeleton.standing.position[0]
    hips, shoulders = (
        np.mean([where[roles.joints[f"{side}_{role}"]] for side in SIDES], axis=0) for role in ("thigh", "upper_arm")
    )
    return float(np.linalg.norm(shoulders - hips)) / leg_length(clip, roles)


def _chest_child_towards(clip: Clip, joint: int, chest: int) -> int:
    """The child of the chest on the path to a joint."""
    while clip.skeleton.parents[joint] != chest:
        joint = clip.skeleton.parents[joint]
    return joint


def _with_thorax_bone(clip: Clip, joints: tuple[int, ...], chest: int) -> Clip:
    """The clip with `joints` moved away from the chest by the chest's own bone, as oriented in the upright pose."""
    below, own = clip.skeleton.standing.rotation[0, [clip.skeleton.parents[chest], chest]]
    bone = quat_rotate(quat_multiply(quat_conjugate(own), below), clip.skeleton.offsets[chest])
    offsets = np.array(clip.skeleton.offsets)
    offsets[list(joints)] += bone
    convention = replace(clip.skeleton.convention, offsets=clip.skeleton.offsets)
    skeleton = replace(clip.skeleton, offsets=readonly(offsets), convention=convention)
    if clip.translation is None:
        return replace(clip, skeleton=skeleton)
    moved = np.array(clip.translation)
    moved[:, list(joints)] += bone
    return replace(clip, skeleton=skeleton, translation=readonly(moved))
