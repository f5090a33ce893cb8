"""How far a point is from the surface of a part of a body."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from poise.frozen import Array

_GEOM = mujoco.mjtGeom


def distance_to_body(model: mujoco.MjModel, body: int, place: Array) -> float:
    """m from a point in a body's frame to the nearest of its parts, 0 within them; infinite where it has none."""
    own = np.flatnonzero(model.geom_bodyid == body).tolist()
    return max(min((distance_to_part(model, geom, place) for geom in own), default=math.inf), 0.0)


def distance_to_part(model: mujoco.MjModel, geom: int, place: Array) -> float:
    """m from a point in its body's frame to a part's surface, negative within; to the ball around it, of a mesh."""
    inverse, point = np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(inverse, model.geom_quat[geom])
    mujoco.mju_rotVecQuat(point, np.asarray(place, float) - model.geom_pos[geom], inverse)
    size, kind = model.geom_size[geom], _GEOM(int(model.geom_type[geom]))
    if kind == _GEOM.mjGEOM_PLANE:
        return abs(float(point[2]))
    if kind == _GEOM.mjGEOM_BOX:
        return _beyond(np.abs(point) - size)
    if kind == _GEOM.mjGEOM_CYLINDER:
        return _beyond(np.array([math.hypot(point[0], point[1]), abs(point[2])]) - size[:2])
    if kind == _GEOM.mjGEOM_CAPSULE:
        point[2] -= min(max(point[2], -size[1]), size[1])
    thick = size[0] if kind in (_GEOM.mjGEOM_SPHERE, _GEOM.mjGEOM_CAPSULE) else model.geom_rbound[geom]
    return float(np.linalg.norm(point) - thick)


def _beyond(excess: Array) -> float:
    """m from a corner, an edge or a face that is exceeded by so much (K,) in directions square to each other."""
    return float(np.linalg.norm(np.maximum(excess, 0.0)) + min(excess.max(), 0.0))
