"""Steps of a pose along its freedoms, and back, in compiled code: one pose at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.tree import BALL
from poise.kernel import kernel


@kernel
def move_pose(tree: Any, pose: Any, velocity: Any, h: float) -> None:
    """Overwrite a pose (nq,) with the one that it reaches in h seconds."""
    for k in range(tree.block_kind.shape[0]):
        q, d = tree.block_qpos[k], tree.block_dof[k]
        if tree.block_kind[k] == BALL:
            turn(pose[q : q + 4], velocity[d : d + 3], h)
        else:
            for i in range(tree.block_size[k]):
                pose[q + i] += h * velocity[d + i]


@kernel
def pose_difference(tree: Any, start: Any, end: Any, out: Any) -> None:
    """out (nv,): the step from one pose to another, the short way round."""
    for k in range(tree.block_kind.shape[0]):
        q, d = tree.block_qpos[k], tree.block_dof[k]
        if tree.block_kind[k] == BALL:
            _turn_between(start[q : q + 4], end[q : q + 4], out[d : d + 3])
        else:
            for i in range(tree.block_size[k]):
                out[d + i] = end[q + i] - start[q + i]


@kernel
def turn(quat: Any, omega: Any, h: float) -> None:
    """Rotate a quaternion by h omega, given in its own frame; keeps it normalised."""
    x, y, z = 0.5 * h * omega[0], 0.5 * h * omega[1], 0.5 * h * omega[2]
    half = np.sqrt(x * x + y * y + z * z)
    factor = 1.0 - half * half / 6.0 if half < 1e-4 else np.sin(half) / half
    c, x, y, z = np.cos(half), factor * x, factor * y, factor * z
    a, b, d, e = quat[0], quat[1], quat[2], quat[3]
    quat[0] = a * c - b * x - d * y - e * z
    quat[1] = a * x + b * c + d * z - e * y
    quat[2] = a * y - b * z + d * c + e * x
    quat[3] = a * z + b * y - d * x + e * c
    size = np.sqrt(quat[0] ** 2 + quat[1] ** 2 + quat[2] ** 2 + quat[3] ** 2)
    for i in range(4):
        quat[i] /= size


@kernel
def _turn_between(a: Any, b: Any, out: Any) -> None:
    """The rotation vector (3,) of a^-1 b, in the frame of a."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]
    z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    sine = np.sqrt(x * x + y * y + z * z)
    sign = -1.0 if w < 0.0 else 1.0
    factor = 2.0 * sign if sine < 1e-9 else 2.0 * sign * np.arctan2(sine, sign * w) / sine
    out[0], out[1], out[2] = factor * x, factor * y, factor * z
