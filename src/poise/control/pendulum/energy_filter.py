"""The paper's own balance filter [Tsai2010] section 4.2: energies in each plane, one landing time for both planes.

In the sagittal and the frontal plane the leans of the legs are angles (rad) from the vertical. The positive direction
is the one in which the body is to move: ahead, or to the side of the swing foot. The lean of the stance leg (theta_ST)
is positive if the centre of mass is beyond the stance foot. The lean of the landing leg (theta_SW1) is positive if the
landing foot is beyond the centre of mass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.filter import FootLanding, StepPace, feasible_foot_landing
from poise.control.pendulum.foothold_ground import FootStrip
from poise.control.pendulum.passage import WAYS
from poise.kernel import kernel

MAX_LEAN = 0.9  # Maximum lean (rad) of a landing leg
LEAN_SAMPLES = 45  # Number of leans to each side that bracket solutions of Eq. (5), denser near the vertical
BISECTIONS = 40  # Number of bisections that find a solution
RK_STEPS = 32  # Number of Runge-Kutta steps in which a fall is integrated


class PendulumState(NamedTuple):
    """State of the pendulum relative to the centre of pressure of the stance foot, in the frame of the heading."""

    place: Array  # (2,) m of the centre of mass
    velocity: Array  # (3,) m/s
    height: float  # m
    gravity: float  # m/s^2


class SteadyGait(NamedTuple):
    """The wanted steady walk."""

    speed: float  # m/s
    width: float  # m between the feet
    duration: float  # s of a step
    height: float  # m of the centre of mass directly above a foot
    swing: int  # 0 for the left foot
    aside: float = 0.0  # m/s of drift to the left; the energy filter treats both sides alike and ignores it


def energy_landing(
    fall: PendulumState, going: SteadyGait, pace: StepPace, foot: Array, times: Array, due: float, hips: Array,
    strip: FootStrip,
) -> tuple[FootLanding, Array]:  # fmt: skip
    """The landing of the swing foot, and the wanted velocity (2,) m/s of the centre of mass at landing.

    Arguments from `pace` on are those of `linear_pendulum_landing`. The foot lands when the body reaches the end of the
    steady step in one plane, or after `due` s if it does so in neither. The time is limited to the range of `times`.
    """
    planes = _sagittal_plane(fall, going, math.atan(strip.slope)), _frontal_plane(fall, going)
    soonest = min(time_to_step_end(plane.sway, plane.cycle, fall.gravity, float(times[-1])) for plane in planes)
    time = min(max(soonest if math.isfinite(soonest) else due, float(times[0])), float(times[-1]))
    there, then, wanted, last = np.zeros((4, 2))
    for axis, way, slope, sway, cycle in planes:
        lean, speed = planar_pendulum_after(*sway, fall.gravity, time)
        lands = balancing_landing_leg(PlanarPendulum(lean, speed, sway.length), cycle, fall.gravity, slope)
        there[axis] = way * sway.length * math.sin(lean)
        then[axis] = way * speed * math.cos(lean)
        wanted[axis] = way * lands.length * math.sin(lands.angle)
        last[axis] = way * cycle.speed * math.cos(cycle.end)
    at = float(np.interp(time, times, hips))
    ways = [feasible_foot_landing(time, way, there, then, wanted, pace, foot, at, strip)[0] for way in WAYS]
    return min(ways, key=lambda landing: landing.missed), last


class _SwayPlane(NamedTuple):
    """The stance leg and the steady step in the sagittal or the frontal plane."""

    axis: int  # 0 along the heading, 1 to the left
    way: float  # 1 or -1: direction in which the body is to move
    slope: float  # rad by which the ground rises in that direction
    sway: PlanarPendulum
    cycle: SteadyStep


def _sagittal_plane(fall: PendulumState, going: SteadyGait, slope: float) -> _SwayPlane:
    way = math.copysign(1.0, going.speed)
    stride, slope = abs(going.speed) * going.duration, way * slope
    cycle = steady_step(stride, going.duration, going.height, fall.gravity, slope, False)
    return _SwayPlane(0, way, slope, _stance_pendulum(fall, 0, way), cycle)


def _frontal_plane(fall: PendulumState, going: SteadyGait) -> _SwayPlane:
    way = 1.0 if going.swing == 0 else -1.0
    cycle = steady_step(going.width, going.duration, going.height, fall.gravity, 0.0, True)
    return _SwayPlane(1, way, 0.0, _stance_pendulum(fall, 1, way), cycle)


def _stance_pendulum(fall: PendulumState, axis: int, way: float) -> PlanarPendulum:
    """The stance leg projected onto the vertical plane through `axis`, with `way` as the positive direction."""
    away = way * float(fall.place[axis])
    lean = math.atan2(away, fall.height)
    speed = way * float(fall.velocity[axis]) * math.cos(lean) - float(fall.velocity[2]) * math.sin(lean)
    return PlanarPendulum(lean, speed, math.hypot(away, fall.height))


class PlanarPendulum(NamedTuple):
    """The stance leg in one plane."""

    lean: float  # rad
    speed: float  # m/s of the centre of mass, perpendicular to the leg
    length: float  # m from the centre of pressure to the centre of mass


class SteadyStep(NamedTuple):
    """A step of steady walking in one plane: what [Tsai2010] extracts from the motion."""

    begin: float  # rad: lean of the leg when it lands
    end: float  # rad: lean of the same leg when the next one lands (theta_SW2)
    speed: float  # m/s of the centre of mass when the next leg lands (V_SW2)
    turns: bool  # True if the body returns to where it came from (frontal), False if it passes over the foot


class LandingLeg(NamedTuple):
    """The landing leg at the moment when its foot lands."""

    angle: float  # rad: lean
    length: float  # m
    solved: bool  # whether the following step will end at the wanted speed


@kernel
def planar_pendulum_after(lean: float, speed: float, length: float, gravity: float, time: float) -> tuple[float, float]:
    """Lean (rad) and speed (m/s) of a rigid pendulum after a time (s): Eq. (1), by fourth-order Runge-Kutta."""
    rate, pull, step = speed / length, gravity / length, time / RK_STEPS
    for _ in range(RK_STEPS):
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
def speed_after_strike(speed: float, between: float) -> float:
    """Speed (m/s) after a leg lands at an angle (rad) to the stance leg: the part along the new leg is lost (Eq. 3)."""
    return speed * math.cos(between)


@kernel
def landing_leg_length(height: float, stands: float, lands: float, slope: float) -> float:
    """Length (m) of the landing leg, Eq. (8), from leans (rad) of both legs and the height (m) over the stance foot."""
    return height * math.cos(stands + slope) / (math.cos(stands) * math.cos(lands - slope))


@kernel
def steady_step(stride: float, duration: float, height: float, gravity: float, slope: float, turns: bool) -> SteadyStep:
    """The step of a given stride (m) and duration (s) that ends, after the impact, in the state in which it began.

    `height` (m) is the height of the centre of mass directly above a foot. The leg regains its length during double
    stance. If no step is as short as `duration`, the quickest step is returned. Without a stride, all numbers are 0.
    """
    if stride < 1e-3 * height:
        return SteadyStep(0.0, 0.0, 0.0, turns)
    most = _lean_after_stride(0.0, stride, height, -slope)  # rad: the stance leg covers the whole stride
    low, high = 0.0, most
    for _ in range(BISECTIONS):  # find equal leans of both legs; beyond, the body gains speed
        end = 0.5 * (low + high)
        if _lean_after_stride(end, stride, height, slope) > end:
            low = end
        else:
            high = end
    high = most
    for _ in range(BISECTIONS):
        end = 0.5 * (low + high)
        tried = _repeating_step(end, stride, height, gravity, slope, turns)
        length = landing_leg_length(height, 0.0, tried.begin, slope)  # the height over the ground is kept
        after = speed_after_strike(tried.speed, tried.begin + end)
        over = after * after > 2 * gravity * length * (1.0 - math.cos(tried.begin))
        lean, _ = planar_pendulum_after(-tried.begin, after, length, gravity, duration)
        # a faster body returns later, or passes over the foot sooner
        if (not over and lean < -end) if turns else (not over or lean < end):
            low = end
        else:
            high = end
    return _repeating_step(0.5 * (low + high), stride, height, gravity, slope, turns)


@kernel
def _repeating_step(end: float, stride: float, height: float, gravity: float, slope: float, turns: bool) -> SteadyStep:
    """The step with a final lean `end` (rad) that ends at the speed at which it began: Eqs. (3) and (5)."""
    begin = _lean_after_stride(end, stride, height, slope)
    fall = gravity * landing_leg_length(height, 0.0, begin, slope) * (math.cos(begin) - math.cos(end))
    return SteadyStep(begin, end, math.sqrt(max(2 * fall, 0.0)) / math.sin(begin + end), turns)


@kernel
def _lean_after_stride(end: float, stride: float, height: float, slope: float) -> float:
    """Lean (rad) of the landing leg that completes a stride (m) when the stance leg leans by `end` (rad)."""
    ahead = stride - height * math.cos(slope) * math.sin(end) / math.cos(end + slope)
    return math.atan2(ahead * math.cos(slope), height * math.cos(slope) - ahead * math.sin(slope))


@kernel
def time_to_step_end(sway: PlanarPendulum, cycle: SteadyStep, gravity: float, latest: float) -> float:
    """Time (s) until the stance leg reaches the final lean of the steady step; infinite if later than `latest` (s)."""
    lean, speed, _ = sway
    step = latest / RK_STEPS
    for k in range(RK_STEPS):
        then, fast = planar_pendulum_after(lean, speed, sway.length, gravity, step)
        if then >= cycle.end > 0 and fast > 0:
            share = 0.0 if lean >= cycle.end else (cycle.end - lean) / (then - lean)
            return (k + share) * step
        lean, speed = then, fast
    return math.inf


@kernel
def balancing_landing_leg(stands: PlanarPendulum, cycle: SteadyStep, gravity: float, slope: float) -> LandingLeg:
    """The landing leg with which the following step ends like the steady step `cycle`: Eqs. (5) to (8).

    Eq. (5) squares the velocity and has up to four solutions. The result is the solution nearest to the steady step,
    among those from which the body reaches the end of the step in the right direction. Without a solution, the result
    is the lean whose energy is nearest to the wanted energy. If no lean reaches the end of the step, or if the body is
    to stop, the result is the lean with which the body comes to rest over the landing foot.
    """
    best, least, near, found = 0.0, math.inf, math.inf, False
    was, before = math.nan, 0.0
    for k in range(-LEAN_SAMPLES, LEAN_SAMPLES + 1):
        lands = MAX_LEAN * (k / LEAN_SAMPLES) ** 3
        arrives = _reaches_step_end(stands, cycle, gravity, slope, lands)
        lacks = _excess_step_energy(stands, cycle, gravity, slope, lands) if arrives else math.nan
        if was * lacks <= 0.0:
            root = _bisect_landing_lean(stands, cycle, gravity, slope, before, lands)
            if abs(root - cycle.begin) < near:
                best, near, found = root, abs(root - cycle.begin), True
        if not found and abs(lacks) < least:
            best, least = lands, abs(lacks)
        was, before = lacks, lands
    if cycle.end == 0.0 or (not found and least == math.inf):
        best, found = _resting_lean(stands, gravity, slope), cycle.end == 0.0
    return LandingLeg(best, _landed_leg_length(stands, slope, best), found)


@kernel
def _landed_leg_length(stands: PlanarPendulum, slope: float, lands: float) -> float:
    return landing_leg_length(stands.length * math.cos(stands.lean), stands.lean, lands, slope)


@kernel
def _excess_step_energy(stands: PlanarPendulum, cycle: SteadyStep, gravity: float, slope: float, lands: float) -> float:
    """Energy per mass (m^2/s^2) at the end of the following step, minus the wanted energy: Eq. (5)."""
    after, length = speed_after_strike(stands.speed, lands + stands.lean), _landed_leg_length(stands, slope, lands)
    fall = gravity * length * (math.cos(lands) - math.cos(cycle.end))
    return 0.5 * after * after + fall - 0.5 * cycle.speed * cycle.speed


@kernel
def _reaches_step_end(stands: PlanarPendulum, cycle: SteadyStep, gravity: float, slope: float, lands: float) -> bool:
    """Whether the body on the landed leg reaches the final lean of the steady step in the right direction."""
    after, length = speed_after_strike(stands.speed, lands + stands.lean), _landed_leg_length(stands, slope, lands)
    way = -1.0 if cycle.turns else 1.0
    begin, after = -lands * way, after * way  # from here on the positive side is the one to leave to
    if 0.5 * after * after > gravity * length * (1.0 - math.cos(lands)):
        return after > 0.0 and begin <= cycle.end
    if begin < 0.0 or 0.5 * after * after + gravity * length * (math.cos(lands) - math.cos(cycle.end)) < 0.0:
        return False
    return after < 0.0 or begin <= cycle.end


@kernel
def _bisect_landing_lean(
    stands: PlanarPendulum, cycle: SteadyStep, gravity: float, slope: float, low: float, high: float
) -> float:
    """Lean (rad) of the landing leg between `low` and `high` at which `_excess_step_energy` is 0, by bisection."""
    rising = _excess_step_energy(stands, cycle, gravity, slope, low) < 0.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if (_excess_step_energy(stands, cycle, gravity, slope, middle) < 0.0) == rising:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _resting_lean(stands: PlanarPendulum, gravity: float, slope: float) -> float:
    """Lean (rad) of the landing leg over whose foot the body comes to rest."""
    way = math.copysign(1.0, stands.speed)
    low, high = 0.0, MAX_LEAN
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        after = speed_after_strike(stands.speed, way * middle + stands.lean)
        length = _landed_leg_length(stands, slope, way * middle)
        if 0.5 * after * after > gravity * length * (1.0 - math.cos(middle)):
            low = middle
        else:
            high = middle
    return way * 0.5 * (low + high)
