"""The balance motion filter [Tsai2010] section 4.2: where and when the swing foot lands.

The pendulum is linear, with a constant height [Kajita2001]. The velocity at the end of the next step is then linear in
the landing position, and the landing position for a wanted velocity has a closed form. The paper's equation (5) squares
the velocity and has several solutions or none; see docs/pendulum-method.md.
"""

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.foothold_ground import SPACING, FootStrip
from poise.control.pendulum.height import SHORTEST
from poise.control.pendulum.leg_ik import STRAIGHT
from poise.control.pendulum.legs import ADULT
from poise.control.pendulum.passage import WAYS, nearest_passage, passage_length
from poise.kernel import kernel

EXTRA_REACH = 0.23  # In leg lengths: reach of a foot beyond its leg, by motion of the pelvis and tilt of the foot
MIN_REACH = 0.15  # In leg lengths: the reach that a leg always has, apart from EXTRA_REACH
SLACK = 0.034  # In leg lengths: how far a foot may land beyond the point that it can reach in time
TIMING_COST = 0.114
"""In leg lengths: a landing that is a whole step duration early or late costs as much as this miss of the place."""
KEEP_BONUS, SAME_PLACE = 0.09, 0.14
"""In leg lengths: a foothold within SAME_PLACE of the previous aim is preferred to others by KEEP_BONUS."""
FORWARD, BACKWARD, OUTWARD, INWARD = 0.75, 0.6, 0.75, 0.5
"""In leg lengths: how far from the centre of mass a foot can land; inward is across the other leg."""
LEAN_FORWARD, LEAN_BACKWARD, LEAN_INWARD, LEAN_OUTWARD = 0.45, 0.6, 0.7, 0.45
"""In leg lengths: how far from the stance foot the centre of mass can be; inward is towards the other leg."""
FOOT_SPEED = 6.0  # Maximum speed of the swing foot (m/s, adult)
MIN_PHASE = 0.32
"""Lower bound of rate x time to landing: closer to the landing, shifting the centre of pressure no longer helps."""


class FootLanding(NamedTuple):
    """Where and when the swing foot lands; positions are relative to the centre of pressure of the stance foot."""

    place: Array  # (2,) m: centre of pressure of the landed foot
    within: float  # s from now
    velocity: Array  # (2,) m/s of the centre of mass at landing
    there: Array  # (2,) m: centre of mass at landing
    missed: float  # m between `place` and the wanted landing place


class StepPace(NamedTuple):
    """Target velocity and kinematic limits of a step."""

    leg: float  # m: leg length
    duration: float  # s of the step that follows the landing
    velocity: Array  # (2,) m/s wanted of the centre of mass at the end of that step
    swiftness: float  # m/s: maximum speed of the swing foot
    low: Array  # (2,) m: lower bounds of the landing position from the centre of mass
    high: Array  # (2,) m: upper bounds
    back: Array  # (2,) m: lower bounds of the centre of mass from the stance foot at landing
    ahead: Array  # (2,) m: upper bounds
    out: float  # 1 if the swing foot is the left one, -1 if the right one; NaN if it has no leg to pass


@kernel
def linear_pendulum_landing(
    place: Array, velocity: Array, rate: float, pace: StepPace, foot: Array, times: Array, due: float, hips: Array,
    strip: FootStrip,
) -> FootLanding:  # fmt: skip
    """Landing place and time that lead to the wanted velocity at the end of the following step.

    Positions `place` of the centre of mass and `foot` of the swing foot (2,) are relative to the centre of pressure of
    the stance foot, in the frame of the heading. The landing is due `due` s from now. Of `times` (K,) s and of the
    `WAYS` past the stance foot, those with the least cost are chosen: distance from the wanted place, plus excess lean,
    plus shift in time. `hips` (K,) m are the hip heights at `times`. `strip` is the ground on which the foot can land.
    """
    best, found = np.inf, _linear_landing_at(due, WAYS[0], place, velocity, rate, pace, foot, hips[0], strip)[0]
    for k in range(times.shape[0]):
        for way in WAYS:
            tried, away = _linear_landing_at(times[k], way, place, velocity, rate, pace, foot, hips[k], strip)
            loss = TIMING_COST * pace.leg * abs(due - times[k]) / pace.duration + tried.missed + away
            if loss < best:
                best, found = loss, tried
    return found


@kernel
def _linear_landing_at(
    time: float, way: float, place: Array, velocity: Array, rate: float, pace: StepPace, foot: Array, hips: float,
    strip: FootStrip,
) -> tuple[FootLanding, float]:  # fmt: skip
    """The feasible landing after a time (s), and the distance (m) by which the body then leans too far."""
    there, then = linear_pendulum_after(place, velocity, rate, time)
    c, s = math.cosh(rate * pace.duration), math.sinh(rate * pace.duration)
    wanted = (c * then - pace.velocity) / (rate * s)  # from the centre of mass
    return feasible_foot_landing(time, way, there, then, wanted, pace, foot, hips, strip)


@kernel
def feasible_foot_landing(
    time: float, way: float, there: Array, then: Array, wanted: Array, pace: StepPace, foot: Array, hips: float,
    strip: FootStrip,
) -> tuple[FootLanding, float]:  # fmt: skip
    """The feasible landing near `wanted`, and the distance (m) by which the body then leans too far.

    The foot goes past the stance foot by one of the `WAYS`. `wanted` (2,) m is relative to the centre of mass, which is
    at `there` (2,) m with the velocity `then` (2,) m/s. The other arguments are those of `linear_pendulum_landing`.
    """
    step = np.minimum(np.maximum(wanted, pace.low), pace.high)
    kept = there + step
    kept[0] = _nearest_foot_room(strip, kept[0], pace.leg)
    reach = kept - there
    at = math.floor((kept[0] - strip.begin) / SPACING + 0.5)
    far = _leg_reach(pace.leg, hips - strip.level[min(max(at, 0), strip.level.shape[0] - 1)])
    long = math.hypot(reach[0], reach[1])
    if long > far:
        kept = there + reach * (far / long)
        kept[0] = _nearest_foot_room(strip, kept[0], pace.leg)
    kept = nearest_passage(kept, pace.leg, pace.out, way)
    long = max(passage_length(foot, kept, pace.leg, pace.out), 1e-9)
    kept = foot + (kept - foot) * min(1.0, (pace.swiftness * time + SLACK * pace.leg) / long)
    miss = there + wanted - kept
    beyond = there - np.minimum(np.maximum(there, pace.back), pace.ahead)
    return FootLanding(kept, time, then, there, math.hypot(miss[0], miss[1])), math.hypot(beyond[0], beyond[1])


@kernel
def _nearest_foot_room(strip: FootStrip, ahead: float, leg: float) -> float:
    """Position (m ahead) nearest to `ahead` at which a foot has room; the previous aim is preferred."""
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
            far = abs(place - ahead) - (KEEP_BONUS * leg if abs(place - strip.aimed) < SAME_PLACE * leg else 0.0)
            if far < least:
                found, least = place, far
    return found


@kernel
def _leg_reach(leg: float, hips: float) -> float:
    """Horizontal reach (m) of a leg of length `leg` (m) whose hip is `hips` (m) above the ankle."""
    high = max(hips, SHORTEST * leg)
    return math.sqrt(max((STRAIGHT * leg) ** 2 - high**2, (MIN_REACH * leg) ** 2)) + EXTRA_REACH * leg


@kernel
def linear_pendulum_after(place: Array, velocity: Array, rate: float, time: float) -> tuple[Array, Array]:
    """Position (m) and velocity (m/s) of a linear pendulum after a time (s); `rate` (1/s) is sqrt(g/height)."""
    c, s = math.cosh(rate * time), math.sinh(rate * time)
    return place * c + velocity / rate * s, place * rate * s + velocity * c


def step_end_velocity(
    speed: float, width: float, duration: float, rate: float, stance: int, aside: float = 0.0
) -> Array:
    """Velocity (2,) (m/s; forward, left) of the centre of mass at the end of a step of steady walking.

    The linear pendulum moves periodically, with steps of length `speed` x `duration` and the given width (m), and
    drifts to the left at `aside` (m/s). `stance` is 0 for the left foot.
    """
    half = 0.5 * rate * duration
    sway = 0.5 * rate * width * math.tanh(half)
    on = 0.5 * rate * duration / math.tanh(half) * np.array([speed, aside])
    on[1] += -sway if stance == 0 else sway
    return on


def pressure_centre_shift(velocity: Array, wanted: Array, rate: float, within: float) -> Array:
    """Shift (2,) m of the centre of pressure that makes `velocity`, at the landing in `within` s, equal to `wanted`."""
    return (velocity - wanted) / (rate * math.sinh(max(rate * within, MIN_PHASE)))


def step_pace(leg: float, duration: float, velocity: Array, swing: int) -> StepPace:
    """The `StepPace` for a leg length (m), a step duration (s), a target velocity and a swing foot (0: left)."""
    out, across, inward, outward = OUTWARD, INWARD, LEAN_INWARD, LEAN_OUTWARD
    if swing == 1:
        out, across, inward, outward = across, out, outward, inward
    swift = FOOT_SPEED * math.sqrt(leg / ADULT)
    low, high = np.array([-leg * BACKWARD, -leg * across]), np.array([leg * FORWARD, leg * out])
    back, ahead = np.array([-leg * LEAN_BACKWARD, -leg * outward]), np.array([leg * LEAN_FORWARD, leg * inward])
    return StepPace(leg, duration, velocity, swift, low, high, back, ahead, 1.0 if swing == 0 else -1.0)
