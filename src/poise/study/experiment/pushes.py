"""Pushes in a horizontal direction, at a chosen phase of a cyclic motion."""

from __future__ import annotations

import math

from poise.errors import PoiseError
from poise.study.experiment.trial import cast_once
from poise.world.pushes import Push

EIGHT = tuple(range(0, 360, 45))
"""Directions of pushes (degrees, counter-clockwise from forward)."""


def horizontal_push(degrees: int, force: float, time: float, duration: float) -> Push:
    """A push of a force (N) at a time (s) for a duration (s); 0 degrees is forward, 90 is to the left."""
    angle = math.radians(degrees)
    return Push(force, time, duration, (math.cos(angle), math.sin(angle), 0.0))


def starting_phase(motion: str, body: str | None, phase: float, time: float) -> float:
    """The phase (0 to 1) at which a cycle must start to be at `phase` after `time` (s)."""
    _, reference = cast_once(motion, body, True)
    cycle = next(iter(reference.motions.values())).clip
    if not cycle.cyclic:
        raise PoiseError(f"'{motion}' is no cycle: it has no phases at which to push; choose a cyclic motion")
    return (phase - time / cycle.seconds) % 1.0
