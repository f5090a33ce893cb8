"""The step to take: when and where the foot that swings is to land, and where the other presses until then."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.energy_filter import Fall, Going, landing_by_energy
from poise.control.pendulum.filter import FootLanding, StepPace, end_velocity, landing, pace_of, pressing
from poise.control.pendulum.foothold_ground import Strip, strip
from poise.control.pendulum.gait import GaitState
from poise.control.pendulum.height import lowest_hips
from poise.control.pendulum.intent import Intent
from poise.control.pendulum.obstacles import Rhythm, Way, rhythm, way_past
from poise.control.pendulum.reference_gait import ReferenceWalk
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.walker import PRESSED, Seen, Walker, eased, turned
from poise.kernel import kernel

TIMES = np.linspace(0.0, 1.0, 16)
"""Landing times that are compared: from the soonest to the latest."""
SOONEST, HASTY = 0.2, 0.04
"""s, of an adult: no step lands sooner after the last, nor within less from now."""
UNLIFTED = 0.18
"""s, of an adult: no foot lands sooner that is still on the ground."""
LINGERS = 0.1
"""s, of an adult, by which a landing may be put off."""
HOVERS = 0.06
"""s, of an adult: a foot that is overdue by this goes no further, but straight down."""
EDGES, HEEL = 0.73, 0.3
"""Of the way to the edges of the sole: how far the pressed point moves; and to the heel in a brisk and steady step: a
foot that presses on its heel alone is turned on it by the other leg's swing."""
STEADY, ASTRAY = 0.1, 0.3
"""m, of an adult, from where a foot would land in steady walking: up to which a step is a steady one, and from where on
it is not at all."""
LEISURELY, BRISK = 0.7, 1.1
"""m/s, of an adult: up to which feet may press on their heels, and from where on not."""
STIFF, SUPPLE = 0.9, 1.2
"""m/s, of an adult: up to which the standing leg holds the pelvis, and from where on it lets it turn."""
DOWNHILL = 0.17
"""Of run: from such a fall on the standing leg holds the pelvis at any speed."""
LOWEST = 0.3
"""Of a leg's length: a pendulum is never taken to be lower."""
AMONG_EDGES = 0.5
"""Share of what a walker usually lacks in speed that it aims at in addition on the way up or down over edges."""
ORDINARY = 0.02
"""m, of an adult, by which a step may miss what it should do for it to be one like others."""


class StepPlanner(NamedTuple):
    """Who steps, in which manner."""

    figure: Walker
    walk: ReferenceWalk
    settings: PendulumSettings

    def plan(self, seen: Seen, gait: GaitState, intent: Intent, step: float) -> PlannedStep:
        """From what is seen, with a step of the world in s."""
        figure, legs, yaw, under = self.figure, self.figure.legs, intent.heading, seen.pressed[gait.stance]
        place, foot = turned(-yaw, seen.com - under), turned(-yaw, seen.pressed[gait.swing] - under)
        way = self._way(under, place, foot, gait, intent)
        ground, height = way.strip, float(seen.com[2] - under[2])
        high = max(height - ground.slope * float(place[0]), LOWEST * legs.length)
        rate = math.sqrt(figure.gravity / high)
        velocity = turned(-yaw, seen.velocity[:2] + self.settings.spin * seen.spin / high)
        suited, duration = rhythm(ground, self._wanted(intent, way), legs.scale)
        anywhere = bool(ground.free.all())
        more, aside = self._spared(anywhere, ground.slope) * intent.extra
        going = Going(suited + float(more), self.walk.width, duration, high, gait.swing, float(aside))
        pace, due = self._pace(going, rate, gait), max((1.0 - gait.phase) * duration, step)
        times = self._times(gait, due, duration, way.over)
        falls = max(-ground.slope * float(velocity[0]), 0.0)
        low = float(seen.hip[gait.stance, 2]) - legs.ankle_height
        hips = lowest_hips(figure, low, float(seen.velocity[2]), falls, times)
        if self.settings.law == "paper":
            fall = Fall(place, np.append(velocity, seen.velocity[2]), height, figure.gravity)
            found, last = landing_by_energy(fall, going, pace, foot, times, due, hips, ground)
        else:
            found = landing(place, velocity, rate, pace, foot, times, due, hips, ground)
            last = end_velocity(going.speed, going.width, duration, rate, gait.stance, going.aside)
        astray = self._astray(found, gait, suited * duration)
        fast = suited / legs.slow
        brisk = (1.0 - astray) * eased((fast - LEISURELY) / (BRISK - LEISURELY))
        level = 1.0 - eased(-ground.slope / DOWNHILL)
        supple = level * (1.0 - astray) * eased((fast - STIFF) / (SUPPLE - STIFF))
        shift = self._within_sole(gait.stance, pressing(found.velocity, last, rate, found.within), brisk)
        best = under[:2] + turned(yaw, found.place)
        ordinary = found.missed < ORDINARY * legs.scale and anywhere
        meant = gait.meant(best, legs.scale) if ordinary else best
        return PlannedStep(found, meant, self.settings.ankle * shift, ground, anywhere, astray, supple)

    def _way(self, under: Array, place: Array, foot: Array, gait: GaitState, intent: Intent) -> Way:
        """The ground to land on; centre of mass and foot (2,) m are told from `under`, what the other presses on."""
        aside = float(place[1]) + self._aside(gait)
        ground = strip(self.figure, gait.swing, under[:2], intent.heading, aside, gait.aimed)
        return way_past(self.figure, gait.swing, ground, float(foot[0])) if intent.going > 0 else Way(ground)

    def _pace(self, going: Going, rate: float, gait: GaitState) -> StepPace:
        """What the step should be like; a foot that is overdue slows down."""
        end = end_velocity(going.speed, going.width, going.duration, rate, gait.swing, going.aside)
        pace = pace_of(self.figure.legs.length, going.duration, end, gait.swing)
        hovers = HOVERS * self.figure.legs.slow
        return pace._replace(swiftness=pace.swiftness * max(1.0 - gait.overdue / hovers, 0.0))

    def _wanted(self, intent: Intent, way: Way) -> Rhythm:
        """As it is steered, and fast enough for what is in the way."""
        least = way.least if intent.going > 0 else -math.inf
        return Rhythm(max(intent.going, least), intent.duration or self.walk.duration_at(max(intent.speed, least)))

    @staticmethod
    def _spared(anywhere: bool, slope: float) -> float:
        """Share that is left of habits where edges say how far steps go; where hurdles do, none."""
        return 1.0 if anywhere else AMONG_EDGES if slope else 0.0

    def _times(self, gait: GaitState, due: float, duration: float, over: bool) -> Array:
        """(K,) s: landing times to choose from; who has to get over something does not land before its time."""
        slow, share = self.figure.legs.slow, self.settings.timing
        soonest = max(SOONEST * slow - gait.since, (HASTY if gait.lift else UNLIFTED) * slow)
        late = max(gait.since + due - duration, gait.overdue)
        latest = due + max(LINGERS * slow - late, 0.0)
        first, last = due + share * (min(soonest, due) - due), due + share * (latest - due)
        times = first + (last - first) * TIMES
        return np.maximum(times, due) if over else times

    def _aside(self, gait: GaitState) -> float:
        """m to the left of the foot that stands: where the other lands in steady walking."""
        return self.walk.width if gait.swing == 0 else -self.walk.width

    def _astray(self, found: FootLanding, gait: GaitState, long: float) -> float:
        """Share by which a step is unlike those of steady walking, which are so long (m)."""
        off = math.hypot(found.place[0] - long, found.place[1] - self._aside(gait)) / self.figure.legs.scale
        return eased((off - STEADY) / (ASTRAY - STEADY))

    def _within_sole(self, stance: int, shift: Array, brisk: float) -> Array:
        """(2,) m: a shift of the pressed point that stays under the foot; the more `brisk` (0 to 1), off its heel."""
        legs = self.figure.legs
        return _clipped(shift, legs.sole[stance], legs.ball[stance, 0], EDGES + (HEEL - EDGES) * brisk)


@kernel
def _clipped(shift: Any, sole: Any, ball: float, heel: float) -> Array:
    """(2,) m: a shift from where a foot presses that stays within its sole (K, 3), no further than its ball.

    Backward, no further than a share of the way to its heel.
    """
    left, right = sole[0, 1], sole[0, 1]
    for k in range(1, sole.shape[0]):
        left, right = max(left, sole[k, 1]), min(right, sole[k, 1])
    out = np.empty(2)
    out[0] = min(max(shift[0], heel * (sole[0, 0] - PRESSED * ball)), EDGES * ((1.0 - PRESSED) * ball))
    out[1] = min(max(shift[1], EDGES * right), EDGES * left)
    return out


class PlannedStep(NamedTuple):
    """What is planned."""

    landing: FootLanding
    place: Array  # (2,) m in the world: what the foot is to press on
    shift: Array  # (2,) m by which the pressed point moves, in the frame of the heading
    ground: Strip
    anywhere: bool  # whether feet have room wherever they land
    astray: float  # share by which it is unlike a step of steady walking
    supple: float  # share by which the standing leg lets the pelvis turn
