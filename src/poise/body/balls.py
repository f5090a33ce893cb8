"""The ends and corners of a body's solid shapes: where it can touch the ground."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from poise.body.body import Body
from poise.frozen import Array, readonly
from poise.spatial import quat_rotate


@dataclass(frozen=True, eq=False)
class Ball:
    """A sphere fixed to a link."""

    name: str
    link: str
    centre: Array  # (3,) m in the link frame
    radius: float  # m


def balls_of(body: Body) -> tuple[Ball, ...]:
    """Solid spheres, both ends of solid capsules, and the corners of solid boxes, as balls of no radius."""
    model = body.model
    out = []
    for g in range(model.ngeom):
        radius, ends = _ends(int(model.geom_type[g]), model.geom_size[g])
        if not model.geom_bodyid[g] or not (model.geom_contype[g] or model.geom_conaffinity[g]):
            continue
        link = model.body(model.geom_bodyid[g]).name
        for number, end in enumerate(ends):
            centre = model.geom_pos[g] + quat_rotate(model.geom_quat[g], end)
            out.append(Ball(f"{model.geom(g).name}_{number}", link, readonly(centre), radius))
    return tuple(out)


def _ends(kind: int, size: Array) -> tuple[float, Array]:
    """The radius (m) of a shape's balls, and their centres (k, 3) m in its frame; none for other shapes."""
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return float(size[0]), np.zeros((1, 3))
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return float(size[0]), np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return 0.0, np.array(list(product((-1.0, 1.0), repeat=3))) * size
    return 0.0, np.zeros((0, 3))
