"""Joints that lie in their parents."""

from __future__ import annotations

import numpy as np

from poise.motion.repair.finding import Finding
from poise.motion.skeleton import Skeleton

ZERO = 1e-6  # m


def zero_lengths(skeleton: Skeleton) -> Finding:
    """Which joints have no bone to their parent."""
    short = np.linalg.norm(skeleton.offsets, axis=-1) < ZERO
    names = [name for k, name in enumerate(skeleton.names) if short[k] and skeleton.parents[k] >= 0]
    found = f"{len(names)} joints lie in their parents: {', '.join(names)}" if names else "every joint has a bone"
    return Finding("zero_length", found, "nothing; a body fuses them" if names else "nothing", "", names)
