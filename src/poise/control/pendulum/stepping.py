"""The step to take: when and where the foot that swings is to land, and where the other presses until then."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.control.pendulum.figure import PRESSED, Figure, Seen, turned
from poise.control.pendulum.filter import Landing, end_velocity, landing, pace_of, pressing
from poise.control.pendulum.gait import Gait
from poise.control.pendulum.ground import Strip, strip
from poise.control.pendulum.height import sinking
from poise.control.pendulum.hurdles import Way, way_past
from poise.control.pendulum.intent import Intent
from poise.control.pendulum.listening import Walk
from poise.control.pendulum.planes import Fall, Going, landing_by_energy
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.treads import Rhythm, rhythm
from poise.spatial import Array

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
EDGES = 0.73
"""Of the way to the edges of the sole: how far the pressed point moves."""
LOWEST = 0.3
"""Of a leg's length: a pendulum is never taken to be lower."""
ORDINARY = 0.02
"""m, of an adult, by which a step may miss what it should do for it to be one like others."""


class Stepping(NamedTuple):
    """Who steps, in which manner."""

    figure: Figure
    walk: Walk
    settings: PendulumSettings

    def plan(self, seen: Seen, gait: Gait, intent: Intent, step: float) -> Step:
        """From what is seen, with a step of the world in s."""
        figure, legs, yaw, stance = self.figure, self.figure.legs, intent.heading, gait.stance
        under = seen.pressed[stance]
        place, foot = turned(-yaw, seen.com - under), turned(-yaw, seen.pressed[gait.swing] - under)
        aside = float(place[1]) + (self.walk.width if gait.swing == 0 else -self.walk.width)
        ground = strip(figure, gait.swing, under[:2], yaw, aside, gait.aimed)
        way = way_past(figure, gait.swing, ground, float(foot[0])) if intent.speed > 0 else Way(ground)
        ground = way.strip
        high = max(float(seen.com[2] - under[2]) - ground.slope * float(place[0]), LOWEST * legs.length)
        rate = math.sqrt(figure.gravity / high)
        velocity = turned(-yaw, seen.velocity[:2] + self.settings.spin * seen.spin / high)
        wanted = self._wanted(intent, way)
        suited, duration = rhythm(ground, wanted, legs.scale)
        speed = suited + intent.boost
        end = [end_velocity(speed, self.walk.width, duration, rate, side) for side in (gait.swing, stance)]
        due = max((1.0 - gait.phase) * duration, step)
        times = self._times(gait, due, duration)
        times = np.maximum(times, due) if way.over else times
        falls = max(-ground.slope * float(velocity[0]), 0.0)
        hips = sinking(figure, float(seen.hip[stance, 2]) - legs.ankle_height, float(seen.velocity[2]), falls, times)
        pace = pace_of(legs.length, duration, end[0], gait.swing)
        pace = pace._replace(swiftness=pace.swiftness * max(1.0 - gait.overdue / (HOVERS * legs.slow), 0.0))
        if self.settings.law == "paper":
            fall = Fall(place, np.append(velocity, seen.velocity[2]), float(seen.com[2] - under[2]), figure.gravity)
            going = Going(speed, self.walk.width, duration, high, gait.swing)
            found, last = landing_by_energy(fall, going, pace, foot, times, due, hips, ground)
        else:
            found, last = landing(place, velocity, rate, pace, foot, times, due, hips, ground), end[1]
        shift = self._within_sole(stance, pressing(found.velocity, last, rate, found.within))
        best = under[:2] + turned(yaw, found.place)
        ordinary = found.missed < ORDINARY * legs.scale and bool(ground.free.all())
        meant = gait.meant(best, legs.scale) if ordinary else best
        return Step(found, meant, self.settings.ankle * shift, ground, suited)

    def _wanted(self, intent: Intent, way: Way) -> Rhythm:
        """As it is steered, and fast enough for what is in the way."""
        least = way.least if intent.speed > 0 else -math.inf
        return Rhythm(max(intent.going, least), intent.duration or self.walk.duration_at(max(intent.speed, least)))

    def _times(self, gait: Gait, due: float, duration: float) -> Array:
        """(K,) s: landing times to choose from."""
        slow, share = self.figure.legs.slow, self.settings.timing
        soonest = max(SOONEST * slow - gait.since, (HASTY if gait.lift else UNLIFTED) * slow)
        late = max(gait.since + due - duration, gait.overdue)
        latest = due + max(LINGERS * slow - late, 0.0)
        first, last = due + share * (min(soonest, due) - due), due + share * (latest - due)
        return first + (last - first) * TIMES

    def _within_sole(self, stance: int, shift: Array) -> Array:
        """(2,) m: a shift of the pressed point that stays under the foot."""
        sole, ball = self.figure.legs.sole[stance], float(self.figure.legs.ball[stance, 0])
        low = EDGES * np.array([float(sole[0, 0]) - PRESSED * ball, float(sole[:, 1].min())])
        high = EDGES * np.array([(1.0 - PRESSED) * ball, float(sole[:, 1].max())])
        return np.minimum(np.maximum(shift, low), high)


class Step(NamedTuple):
    """What is planned."""

    landing: Landing
    place: Array  # (2,) m in the world: what the foot is to press on
    shift: Array  # (2,) m by which the pressed point moves, in the frame of the heading
    ground: Strip
    suited: float  # m/s that the ground allows of the wanted speed
