"""The plan of a step: when and where the swing foot lands, and the centre of pressure of the stance foot until then."""

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum import filter as landing_filter
from poise.control.pendulum.energy_filter import PendulumState, SteadyGait, energy_landing
from poise.control.pendulum.filter import FootLanding, StepPace
from poise.control.pendulum.foothold_ground import (
    ClearedStrip,
    FootStrip,
    StepRhythm,
    clear_hurdles,
    landing_strip,
    rhythm_on_treads,
)
from poise.control.pendulum.gait import GaitState
from poise.control.pendulum.height import lowest_hip_heights
from poise.control.pendulum.intent import WalkIntent
from poise.control.pendulum.leg_ik import BENT, STRAIGHT
from poise.control.pendulum.reference_gait import ReferenceWalk
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.walker import PRESSED, Observed, Walker, eased, rotated_xy
from poise.kernel import kernel

TIMES = np.linspace(0.0, 1.0, 16)  # Landing times to compare, from the soonest (0) to the latest (1)
MIN_STEP_TIME, MIN_TIME_LEFT = 0.2, 0.04  # Minimum times (s, adult) to a landing: from the last one, and from now
MIN_LIFT_TIME = 0.18  # Minimum time (s, adult) to the landing of a foot that is still on the ground
MAX_DELAY = 0.1  # Maximum delay (s, adult) of a landing
HOVER_TIME = 0.06  # Delay (s, adult) of a landing at which the foot stops moving horizontally and goes straight down
SOLE_SHARE = 0.73  # Largest shift of the centre of pressure, as a share of the distance to an edge of the sole
STEADY, ASTRAY = 0.12, 0.3
"""Distances (m, adult) from the landing of steady walking: up to STEADY a step is steady, from ASTRAY on it is not."""
PUSH_MISS = 0.1  # Miss (m, adult) of the wanted place from which a step is astray
INCLINE = 0.1  # Rise or fall over run of the ground from which legs keep a bend
MIN_HEIGHT = 0.3  # In leg lengths: minimum height of the pendulum
EDGE_CORRECTION = 0.5  # Share of the speed correction that is applied on stairs
MAX_MISS = 0.02  # Miss (m, adult) of the wanted place up to which a step is ordinary


class PlannedStep(NamedTuple):
    """A planned step."""

    landing: FootLanding
    place: Array  # (2,) m in the world: landing position of the centre of pressure
    shift: Array  # (2,) m of the stance foot's centre of pressure, in the frame of the heading
    load: float  # share of the weight on the stance foot
    ground: FootStrip
    anywhere: bool  # whether feet have room everywhere on the strip
    astray: float  # share by which the step differs from a step of steady walking
    gives: float  # share by which legs keep a bend and the hips their height

    @property
    def stretch(self) -> float:
        """The longest stance leg, in leg lengths."""
        return STRAIGHT + self.gives * (BENT - STRAIGHT)


class StepPlanner(NamedTuple):
    """Plans the steps of a walker in the style of a reference."""

    walker: Walker
    walk: ReferenceWalk
    settings: PendulumSettings

    def plan(self, seen: Observed, gait: GaitState, intent: WalkIntent, step: float) -> PlannedStep:
        """Plan the present step from the observed state; `step` (s) is the time step of the simulation."""
        walker, legs, yaw, under = self.walker, self.walker.legs, intent.heading, seen.pressed[gait.stance]
        place, foot = rotated_xy(-yaw, seen.com - under), rotated_xy(-yaw, seen.pressed[gait.swing] - under)
        way = self._landing_ground(under, place, foot, gait, intent)
        ground, height = way.strip, float(seen.com[2] - under[2])
        high = max(height - ground.slope * float(place[0]), MIN_HEIGHT * legs.length)
        rate = math.sqrt(walker.gravity / high)
        velocity = rotated_xy(-yaw, seen.velocity[:2] + self.settings.spin * seen.spin / high)
        suited, duration = rhythm_on_treads(ground, self._wanted_rhythm(intent, way), legs.scale)
        anywhere = bool(ground.free.all())
        bent = eased(abs(ground.slope) / INCLINE) if anywhere else 1.0
        corrected = 1.0 if anywhere else EDGE_CORRECTION if ground.slope else 0.0  # none among hurdles
        more, aside = corrected * intent.extra
        going = SteadyGait(suited + float(more), self.walk.width, duration, high, gait.swing, float(aside))
        pace, due = self._pace(going, rate, gait), max((1.0 - gait.phase) * duration, step)
        times = self._landing_times(gait, due, duration, way.over)
        falls = max(-ground.slope * float(velocity[0]), 0.0)
        low = float(seen.hip[gait.stance, 2]) - legs.ankle_height
        hips = lowest_hip_heights(legs.length, low, float(seen.velocity[2]), falls, times)
        pressed, level = 0.0, 1.0 - bent
        if self.settings.law == "paper":
            fall = PendulumState(place, np.append(velocity, seen.velocity[2]), height, walker.gravity)
            found, last = energy_landing(fall, going, pace, foot, times, due, hips, ground)
        else:
            apart = self._apart_from_pendulum(gait, suited, duration, rate, high)
            pressed = suited * duration * gait.style.pressed(gait.phase, rate * duration, gait.lift is not None)
            pressed *= level
            place, velocity = place - [level * apart[0], 0.0], velocity - [level * apart[1], 0.0]
            found = landing_filter.linear_pendulum_landing(place, velocity, rate, pace, foot, times, due, hips, ground)
            last = landing_filter.step_end_velocity(going.speed, going.width, duration, rate, gait.stance, going.aside)
        ahead, across = landing_filter.pressure_centre_shift(found.velocity, last, rate, found.within)
        wanted = np.array([self.settings.ankle * ahead + pressed, self.settings.ankle * across])
        shift = _shift_within_sole(wanted, legs.sole[gait.stance], legs.ball[gait.stance, 0])
        if self.settings.law != "paper":  # predict the landing again, on the shifted centre of pressure
            on = np.array([0.0, level * shift[1]])
            found = landing_filter.linear_pendulum_landing(
                place - on, velocity, rate, pace, foot - on, times, due, hips, ground
            )
            found = found._replace(place=found.place + on, there=found.there + on)
        astray = max(intent.astray, self._astray_share(found, gait, suited * duration, rate))
        gives = max(astray, bent)
        behind = rotated_xy(-yaw, seen.ball[gait.swing] - under)
        load = gait.stance_load(intent.astray, gives, 1.0 - float(wanted[0] * behind[0]) / float(behind @ behind))
        best = under[:2] + rotated_xy(yaw, found.place)
        ordinary = found.missed < MAX_MISS * legs.scale and anywhere
        meant = gait.committed_aim(best, legs.scale) if ordinary else best
        return PlannedStep(found, meant, shift, load, ground, anywhere, astray, gives)

    def _apart_from_pendulum(
        self, gait: GaitState, speed: float, duration: float, rate: float, high: float
    ) -> tuple[float, float]:
        """Lead (m) and speed (m/s) of the reference's centre of mass less those of the pendulum, in a steady walk.

        The pendulum thus tells how deviations from the reference's walk grow, not how the reference walks.
        """
        if not gait.style.way:
            return 0.0, 0.0
        moment = gait.style.at(gait.phase)
        half, time = 0.5 * rate * duration, rate * duration * (gait.phase - 0.5)
        lead, pace = 0.5 * math.sinh(time) / math.sinh(half), half * math.cosh(time) / math.sinh(half)
        carried = moment.pace + self.settings.spin * moment.spin / high
        return speed * duration * (moment.lead - lead), speed * (carried - pace)

    def _landing_ground(
        self, under: Array, place: Array, foot: Array, gait: GaitState, intent: WalkIntent
    ) -> ClearedStrip:
        """The ground to land on; `place` of the centre of mass and `foot` (2,) m are relative to the point `under`."""
        aside = float(place[1]) + self._steady_aside(gait)
        ground = landing_strip(self.walker, gait.swing, under[:2], intent.heading, aside, gait.aimed)
        if intent.going <= 0:
            return ClearedStrip(ground)
        return clear_hurdles(self.walker, gait.swing, ground, float(foot[0]))

    def _pace(self, going: SteadyGait, rate: float, gait: GaitState) -> StepPace:
        """Target velocity and limits of the step; the speed limit of an overdue foot falls to 0."""
        end = landing_filter.step_end_velocity(going.speed, going.width, going.duration, rate, gait.swing, going.aside)
        pace = landing_filter.step_pace(self.walker.legs.length, going.duration, end, gait.swing)
        hovers = HOVER_TIME * self.walker.legs.time_scale
        return pace._replace(swiftness=pace.swiftness * max(1.0 - gait.overdue / hovers, 0.0))

    def _wanted_rhythm(self, intent: WalkIntent, way: ClearedStrip) -> StepRhythm:
        """The commanded rhythm, fast enough for hurdles in the way."""
        least = way.least if intent.going > 0 else -math.inf
        return StepRhythm(max(intent.going, least), intent.duration or self.walk.duration_at(max(intent.going, least)))

    def _landing_times(self, gait: GaitState, due: float, duration: float, over: bool) -> Array:
        """Landing times (K,) s to choose from; none before the due time if the foot must pass `over` a hurdle."""
        slow, share = self.walker.legs.time_scale, self.settings.timing
        soonest = max(MIN_STEP_TIME * slow - gait.since, (MIN_TIME_LEFT if gait.lift else MIN_LIFT_TIME) * slow)
        late = max(gait.since + due - duration, gait.overdue)
        latest = due + max(MAX_DELAY * slow - late, 0.0)
        first, last = due + share * (min(soonest, due) - due), due + share * (latest - due)
        times = first + (last - first) * TIMES
        times[np.abs(times - due).argmin()] = due  # so that the aim of a steady step does not jump
        return np.maximum(times, due) if over else times

    def _steady_aside(self, gait: GaitState) -> float:
        """Lateral landing position (m, to the left of the stance foot) of steady walking."""
        return self.walk.width if gait.swing == 0 else -self.walk.width

    def _astray_share(self, found: FootLanding, gait: GaitState, long: float, rate: float) -> float:
        """Share by which a landing differs from a landing of steady walking with steps of a length `long` (m).

        The difference is that of the present state, from which that of the landing grows at a `rate` (1/s).
        """
        scale = self.walker.legs.scale
        aside = math.hypot(found.place[0] - long, found.place[1] - self._steady_aside(gait)) / scale
        off = aside / math.cosh(rate * found.within) if gait.lift else 0.0
        return max(eased((off - STEADY) / (ASTRAY - STEADY)), min(found.missed / (PUSH_MISS * scale), 1.0))


@kernel
def _shift_within_sole(shift: Array, sole: Array, ball: float) -> Array:
    """A shift (2,) m of the centre of pressure, limited to SOLE_SHARE of the sole (K, 3)."""
    left, right = sole[0, 1], sole[0, 1]
    for k in range(1, sole.shape[0]):
        left, right = max(left, sole[k, 1]), min(right, sole[k, 1])
    out = np.empty(2)
    out[0] = min(max(shift[0], SOLE_SHARE * (sole[0, 0] - PRESSED * ball)), SOLE_SHARE * ((1.0 - PRESSED) * ball))
    out[1] = min(max(shift[1], SOLE_SHARE * right), SOLE_SHARE * left)
    return out
