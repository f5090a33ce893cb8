"""Where the joints of a skeleton are: forward kinematics over all frames at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import Array, readonly
from poise.motion.skeleton import Skeleton
from poise.spatial import quat_multiply, quat_rotate


@dataclass(frozen=True, eq=False)
class Places:
    """Joints in the world."""

    position: Array  # (T, J, 3) m
    rotation: Array  # (T, J, 4)
    ends: Array  # (T, E, 3) m, the tips in the order of `Skeleton.ends`


def forward(skeleton: Skeleton, position: Array, rotation: Array, translation: Array | None = None) -> Places:
    """Places of all joints for root positions (T, 3) and local rotations (T, J, 4)."""
    # Joint by joint in memory: a joint's frames lie side by side, which makes long clips several times as fast.
    local = np.ascontiguousarray(np.swapaxes(rotation, 0, 1))  # (J, T, 4)
    arms = skeleton.offsets[:, None] if translation is None else np.ascontiguousarray(np.swapaxes(translation, 0, 1))
    where, turned = np.empty((*local.shape[:2], 3)), np.empty(local.shape)
    for joint, parent in enumerate(skeleton.parents):
        if parent < 0:
            where[joint], turned[joint] = position, local[joint]
            continue
        where[joint] = where[parent] + quat_rotate(turned[parent], arms[joint])
        turned[joint] = quat_multiply(turned[parent], local[joint])
    tips = np.empty((len(skeleton.ends), len(position), 3))
    for k, end in enumerate(skeleton.ends):
        tips[k] = where[end.joint] + quat_rotate(turned[end.joint], end.offset)
    return Places(*(readonly(np.swapaxes(places, 0, 1)) for places in (where, turned, tips)))
