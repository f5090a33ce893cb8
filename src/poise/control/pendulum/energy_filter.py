"""A landing by the paper's own filter [Tsai2010] section 4.2: each plane by its energy, and one time for both."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.filter import FootLanding, StepPace, kept_landing
from poise.control.pendulum.foothold_ground import Strip
from poise.kernel import kernel

# The paper's own filter [Tsai2010] section 4.2: a rigid pendulum whose energy is balanced, plane by plane.
#
# In each plane, sagittal and frontal, angles are those of legs against the vertical, in rad; a way is positive that
# leads to where the body is to go: ahead, and to the side of the foot that swings. The leg that stands leans by the
# angle by which the centre of mass is beyond its foot, and the one that lands by how far its foot is beyond the
# centre of mass.

STRIDES = 0.9
"""rad: the most by which a leg that lands leans."""
TRIED = 45
"""Leans to each side that are tried before one is found exactly: the denser, the nearer to upright."""
HALVED = 40
"""How often an interval is halved to find a root."""
PARTS = 32
"""Of a time: in so many steps a fall is followed."""


class Sway(NamedTuple):
    """The leg that stands, in a plane."""

    lean: float  # rad
    speed: float  # m/s of the centre of mass, square to the leg
    length: float  # m from the pressed point to the centre of mass


class Cycle(NamedTuple):
    """A step of steady walking, in a plane: what [Tsai2010] extracts from the motion."""

    begin: float  # rad by which the leg leans that lands
    end: float  # rad by which it leans when the next one lands
    speed: float  # m/s of the centre of mass then
    turns: bool  # whether the body comes back to the side it came from, as it does sideways, or passes over the foot


class Lean(NamedTuple):
    """How a leg is to land."""

    angle: float  # rad
    length: float  # m
    solved: bool  # whether the wanted speed will be reached


@kernel
def swayed(lean: float, speed: float, length: float, gravity: float, time: float) -> tuple[float, float]:
    """Lean and speed of a rigid pendulum after a time (s): Eq. (1), followed by Runge and Kutta's fourth order."""
    rate, pull, step = speed / length, gravity / length, time / PARTS
    for _ in range(PARTS):
        a = pull * math.sin(lean)
        r2 = rate + 0.5 * step * a
        b = pull * math.sin(lean + 0.5 * step * rate)
        r3 = rate + 0.5 * step * b
        c = pull * math.sin(lean + 0.5 * step * r2)
        r4 = rate + step * c
        d = pull * math.sin(lean + step * r3)
        lean += step * (rate + 2 * r2 + 2 * r3 + r4) / 6
        rate += step * (a + 2 * b + 2 * c + d) / 6
    return lean, rate * length


@kernel
def struck(speed: float, between: float) -> float:
    """m/s that are left when a leg lands at an angle to the other: Eq. (3). What is along the new leg is lost."""
    return speed * math.cos(between)


@kernel
def landing_length(height: float, stands: float, lands: float, slope: float) -> float:
    """m: how long a leg is that lands, by the height (m) over the foot that stands: Eq. (8); `slope` in rad."""
    return height * math.cos(stands + slope) / (math.cos(stands) * math.cos(lands - slope))


@kernel
def steady_step(stride: float, duration: float, height: float, gravity: float, slope: float, turns: bool) -> Cycle:
    """The step of a stride (m) in a duration (s) that follows itself, impact included; nothing for no stride.

    `height` (m) is that of the centre of mass over a foot that it is above. The leg gets back what it has become
    shorter while both feet stand. Without a step so quick, the quickest.
    """
    if stride < 1e-3 * height:
        return Cycle(0.0, 0.0, 0.0, turns)
    most = _begin(0.0, stride, height, -slope)  # rad: all of the stride is done by the leg that stands
    low, high = 0.0, most
    for _ in range(HALVED):  # to where both legs lean by as much: further, the body gains speed
        end = 0.5 * (low + high)
        if _begin(end, stride, height, slope) > end:
            low = end
        else:
            high = end
    high = most
    for _ in range(HALVED):
        end = 0.5 * (low + high)
        tried = _following(end, stride, height, gravity, slope, turns)
        length = _level_length(tried.begin, height, slope)
        after = struck(tried.speed, tried.begin + end)
        over = after * after > 2 * gravity * length * (1.0 - math.cos(tried.begin))
        lean, _ = swayed(-tried.begin, after, length, gravity, duration)
        # who is faster comes back later, or passes over the foot sooner
        slower = not over and lean < -end if turns else not over or lean < end
        if slower:
            low = end
        else:
            high = end
    return _following(0.5 * (low + high), stride, height, gravity, slope, turns)


@kernel
def _following(end: float, stride: float, height: float, gravity: float, slope: float, turns: bool) -> Cycle:
    """The step that ends with a lean, and with the speed it began with: Eqs. (3) and (5)."""
    begin = _begin(end, stride, height, slope)
    fall = gravity * _level_length(begin, height, slope) * (math.cos(begin) - math.cos(end))
    return Cycle(begin, end, math.sqrt(max(2 * fall, 0.0)) / math.sin(begin + end), turns)


@kernel
def _level_length(lands: float, height: float, slope: float) -> float:
    """m: Eq. (8) for a body that keeps its height over the ground."""
    return landing_length(height, 0.0, lands, slope)


@kernel
def _begin(end: float, stride: float, height: float, slope: float) -> float:
    """rad: how a leg lands that completes a stride (m) when the other leans by `end`."""
    ahead = stride - height * math.cos(slope) * math.sin(end) / math.cos(end + slope)
    return math.atan2(ahead * math.cos(slope), height * math.cos(slope) - ahead * math.sin(slope))


@kernel
def due_within(sway: Sway, cycle: Cycle, gravity: float, latest: float) -> float:
    """s until a leg leans as it should when the next one lands; infinite if not before the latest."""
    lean, speed, _ = sway
    step = latest / PARTS
    for k in range(PARTS):
        then, fast = swayed(lean, speed, sway.length, gravity, step)
        if then >= cycle.end > 0 and fast > 0:
            share = 0.0 if lean >= cycle.end else (cycle.end - lean) / (then - lean)
            return (k + share) * step
        lean, speed = then, fast
    return math.inf


@kernel
def landing_lean(stands: Sway, cycle: Cycle, gravity: float, slope: float) -> Lean:
    """How the leg must land so that the step after it ends as the cycle does: Eqs. (5) to (8).

    The squared velocity of Eq. (5) leaves up to four solutions; of those from which the body gets to the end of its
    step, going the right way, the one nearest to the cycle's is taken. Where there is none, the landing that comes
    nearest to the wanted energy; where the body does not get there at all, or is to stop, that over which it rests.
    """
    best, least, near, found = 0.0, math.inf, math.inf, False
    was, before = math.nan, 0.0
    for k in range(-TRIED, TRIED + 1):
        lands = STRIDES * (k / TRIED) ** 3
        arrives = _arrives(stands, cycle, gravity, slope, lands)
        lacks = _lacks(stands, cycle, gravity, slope, lands) if arrives else math.nan
        if was * lacks <= 0.0:
            root = _root(stands, cycle, gravity, slope, before, lands)
            if abs(root - cycle.begin) < near:
                best, near, found = root, abs(root - cycle.begin), True
        if not found and abs(lacks) < least:
            best, least = lands, abs(lacks)
        was, before = lacks, lands
    if cycle.end == 0.0 or (not found and least == math.inf):
        best, found = _resting(stands, gravity, slope), cycle.end == 0.0
    return Lean(best, _length(stands, slope, best), found)


@kernel
def _length(stands: Sway, slope: float, lands: float) -> float:
    return landing_length(stands.length * math.cos(stands.lean), stands.lean, lands, slope)


@kernel
def _lacks(stands: Sway, cycle: Cycle, gravity: float, slope: float, lands: float) -> float:
    """m^2/s^2: energy, by mass, beyond what the end of the step should have: Eq. (5)."""
    after, length = struck(stands.speed, lands + stands.lean), _length(stands, slope, lands)
    fall = gravity * length * (math.cos(lands) - math.cos(cycle.end))
    return 0.5 * after * after + fall - 0.5 * cycle.speed * cycle.speed


@kernel
def _arrives(stands: Sway, cycle: Cycle, gravity: float, slope: float, lands: float) -> bool:
    """Whether a body on the leg that landed gets to where its step should end, and goes on from there."""
    after, length = struck(stands.speed, lands + stands.lean), _length(stands, slope, lands)
    way = -1.0 if cycle.turns else 1.0
    begin, after = -lands * way, after * way  # from here on it is to leave to the positive side
    if 0.5 * after * after > gravity * length * (1.0 - math.cos(lands)):
        return after > 0.0 and begin <= cycle.end
    if begin < 0.0 or 0.5 * after * after + gravity * length * (math.cos(lands) - math.cos(cycle.end)) < 0.0:
        return False
    return after < 0.0 or begin <= cycle.end


@kernel
def _root(stands: Sway, cycle: Cycle, gravity: float, slope: float, low: float, high: float) -> float:
    """rad: where between two leans nothing lacks."""
    rising = _lacks(stands, cycle, gravity, slope, low) < 0.0
    for _ in range(HALVED):
        middle = 0.5 * (low + high)
        if (_lacks(stands, cycle, gravity, slope, middle) < 0.0) == rising:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _resting(stands: Sway, gravity: float, slope: float) -> float:
    """rad: how a leg lands on which the body comes to rest just above its foot."""
    way = math.copysign(1.0, stands.speed)
    low, high = 0.0, STRIDES
    for _ in range(HALVED):
        middle = 0.5 * (low + high)
        after, length = struck(stands.speed, way * middle + stands.lean), _length(stands, slope, way * middle)
        if 0.5 * after * after > gravity * length * (1.0 - math.cos(middle)):
            low = middle
        else:
            high = middle
    return way * 0.5 * (low + high)


class Fall(NamedTuple):
    """How the body falls, told from the point that the stance foot presses on, in the frame of the heading."""

    place: Array  # (2,) m of the centre of mass
    velocity: Array  # (3,) m/s
    height: float  # m
    gravity: float  # m/s^2


class Going(NamedTuple):
    """How it should walk."""

    speed: float  # m/s
    width: float  # m between the feet
    duration: float  # s of a step
    height: float  # m of the centre of mass over a foot that it is above
    swing: int  # 0 for the left foot
    aside: float = 0.0  # m/s to the left, of which energies, alike to both sides, know nothing


class _Plane(NamedTuple):
    """One of two: sagittal or frontal."""

    axis: int  # 0 along the heading, 1 to the left
    way: float  # 1 or -1: to where the body is to go
    slope: float  # rad by which the ground rises that way
    sway: Sway
    cycle: Cycle


def landing_by_energy(
    fall: Fall, going: Going, pace: StepPace, foot: Array, times: Array, due: float, hips: Array, strip: Strip
) -> tuple[FootLanding, Array]:
    """The landing, and (2,) m/s that the centre of mass should have then; arguments as of the linear `landing`.

    It lands when the body is where its step should end, in the plane in which that is sooner; when it is due, if it is
    not to get there in either; and within the `times` that are possible.
    """
    planes = _sagittal(fall, going, math.atan(strip.slope)), _frontal(fall, going)
    soonest = min(due_within(plane.sway, plane.cycle, fall.gravity, float(times[-1])) for plane in planes)
    time = min(max(soonest if math.isfinite(soonest) else due, float(times[0])), float(times[-1]))
    there, then, wanted, last = np.zeros((4, 2))
    for axis, way, slope, sway, cycle in planes:
        lean, speed = swayed(*sway, fall.gravity, time)
        lands = landing_lean(Sway(lean, speed, sway.length), cycle, fall.gravity, slope)
        there[axis] = way * sway.length * math.sin(lean)
        then[axis] = way * speed * math.cos(lean)
        wanted[axis] = way * lands.length * math.sin(lands.angle)
        last[axis] = way * cycle.speed * math.cos(cycle.end)
    at = float(np.interp(time, times, hips))
    return kept_landing(time, there, then, wanted, pace, foot, at, strip)[0], last


def _sagittal(fall: Fall, going: Going, slope: float) -> _Plane:
    way = math.copysign(1.0, going.speed)
    stride, slope = abs(going.speed) * going.duration, way * slope
    cycle = steady_step(stride, going.duration, going.height, fall.gravity, slope, False)
    return _Plane(0, way, slope, _swaying(fall, 0, way), cycle)


def _frontal(fall: Fall, going: Going) -> _Plane:
    way = 1.0 if going.swing == 0 else -1.0
    cycle = steady_step(going.width, going.duration, going.height, fall.gravity, 0.0, True)
    return _Plane(1, way, 0.0, _swaying(fall, 1, way), cycle)


def _swaying(fall: Fall, axis: int, way: float) -> Sway:
    """The leg that stands, as its plane sees it."""
    away = way * float(fall.place[axis])
    lean = math.atan2(away, fall.height)
    speed = way * float(fall.velocity[axis]) * math.cos(lean) - float(fall.velocity[2]) * math.sin(lean)
    return Sway(lean, speed, math.hypot(away, fall.height))
