"""Motions that the page plays by itself: poses of all bodies at a rate, in one message."""

from __future__ import annotations

import json

import mujoco
import numpy as np

from poise.export.page import moving_bodies
from poise.frozen import Array
from poise.studio.wire import TRACK

RATE = 60.0
"""Frames per second that are sent, at most."""


def track_bytes(name: str, model: mujoco.MjModel, step: float, qpos: Array) -> bytes:
    """Poses (T, nq) at steps (s), as places and turns of the bodies that move."""
    stride = max(1, round(1 / (RATE * step)))
    poses = body_poses(model, qpos[::stride])
    head = json.dumps({"name": name, "step": stride * step, "frames": len(poses)}).encode()
    head += b" " * (-len(head) % 4)  # so that the numbers begin at a multiple of their size
    return np.array([TRACK, len(head)], "<u4").tobytes() + head + poses.astype("<f4").tobytes()


def body_poses(model: mujoco.MjModel, qpos: Array) -> Array:
    """(T, bodies, 7) place and turn w x y z of each body that moves."""
    data, moving = mujoco.MjData(model), moving_bodies(model)
    out = np.zeros((len(qpos), len(moving), 7))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        out[k] = np.hstack([data.xpos[moving], data.xquat[moving]])
    return out
