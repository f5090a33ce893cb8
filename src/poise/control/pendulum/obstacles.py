"""Stairs and hurdles: steps that fit the treads of stairs, and feet that keep clear of hurdles or swing over them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, true_runs
from poise.control.pendulum.foothold_ground import SPACING, Foothold, FootStrip, lowest_and_highest, points_along_yaw
from poise.control.pendulum.gait import LiftOff
from poise.control.pendulum.walker import PRESSED, STEEP, Walker

EDGE_RISE = 0.03  # Rise (m, adult) above which a change of level is an edge
MIN_TREAD = 0.15  # Minimum length (m, adult) of a tread
MAX_CLIMB = 0.17  # Maximum rise (m, adult) of a step over several treads
MIN_DURATION = 0.9  # Share of its duration to which a step may be shortened to keep the speed
OBSTACLE, HURDLE = 0.03, 0.06
"""Minimum heights (m, adult): of an obstacle above both ends of a swing, of a hurdle above the ground on both sides."""
CLEARANCE = 0.1  # Clearance (m, adult) of a foot over a hurdle
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
