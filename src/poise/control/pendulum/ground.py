"""The ground where a foot will land, and only there: how high it is, how it slopes, whether the foot has room."""

from __future__ import annotations

import math

import numpy as np

from poise.control.pendulum.figure import PRESSED, STEEP, Figure, turned
from poise.control.pendulum.swing import Foothold
from poise.spatial import Array, quat_between

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
VERTICAL = np.array([0.0, 0.0, 1.0])
EDGE = 0.015
"""m: ground under a foot that is further from a plane than this has an edge, and the foot is set elsewhere."""
SHIFTS = (0.0, 0.04, -0.04, 0.08, -0.08, 0.12, -0.12, 0.16)
"""m along the foot: where it is tried."""
SPAN = 0.08
"""m behind the ball of a foot that tell how the ground slopes under it."""


def foothold(figure: Figure, side: int, pressed: Array, yaw: float) -> Foothold:
    """Where a foot that is to press on a place (2,) m, pointing along `yaw`, is set."""
    legs, height = figure.legs, figure.height
    back, front, ball = float(legs.sole[side, 0, 0]), float(legs.sole[side, 4, 0]), float(legs.ball[side, 0])
    c, s, middle = math.cos(yaw), math.sin(yaw), 0.5 * (back + front)
    for shift in SHIFTS:
        away = shift - PRESSED * ball
        x, y = float(pressed[0]) + c * away, float(pressed[1]) + s * away
        low, bump, high = (height(x + c * along, y + s * along) for along in (back, middle, front))
        slope = (high - low) / (front - back)
        if abs(bump - 0.5 * (low + high)) < EDGE and abs(slope) < STEEP:
            wide = 0.3 * ball
            aside = (height(x - s * wide, y + c * wide) - height(x + s * wide, y - c * wide)) / (2 * wide)
            return Foothold(np.array([x, y]), height(x, y), *_tilt(yaw, slope, aside))
    ankle = pressed - turned(yaw, (PRESSED * ball, 0.0))
    return Foothold(ankle, figure.ground(pressed), LEVEL, VERTICAL)


def _tilt(yaw: float, slope: float, aside: float) -> tuple[Array, Array]:
    """How ground is tilted (4,) that rises by `slope` along `yaw` and by `aside` to its left, and its normal (3,)."""
    if abs(slope) < 1e-6 and abs(aside) < 1e-6:
        return LEVEL, VERTICAL
    aside = max(min(aside, STEEP), -STEEP)
    way = turned(yaw, (slope, aside))
    up = np.array([-way[0], -way[1], 1.0])
    return quat_between(VERTICAL, up), up


def standing_turn(figure: Figure, ball: Array, yaw: float) -> Array:
    """(3, 3) how a foot stands flat on the ground with its ball at a place, pointing along `yaw`."""
    height, x, y = figure.height, float(ball[0]), float(ball[1])
    c, s = math.cos(yaw), math.sin(yaw)
    wide = 0.4 * SPAN
    ahead = (height(x, y) - height(x - SPAN * c, y - SPAN * s)) / SPAN
    aside = (height(x - wide * s, y + wide * c) - height(x + wide * s, y - wide * c)) / (2 * wide)
    return _upon(c, s, ahead if abs(ahead) <= STEEP else 0.0, aside if abs(aside) <= STEEP else 0.0)


def _upon(c: float, s: float, ahead: float, aside: float) -> Array:
    """(3, 3) the frame that points along (c, s) on a plane that rises so much ahead and to the left.

    Columns: along, which is (c, s, ahead); the normal's product with it; the normal.
    """
    long, steep = math.hypot(1.0, ahead), math.hypot(1.0, ahead, aside)
    i, j, k = c / long, s / long, ahead / long
    a, b, n = (s * aside - c * ahead) / steep, -(s * ahead + c * aside) / steep, 1.0 / steep
    return np.array([[i, b * k - n * j, a], [j, n * i - a * k, b], [k, a * j - b * i, n]])
