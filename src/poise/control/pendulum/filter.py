"""Where to step, and when: the inverted pendulum that a walking body is [Tsai2010] section 4.2.

The pendulum is linear, of constant height [Kajita2001]: its velocity at the end of the next step is then linear in
where the foot lands, and one closed form serves. The paper's own equation (5) squares the velocity, so it has two
solutions or none; see docs/pendulum.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.spatial import Array

CANDIDATES = 12
"""Times of landing that are compared."""


class Landing(NamedTuple):
    """Where and when the swinging foot is to land; places are told from the point that the stance foot presses on."""

    place: Array  # (2,) m of the point that it will press on
    within: float  # s from now
    velocity: Array  # (2,) m/s of the centre of mass then
    missed: float  # m by which the step would have to be longer


class Pace(NamedTuple):
    """What steps should be like."""

    duration: float  # s of the step to come after landing
    velocity: Array  # (2,) m/s that the centre of mass should have at the end of that step
    reach: float  # m of the longest step, from the centre of mass
    swiftness: float  # m/s of the fastest foot
    lean: float  # m by which the centre of mass may get away from the stance foot before that lifts off


def fallen(place: Array, velocity: Array, rate: float, time: float | Array) -> tuple[Array, Array]:
    """Place and velocity of a linear pendulum of rate sqrt(g/height) after a time."""
    c, s = np.cosh(rate * time), np.sinh(rate * time)
    return place * c + velocity / rate * s, place * rate * s + velocity * c


def end_velocity(speed: float, width: float, duration: float, rate: float, stance: int) -> Array:
    """(2,) m/s at the end of a step of steady walking: forward, and to the left; `stance` 0 for the left foot.

    Of the periodic motion of the linear pendulum with steps speed x duration long and `width` wide.
    """
    half = 0.5 * rate * duration
    forward = 0.5 * rate * speed * duration / math.tanh(half)
    aside = 0.5 * rate * width * math.tanh(half)
    return np.array([forward, -aside if stance == 0 else aside])


def landing(place: Array, velocity: Array, rate: float, pace: Pace, foot: Array, soonest: float, due: float) -> Landing:
    """Landing place and time that bring the velocity to what it should be.

    `place` and `velocity` (2,) of the centre of mass and `foot` (2,) of the swinging one are told from the point that
    the stance foot presses on. The step lands when it is `due` (s from now), but sooner, not before `soonest`, where it
    would become too long.
    """
    times = np.linspace(due, min(soonest, due), CANDIDATES)[:, None]
    there, then = fallen(place, velocity, rate, times)
    c, s = math.cosh(rate * pace.duration), math.sinh(rate * pace.duration)
    step = (c * then - pace.velocity) / (rate * s)  # (K, 2) from the centre of mass
    length = np.hypot(step[:, 0], step[:, 1])
    missed = np.maximum(length - pace.reach, 0.0)
    way = there + step - foot
    swift = np.hypot(way[:, 0], way[:, 1]) / np.maximum(times[:, 0], 1e-3)
    away = np.maximum(np.hypot(there[:, 0], there[:, 1]) - pace.lean, 0.0)
    hurry = (due - times[:, 0]) / pace.duration
    best = int(np.argmin(0.05 * hurry + missed + away + 0.2 * np.maximum(swift - pace.swiftness, 0.0)))
    kept = step[best] * min(1.0, pace.reach / max(float(length[best]), 1e-9))
    goal = there[best] + kept
    way = goal - foot
    far = math.hypot(way[0], way[1])
    most = pace.swiftness * float(times[best, 0]) + 0.05
    goal = foot + way * min(1.0, most / max(far, 1e-9))
    return Landing(goal, float(times[best, 0]), then[best], float(missed[best]))


def pressing(velocity: Array, wanted: Array, rate: float, within: float) -> Array:
    """(2,) m: by how much the pressed point must move for the velocity at landing to be the wanted one, not `velocity`."""
    return (velocity - wanted) / (rate * math.sinh(rate * max(within, 0.1)))
