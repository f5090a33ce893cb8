"""How high the centre of mass should be: the leg that stands is as long as in the reference.

So knees bend as they do there, at any speed and on any ground. Before a long step the body sinks, so that the
foot can reach; and a plan of height and its rate keeps accelerations moderate.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.control.pendulum.figure import Figure, Seen
from poise.control.pendulum.manner import Moment
from poise.frozen import Array
from poise.kernel import kernel

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


def hip_height(figure: Figure, ankle: Array, moment: Moment, hip: Array) -> float:
    """m: how high the hip should be over a place (2,) when its foot stands flat with its ankle at another (3,)."""
    away = math.hypot(hip[0] - ankle[0], hip[1] - ankle[1])
    rise = moment.rise * min(away / max(moment.away, 0.05), 1.0)
    leg = min(moment.leg, STRETCH * figure.legs.length)
    return float(ankle[2] + rise + _above(leg, away, figure.legs.length))


def landing_height(figure: Figure, ground: float, away: float) -> float:
    """m: how high hips may be for a foot to land at a distance (m)."""
    return ground + figure.legs.ankle_height + _above(LANDING * figure.legs.length, away, figure.legs.length)


def _above(leg: float, away: float, length: float) -> float:
    return math.sqrt(max(leg * leg - away * away, (SHORTEST * length) ** 2))


def heaved(figure: Figure, now: Heave, wanted: float, rate: float) -> Heave:
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


def sinking(figure: Figure, hips: float, rate: float, falls: float, times: Array) -> Array:
    """(K,) m: how low hips can be after times (s), from a height (m) and its rate (m/s), if the ground falls (m/s)."""
    return _sinking(hips, min(rate, 0.0), SUNK * figure.legs.length, falls, times)


@kernel
def _sinking(hips: float, rate: float, most: float, falls: float, times: Any) -> Array:
    return np.asarray(hips + np.maximum(rate * times - 0.5 * DROP * times**2, -most - falls * times))
