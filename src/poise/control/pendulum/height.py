"""How high the centre of mass should be: the leg that stands is as long as in the reference.

So knees bend as they do there, at any speed and on any ground. Before a long step the body sinks, so that the
foot can reach; and a plan of height and its rate keeps accelerations moderate.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.gait import GaitState
from poise.control.pendulum.gait_style import StepMoment
from poise.control.pendulum.walker import Seen, Walker, along
from poise.kernel import kernel

# Up and down stairs: the body rises along with its steps, and legs bend beforehand for what they have to stretch.

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

    def rise(self, figure: Walker, ahead: float) -> float:
        """m by which hips are higher than over level ground when they are so far (m) ahead of the foot that stands."""
        legs = figure.legs
        steep = self.way * (self.next if self.way * ahead > 0 else self.last)  # of the way it goes
        along = min(max(self.way * ahead, -FAR * legs.scale), FAR * legs.scale)
        most, least = sorted((self.way * self.last, self.way * self.next), reverse=True)
        bent = max(BENDS_UP * most, -BENDS_DOWN * least) + BENDS_DOWNHILL * max(-self.way * self.slope, 0.0)
        return max(steep, 0.0) * along - bent * legs.length


def climb(figure: Walker, seen: Seen, gait: GaitState, heading: float, place: Array) -> Climb:
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


STRETCH, LANDING = 0.985, 0.99
"""Of a leg's length: the longest a leg is wanted to be while it stands (further, the heel lifts), and when it lands."""
SHORTEST = 0.5
"""Of a leg's length."""
SINKS = 1.2
"""m/s, of an adult, at which the body can sink to where a landing needs it."""
DROP, HEAVE = 6.0, 20.0
"""m/s^2: the most acceleration, down and up."""
SUNK = 0.115
"""Of a leg's length: by so much hips are expected to sink for a landing, at most."""
STIFF = 10.0
"""1/s: of the way back to the wanted height."""
FOLLOWS = 5.0
"""1/s at which the plan gives in to where the body is."""
RISES = 0.9
"""m/s, of an adult: no faster does it come up again."""
STEEPEST = 1.0
"""m/s, of an adult: no faster is a wanted height expected to change."""
DESCENDED = 0.9
"""Of the swing: when hips have sunk by as much as the next foothold is lower."""


class Heave(NamedTuple):
    """The plan."""

    height: float  # m
    rate: float  # m/s
    pull: float = 0.0  # m/s^2

    def later(self, step: float) -> Heave:
        """After a step."""
        return Heave(self.height + step * self.rate + 0.5 * step**2 * self.pull, self.rate + step * self.pull)

    def following(self, seen: Seen, step: float) -> Heave:
        """Drawn to what came of it; `seen` is from before the step."""
        then = seen.com[2] + step * seen.velocity[2]
        share = FOLLOWS * step
        return Heave(self.height + share * (then - self.height), self.rate + share * (seen.velocity[2] - self.rate))


def hip_height(figure: Walker, ankle: Array, moment: StepMoment, hip: Array) -> float:
    """m: how high the hip should be over a place (2,) when its foot stands flat with its ankle at another (3,)."""
    away = math.hypot(hip[0] - ankle[0], hip[1] - ankle[1])
    rise = moment.rise * min(away / max(moment.away, 0.05), 1.0)
    leg = min(moment.leg, STRETCH * figure.legs.length)
    return float(ankle[2] + rise + _above(leg, away, figure.legs.length))


def landing_height(figure: Walker, ground: float, away: float) -> float:
    """m: how high hips may be for a foot to land at a distance (m)."""
    return ground + figure.legs.ankle_height + _above(LANDING * figure.legs.length, away, figure.legs.length)


def _above(leg: float, away: float, length: float) -> float:
    return math.sqrt(max(leg * leg - away * away, (SHORTEST * length) ** 2))


def heaved(figure: Walker, now: Heave, wanted: float, rate: float) -> Heave:
    """The plan with the acceleration that leads to a height (m) and its rate (m/s), without taking off."""
    slow = figure.legs.slow
    rate = min(max(rate, -STEEPEST * slow), STEEPEST * slow)
    speed = min(0.5 * STIFF * (wanted - now.height) + rate, RISES * slow)
    return now._replace(pull=min(max(2 * STIFF * (speed - now.rate), -DROP), HEAVE))


def descended(swung: float, within: float) -> tuple[float, float]:
    """How much of the way down to a lower foothold is over after a share of the swing, and its rate, 1/s.

    It is gone evenly until the foot lands `within` s: a body that drops is not borne, and feet lose their hold.
    """
    if swung >= DESCENDED:
        return 1.0, 0.0
    return swung / DESCENDED, (1.0 - swung) / (DESCENDED * within)


def lowest_hips(figure: Walker, hips: float, rate: float, falls: float, times: Array) -> Array:
    """(K,) m: how low hips can be after times (s), from a height (m) and its rate (m/s), if the ground falls (m/s)."""
    return _sinking(hips, min(rate, 0.0), SUNK * figure.legs.length, falls, times)


@kernel
def _sinking(hips: float, rate: float, most: float, falls: float, times: Any) -> Array:
    return np.asarray(hips + np.maximum(rate * times - 0.5 * DROP * times**2, -most - falls * times))
