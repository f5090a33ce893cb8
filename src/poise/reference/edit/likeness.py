"""How alike two moments of motions are, wherever they take place and whichever way they face."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from poise.body import Body
from poise.frozen import Array
from poise.reference.edit.take import Frame
from poise.spatial import quat_exp, quat_rotate, yaw_of

SPEED_SHARE = 0.15  # s; 1 m/s counts as much as so many metres
CONTACT_SHARE = 0.2  # m; what one contact part more or less counts


def features(body: Body, frames: Sequence[Frame], rate: float) -> Array:
    """(T, n): places of all links as seen from the root's heading, their speeds, and contacts. Compare by distance."""
    data, model = mujoco.MjData(body.model), body.model
    links = np.empty((len(frames), model.nbody - 1, 3))
    for k, frame in enumerate(frames):
        data.qpos[:] = frame.qpos
        mujoco.mj_kinematics(model, data)
        links[k] = data.xpos[1:]
    qpos = np.array([frame.qpos for frame in frames])
    yaw = yaw_of(qpos[:, 3:7])
    back = quat_exp(np.stack([0 * yaw, 0 * yaw, -yaw], axis=1))[:, None]
    speed = np.gradient(links, axis=0) * rate if len(frames) > 1 else np.zeros_like(links)
    ground = qpos[:, None, :3] * [1.0, 1.0, 0.0]
    parts = [quat_rotate(back, links - ground), SPEED_SHARE * quat_rotate(back, speed)]
    scale = 1.0 / np.sqrt(links.shape[1])
    table = [scale * part.reshape(len(frames), -1) for part in parts]
    if all(frame.down is not None for frame in frames):
        table.append(CONTACT_SHARE * np.array([frame.down for frame in frames], float))
    return np.concatenate(table, axis=1)
