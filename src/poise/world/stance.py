"""A pose of level ground on any other: legs bend and stretch so that each foot is as far above it as it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from poise.body import Body
from poise.frozen import Array
from poise.reference.edit.footing import Footing
from poise.reference.edit.limbs import easy_reach, leg_lengths, sinking, sole_points
from poise.reference.edit.take import Frame
from poise.spatial import quat_between, quat_multiply, quat_rotate

UNEVEN = 0.01
"""m: ground under a foot that is further from a plane than this has an edge there, and the foot stays level."""
STEEPEST = math.tan(math.radians(46.0))
"""Of run: what is steeper is no plane to set a foot on."""

Heights = Callable[[Array, Array], Array]
"""(N,) m: how high the ground is, by x and y (N,) m."""


class _Ground(NamedTuple):
    """What is under a foot."""

    centre: Array  # (3,) m: of its sole, on level ground
    rise: float  # m from there up to the real ground
    tilt: Array  # (4,) of it


def stood(body: Body, qpos: Array, heights: Heights, level: float) -> Array:
    """(nq,) a pose of a body with legs that was made for ground of a level (m), on ground of any heights.

    The root rises with the feet, less what legs need to reach.
    """
    footing = Footing(body)
    place, turn = (each[0] for each in footing.places(qpos[None]))
    hips = footing.hips(qpos[None])
    soles = [at + quat_rotate(to, points) for at, to, points in zip(place, turn, sole_points(body), strict=True)]
    grounds = [_under(sole, heights, level) for sole in soles]
    risen = np.array([_upon(ground, at) for ground, at in zip(grounds, place, strict=True)])
    tilted = np.array([quat_multiply(ground.tilt, to) for ground, to in zip(grounds, turn, strict=True)])
    rise = np.array([0.0, 0.0, np.mean([ground.rise for ground in grounds])])
    reach = easy_reach(leg_lengths(body), np.linalg.norm(hips - place, axis=-1))
    rise[2] -= sinking(hips + rise, risen[None], reach)[0]
    moved = np.array(qpos)
    moved[:3] += rise
    return footing.settled([Frame(moved, None)], risen[None], tilted[None])[0].qpos


def _upon(ground: _Ground, place: Array) -> Array:
    """(3,) m: where a point (3,) of a foot on level ground is when the foot is tilted with the real one."""
    return np.asarray(ground.centre + [0.0, 0.0, ground.rise] + quat_rotate(ground.tilt, place - ground.centre))


def _under(sole: Array, heights: Heights, level: float) -> _Ground:
    """What is under the points (n, 3) of a sole."""
    ground = heights(sole[:, 0], sole[:, 1]) - level
    x, y = sole[:, :2].mean(axis=0)
    arms = np.column_stack([sole[:, :2] - [x, y], np.ones(len(sole))])
    slope_x, slope_y, middle = np.linalg.lstsq(arms, ground, rcond=None)[0]
    even = np.allclose(arms @ [slope_x, slope_y, middle], ground, atol=UNEVEN)
    if not even or math.hypot(slope_x, slope_y) > STEEPEST:
        slope_x, slope_y, middle = 0.0, 0.0, ground.max()
    tilt = quat_between([0.0, 0.0, 1.0], [-slope_x, -slope_y, 1.0])
    return _Ground(np.array([x, y, level]), float(middle), tilt)
