"""On what levels feet stand, and will: the ground is seen ahead, or only felt, and legs reach for it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from poise.body import Body
from poise.body.feet import foot_links
from poise.control.nqr.footholds import Bools, Footholds
from poise.control.nqr.law import Reach
from poise.dynamics import Contacts
from poise.spatial import Array

PACE = 0.15
"""Share of a change of level that is followed in a step: a jump would be a blow."""
NEWS = 0.005
"""m: feet that feel the ground nearer than this to where it was expected tell nothing new."""
UPRIGHT = 0.7
"""Of a contact's normal, upwards: what is steeper is an edge or a wall, and no ground to stand on."""
EVEN = 1e-9
"""m: levels nearer than this are one, and differ by rounding."""
CLEARANCE = 0.03
"""m by which a foot is lifted further on its way to another level, but at most thrice the difference."""
CHANGE = 0.4
"""Share of its way through the air in which a foot changes level: the first if it rises, the last if it sinks."""
CARRIED = 0.4
"""Share of the velocity of these changes that is wanted: the look-ahead, unaware that they end, would overshoot."""

Height = Callable[[float, float], float]
Point = tuple[float, float, float]


def no_reach(nv: int) -> Reach:
    """The motion's own poses."""
    return Reach(np.zeros(nv), np.zeros(nv), np.zeros(nv))


class Footing:
    """Keeps the levels of the ground from foot to foot: how much higher it is than the motion's own."""

    def __init__(self, body: Body, level: float, height: Height | None = None) -> None:
        """All feet stand on `level` (m); `height` tells the ground's where it can be seen."""
        feet = foot_links(body)
        self._foot_of = {link: foot for foot, links in enumerate(feet) for link in links.tolist()}
        self._height, self._straight = height, no_reach(body.nv)
        self._newest = level  # m, of the foot that landed last
        self._level = [level] * len(feet)  # m, on which each foot stands or stood last
        self._coming = [level] * len(feet)  # m, on which it will land
        self._touched: list[float | None] = [None] * len(feet)  # m in the world, where it touches the ground
        self._aloft = [False] * len(feet)  # which are in the air, by the motion
        self._sought = [False] * len(feet)  # whose landings are looked out for
        self._swing = [(0.0, 0.0)] * len(feet)  # share of a foot's way through the air, as the step begins and ends
        self._between = (0.0, 0.0)  # likewise, of the way from the last landing to the next, of whichever feet

    def feel(self, contacts: Contacts) -> Bools:
        """Note where feet touch the ground from above; (F,) which do."""
        heights: list[list[float]] = [[] for _ in self._level]
        told = (
            contacts.touching.tolist(),
            contacts.other.tolist(),
            contacts.frame[:, 0, 2].tolist(),
            contacts.body.tolist(),
            contacts.point[:, 2].tolist(),
        )
        for touching, other, upward, link, height in zip(*told, strict=True):
            if touching and other == 0 and upward > UPRIGHT and link in self._foot_of:
                heights[self._foot_of[link]].append(height)
        self._touched = [sum(found) / len(found) if found else None for found in heights]
        return np.array([len(found) > 0 for found in heights], bool)

    def look(self, holds: Footholds, frame: int, root: Array, yaw: float) -> None:
        """Take in what a frame brings, of a motion turned by `yaw` (rad); the root (3,) m is where it is."""
        down, until, soonest = (table[frame].tolist() for table in (holds.down, holds.until, holds.soonest))
        landed = [now and was for now, was in zip(down, self._aloft, strict=True)]
        for foot, stands in enumerate(down):
            if landed[foot]:
                self._level[foot] = self._newest = self._coming[foot]
            if stands:
                self._correct(foot, float(holds.ground[frame, foot]))
            sought = soonest[foot] or not stands
            self._expect(foot, _balls_to_come(holds, foot, frame, root, yaw) if sought else [])
            self._swing[foot] = (0.0, 0.0) if stands else _onward(self._swing[foot][1], until[foot])
        self._between = _onward(0.0 if any(landed) else self._between[1], min(until, default=math.inf))
        self._aloft = [not stands for stands in down]

    def _correct(self, foot: int, ground: float) -> None:
        """A foot that stands on `ground` (m) of the motion's, and feels something else than it should, is believed."""
        touched = self._touched[foot]
        news = 0.0 if touched is None else touched - ground - self._level[foot]
        if abs(news) > NEWS:
            self._level[foot] += PACE * news
            self._newest = self._level[foot]

    def _expect(self, foot: int, balls: list[Point]) -> None:
        """Look out for the level on which balls of a foot will stand, if they will; if blind, it is the newest."""
        if balls:
            height = self._height
            seen = self._newest if height is None else max(height(x, y) - z for x, y, z in balls)
            self._coming[foot] += (PACE if self._sought[foot] else 1.0) * (seen - self._coming[foot])
        self._sought[foot] = bool(balls)

    def level(self, holds: Footholds, frame: int) -> float:
        """On which the motion takes place, m: between those of the feet, from landing to landing."""
        return self._newest if self._is_even() else float(self._levels(holds, frame)[0])

    def reach(self, holds: Footholds, frame: int, step: float) -> Reach:
        """How legs reach from the motion's level to those of its feet, in a frame and a step (s) later."""
        if self._is_even():
            return self._straight
        root = self._levels(holds, frame)
        rise = self._heights() - root[:, None]
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
        return np.asarray(now + (then - now) * _smooth(np.array(self._between)))

    def _heights(self) -> Array:
        """(2, F) m of feet as a step begins and ends."""
        done, level = np.array(self._swing).T, np.array(self._level)
        change = np.array(self._coming) - level
        begun = np.where(change > 0.0, done, done - 1.0 + CHANGE) / CHANGE
        lifted = np.minimum(CLEARANCE, 3.0 * np.abs(change)) * (4.0 * done * (1.0 - done)) ** 2
        return np.asarray(level + change * _smooth(begun) + lifted)


def _balls_to_come(holds: Footholds, foot: int, frame: int, root: Array, yaw: float) -> list[Point]:
    """Where in the world the balls of a foot will stand, seen from where the root is, and how high the motion's own
    ground is there; none if it does not come down."""
    coming = int(holds.coming[frame, foot])
    if coming < 0:
        return []
    east, north, cos, sin = float(root[0]), float(root[1]), math.cos(yaw), math.sin(yaw)
    here_x, here_y = holds.root[frame].tolist()
    return [
        (east + cos * (x - here_x) - sin * (y - here_y), north + sin * (x - here_x) + cos * (y - here_y), z)
        for x, y, z in holds.prints[coming].tolist()
    ]


def _onward(done: float, until: float) -> tuple[float, float]:
    """Shares of a way as a step begins and ends, so many steps before its end: whatever the way was thought to be
    before, it is gone on evenly from here."""
    return done, done + (1.0 - done) / until


def _smooth(share: Array) -> Array:
    """From 0 to 1 without jumps in acceleration."""
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
