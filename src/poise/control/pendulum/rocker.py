"""A foot that came down on its heel rolls over it until it is flat: meanwhile its ankle goes forward and down.

Turned about its ankle instead, it would lift its heel from the ground, and slide.
"""

from __future__ import annotations

import math
from typing import Any

from poise.control.pendulum.bending import rolled
from poise.control.pendulum.figure import Seen
from poise.control.pendulum.legs import Legs
from poise.control.pendulum.posture import Standing
from poise.control.pendulum.turns import carried, dot
from poise.kernel import kernel

FLATTENS, SLOWEST = 16.0, 1.0
"""1/s and rad/s, of an adult: toes come down by so much of how far they are up, and by at least so much."""


def rocked(legs: Legs, seen: Seen, side: int, flat: Standing, ahead: float) -> Standing:
    """A foot as it should be some time (s) from now, if it is to stand flat; its heel stays where it is."""
    up = _raised(seen.foot[side], flat.foot)
    if up <= 0.0:
        return flat
    still = max(up - ahead * (FLATTENS * up + SLOWEST) / legs.slow, 0.0)
    turn = rolled(flat.foot, -still)
    own = legs.sole[side], legs.ball[side]
    return Standing(_over_heel(*own, seen.ankle[side], seen.foot[side], flat.ball, flat.foot, turn), turn, flat.most)


@kernel
def _raised(foot: Any, flat: Any) -> float:
    """rad by which toes are up, of a foot (3, 3) that would else be flat."""
    return math.asin(min(max(dot(foot[:, 0], flat[:, 2]), -1.0), 1.0))


@kernel
def _over_heel(sole: Any, ball: Any, ankle: Any, foot: Any, on: Any, flat: Any, turn: Any) -> Any:
    """(3,) m: where the ball comes to when a foot is turned (3, 3) about its heel, on a flat ground through `on`."""
    heel, normal = 0.5 * (sole[0] + sole[1]), flat[:, 2]
    there = ankle + carried(foot, heel)
    there -= normal * dot(normal, there - on)
    return there + carried(turn, ball - heel)
