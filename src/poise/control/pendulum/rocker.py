"""A foot that came down on its heel rolls over it until it is flat: meanwhile its ankle goes forward and down.

Turned about its ankle instead, it would lift its heel from the ground, and slide.
"""

from __future__ import annotations

import math

from poise.control.pendulum.bending import rolled
from poise.control.pendulum.figure import Seen
from poise.control.pendulum.legs import Legs
from poise.control.pendulum.posture import Standing

FLATTENS, SLOWEST = 16.0, 1.0
"""1/s and rad/s, of an adult: toes come down by so much of how far they are up, and by at least so much."""


def rocked(legs: Legs, seen: Seen, side: int, flat: Standing, ahead: float) -> Standing:
    """A foot as it should be some time (s) from now, if it is to stand flat; its heel stays where it is."""
    normal = flat.foot[:, 2]
    up = math.asin(min(max(float(seen.foot[side, :, 0] @ normal), -1.0), 1.0))  # rad: of its toes
    if up <= 0.0:
        return flat
    heel = 0.5 * (legs.sole[side, 0] + legs.sole[side, 1])
    there = seen.ankle[side] + seen.foot[side] @ heel
    there = there - normal * float(normal @ (there - flat.ball))
    turn = rolled(flat.foot, -max(up - ahead * (FLATTENS * up + SLOWEST) / legs.slow, 0.0))
    return Standing(there + turn @ (legs.ball[side] - heel), turn, flat.most)
