"""Commanded heading, speed, foot lift and step duration, and how the walk approaches the commands."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.walker import rotated_xy
from poise.errors import PoiseError

TURN_TIME = 0.3  # Time (s) in which a small turn is made
ASIDE, FOLLOWING, MAX_FOLLOWING = 0.5, 4.0, 2.5
"""A body that goes aside turns the way it goes, so that its legs need not cross: beyond the angle ASIDE (rad), at the
rate FOLLOWING (1/s) times the rest of the angle, and by at most MAX_FOLLOWING (rad/s, adult)."""
LEAST_AHEAD = 1.0  # Speed (m/s, adult) ahead that is assumed for this angle at least: slow bodies sway
BACKWARD = -0.3  # Speed (m/s, adult) ahead below which a body that goes aside turns its back to the way it goes
FACING = 0.15  # Heading error (rad) above which the body does not stop but steps round
YAW_TOLERANCE = 0.15  # Yaw error (rad) up to which the body is turned back; beyond, the heading follows the body
CALM_TIME, CALM_YIELD = 0.5, 0.1
"""Time (s, adult) in which a step that went astray is forgotten; share of the yielding in steady steps."""
MIN_TIME = 0.1  # Minimum time (s, adult) over which a mean speed is taken
MAX_EXTRA = np.array([1.0, 0.3])  # Maximum correction (m/s, adult) of the target speed: ahead and aside
MAX_AIM = 2.7  # Target speed (m/s, adult) beyond which no correction is added: it would only cause a stumble
MAX_LACK = np.array([0.5, 0.2])
"""Largest speed error (m/s, adult) of two steps that counts, ahead and aside: larger errors come from a push."""
TRUST = np.array([1.0, 0.3])
"""Share of the speed error that is used, ahead and aside: left and right steps err to opposite sides."""
CONSTANT_PART = 0.3  # Speed (m/s, adult) that stands for the part of the error that is the same at all speeds
MIN_SHARE = 1e-6  # Lower bound of the learned share, which avoids a division by zero


class WalkIntent:
    """Commands and present targets of a walk. Headings (rad) are in the world; `scale` is `Legs.scale`."""

    def __init__(self, heading: float, speed: float, settings: PendulumSettings, scale: float = 1.0) -> None:
        self.heading = heading
        self.lift = 0.0
        self.duration: float | None = None
        self._first = self._wanted = heading
        self._speed = speed
        self.going = speed
        self._commanded = False  # whether a speed was commanded
        self._settings = settings
        self._scale, self._slow = scale, math.sqrt(scale)
        self.astray = 0.0
        self._correction = SpeedCorrection.initial(self._slow)
        self._strikes: list[_FootStrike] = []

    def steer(self, heading: float | None, speed: float | None) -> None:
        """Command a heading (rad, to the left of the initial one) or a speed (m/s)."""
        for name, value in (("heading", heading), ("speed", speed)):
            if value is not None and not math.isfinite(value):
                raise PoiseError(f"pendulum: {name} {value} must be a finite number")
        if heading is not None:
            self._wanted = self._first + heading
        if speed is not None:
            self._speed, self._commanded = speed, True

    def adopt_walk_speed(self, speed: float) -> None:
        """Adopt the speed (m/s) of the walk, which may have been edited, unless a speed was commanded."""
        if not self._commanded:
            self._speed = speed

    def adjust(self, lift: float | None, duration: float | None) -> None:
        """Command extra foot lift (m) or a step duration (s). 0 restores the reference's; None changes nothing."""
        for name, value in (("lift", lift), ("duration", duration)):
            if value is not None and not 0 <= value < math.inf:
                raise PoiseError(f"pendulum: {name} {value} must be 0 or more")
        self.lift = self.lift if lift is None else lift
        self.duration = self.duration if duration is None else duration

    @property
    def speed(self) -> float:
        """Target speed (m/s), with the learned correction."""
        return self.going + float(self.extra[0])

    @property
    def extra(self) -> Array:
        """Correction (2,) m/s, ahead and to the left, that is added to the target speed."""
        stops = self._speed == 0.0 and self.going == 0.0
        return np.zeros(2) if stops else self._correction.extra(self.going)

    @property
    def halts(self) -> bool:
        """Whether the body is to stand still with its present heading."""
        return self._speed == 0.0 and self.going == 0.0 and abs(self._heading_error) < FACING

    def turning_rate(self, velocity: Array, anywhere: bool = True) -> float:
        """Rate (rad/s, to the left) at which the heading turns, for a body with a `velocity` (2,) m/s.

        It turns towards the commanded heading. If feet may land `anywhere` and the body goes aside, it also turns
        towards the way that the body goes; on treads it stays in line with their edges.
        """
        most = self._settings.turn
        commanded = min(max(self._heading_error / TURN_TIME, -most), most)
        if not anywhere:
            return commanded
        ahead, aside = rotated_xy(-self.heading, velocity) / self._slow
        angle = math.atan2(aside, max(abs(ahead), LEAST_AHEAD)) * (1.0 if ahead > BACKWARD else -1.0)
        angle -= min(max(angle, -ASIDE), ASIDE)
        return commanded + min(max(FOLLOWING * angle, -MAX_FOLLOWING), MAX_FOLLOWING) / self._slow

    @property
    def _heading_error(self) -> float:
        """Signed angle (rad) to the commanded heading, the shorter way round."""
        return math.remainder(self._wanted - self.heading, 2 * math.pi)

    def advance(self, step: float, turn: float, off: float, astray: float, anywhere: bool) -> None:
        """Advance speed and heading by a time step (s) in which the heading turns at a rate `turn` (rad/s).

        The body is turned `off` (rad) to the left of its heading. The step is `astray` by a share from
        0 to 1. Feet may land `anywhere`, or only where edges leave room.
        """
        if self.going != self._speed or not anywhere:
            self.forget_strikes()  # the mean speed is not that of steady walking
        self._approach_speed(self._settings.quick * step)
        self.astray = max(astray - step / (CALM_TIME * self._slow), 0.0)
        yielding = self._settings.yielding * (CALM_YIELD + (1.0 - CALM_YIELD) * astray)
        self.heading += step * (turn + yielding * excess_yaw(off))

    def _approach_speed(self, most: float) -> None:
        """Move `going` towards the commanded speed; the corrected target speed changes by at most `most` (m/s)."""
        change = min(max(self._speed - self.going, -most), most)
        more = self._correction.extra(self.going + change)[0] - self._correction.extra(self.going)[0]
        self.going += change * min(most / max(abs(change + more), 1e-9), 1.0)

    def note_strike(self, time: float, com: Array) -> None:
        """Note a landing at a time (s) and `com` (3,) m, and learn from the speed error of the last two steps."""
        self._strikes = [*self._strikes[-2:], _FootStrike(time, np.array(com[:2]), self.heading)]
        if len(self._strikes) < 3 or self.going == 0.0:
            return
        first, _, last = self._strikes
        way = rotated_xy(-0.5 * (first.heading + last.heading), last.place - first.place)
        mean = way / max(last.time - first.time, MIN_TIME * self._slow)
        lacked = np.array([self.going, 0.0]) - mean
        self._correction = self._correction.after(self.going, lacked, self._settings.integral)

    def forget_strikes(self) -> None:
        """Drop earlier strikes; learned corrections remain."""
        self._strikes = []


def excess_yaw(off: float) -> float:
    """Part (rad) of a yaw error `off` (rad) that exceeds YAW_TOLERANCE; the heading follows this part."""
    return off - min(max(off, -YAW_TOLERANCE), YAW_TOLERANCE)


class _FootStrike(NamedTuple):
    """The body when a foot strikes the ground."""

    time: float  # s
    place: Array  # (2,) m of the centre of mass
    heading: float  # rad


class SpeedCorrection(NamedTuple):
    """Correction of the target speed, learned step by step from speed errors.

    The linear pendulum has no swinging legs and loses nothing when a foot strikes. The resulting error grows with the
    speed, differently ahead and backward. Each direction is learned by itself, and is not lost when walking the other.
    """

    slow: float  # `Legs.time_scale`
    learned: Array  # (3, 2) rows: per m/s ahead, per m/s backward, constant; columns: error ahead, aside

    @classmethod
    def initial(cls, slow: float) -> SpeedCorrection:
        """The correction before anything is learned: none."""
        return cls(slow, np.zeros((3, 2)))

    def extra(self, speed: float) -> Array:
        """Correction (2,) m/s, ahead and aside, of the target speed at a speed (m/s)."""
        least, most = self._bounds(speed)
        return np.minimum(np.maximum(self._speed_kinds(speed) @ self.learned, least), most)

    def after(self, speed: float, lacked: Array, integral: float) -> SpeedCorrection:
        """The correction after an error `lacked` (2,) m/s of two steps; learn the share `integral`."""
        counted = TRUST * np.minimum(np.maximum(lacked, -self.slow * MAX_LACK), self.slow * MAX_LACK)
        kinds = self._speed_kinds(speed)
        more = np.outer(integral * kinds / (kinds @ kinds), self._learnable_error(speed, counted, integral))
        return self._replace(learned=self.learned + more)

    def _learnable_error(self, speed: float, counted: Array, integral: float) -> Array:
        """The part (2,) m/s of an error that may be learned without exceeding the bounds of the correction."""
        (least, most), known = self._bounds(speed), self._speed_kinds(speed) @ self.learned
        down, up = np.minimum(least - known, 0.0), np.maximum(most - known, 0.0)
        share = max(integral, MIN_SHARE)
        return np.minimum(np.maximum(counted, down / share), up / share)

    def _bounds(self, speed: float) -> tuple[Array, Array]:
        """Lower and upper bounds (2,) m/s of the correction at a speed (m/s)."""
        most = self.slow * MAX_EXTRA
        return -most, np.array([min(most[0], max(self.slow * MAX_AIM - speed, 0.0)), most[1]])

    def _speed_kinds(self, speed: float) -> Array:
        return np.array([max(speed, 0.0), max(-speed, 0.0), CONSTANT_PART * self.slow])
