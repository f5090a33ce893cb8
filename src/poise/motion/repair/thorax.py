"""The bone between chest and shoulders that a well-known conversion of the CMU database lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.frozen import readonly
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding
from poise.motion.repair.lengths import leg_length
from poise.motion.repair.settings import ImportSettings
from poise.motion.role_stance import upright_places
from poise.motion.roles import SIDES, Roles
from poise.spatial import quat_conjugate, quat_multiply, quat_rotate

SHORT_TRUNK = 0.565  # hips to shoulders against hip to ankle; 0.59 by [DrillisContini1966]
ZERO = 1e-6  # of the leg


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
