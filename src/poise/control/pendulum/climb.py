"""Up and down stairs: the body rises along with its steps, and legs bend beforehand for what they have to stretch."""

from __future__ import annotations

from typing import NamedTuple

from poise.control.pendulum.figure import Figure, Seen, turned
from poise.control.pendulum.gait import Gait
from poise.spatial import Array

FAR, NEAR = 0.3, 0.25
"""m, of an adult: no further from the foot that stands does the body rise; and no shorter is a step taken to be."""
BENDS_UP, BENDS_DOWN = 0.25, 0.1
"""Of a leg's length: how much lower hips are where steps lead up, or down, by 1 for each metre."""


class Climb(NamedTuple):
    """How steep steps are, beyond the slope of the ground under the foot that stands: nothing on a slope."""

    last: float  # of run: from where the other foot left
    next: float  # to where it will land

    def rise(self, figure: Figure, ahead: float) -> float:
        """m by which hips are higher than over level ground when they are so far (m) ahead of the foot that stands."""
        legs = figure.legs
        steep = max(self.next if ahead > 0 else self.last, 0.0)
        along = min(max(ahead, -FAR * legs.scale), FAR * legs.scale)
        bent = max(BENDS_UP * max(self.last, self.next), -BENDS_DOWN * min(self.last, self.next))
        return steep * along - bent * legs.length


def climb(figure: Figure, seen: Seen, gait: Gait, heading: float, place: Array) -> Climb:
    """Of steps on the way to a place (2,) m that the swinging foot is to press on."""
    under = seen.pressed[gait.stance]
    left = gait.lift.ankle if gait.lift else seen.pressed[gait.swing]
    slope = -float(turned(-heading, figure.upward(under))[0])
    floor, near = figure.ground(under), NEAR * figure.legs.scale

    def steepness(end: Array, sign: float) -> float:
        run = sign * float(turned(-heading, end[:2] - under[:2])[0])
        return (sign * (figure.ground(end) - floor) - slope * run) / max(abs(run), near)

    return Climb(steepness(left, -1.0), steepness(place, 1.0))
