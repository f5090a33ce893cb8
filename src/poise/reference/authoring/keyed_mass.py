"""Where the mass of a body is and how it turns, for many poses."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.body import Body
from poise.frozen import Array
from poise.spatial import quat_conjugate, quat_rotate

_Y = np.array([0.0, 1.0, 0.0])


def centres(body: Body, qpos: Array) -> Array:
    """(T, 3) m: centres of mass."""
    data = mujoco.MjData(body.model)
    out = np.empty((len(qpos), 3))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        out[k] = data.subtree_com[1]
    return out


def pitching(body: Body, qpos: Array, qvel: Array) -> tuple[Array, Array]:
    """(T,) kg m^2/s angular momentum about the lateral axis through the centre of mass, (T,) kg m^2 its inertia."""
    data = mujoco.MjData(body.model)
    matrix = np.empty((3, body.nv))
    momentum, inertia = np.empty(len(qpos)), np.empty(len(qpos))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        mujoco.mj_angmomMat(body.model, data, matrix, 1)
        rigid = quat_rotate(quat_conjugate(pose[3:7]), _Y)  # a turn of the whole body about y, as the root's velocity
        momentum[k], inertia[k] = _Y @ matrix @ qvel[k], _Y @ matrix[:, 3:6] @ rigid
    return momentum, inertia
