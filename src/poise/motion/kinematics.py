"""Where the joints of a skeleton are: forward kinematics over all frames at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import readonly
from poise.motion.skeleton import Skeleton
from poise.spatial import Array, quat_multiply, quat_rotate


@dataclass(frozen=True, eq=False)
class Places:
    """Joints in the world."""

    position: Array  # (T, J, 3) m
    rotation: Array  # (T, J, 4)
    ends: Array  # (T, E, 3) m, the tips in the order of `Skeleton.ends`


def forward(skeleton: Skeleton, position: Array, rotation: Array, translation: Array | None = None) -> Places:
    """Places of all joints for root positions (T, 3) and local rotations (T, J, 4)."""
    where, turned = np.empty((*rotation.shape[:2], 3)), np.empty(rotation.shape)
    for joint, parent in enumerate(skeleton.parents):
        if parent < 0:
            where[:, joint], turned[:, joint] = position, rotation[:, joint]
            continue
        arm = skeleton.offsets[joint] if translation is None else translation[:, joint]
        where[:, joint] = where[:, parent] + quat_rotate(turned[:, parent], arm)
        turned[:, joint] = quat_multiply(turned[:, parent], rotation[:, joint])
    tips = np.empty((len(position), len(skeleton.ends), 3))
    for k, end in enumerate(skeleton.ends):
        tips[:, k] = where[:, end.joint] + quat_rotate(turned[:, end.joint], end.offset)
    return Places(readonly(where), readonly(turned), readonly(tips))
