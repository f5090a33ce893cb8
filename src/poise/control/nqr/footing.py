"""On what levels feet stand, and will: the ground is seen ahead, or only felt, and legs reach for it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from poise.body import Body
from poise.control.nqr.footholds import Footholds, feet_of
from poise.control.nqr.law import Reach
from poise.dynamics import Contacts
from poise.spatial import Array

PACE = 0.15
"""Share of a change of level that is followed in a step: a jump would be a blow."""
NEWS = 0.005
"""m: feet that feel the ground nearer than this to where it was expected tell nothing new."""
EVEN = 1e-9
"""m: levels nearer than this are one, and differ by rounding."""
CLEARANCE = 0.03
"""m by which a foot is lifted further on its way to another level, but at most thrice the difference."""
CHANGE = 0.4
"""Share of its way through the air in which a foot changes level: the first if it rises, the last if it sinks."""
CARRIED = 0.4
"""Share of the velocity of these changes that is wanted: the look-ahead, unaware that they end, would overshoot."""

Height = Callable[[float, float], float]


def no_reach(nv: int) -> Reach:
    """The motion's own poses."""
    return Reach(np.zeros(nv), np.zeros(nv), np.zeros(nv))


class Footing:
    """Follows the levels of the ground from foot to foot."""

    def __init__(self, body: Body, level: float, height: Height | None = None) -> None:
        """All feet stand on `level` (m); `height` tells the ground's where it can be seen."""
        feet = feet_of(body)
        self._foot_of = np.full(body.model.nbody + 1, -1)  # of links; the last is for all other bodies of a scene
        for foot, links in enumerate(feet):
            self._foot_of[links] = foot
        self._height, self._straight = height, no_reach(body.nv)
        self._newest = level  # m, of the foot that landed last
        self._level = [level] * len(feet)  # m, on which each foot stands or stood last
        self._coming = [level] * len(feet)  # m, on which it will land
        self._felt = [level] * len(feet)  # m, on which it touched the ground last
        self.stands = np.ones(len(feet), bool)
        self._aloft = ~self.stands  # which are in the air, by the motion
        self._sought = ~self.stands  # whose landings are looked out for

    def feel(self, contacts: Contacts) -> None:
        """Which feet touch the ground, and where."""
        levels: list[list[float]] = [[] for _ in self._level]
        told = zip(
            contacts.touching.tolist(), contacts.other.tolist(), contacts.body, contacts.point[:, 2], strict=True
        )
        for touching, other, body, height in told:
            foot = self._foot_of[min(body, len(self._foot_of) - 1)]
            if touching and other == 0 and foot >= 0:
                levels[foot].append(height)
        for foot, heights in enumerate(levels):
            self.stands[foot] = bool(heights)
            if heights:
                self._felt[foot] = float(sum(heights)) / len(heights)

    def follow(self, holds: Footholds, frame: int, root: Array, yaw: float) -> None:
        """Take note of what a frame brings, of a motion turned by `yaw` (rad); the root (3,) m is where it is."""
        down = holds.down[frame]
        sought = holds.soonest[frame] | ~down
        for foot in range(len(down)):
            if down[foot]:
                self._stand(foot)
            if sought[foot]:
                seen = self._seen(holds.prints[foot][frame], root, yaw)
                self._coming[foot] += (PACE if self._sought[foot] else 1.0) * (seen - self._coming[foot])
        self._aloft, self._sought = ~down, sought

    def _stand(self, foot: int) -> None:
        """It has landed where it was to, but if it feels something else, then there."""
        if self._aloft[foot]:
            self._level[foot] = self._newest = self._coming[foot]
        news = self._felt[foot] - self._level[foot]
        if self.stands[foot] and abs(news) > NEWS:
            self._level[foot] += PACE * news
            self._newest = self._level[foot]

    def _seen(self, balls: Array, root: Array, yaw: float) -> float:
        """The level (m) on which balls (B, 2) m from the root will come to stand; if blind, that of the newest."""
        if self._height is None:
            return self._newest
        cos, sin = math.cos(yaw), math.sin(yaw)
        east, north = float(root[0]), float(root[1])
        return max(self._height(east + cos * x - sin * y, north + sin * x + cos * y) for x, y in balls.tolist())

    def level(self, holds: Footholds, frame: int) -> float:
        """On which the motion takes place, m: between those of the feet, from landing to landing."""
        return self._newest if self._is_even() else float(self._levels(holds, frame)[0])

    def reach(self, holds: Footholds, frame: int, step: float) -> Reach:
        """How legs reach from the motion's level to those of its feet, in a frame and a step (s) later."""
        if self._is_even():
            return self._straight
        root = self._levels(holds, frame)
        rise = self._heights(holds.swing[frame]) - root[:, None]
        now, ahead = np.einsum("ef,efi->ei", rise, holds.raising[frame : frame + 2])
        ahead[2] += root[1] - root[0]
        return Reach(now, ahead, CARRIED / step * (ahead - now))

    def _is_even(self) -> bool:
        """Whether all feet stand, and will, on one level."""
        return all(abs(level - self._newest) < EVEN for level in (*self._level, *self._coming))

    def _levels(self, holds: Footholds, frame: int) -> Array:
        """(2,) m on which the motion takes place, as a step begins and ends."""
        level, coming = np.array(self._level), np.array(self._coming)
        now, then = level.mean(), np.where(holds.soonest[frame], coming, level).mean()
        return np.asarray(now + (then - now) * _smooth(holds.between[frame]))

    def _heights(self, done: Array) -> Array:
        """(2, F) m of feet that have done this much (2, F) of their ways."""
        level = np.array(self._level)
        change = np.array(self._coming) - level
        begun = np.where(change > 0.0, done, done - 1.0 + CHANGE) / CHANGE
        lifted = np.minimum(CLEARANCE, 3.0 * np.abs(change)) * (4.0 * done * (1.0 - done)) ** 2
        return np.asarray(level + change * _smooth(begun) + lifted)


def _smooth(share: Array) -> Array:
    """From 0 to 1 without jumps in acceleration."""
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
