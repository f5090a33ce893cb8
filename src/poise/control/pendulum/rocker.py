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
from poise.frozen import Array
from poise.kernel import kernel

FLATTENS, SLOWEST = 16.0, 1.0
"""1/s and rad/s, of an adult: toes come down by so much of how far they are up, and by at least so much."""


def rocked(legs: Legs, seen: Seen, side: int, flat: Standing, ahead: float) -> Standing:
    """A foot as it should be some time (s) from now, if it is to stand flat; its heel stays where it is."""
    own, now = (legs.sole[side], legs.ball[side]), (seen.ankle[side], seen.foot[side])
    up, ball, turn = _rocked(*own, *now, flat.ball, flat.foot, ahead / legs.slow)
    return Standing(ball, turn, flat.most) if up > 0.0 else flat


@kernel
def _rocked(
    sole: Any, ball: Any, ankle: Any, foot: Any, on: Any, flat: Any, ahead: float
) -> tuple[float, Array, Array]:
    """rad by which toes are up now, and (3,) m and (3, 3) where the ball will be and how the foot is then turned.

    Of a foot with its ankle at a place (3,), turned as told (3, 3), that should be flat on ground through `on` (3,).
    """
    heel, normal = 0.5 * (sole[0] + sole[1]), flat[:, 2]
    up = math.asin(min(max(dot(foot[:, 0], normal), -1.0), 1.0))
    there = ankle + carried(foot, heel)
    there -= normal * dot(normal, there - on)
    turn = rolled(flat, -max(up - ahead * (FLATTENS * up + SLOWEST), 0.0))
    return up, there + carried(turn, ball - heel), turn
