"""What stands in the way, higher than the ground before and behind it: it is stepped over.

Feet keep away from it, and swing over it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.foothold_ground import SPACING, Foothold, Strip, bounds, line
from poise.control.pendulum.gait import Lift
from poise.control.pendulum.walker import PRESSED, STEEP, Walker

# The rhythm of stairs: steps as long as a tread, or as some of them, so that feet need not search for room.

EDGE = 0.03
"""m, of an adult: what is higher is an edge."""
SHORTEST = 0.15
"""m, of an adult: what is shorter is no tread."""
CLIMBS = 0.17
"""m, of an adult: no step leads up or down by more if it can be shorter."""
QUICKER = 0.9
"""Of its duration: by no more is a step made quicker to keep the speed."""


class Rhythm(NamedTuple):
    """What steps are like on the whole."""

    speed: float  # m/s
    duration: float  # s


def rhythm(ground: Strip, wanted: Rhythm, scale: float) -> Rhythm:
    """What suits the ground best for who wants a rhythm, on legs `scale` times as long as an adult's."""
    if ground.relief < EDGE * scale:
        return wanted
    tread, rise = _stair(ground, scale)
    if tread < SHORTEST * scale:
        return wanted
    most = max(int(CLIMBS * scale / rise), 1)
    treads = min(round(abs(wanted.speed) * wanted.duration / tread), most)
    if treads == 0:
        return wanted
    way = treads * tread
    duration = min(max(way / abs(wanted.speed), QUICKER * wanted.duration), wanted.duration)
    return Rhythm(math.copysign(way / duration, wanted.speed), duration)


def _stair(ground: Strip, scale: float) -> tuple[float, float]:
    """m from edge to edge, and m of an edge; 0 from edge to edge where there are no two."""
    jumps = np.abs(np.diff(ground.level))
    edges = np.flatnonzero(jumps > max(EDGE * scale, STEEP * SPACING))
    if len(edges) < 2:
        return 0.0, math.inf
    return float(np.median(np.diff(edges))) * SPACING, float(np.median(jumps[edges]))


HIGHER, TALL = 0.03, 0.06
"""m, of an adult, by which something is higher than both ends of a foot's way for the foot to mind it; and than the
ground on both sides to be a hurdle, which is not stepped on."""
ABOVE = 0.1
"""m, of an adult: by so much a foot passes over it."""
APART, LEANS = 0.1, 0.25
"""m, of an adult: no nearer to it are toes or heels set down; beyond it by so much of its height further, for the
shank, which then leans over it."""
DEEPEST = 0.2
"""Of a leg's length: what is deeper is ground to step on."""
FURTHEST = 0.9
"""Of a leg's length: the longest step over a hurdle; who would need a longer one steps in front of it first."""
BRISK = 0.95
"""m/s, of an adult: nobody gets over a hurdle more slowly."""


class Way(NamedTuple):
    """The ground for a foot to land on, and what hurdles ask for."""

    strip: Strip
    least: float = 0.0  # m/s: how fast to go
    over: bool = False  # whether the foot has to get over one in this step


def way_past(figure: Walker, side: int, strip: Strip, foot: float) -> Way:
    """The strip without hurdles, on which a foot has no room near them nor on the wrong side of them.

    What is within one step is got over; before what is not, it keeps its place. The foot is now `foot` (m) ahead of
    the one that stands.
    """
    legs, level = figure.legs, strip.level
    if strip.relief < TALL * legs.scale:
        return Way(strip)
    around = _lowest_around(level, max(round(DEEPEST * legs.length / SPACING), 1))
    high = level > around + TALL * legs.scale
    if not high.any():
        return Way(strip)
    back, front = legs.sole[side, [0, 4], 0] - PRESSED * legs.ball[side, 0]  # m from what is pressed
    ahead = strip.begin + SPACING * np.arange(len(level))  # m from the foot that stands
    free, least, over = strip.free.copy(), 0.0, False
    for first, last in np.flatnonzero(np.diff(high, prepend=False, append=False)).reshape(-1, 2):
        tall = float((level - around)[first:last].max())
        near, far = (
            ahead[first] - front - APART * legs.scale,
            ahead[last - 1] - back + APART * legs.scale + LEANS * tall,
        )
        within = far < FURTHEST * legs.length
        free &= ahead > far if within else ahead < near
        if foot < far:
            least, over = BRISK * legs.slow, over or within
    return Way(strip._replace(level=np.where(high, around, level), free=free), least, over)


def _lowest_around(level: Array, far: int) -> Array:
    """(N,) m: of the lowest within so many places before and the lowest within as many behind, the higher one."""
    count = len(level)
    wide = np.concatenate([np.full(far, level[0]), level, np.full(far, level[-1])])
    lowest = wide[: count + far].copy()  # from each place on
    for k in range(1, far + 1):
        np.minimum(lowest, wide[k : k + count + far], out=lowest)
    return np.asarray(np.maximum(lowest[:count], lowest[far:]))


def over_hurdles(figure: Walker, side: int, lift: Lift, hold: Foothold, place: Array, yaw: float) -> float:
    """m: how high the sole must be with its ankle at a place (2,); minus infinity where nothing is in its way.

    It rises from where it was to what it has to pass over, and sinks from there to where it will be.
    """
    legs, ends, c, s = figure.legs, max(lift.ground, hold.ground), math.cos(yaw), math.sin(yaw)
    gone = c * (place[0] - lift.ankle[0]) + s * (place[1] - lift.ankle[1])
    left = c * (hold.ankle[0] - place[0]) + s * (hold.ankle[1] - place[1])
    way = math.copysign(1.0, gone + left)
    gone, left = max(way * gone, 0.0), max(way * left, 0.0)  # m along the way
    back, front = sorted((way * legs.sole[side, 0, 0], way * legs.sole[side, 4, 0]))  # m from the ankle
    marks = np.arange(front - gone, back + left, SPACING)
    level = figure.heights(*line(place[0], place[1], yaw, way * marks))
    if bounds(level)[1] <= ends + HIGHER * legs.scale:
        return -math.inf
    above = level - ends
    high = above > HIGHER * legs.scale
    ahead, behind = np.maximum(marks - front, 0.0), np.maximum(back - marks, 0.0)
    share = _part(gone, ahead) * _part(left, behind)
    return ends + float((share * (above + ABOVE * legs.scale))[high].max())


def _part(one: float, others: Array) -> Array:
    """(N,) how much one length is of itself and others (N,); all of it where there is no other."""
    return np.where(others > 0.0, one / np.maximum(one + others, 1e-9), 1.0)
