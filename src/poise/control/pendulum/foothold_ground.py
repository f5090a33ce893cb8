"""The ground where a foot can land: height and slope of the ground, and whether a foot has room on it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Mask
from poise.control.pendulum.vectors import unit_quat
from poise.control.pendulum.walker import PRESSED, STEEP, Walker, rotated_xy
from poise.kernel import kernel

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
VERTICAL = np.array([0.0, 0.0, 1.0])
EDGE_HEIGHT = 0.015  # Deviation (m, adult) from a plane above which the ground under a foot counts as an edge
MARGIN, HEEL_PASSED = 0.03, 0.015
"""Margins (m, adult): MARGIN around a foot in stance; HEEL_PASSED of a swinging heel beyond an edge."""
SLOPE_SPAN = 0.6  # Share of the distance from ball to ankle over which the slope under a stance foot is measured
SPACING = 0.025  # Distance (m) between the samples of a strip
BEHIND, AHEAD = 0.7, 1.1  # In leg lengths: how far a strip extends behind and ahead of the stance foot


class Foothold(NamedTuple):
    """Where a foot is to land, in the world."""

    ankle: Array  # (2,) m: x and y of the ankle
    ground: float  # m: height of the ground
    tilt: Array  # (4,) quaternion that turns level ground into this ground
    up: Array  # (3,) normal of the ground, scaled to z = 1


class FootStrip(NamedTuple):
    """Ground along the line on which a foot can land, relative to the centre of pressure of the stance foot."""

    begin: float  # m ahead: first sample
    level: Array  # (N,) m in the world: height of the ground under each possible centre of pressure
    free: Mask  # (N,) whether the foot has room at each sample
    aimed: float  # m ahead: the previous aim; nan if there is none

    @property
    def slope(self) -> float:
        """Mean slope (rise over run) from the first sample to the last."""
        return float(self.level[-1] - self.level[0]) / (SPACING * (len(self.level) - 1))

    @property
    def relief(self) -> float:
        """Difference (m) between the highest and the lowest sample."""
        least, most = lowest_and_highest(self.level)
        return most - least


def landing_strip(
    walker: Walker, side: int, pressed: Array, yaw: float, aside: float, aimed: Array | None = None
) -> FootStrip:
    """The strip for a foot along `yaw`, `aside` (m) left of the stance point `pressed` (2,) m; `aimed`: last aim."""
    long = walker.legs.length
    begin, end = -round(BEHIND * long / SPACING), round(AHEAD * long / SPACING)
    beyond = math.ceil((walker.longest + MARGIN * walker.legs.scale) / SPACING)  # samples: reach of a foot at the ends
    grid = SPACING * np.arange(begin - beyond, end + beyond + 1.0)
    c, s = math.cos(yaw), math.sin(yaw)
    level = walker.heights(*points_along_yaw(pressed[0] - s * aside, pressed[1] + c * aside, yaw, grid))
    inside = slice(beyond, len(grid) - beyond)
    last = math.nan if aimed is None else float(c * (aimed[0] - pressed[0]) + s * (aimed[1] - pressed[1]))
    return FootStrip(SPACING * begin, level[inside], _has_foot_room(walker, side, grid, level)[inside], last)


@kernel
def points_along_yaw(x: float, y: float, yaw: float, ahead: Array) -> tuple[Array, Array]:
    """Coordinates x (N,) and y (N,) of points at distances `ahead` (N,) m from (x, y) along `yaw`."""
    return x + math.cos(yaw) * ahead, y + math.sin(yaw) * ahead


@kernel
def lowest_and_highest(values: Array) -> tuple[float, float]:
    """Minimum and maximum of values (N,), without the cost of NumPy's calls."""
    least, most = math.inf, -math.inf
    for value in values:
        least, most = min(least, value), max(most, value)
    return least, most


def _has_foot_room(walker: Walker, side: int, grid: Array, level: Array) -> Mask:
    """(N,) whether a foot has room: ankle to ball on one plane, and no ground above this plane at heel and toes."""
    legs = walker.legs
    ball, edge, spare = float(legs.ball[side, 0]), EDGE_HEIGHT * legs.scale, MARGIN * legs.scale
    lowest, highest = lowest_and_highest(level)
    if highest - lowest < edge:
        return np.ones(len(grid), bool)
    back, tip, far = float(legs.sole[side, 0, 0]) - spare, float(legs.sole[side, 4, 0]), ball + spare
    marks = (back, 0.0, 0.5 * ball, far, tip)
    heel, ankle, middle, front, toes = (np.interp(grid + mark - PRESSED * ball, grid, level) for mark in marks)
    slope = (front - ankle) / far
    flat = (np.abs(slope) < STEEP) & (np.abs(middle - ankle - 0.5 * ball * slope) < edge)
    return np.asarray(flat & (heel < ankle + slope * back + edge) & (toes < ankle + slope * tip + edge))


def foothold_at(walker: Walker, side: int, pressed: Array, yaw: float) -> Foothold:
    """The foothold of a foot with its centre of pressure at `pressed` (2,) m, pointing along `yaw` (rad)."""
    ball = float(walker.legs.ball[side, 0])
    x, y = float(pressed[0]) - math.cos(yaw) * PRESSED * ball, float(pressed[1]) - math.sin(yaw) * PRESSED * ball
    level, slope, aside = _foot_slopes(walker, x, y, yaw, ball, 0.3 * ball)
    place = np.array([x, y])
    if abs(slope) > STEEP:
        return Foothold(place, walker.ground_height(pressed), LEVEL, VERTICAL)
    if abs(slope) < 1e-6 and abs(aside) < 1e-6:
        return Foothold(place, level, LEVEL, VERTICAL)
    up_x, up_y = (-rotated_xy(yaw, np.array([slope, max(min(aside, STEEP), -STEEP)]))).tolist()
    tilt = unit_quat(np.array([1.0 + math.hypot(1.0, up_x, up_y), -up_y, up_x, 0.0]))
    return Foothold(place, level, tilt, np.array([up_x, up_y, 1.0]))


def _foot_slopes(walker: Walker, x: float, y: float, yaw: float, far: float, wide: float) -> tuple[float, float, float]:
    """Height (m) of the ground at (x, y), slope along `yaw` over `far` (m), and slope to the left over `wide` (m)."""
    places = _slope_sample_points(x, y, yaw, far, wide)
    here, there, left, right = walker.heights(places[0], places[1]).tolist()
    return here, (there - here) / far, (left - right) / (2 * wide)


@kernel
def _slope_sample_points(x: float, y: float, yaw: float, far: float, wide: float) -> Array:
    """Columns (2, 4) m: point (x, y), and the points `far` ahead along `yaw`, `wide` left and `wide` right of it."""
    c, s = math.cos(yaw), math.sin(yaw)
    out = np.empty((2, 4))
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = x, x + c * far, x - s * wide, x + s * wide
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = y, y + s * far, y + c * wide, y - c * wide
    return out


def stance_foot_rotation(walker: Walker, side: int, ball: Array, yaw: float) -> Array:
    """Rotation (3, 3) of a foot that stands flat on the ground with its ball at `ball` (3,) m, pointing along `yaw`."""
    span = SLOPE_SPAN * float(walker.legs.ball[side, 0])
    _, ahead, aside = _foot_slopes(walker, ball[0], ball[1], yaw, -span, 0.4 * span)
    ahead, aside = (0.0 if abs(each) > STEEP else each for each in (ahead, aside))
    c, s = math.cos(yaw), math.sin(yaw)
    long, steep = math.hypot(1.0, ahead), math.hypot(1.0, ahead, aside)
    i, j, k = c / long, s / long, ahead / long
    # columns: along, across and normal to the ground
    a, b, n = (s * aside - c * ahead) / steep, -(s * ahead + c * aside) / steep, 1.0 / steep
    return np.array([[i, b * k - n * j, a], [j, n * i - a * k, b], [k, a * j - b * i, n]])


def ground_above_foothold(walker: Walker, side: int, places: Array, yaw: float, hold: Foothold) -> float:
    """Greatest height (m) of the ground above a foothold's plane, below a foot with its ankle at any of `places`."""
    legs, c, s = walker.legs, math.cos(yaw), math.sin(yaw)
    spare, passed = MARGIN * legs.scale, HEEL_PASSED * legs.scale
    marks = np.array([legs.sole[side, 0, 0] - passed, 0.0, legs.ball[side, 0], legs.sole[side, 4, 0] + spare])
    x, y = (places[:, :1] + c * marks).ravel(), (places[:, 1:2] + s * marks).ravel()
    plane = hold.ground - hold.up[0] * (x - hold.ankle[0]) - hold.up[1] * (y - hold.ankle[1])
    return float((walker.heights(x, y) - plane).max())
