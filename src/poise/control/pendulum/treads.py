"""The rhythm of stairs: steps as long as a tread, or as some of them, so that feet need not search for room."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.control.pendulum.figure import STEEP
from poise.control.pendulum.ground import SPACING, Strip

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
