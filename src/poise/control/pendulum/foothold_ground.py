"""The ground where a foot will land, and only there: how high it is, how it slopes, whether the foot has room."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.control.pendulum.vectors import unit
from poise.control.pendulum.walker import PRESSED, STEEP, Walker, turned
from poise.kernel import kernel

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
VERTICAL = np.array([0.0, 0.0, 1.0])
EDGE = 0.015
"""m, of an adult: ground under a foot that is further from a plane than this has an edge there."""
SPARE, PASSED = 0.03, 0.015
"""m, of an adult: how far ahead of its ball a foot needs ground, lest it slips over an edge, and how far its heel keeps
from what is higher behind it; and how far beyond an edge a heel on its way has passed it."""
SPAN = 0.6
"""Of the way from ball to ankle, behind the ball: what tells how the ground slopes under a foot."""
SPACING = 0.025
"""m between the places of a strip."""
BEHIND, AHEAD = 0.7, 1.1
"""Of a leg's length: how far a strip goes from the foot that stands."""


class Foothold(NamedTuple):
    """Where a foot is to land."""

    ankle: Array  # (2,) m
    ground: float  # m
    tilt: Array  # (4,) of the ground there
    up: Array  # (3,) its normal, with 1 for the last number


class Strip(NamedTuple):
    """The ground along the line in which a foot can land, told from the point that the other presses on."""

    begin: float  # m ahead: of its first place
    level: Array  # (N,) m: how high the ground is where the foot would press
    free: NDArray[np.bool_]  # (N,) whether it has room there
    aimed: float  # m ahead: what was aimed at before; nan for nothing

    @property
    def slope(self) -> float:
        """By how much it rises for each metre, on the whole."""
        return float(self.level[-1] - self.level[0]) / (SPACING * (len(self.level) - 1))

    @property
    def relief(self) -> float:
        """m from its lowest place to its highest."""
        least, most = bounds(self.level)
        return most - least


def strip(figure: Walker, side: int, pressed: Array, yaw: float, aside: float, aimed: Array | None = None) -> Strip:
    """Of a foot that points along `yaw`, `aside` (m, to the left) of the point (2,) that the other presses on.

    `aimed` (2,) m is the place that was aimed at before.
    """
    long = figure.legs.length
    begin, end, beyond = -round(BEHIND * long / SPACING), round(AHEAD * long / SPACING), _beyond(figure)
    grid = SPACING * np.arange(begin - beyond, end + beyond + 1.0)
    c, s = math.cos(yaw), math.sin(yaw)
    level = figure.heights(*line(pressed[0] - s * aside, pressed[1] + c * aside, yaw, grid))
    inside = slice(beyond, len(grid) - beyond)
    last = math.nan if aimed is None else float(c * (aimed[0] - pressed[0]) + s * (aimed[1] - pressed[1]))
    return Strip(SPACING * begin, level[inside], _roomy(figure, side, grid, level)[inside], last)


@kernel
def line(x: float, y: float, yaw: float, ahead: Any) -> tuple[Array, Array]:
    """(N,) m and (N,) m: places so far (N,) m ahead of one, along `yaw`."""
    return x + math.cos(yaw) * ahead, y + math.sin(yaw) * ahead


@kernel
def bounds(values: Any) -> tuple[float, float]:
    """The least and the most of values (N,)."""
    least, most = math.inf, -math.inf
    for value in values:
        least, most = min(least, value), max(most, value)
    return least, most


def _beyond(figure: Walker) -> int:
    """By how many places the ground must be known beyond the ends of a strip: as far as a foot reaches there."""
    return math.ceil((figure.longest + SPARE * figure.legs.scale) / SPACING)


def _roomy(figure: Walker, side: int, grid: Array, level: Array) -> NDArray[np.bool_]:
    """(N,) whether a foot has room: its ankle and ball on one plane, and nothing above it under heel and toes.

    Heels and toes may hang over an edge, but heels keep away from one that is higher.
    """
    legs = figure.legs
    ball, edge, spare = float(legs.ball[side, 0]), EDGE * legs.scale, SPARE * legs.scale
    lowest, highest = bounds(level)
    if highest - lowest < edge:
        return np.ones(len(grid), bool)
    back, tip, far = float(legs.sole[side, 0, 0]) - spare, float(legs.sole[side, 4, 0]), ball + spare
    marks = (back, 0.0, 0.5 * ball, far, tip)
    heel, ankle, middle, front, toes = (np.interp(grid + mark - PRESSED * ball, grid, level) for mark in marks)
    slope = (front - ankle) / far
    flat = (np.abs(slope) < STEEP) & (np.abs(middle - ankle - 0.5 * ball * slope) < edge)
    return np.asarray(flat & (heel < ankle + slope * back + edge) & (toes < ankle + slope * tip + edge))


def foothold(figure: Walker, side: int, pressed: Array, yaw: float) -> Foothold:
    """A foot that presses on a place (2,) m, pointing along `yaw`."""
    ball = float(figure.legs.ball[side, 0])
    x, y = float(pressed[0]) - math.cos(yaw) * PRESSED * ball, float(pressed[1]) - math.sin(yaw) * PRESSED * ball
    level, slope, aside = _lie(figure, x, y, yaw, ball, 0.3 * ball)
    if abs(slope) > STEEP:
        return Foothold(np.array([x, y]), figure.ground(pressed), LEVEL, VERTICAL)
    return Foothold(np.array([x, y]), level, *_tilt(yaw, slope, aside))


def _lie(figure: Walker, x: float, y: float, yaw: float, far: float, wide: float) -> tuple[float, float, float]:
    """How high the ground is (m), and how much it rises along `yaw` and to its left, by what is so far (m) away."""
    places = _cross(x, y, yaw, far, wide)
    here, there, left, right = figure.heights(places[0], places[1]).tolist()
    return here, (there - here) / far, (left - right) / (2 * wide)


@kernel
def _cross(x: float, y: float, yaw: float, far: float, wide: float) -> Array:
    """(2, 4) m: a place, one ahead of it, one to its left and one to its right."""
    c, s = math.cos(yaw), math.sin(yaw)
    out = np.empty((2, 4))
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = x, x + c * far, x - s * wide, x + s * wide
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = y, y + s * far, y + c * wide, y - c * wide
    return out


def _tilt(yaw: float, slope: float, aside: float) -> tuple[Array, Array]:
    """How ground is tilted (4,) that rises by `slope` along `yaw` and by `aside` to its left, and its normal (3,)."""
    if abs(slope) < 1e-6 and abs(aside) < 1e-6:
        return LEVEL, VERTICAL
    aside = max(min(aside, STEEP), -STEEP)
    x, y = (-turned(yaw, np.array([slope, aside]))).tolist()
    return unit(np.array([1.0 + math.hypot(1.0, x, y), -y, x, 0.0])), np.array([x, y, 1.0])


def standing_turn(figure: Walker, side: int, ball: Array, yaw: float) -> Array:
    """(3, 3) how a foot stands flat on the ground with its ball at a place, pointing along `yaw`."""
    span = SPAN * float(figure.legs.ball[side, 0])
    _, ahead, aside = _lie(figure, ball[0], ball[1], yaw, -span, 0.4 * span)
    return _upon(yaw, ahead if abs(ahead) <= STEEP else 0.0, aside if abs(aside) <= STEEP else 0.0)


def _upon(yaw: float, ahead: float, aside: float) -> Array:
    """(3, 3) the frame that points along `yaw` on a plane that rises so much ahead and to the left.

    Columns: along, which is (c, s, ahead); the normal's product with it; the normal.
    """
    c, s = math.cos(yaw), math.sin(yaw)
    long, steep = math.hypot(1.0, ahead), math.hypot(1.0, ahead, aside)
    i, j, k = c / long, s / long, ahead / long
    a, b, n = (s * aside - c * ahead) / steep, -(s * ahead + c * aside) / steep, 1.0 / steep
    return np.array([[i, b * k - n * j, a], [j, n * i - a * k, b], [k, a * j - b * i, n]])


def stepped(figure: Walker, side: int, places: Array, yaw: float, hold: Foothold) -> float:
    """m by which the ground under a foot with its ankle at some places (K, 2) is above the plane it will land on."""
    legs, c, s = figure.legs, math.cos(yaw), math.sin(yaw)
    spare, passed = SPARE * legs.scale, PASSED * legs.scale
    marks = np.array([legs.sole[side, 0, 0] - passed, 0.0, legs.ball[side, 0], legs.sole[side, 4, 0] + spare])
    x, y = (places[:, :1] + c * marks).ravel(), (places[:, 1:2] + s * marks).ravel()
    plane = hold.ground - hold.up[0] * (x - hold.ankle[0]) - hold.up[1] * (y - hold.ankle[1])
    return float((figure.heights(x, y) - plane).max())
