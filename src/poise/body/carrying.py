"""Poses carried along the ground: turned about the vertical and shifted as a whole."""

from __future__ import annotations

import numpy as np

from poise.spatial import Array, quat_conjugate, quat_exp, quat_multiply, quat_rotate, yaw_of


def heading(yaw: float) -> Array:
    """The turn (4,) by `yaw` rad to the left."""
    return quat_exp(np.array([0.0, 0.0, yaw]))


def carried(qpos: Array, turn: Array, way: Array) -> Array:
    """Poses (..., nq) of a free root turned by (4,) about the origin, then shifted by (3,) m."""
    out = np.array(qpos)
    out[..., :3] = quat_rotate(turn, qpos[..., :3]) + way
    out[..., 3:7] = quat_multiply(turn, qpos[..., 3:7])
    return out


def advance(first: Array, last: Array) -> tuple[float, Array]:
    """Yaw (rad) and way (3,) m along the ground that carry one pose's place and heading to another's."""
    yaw = float(yaw_of(quat_multiply(last[3:7], quat_conjugate(first[3:7]))))
    return yaw, (last[:3] - quat_rotate(heading(yaw), first[:3])) * [1.0, 1.0, 0.0]
