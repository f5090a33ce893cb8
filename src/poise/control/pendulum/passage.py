"""Where a foot can be beside, in front of and behind the stance foot, so that the legs do not meet.

Seen from above, hips are further apart than feet. A foot beside the stance foot stays on its own side. A foot that is
far enough in front of it, or behind it, can be across.
"""

import math

import numpy as np

from poise.arrays import Array
from poise.kernel import kernel

BESIDE, LENGTH = 0.12, 0.25
"""In leg lengths: least lateral distance of a foot beside the stance foot, and how far ahead or behind that holds."""
ACROSS = 1.3  # How much further across a foot can be for each unit that it is further ahead or behind
WAYS = (0.0, 1.0, -1.0)  # Beside the stance foot, across in front of it, across behind it


@kernel
def least_aside(ahead: float, leg: float) -> float:
    """Least lateral distance (m, outward) from the stance foot of a foot that is `ahead` (m) of it."""
    return BESIDE * leg - ACROSS * max(abs(ahead) - LENGTH * leg, 0.0)


@kernel
def nearest_passage(place: Array, leg: float, out: float, way: float) -> Array:
    """The point (2,) m nearest to `place` (2,) at which a foot can be, if it goes one of the `WAYS`.

    Positions are relative to the stance foot, in the frame of the heading. `out` is 1 if outward is left, -1 if it is
    right, and NaN if no leg is in the way.
    """
    ahead, aside = place[0], out * place[1]
    if not aside < least_aside(ahead, leg):
        return place
    lack = BESIDE * leg - aside
    if way == 0.0:
        return np.array([ahead, out * (aside + lack)])
    share = (lack + ACROSS * (LENGTH * leg - way * ahead)) / (1.0 + ACROSS**2)
    return np.array([ahead + way * ACROSS * share, out * (aside + share)])


@kernel
def passage_length(foot: Array, place: Array, leg: float, out: float) -> float:
    """Length (m) of the way of a foot from `foot` (2,) m around the stance foot to `place` (2,) m."""
    if foot[0] * place[0] < 0.0:
        share = foot[0] / (foot[0] - place[0])
        beside = out * BESIDE * leg
        if out * (foot[1] + share * (place[1] - foot[1])) < BESIDE * leg:
            return math.hypot(foot[0], foot[1] - beside) + math.hypot(place[0], place[1] - beside)
    return math.hypot(place[0] - foot[0], place[1] - foot[1])
