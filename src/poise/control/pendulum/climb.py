"""Up and down stairs: the body rises along with its steps, and legs bend beforehand for what they have to stretch."""

from __future__ import annotations

import math
from typing import NamedTuple

from poise.control.pendulum.figure import Figure, Seen, along
from poise.control.pendulum.gait import Gait
from poise.frozen import Array

FAR, NEAR = 0.3, 0.25
"""m, of an adult: no further from the foot that stands does the body rise; and no shorter is a step taken to be."""
BENDS_UP, BENDS_DOWN, BENDS_DOWNHILL = 0.25, 0.1, 0.2
"""Of a leg's length: how much lower hips are where steps lead up, or down, or a slope does, by 1 for each metre."""


class Climb(NamedTuple):
    """How steep steps are along the heading, beyond the slope of the ground under the foot that stands."""

    last: float  # of run: between that foot and where the other left
    next: float  # and where it will land
    way: float  # 1 forward, -1 backward
    slope: float = 0.0  # of run: of that ground

    def rise(self, figure: Figure, ahead: float) -> float:
        """m by which hips are higher than over level ground when they are so far (m) ahead of the foot that stands."""
        legs = figure.legs
        steep = self.way * (self.next if self.way * ahead > 0 else self.last)  # of the way it goes
        along = min(max(self.way * ahead, -FAR * legs.scale), FAR * legs.scale)
        most, least = sorted((self.way * self.last, self.way * self.next), reverse=True)
        bent = max(BENDS_UP * most, -BENDS_DOWN * least) + BENDS_DOWNHILL * max(-self.way * self.slope, 0.0)
        return max(steep, 0.0) * along - bent * legs.length


def climb(figure: Figure, seen: Seen, gait: Gait, heading: float, place: Array) -> Climb:
    """Of steps on the way to a place (2,) m that the swinging foot is to press on."""
    under = seen.pressed[gait.stance]
    left = gait.lift.ankle if gait.lift else seen.ankle[gait.swing]
    slope = -along(heading, figure.upward(under))
    floor, near = figure.ground(under), NEAR * figure.legs.scale

    def steepness(end: Array, run: float) -> float:
        rise = figure.ground(end) - floor - slope * run
        return math.copysign(1.0, run) * rise / max(abs(run), near)

    behind, ahead = (along(heading, end[:2] - under[:2]) for end in (left, place))
    return Climb(steepness(left, behind), steepness(place, ahead), math.copysign(1.0, ahead - behind), slope)
