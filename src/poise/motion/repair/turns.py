"""Rotations without jumps: Euler angles wrap, and quaternions have two signs for one turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.frozen import readonly
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding


def continuous_turns(clip: Clip) -> tuple[Clip, Finding]:
    """The clip with each quaternion on the side of the one before."""
    flips = np.einsum("tjk,tjk->tj", clip.rotation[1:], clip.rotation[:-1]) < 0
    count = int(np.count_nonzero(flips))
    found = f"{count} times an angle of a joint jumps by whole turns" if count else "no angle jumps by whole turns"
    if not count:
        return clip, Finding("wraps", found, "nothing", "", 0)
    sign = np.ones(clip.rotation.shape[:2])
    sign[1:] = np.cumprod(np.where(flips, -1.0, 1.0), axis=0)
    done = "nothing is lost: rotations are kept as continuous quaternions"
    return replace(clip, rotation=readonly(clip.rotation * sign[..., None])), Finding("wraps", found, done, "", count)
