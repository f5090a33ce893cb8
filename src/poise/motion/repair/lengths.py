"""The lengths of bones: where a file has them, and where it has none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.frozen import Array, readonly
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding
from poise.motion.repair.settings import ImportSettings
from poise.motion.roles import SIDES, Roles
from poise.motion.skeleton import Skeleton

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
