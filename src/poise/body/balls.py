"""The round ends of a body's solid shapes: where it can touch the ground."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.body.body import Body
from poise.frozen import readonly
from poise.spatial import Array, quat_rotate


@dataclass(frozen=True, eq=False)
class Ball:
    """A sphere fixed to a link."""

    name: str
    link: str
    centre: Array  # (3,) m in the link frame
    radius: float  # m


def balls_of(body: Body) -> tuple[Ball, ...]:
    """Solid spheres, and both ends of solid capsules."""
    model = body.model
    out = []
    for g in range(model.ngeom):
        kind = int(model.geom_type[g])  # MuJoCo compares its enumerations with plain numbers only
        round_ended = kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_SPHERE)
        if not round_ended or not (model.geom_contype[g] or model.geom_conaffinity[g]):
            continue
        radius, half = model.geom_size[g, :2]
        ends = (-half, half) if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else (0.0,)
        link = model.body(model.geom_bodyid[g]).name
        for number, end in enumerate(ends):
            centre = model.geom_pos[g] + quat_rotate(model.geom_quat[g], np.array([0.0, 0.0, end]))
            out.append(Ball(f"{model.geom(g).name}_{number}", link, readonly(centre), float(radius)))
    return tuple(out)
