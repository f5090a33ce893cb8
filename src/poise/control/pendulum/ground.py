"""The ground where a foot will land, and only there: how high it is, how it slopes, whether the foot has room."""

from __future__ import annotations

import math

import numpy as np

from poise.control.pendulum.figure import PRESSED, Figure, turned
from poise.control.pendulum.swing import Foothold
from poise.spatial import Array, quat_between

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
EDGE = 0.015
"""m: ground under a foot that is further from a plane than this has an edge, and the foot is set elsewhere."""
SHIFTS = (0.0, 0.04, -0.04, 0.08, -0.08, 0.12, -0.12, 0.16)
"""m along the foot: where it is tried."""
STEEP = 0.7
"""Of run: what is steeper is no slope to set a foot on."""


def foothold(figure: Figure, side: int, pressed: Array, yaw: float) -> Foothold:
    """Where a foot that is to press on a place (2,) m, pointing along `yaw`, is set."""
    legs = figure.legs
    back, front = float(legs.sole[side, 0, 0]), float(legs.sole[side, 4, 0])
    for shift in SHIFTS:
        ankle = pressed + turned(yaw, (shift - PRESSED * float(legs.ball[side, 0]), 0.0))
        heights = [figure.ground(ankle + turned(yaw, (x, 0.0))) for x in (back, 0.5 * (back + front), front)]
        slope = (heights[2] - heights[0]) / (front - back)
        bump = max(abs(heights[1] - 0.5 * (heights[0] + heights[2])), 0.0)
        if bump < EDGE and abs(slope) < STEEP:
            return Foothold(ankle, figure.ground(ankle), _tilt(figure, ankle, yaw, slope, float(legs.ball[side, 0])))
    ankle = pressed - turned(yaw, (PRESSED * float(legs.ball[side, 0]), 0.0))
    return Foothold(ankle, figure.ground(pressed), LEVEL)


def _tilt(figure: Figure, ankle: Array, yaw: float, slope: float, wide: float) -> Array:
    """(4,) how the ground is tilted."""
    left, right = (figure.ground(ankle + turned(yaw, (0.0, y))) for y in (0.3 * wide, -0.3 * wide))
    aside = (left - right) / (0.6 * wide)
    if abs(slope) < 1e-6 and abs(aside) < 1e-6:
        return LEVEL
    aside = max(min(aside, STEEP), -STEEP)
    way = turned(yaw, (slope, aside))
    return quat_between(np.array([0.0, 0.0, 1.0]), np.array([-way[0], -way[1], 1.0]) / math.hypot(1.0, slope, aside))


def standing_turn(figure: Figure, ball: Array, yaw: float) -> Array:
    """(3, 3) how a foot stands flat on the ground with its ball at a place, pointing along `yaw`."""
    c, s = math.cos(yaw), math.sin(yaw)
    span = 0.08
    ahead = (figure.ground(ball) - figure.ground(ball[:2] - span * np.array([c, s]))) / span
    left, right = (figure.ground(ball[:2] + y * np.array([-s, c])) for y in (0.4 * span, -0.4 * span))
    aside = (left - right) / (0.8 * span)
    if abs(ahead) > STEEP:
        ahead = 0.0
    if abs(aside) > STEEP:
        aside = 0.0
    x = np.array([c, s, ahead])
    y = np.array([-s, c, aside])
    x /= np.linalg.norm(x)
    z = np.cross(x, y)
    z /= np.linalg.norm(z)
    return np.ascontiguousarray(np.stack([x, np.cross(z, x), z], axis=1))
