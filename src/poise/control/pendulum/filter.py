"""Where to step, and when: the inverted pendulum that a walking body is [Tsai2010] section 4.2.

The pendulum is linear, of constant height [Kajita2001]: its velocity at the end of the next step is then linear in
where the foot lands, and one closed form serves. The paper's own equation (5) squares the velocity, so it has
several solutions or none; see docs/pendulum.md.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.foothold_ground import SPACING
from poise.control.pendulum.height import SHORTEST, STRETCH
from poise.control.pendulum.legs import ADULT
from poise.kernel import kernel

WIDE = 0.23
"""Of a leg's length: how much further than its leg alone a foot reaches, by the pelvis and by how it is set down."""
LEAST = 0.15
"""Of a leg's length: it always reaches so far."""
SLACK = 0.034
"""Of a leg's length: by how much a foot may land off where it is over."""
HURRY = 0.114
"""Of a leg's length: a step shorter or longer by its whole duration is worth missing the wanted place by this."""
KEEPS, NEAR = 0.09, 0.14
"""Of a leg's length: by so much nearer must a foothold be to be taken, if another, so near, was aimed at before."""


class FootLanding(NamedTuple):
    """Where and when the swinging foot is to land; places are told from the point that the stance foot presses on."""

    place: Array  # (2,) m of the point that it will press on
    within: float  # s from now
    velocity: Array  # (2,) m/s of the centre of mass then
    there: Array  # (2,) m where it is then
    missed: float  # m by which the step would have to be longer


class StepPace(NamedTuple):
    """What steps should be like."""

    leg: float  # m: its length
    duration: float  # s of the step to come after landing
    velocity: Array  # (2,) m/s that the centre of mass should have at the end of that step
    swiftness: float  # m/s of the fastest foot
    low: Array  # (2,) m: bounds of where a foot can land, from the centre of mass
    high: Array  # (2,) m
    back: Array  # (2,) m: bounds of where the centre of mass can be when the stance foot leaves, from that foot
    ahead: Array  # (2,) m


FORWARD, BACKWARD, OUTWARD, INWARD = 0.75, 0.6, 0.75, 0.5
"""Of a leg's length: how far from the centre of mass a foot can land; inward is across the other leg."""
LEAN_FORWARD, LEAN_BACKWARD, LEAN_INWARD, LEAN_OUTWARD = 0.45, 0.6, 0.7, 0.45
"""Of a leg's length: how far from the stance foot the centre of mass can be; inward is to the other leg's side."""
SWIFT = 6.0
"""m/s of the fastest foot of an adult; it grows with the root of leg length."""


def pace_of(leg: float, duration: float, velocity: Array, swing: int) -> StepPace:
    """What is possible on legs of a length (m), with a swinging foot (0 for the left one)."""
    out, across, inward, outward = OUTWARD, INWARD, LEAN_INWARD, LEAN_OUTWARD
    if swing == 1:
        out, across, inward, outward = across, out, outward, inward
    swift = SWIFT * math.sqrt(leg / ADULT)
    low, high = np.array([-leg * BACKWARD, -leg * across]), np.array([leg * FORWARD, leg * out])
    back, ahead = np.array([-leg * LEAN_BACKWARD, -leg * outward]), np.array([leg * LEAN_FORWARD, leg * inward])
    return StepPace(leg, duration, velocity, swift, low, high, back, ahead)


@kernel
def fallen(place: Array, velocity: Array, rate: float, time: float) -> tuple[Array, Array]:
    """Place and velocity of a linear pendulum of rate sqrt(g/height) after a time."""
    c, s = math.cosh(rate * time), math.sinh(rate * time)
    return place * c + velocity / rate * s, place * rate * s + velocity * c


def end_velocity(speed: float, width: float, duration: float, rate: float, stance: int, aside: float = 0.0) -> Array:
    """(2,) m/s at the end of a step of steady walking: forward, and to the left; `stance` 0 for the left foot.

    Of the periodic motion of the linear pendulum with steps speed x duration long and `width` wide, that on the whole
    goes to the left at the speed `aside`.
    """
    half = 0.5 * rate * duration
    sway = 0.5 * rate * width * math.tanh(half)
    on = 0.5 * rate * duration / math.tanh(half) * np.array([speed, aside])
    on[1] += -sway if stance == 0 else sway
    return on


@kernel
def landing(
    place: Array,
    velocity: Array,
    rate: float,
    pace: StepPace,
    foot: Array,
    times: Array,
    due: float,
    hips: Array,
    strip: Any,
) -> FootLanding:
    """Landing place and time that bring the velocity to what it should be.

    `place` and `velocity` (2,) of the centre of mass and `foot` (2,) of the swinging one are told from the point that
    the stance foot presses on. The step lands near to when it is `due` (s from now), unless it would become too long
    or too hasty: the best of `times` (K,) is chosen, at which hips are (K,) m high, where the `strip` of ground that
    feet land on has room.
    """
    best, least = 0, np.inf
    for k in range(times.shape[0]):
        tried, away = _landing_at(times[k], place, velocity, rate, pace, foot, hips[k], strip)
        loss = HURRY * pace.leg * abs(due - times[k]) / pace.duration + tried.missed + away
        if loss < least:
            best, least = k, loss
    return _landing_at(times[best], place, velocity, rate, pace, foot, hips[best], strip)[0]


@kernel
def _landing_at(
    time: float, place: Array, velocity: Array, rate: float, pace: StepPace, foot: Array, hips: float, strip: Any
) -> tuple[FootLanding, float]:
    """The landing at a time, and by how much the body then leans too far, m."""
    there, then = fallen(place, velocity, rate, time)
    c, s = math.cosh(rate * pace.duration), math.sinh(rate * pace.duration)
    wanted = (c * then - pace.velocity) / (rate * s)  # from the centre of mass
    return kept_landing(time, there, then, wanted, pace, foot, hips, strip)


@kernel
def kept_landing(
    time: float, there: Array, then: Array, wanted: Array, pace: StepPace, foot: Array, hips: float, strip: Any
) -> tuple[FootLanding, float]:
    """The landing nearest to what is `wanted` (2,) m from the centre of mass that is possible; the rest as above.

    The centre of mass is `there` (2,) m at that time, with the velocity `then` (2,) m/s.
    """
    step = np.minimum(np.maximum(wanted, pace.low), pace.high)
    kept = there + step
    kept[0] = _roomy(strip, kept[0], pace.leg)
    way = kept - there
    far = _reach(pace.leg, hips - _level(strip, kept[0]))
    if _length(way) > far:
        kept = there + way * (far / _length(way))
        kept[0] = _roomy(strip, kept[0], pace.leg)
    way = kept - foot
    kept = foot + way * min(1.0, (pace.swiftness * time + SLACK * pace.leg) / max(_length(way), 1e-9))
    missed = _length(there + wanted - kept)
    beyond = there - np.minimum(np.maximum(there, pace.back), pace.ahead)
    return FootLanding(kept, time, then, there, missed), _length(beyond)


@kernel
def _roomy(strip: Any, ahead: float, leg: float) -> float:
    """m: the place nearest to one `ahead` at which a foot has room; rather one that was aimed at before."""
    last = strip.level.shape[0] - 1
    at = min(max(math.floor((ahead - strip.begin) / SPACING + 0.5), 0), last)
    if strip.free[at]:
        return ahead
    found, least = ahead, np.inf
    for way in (-1, 1):
        k = at
        while 0 <= k <= last and not strip.free[k]:
            k += way
        if 0 <= k <= last:
            place = strip.begin + SPACING * k
            far = abs(place - ahead) - (KEEPS * leg if abs(place - strip.aimed) < NEAR * leg else 0.0)
            if far < least:
                found, least = place, far
    return found


@kernel
def _level(strip: Any, ahead: float) -> float:
    """m: how high the ground is."""
    at = math.floor((ahead - strip.begin) / SPACING + 0.5)
    return float(strip.level[min(max(at, 0), strip.level.shape[0] - 1)])


@kernel
def _reach(leg: float, hips: float) -> float:
    """m along the ground that a leg reaches from hips so high above the ankle."""
    high = max(hips, SHORTEST * leg)
    return math.sqrt(max((STRETCH * leg) ** 2 - high**2, (LEAST * leg) ** 2)) + WIDE * leg


@kernel
def _length(way: Array) -> float:
    return math.hypot(way[0], way[1])


LATE = 0.32
"""Of the time in which a fall grows e-fold: nearer to the landing, pressing elsewhere does not help any more."""


def pressing(velocity: Array, wanted: Array, rate: float, within: float) -> Array:
    """(2,) m by which the pressed point must move for the velocity at landing to be the wanted one instead."""
    return (velocity - wanted) / (rate * math.sinh(max(rate * within, LATE)))
