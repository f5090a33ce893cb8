"""Height of the centre of mass: the hips rise and sink as in the reference, within reach of the stance leg.

The knees thus bend as in the reference. The height is continuous when the feet change. At other speeds the hips sink
less or more, like those of a pendulum with shorter or longer steps. The body sinks before a long step so that the foot
reaches the ground, and rises with stairs. A plan of height and rate keeps the accelerations moderate.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.gait import GaitState
from poise.control.pendulum.walker import Observed, Walker, along_yaw
from poise.kernel import kernel

ROOM, ROOM_LEAD = 0.1, 0.3
"""In leg lengths: how far the hips may be above the reach of the stance leg, whose heel lifts, once they are ROOM_LEAD
ahead of its foot."""
CLIMB = 0.1  # Rise over run beyond which a step up begins to be climbed on the ball of the foot, entirely at twice that
MAX_BOB = 1.3  # Most by which the reference's bob is multiplied
SHORTEST = 0.5  # In leg lengths: minimum height of the hip over the ankle
SINK_SPEED = 1.2  # Speed (m/s, adult) at which the body can sink before a landing
MAX_DOWN, MAX_UP = 6.0, 20.0  # Maximum accelerations (m/s^2) of the planned height: down and up
MAX_SINK = 0.115  # In leg lengths: the most by which the hips are expected to sink for a landing
HEIGHT_RATE = 10.0  # Rate (1/s) at which the planned height approaches the wanted height
FOLLOW_RATE = 5.0  # Rate (1/s) at which the plan approaches the actual height
RISE_SPEED = 0.9  # Maximum speed (m/s, adult) of rising
TARGET_SPEED = 1.0  # Maximum rate (m/s, adult) of the wanted height that the plan follows
DESCENT_END = 0.9  # Share of the swing after which the hips have sunk to the level of a lower foothold
MAX_LEAD, MIN_RUN = 0.3, 0.25
"""Lengths (m, adult): lead over the stance foot beyond which the body rises no further; minimum run of a step."""
BENDS_UP, BENDS_DOWN, BENDS_DOWNHILL = 0.25, 0.1, 0.2
"""In leg lengths: how much lower the hips are per unit of steepness of steps up, steps down and downhill slopes."""


class HeightPlan(NamedTuple):
    """Planned height of the centre of mass."""

    height: float  # m
    rate: float  # m/s
    acceleration: float = 0.0  # m/s^2

    def later(self, step: float) -> HeightPlan:
        """The plan after a time step (s)."""
        height = self.height + step * self.rate + 0.5 * step**2 * self.acceleration
        return HeightPlan(height, self.rate + step * self.acceleration)

    def following(self, seen: Observed, step: float) -> HeightPlan:
        """The plan moved towards the actual height after a time step (s); `seen` was observed before the step."""
        then, share = seen.com[2] + step * seen.velocity[2], FOLLOW_RATE * step
        height = self.height + share * (then - self.height)
        return HeightPlan(height, self.rate + share * (seen.velocity[2] - self.rate))


def plan_towards_height(walker: Walker, now: HeightPlan, wanted: float, rate: float, pull: float = 0.0) -> HeightPlan:
    """The plan `now` with a new, limited acceleration towards a `wanted` height (m).

    The wanted height changes at a `rate` (m/s), which itself changes at `pull` (m/s^2).
    """
    slow = walker.legs.time_scale
    rate = min(max(rate, -TARGET_SPEED * slow), TARGET_SPEED * slow)
    speed = min(0.5 * HEIGHT_RATE * (wanted - now.height) + rate, RISE_SPEED * slow)
    return now._replace(acceleration=min(max(2 * HEIGHT_RATE * (speed - now.rate) + pull, -MAX_DOWN), MAX_UP))


def stance_hip_height(
    walker: Walker, ankle: Array, hip: Array, top: float, stretch: float, ahead: float = 0.0
) -> float:
    """Wanted height (m) of hips at `hip` (2,) m that are `top` (m) above the stance ankle of the reference.

    The ankle of the flat stance foot is at `ankle` (3,) m; its leg is at most `stretch` leg lengths long. From hips
    that are `ahead` (m) of the foot, the leg reaches further by lifting the heel; 0 if the heel must not lift for this.
    """
    long, away = walker.legs.length, math.hypot(hip[0] - ankle[0], hip[1] - ankle[1])
    room = ROOM * long * min(max(ahead / (ROOM_LEAD * long), 0.0), 1.0)
    return float(ankle[2] + min(top, _hip_above_ankle(stretch * long, away, long) + room))


def landing_hip_height(walker: Walker, ground: float, away: float, stretch: float) -> float:
    """Maximum height (m) of the hips at which a foot can land on ground of a height (m), `away` (m) horizontally."""
    long = walker.legs.length
    return ground + walker.legs.ankle_height + _hip_above_ankle(stretch * long, away, long)


def _hip_above_ankle(leg: float, away: float, length: float) -> float:
    return math.sqrt(max(leg * leg - away * away, (SHORTEST * length) ** 2))


def hip_descent(swung: float, within: float) -> tuple[float, float]:
    """Share of the descent to a lower foothold at the share `swung` of the swing, and rate (1/s) of the descent.

    The descent is even until the foot lands in `within` s: a body that drops does not load its feet, and they slip.
    """
    if swung >= DESCENT_END:
        return 1.0, 0.0
    return swung / DESCENT_END, (1.0 - swung) / (DESCENT_END * within)


@kernel
def lowest_hip_heights(leg: float, hips: float, rate: float, falls: float, times: Array) -> Array:
    """Lowest heights (K,) m that the hips, now at `hips` (m), can have after times (K,) s; `leg` (m): leg length.

    `rate` (m/s) is the vertical velocity of the hips, `falls` (m/s) the speed at which the ground falls away.
    """
    most = MAX_SINK * leg
    return np.asarray(hips + np.maximum(min(rate, 0.0) * times - 0.5 * MAX_DOWN * times**2, -most - falls * times))


class StepClimb(NamedTuple):
    """Steepness (rise over run) of the last and next step along the heading, relative to the slope under the foot."""

    last: float  # from where the swing foot left the ground to the stance foot
    next: float  # from the stance foot to where the swing foot will land
    way: float  # 1 forward, -1 backward
    slope: float = 0.0  # rise over run of the ground under the stance foot

    def rise(self, walker: Walker, ahead: float) -> float:
        """Height (m) of the hips above their height on level ground when they are `ahead` (m) of the stance foot."""
        legs = walker.legs
        steep = self.way * (self.next if self.way * ahead > 0 else self.last)  # in the direction of walking
        along = min(max(self.way * ahead, -MAX_LEAD * legs.scale), MAX_LEAD * legs.scale)
        most, least = sorted((self.way * self.last, self.way * self.next), reverse=True)
        bent = max(BENDS_UP * most, -BENDS_DOWN * least) + BENDS_DOWNHILL * max(-self.way * self.slope, 0.0)
        return max(steep, 0.0) * along - bent * legs.length


def step_climb(walker: Walker, seen: Observed, gait: GaitState, heading: float, place: Array) -> StepClimb:
    """The `StepClimb` from the last step to the next one, whose centre of pressure is at `place` (2,) m."""
    under = seen.pressed[gait.stance]
    left = gait.lift.ankle if gait.lift else seen.ankle[gait.swing]
    slope = -along_yaw(heading, walker.ground_normal(under))
    floor, near = walker.ground_height(under), MIN_RUN * walker.legs.scale

    def steepness(end: Array, run: float) -> float:
        rise = walker.ground_height(end) - floor - slope * run
        return math.copysign(1.0, run) * rise / max(abs(run), near)

    behind, ahead = (along_yaw(heading, end[:2] - under[:2]) for end in (left, place))
    return StepClimb(steepness(left, behind), steepness(place, ahead), math.copysign(1.0, ahead - behind), slope)
