"""What whoever steers wants, and how it is approached: heading, speed, lift and duration of steps."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.walker import turned
from poise.errors import PoiseError

# What a walker lacks in speed, learned step by step, and aimed at in addition.
#
# The linear pendulum has no legs that swing and loses nothing when a foot strikes. What a walk lacks for that grows
# with its speed, ahead otherwise than backward: it is learned as such, so that who was fast, went back and is to be
# fast again knows it from before.

MOST = np.array([1.0, 0.3])
"""m/s, of an adult, ahead and aside: the most that is aimed at in addition."""
FASTEST = 2.7
"""m/s, of an adult: nothing is added beyond; who is to walk faster than it can only stumbles the sooner."""
TELLS = np.array([0.5, 0.2])
"""m/s, of an adult: the most that counts of what two steps lack; who lacks more was pushed or stumbled."""
WARY = np.array([1.0, 0.3])
"""Share of it that is believed: aside each step errs to its own side."""
ALWAYS = 0.3
"""m/s, of an adult: what is lacked at any speed is learned as if by that speed."""

SMALLEST = 1e-6
"""Share: who learns less learns nothing."""


class Habit(NamedTuple):
    """What is lacked, learned; `slow` is the root of how much longer legs are than an adult's."""

    slow: float
    learned: Array  # (3, 2) ahead and aside, for each m/s ahead, backward, and always
    latest: Array  # (2,) m/s of what the last two steps lacked that is aimed at at once

    @classmethod
    def first(cls, slow: float, ahead: float) -> Habit:
        """Nothing is learned yet; who walks ahead lacks a share of its speed."""
        learned = np.zeros((3, 2))
        learned[0, 0] = ahead
        return cls(slow, learned, np.zeros(2))

    def extra(self, speed: float) -> Array:
        """(2,) m/s, ahead and aside, to aim at in addition when going at a speed (m/s)."""
        least, most = self._bounds(speed)
        return np.minimum(np.maximum(self._kinds(speed) @ self.learned + self.latest, least), most)

    def after(self, speed: float, lacked: Array, integral: float, prompt: float) -> Habit:
        """Two steps at a speed (m/s) lacked so much (2,) m/s, of which a share is learned, and one counts at once."""
        told = WARY * np.minimum(np.maximum(lacked, -self.slow * TELLS), self.slow * TELLS)
        kinds = self._kinds(speed)
        return self._replace(
            learned=self.learned + np.outer(integral * kinds / (kinds @ kinds), self._useful(speed, told, integral)),
            latest=prompt * told,
        )

    def _useful(self, speed: float, told: Array, integral: float) -> Array:
        """(2,) m/s: what of it may be learned, a share at a time, until all is known that can be made up for."""
        (least, most), known = self._bounds(speed), self._kinds(speed) @ self.learned
        down, up = np.minimum(least - known, 0.0), np.maximum(most - known, 0.0)
        share = max(integral, SMALLEST)
        return np.minimum(np.maximum(told, down / share), up / share)

    def calm(self) -> Habit:
        """Nothing is to be made up for at once."""
        return self._replace(latest=np.zeros(2))

    def _bounds(self, speed: float) -> tuple[Array, Array]:
        """(2,) m/s and (2,) m/s: the least and the most to aim at in addition; more would never be of use."""
        most = self.slow * MOST
        return -most, np.array([min(most[0], max(self.slow * FASTEST - speed, 0.0)), most[1]])

    def _kinds(self, speed: float) -> Array:
        return np.array([max(speed, 0.0), max(-speed, 0.0), ALWAYS * self.slow])


WITHIN = 0.3
"""s in which a small turn is made."""
FACED = 0.15
"""rad: who should head further aside steps round."""
STURDY = 0.15
"""rad: a body that is turned by less is turned back."""
ALARMS, CALMS, CALM = 0.1, 1.0, 0.1
"""m, of an adult, by which a landing misses what it should do that tell of a push; s, of an adult, until it is
forgotten; and the share of yielding that is left when all is well."""
SHORTEST = 0.1
"""s, of an adult: means over less tell nothing."""


class _Strike(NamedTuple):
    """A foot landed."""

    time: float  # s
    place: Array  # (2,) m of the centre of mass
    heading: float  # rad


class Intent:
    """Wanted and aimed at. Headings are in the world, rad; `scale` is how much longer legs are than an adult's."""

    def __init__(self, heading: float, speed: float, settings: PendulumSettings, scale: float = 1.0) -> None:
        self.heading = heading
        self.lift = 0.0
        self.duration: float | None = None
        self._first = self._wanted = heading
        self._speed = speed
        self.going = speed / (1.0 + settings.habit) if speed > 0 else speed  # so that this is aimed at
        self._told = False  # a speed, by whoever steers
        self._settings = settings
        self._scale, self._slow = scale, math.sqrt(scale)
        self._alarm = 0.0
        self._habit = Habit.first(self._slow, settings.habit)
        self._strikes: list[_Strike] = []

    def steer(self, heading: float | None, speed: float | None) -> None:
        """Want another heading, to the left of the first one, or speed (m/s)."""
        for name, value in (("heading", heading), ("speed", speed)):
            if value is not None and not math.isfinite(value):
                raise PoiseError(f"pendulum: cannot be steered to a {name} of {value}")
        if heading is not None:
            self._wanted = self._first + heading
        if speed is not None:
            self._speed, self._told = speed, True

    def follow(self, speed: float) -> None:
        """Go as fast as the walk does (m/s), which may have been edited, unless told otherwise."""
        if not self._told:
            self._speed = speed

    def adjust(self, lift: float | None, duration: float | None) -> None:
        """Want feet lifted more (m), or steps of another duration (s); 0 for the reference's own."""
        for name, value in (("lift", lift), ("duration", duration)):
            if value is not None and not 0 <= value < math.inf:
                raise PoiseError(f"pendulum: {name} {value} must be 0 or more")
        self.lift = self.lift if lift is None else lift
        self.duration = self.duration if duration is None else duration

    @property
    def speed(self) -> float:
        """m/s to aim at."""
        return self.going + float(self.extra[0])

    @property
    def extra(self) -> Array:
        """(2,) m/s, ahead and to the left: aimed at in addition, to make up for what is lacked."""
        stops = self._speed == 0.0 and self.going == 0.0
        return np.zeros(2) if stops else self._habit.extra(self.going)

    @property
    def halts(self) -> bool:
        """Whether to stand still, and to face where it does."""
        return self._speed == 0.0 and self.going == 0.0 and abs(self._off) < FACED

    def rest(self) -> None:
        """It stands: speeds of before do not count any more."""
        self._forget()

    def turning(self) -> float:
        """rad/s at which to turn."""
        return _bounded(self._off / WITHIN, self._settings.turn)

    @property
    def _off(self) -> float:
        """rad to where it should head, the shorter way round."""
        return math.remainder(self._wanted - self.heading, 2 * math.pi)

    def proceed(self, step: float, turn: float, off: float, missed: float, anywhere: bool) -> None:
        """A step later, having turned at a rate (rad/s).

        The body is `off` (rad) to the left of where it should head, its next landing misses what it needs by m, and
        feet may land `anywhere`, or edges say how far steps go.
        """
        if self.going != self._speed or not anywhere:
            self._forget()  # the mean tells nothing
        self._approach(self._settings.quick * step)
        self._alarm = max(self._alarm - step / (CALMS * self._slow), min(missed / (ALARMS * self._scale), 1.0))
        yielding = self._settings.yielding * (CALM + (1.0 - CALM) * self._alarm)
        self.heading += step * (turn + yielding * given_way(off))

    def _approach(self, most: float) -> None:
        """Go nearer to the wanted speed; with what is known of it, the aim changes by no more (m/s)."""
        change = _bounded(self._speed - self.going, most)
        more = self._habit.extra(self.going + change)[0] - self._habit.extra(self.going)[0]
        self.going += change * min(most / max(abs(change + more), 1e-9), 1.0)

    def note(self, time: float, com: Array) -> None:
        """A foot landed: what the last two steps lacked in speed is learned."""
        self._strikes = [*self._strikes[-2:], _Strike(time, np.array(com[:2]), self.heading)]
        if len(self._strikes) < 3 or self.going == 0.0:
            return
        first, _, last = self._strikes
        way = turned(-0.5 * (first.heading + last.heading), last.place - first.place)
        mean = way / max(last.time - first.time, SHORTEST * self._slow)
        lacked = np.array([self.going, 0.0]) - mean
        self._habit = self._habit.after(self.going, lacked, self._settings.integral, self._settings.prompt)

    def _forget(self) -> None:
        """Steps of before do not count any more; what was learned does."""
        self._strikes, self._habit = [], self._habit.calm()


def given_way(off: float) -> float:
    """rad of what a push turned a body off that are not turned back by force."""
    return off - _bounded(off, STURDY)


def _bounded(value: float, most: float) -> float:
    """No further from zero than the most."""
    return min(max(value, -most), most)
