"""The ground where a foot can land: height, slope and room for a foot; stairs, hurdles, and the steps that fit them."""

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Mask, true_runs
from poise.control.pendulum.gait import LiftOff
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


EDGE_RISE = 0.03  # Rise (m, adult) above which a change of level is an edge
MIN_TREAD = 0.15  # Minimum length (m, adult) of a tread
MAX_CLIMB = 0.17  # Maximum rise (m, adult) of a step over several treads
MIN_DURATION = 0.9  # Share of its duration to which a step may be shortened to keep the speed
OBSTACLE, HURDLE = 0.03, 0.06
"""Minimum heights (m, adult): of an obstacle above both ends of a swing, of a hurdle above the ground on both sides."""
CLEARANCE = 0.13  # Clearance (m, adult) of a foot over a hurdle
HURDLE_GAP, SHANK_GAP = 0.1, 0.25
"""Minimum distance (m, adult) of a foot from a hurdle; share of the height to add behind it, where the shank leans."""
MAX_DEPTH = 0.2  # In leg lengths: depth beyond which raised ground is stepped on, not over
MAX_STEP_OVER = 0.9
"""In leg lengths: the longest step over a hurdle; if a longer one is needed, the foot first lands in front of it."""
HURDLE_SPEED = 0.95  # Minimum speed (m/s, adult) of steps over a hurdle


class StepRhythm(NamedTuple):
    """Speed and duration of steps."""

    speed: float  # m/s
    duration: float  # s


def rhythm_on_treads(ground: FootStrip, wanted: StepRhythm, scale: float) -> StepRhythm:
    """The rhythm nearest to the wanted one whose steps fit the treads of the ground.

    A step covers one tread or several, so that feet need not search for room. `scale` is `Legs.scale`.
    """
    if ground.relief < EDGE_RISE * scale:
        return wanted
    jumps = np.abs(np.diff(ground.level))
    edges = np.flatnonzero(jumps > max(EDGE_RISE * scale, STEEP * SPACING))
    if len(edges) < 2:
        return wanted
    tread, rise = float(np.median(np.diff(edges))) * SPACING, float(np.median(jumps[edges]))
    if tread < MIN_TREAD * scale:
        return wanted
    most = max(int(MAX_CLIMB * scale / rise), 1)
    treads = min(round(abs(wanted.speed) * wanted.duration / tread), most)
    if treads == 0:
        return wanted
    way = treads * tread
    duration = min(max(way / abs(wanted.speed), MIN_DURATION * wanted.duration), wanted.duration)
    return StepRhythm(math.copysign(way / duration, wanted.speed), duration)


class ClearedStrip(NamedTuple):
    """The ground for a foot to land on, and what the hurdles on it demand of the step."""

    strip: FootStrip
    least: float = 0.0  # m/s: minimum speed
    over: bool = False  # whether the foot must pass over a hurdle in this step


def clear_hurdles(walker: Walker, side: int, strip: FootStrip, foot: float) -> ClearedStrip:
    """The strip with hurdles removed; a foot has no room where a hurdle is near, or on the wrong side of a hurdle.

    A hurdle within one step is stepped over; in front of any other hurdle the foot keeps its distance. The swing foot
    is now `foot` (m) ahead of the stance foot.
    """
    legs, level = walker.legs, strip.level
    if strip.relief < HURDLE * legs.scale:
        return ClearedStrip(strip)
    around = _level_around_hurdles(level, max(round(MAX_DEPTH * legs.length / SPACING), 1))
    high = level > around + HURDLE * legs.scale
    if not high.any():
        return ClearedStrip(strip)
    back, front = legs.sole[side, [0, 4], 0] - PRESSED * legs.ball[side, 0]  # m from the centre of pressure
    ahead = strip.begin + SPACING * np.arange(len(level))  # m from the stance foot
    free, least, over = strip.free.copy(), 0.0, False
    for first, last in true_runs(high):
        tall = float((level - around)[first:last].max())
        near = ahead[first] - front - HURDLE_GAP * legs.scale
        far = ahead[last - 1] - back + HURDLE_GAP * legs.scale + SHANK_GAP * tall
        within = far < MAX_STEP_OVER * legs.length
        free &= ahead > far if within else ahead < near
        if foot < far:
            least, over = HURDLE_SPEED * legs.time_scale, over or within
    return ClearedStrip(strip._replace(level=np.where(high, around, level), free=free), least, over)


def _level_around_hurdles(level: Array, far: int) -> Array:
    """(N,) m: ground around each sample: the higher of the lowest levels within `far` samples before and after it."""
    count = len(level)
    wide = np.concatenate([np.full(far, level[0]), level, np.full(far, level[-1])])
    lowest = wide[: count + far].copy()  # from each sample on
    for k in range(1, far + 1):
        np.minimum(lowest, wide[k : k + count + far], out=lowest)
    return np.asarray(np.maximum(lowest[:count], lowest[far:]))


def height_over_hurdles(walker: Walker, side: int, lift: LiftOff, hold: Foothold, place: Array, yaw: float) -> float:
    """Minimum height (m) of a sole over obstacles on its path, with its ankle at `place` (2,) m; -inf without any."""
    legs, ends, c, s = walker.legs, max(lift.ground, hold.ground), math.cos(yaw), math.sin(yaw)
    gone = c * (place[0] - lift.ankle[0]) + s * (place[1] - lift.ankle[1])
    left = c * (hold.ankle[0] - place[0]) + s * (hold.ankle[1] - place[1])
    way = math.copysign(1.0, gone + left)
    gone, left = max(way * gone, 0.0), max(way * left, 0.0)  # m along the path
    back, front = sorted((way * legs.sole[side, 0, 0], way * legs.sole[side, 4, 0]))  # m from the ankle
    marks = np.arange(front - gone, back + left, SPACING)
    level = walker.heights(*points_along_yaw(place[0], place[1], yaw, way * marks))
    if lowest_and_highest(level)[1] <= ends + OBSTACLE * legs.scale:
        return -math.inf
    above = level - ends
    high = above > OBSTACLE * legs.scale
    ahead, behind = np.maximum(marks - front, 0.0), np.maximum(back - marks, 0.0)
    share = _path_share(gone, ahead) * _path_share(left, behind)
    return ends + float((share * (above + CLEARANCE * legs.scale))[high].max())


def _path_share(one: float, others: Array) -> Array:
    """(N,) `one` / (`one` + `others`), for lengths `others` (N,); 1 where the other length is 0."""
    return np.where(others > 0.0, one / np.maximum(one + others, 1e-9), 1.0)
