"""How low a body reaches: the height of the lowest point of its solid shapes."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import mjtGeom

from poise.frozen import Array


def lowest(model: mujoco.MjModel, qpos: Array) -> float:
    """Height (m) of the lowest point of all solid geoms in a pose; infinite without any."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    heights = [
        float(data.geom_xpos[g, 2]) - _depth(model, data, g)
        for g in range(model.ngeom)
        if model.geom_bodyid[g] != 0 and (model.geom_contype[g] or model.geom_conaffinity[g])
    ]
    return min(heights, default=np.inf)


def _depth(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """The support of a shape downwards: how far it reaches below its centre."""
    down = np.abs(data.geom_xmat[geom].reshape(3, 3)[2])  # |z components| of the shape's axes
    size = model.geom_size[geom]
    kind = model.geom_type[geom]
    if kind == mjtGeom.mjGEOM_SPHERE:
        return float(size[0])
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return float(size[0] + size[1] * down[2])
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return float(size[0] * np.hypot(down[0], down[1]) + size[1] * down[2])
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        return float(np.linalg.norm(size * down))
    if kind == mjtGeom.mjGEOM_BOX:
        return float(size @ down)
    return _mesh_depth(model, data, geom)


def _mesh_depth(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    mesh = int(model.geom_dataid[geom])
    if mesh < 0:
        return float(model.geom_rbound[geom])
    start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    axis = data.geom_xmat[geom].reshape(3, 3)[2]
    return float(-np.min(model.mesh_vert[start : start + count] @ axis))
