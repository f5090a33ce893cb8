"""On what levels feet stand, and will: the ground is seen ahead, or only felt, and legs reach for it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.contact_parts import foot_links
from poise.control.nqr.footholds import Bools, FootContacts
from poise.control.nqr.law import LegAdjustment
from poise.control.nqr.weights import PAPER_HEIGHT
from poise.dynamics.state import Contacts

PACE = 0.15
"""Share of a change of level that is followed in a step: a jump would be a blow."""
NEWS = 0.005
"""m, of a body whose root stands PAPER_HEIGHT high: feet that find the ground nearer than this to where it was expected
tell nothing new."""
UPRIGHT = 0.7
"""Of a contact's normal, upwards: what is steeper is an edge or a wall, and no ground to stand on."""
EVEN = 1e-9
"""m: levels nearer than this are one, and differ by rounding."""
CLEARANCE = 0.03
"""m, of such a body: a foot is lifted by so much on its way to another level, but at most by thrice the difference."""
CHANGE = 0.4
"""Share of its way through the air in which a foot changes level: the first if it rises, the last if it sinks."""
CARRIED = 0.4
"""Share of the velocity of these changes that is wanted: the look-ahead, unaware that they end, would overshoot."""

Heights = Callable[[Array, Array], Array]

_NOWHERE = readonly(np.zeros((0, 3)))


def no_reach(nv: int) -> LegAdjustment:
    """The motion's own poses."""
    return LegAdjustment(np.zeros(nv), np.zeros(nv), np.zeros(nv))


class GroundLevels:
    """Keeps the levels of the ground from foot to foot: how much higher it is than the motion's own."""

    def __init__(self, body: Body, level: float, heights: Heights | None = None) -> None:
        """All feet stand on `level` (m); `heights` tells the ground's where it can be seen."""
        feet = foot_links(body)
        self._foot_of = {link: foot for foot, links in enumerate(feet) for link in links.tolist()}
        self._scale = float(body.standing[2]) / PAPER_HEIGHT
        self._ground, self._straight = heights, no_reach(body.nv)
        self._newest = level  # m, of the foot that landed last
        self._level = [level] * len(feet)  # m, on which each foot stands or stood last
        self._coming = [level] * len(feet)  # m, on which it will land
        self._touched: list[float | None] = [None] * len(feet)  # m in the world, where it touches the ground
        self._aloft = [False] * len(feet)  # which are in the air, by the motion
        self._sought = [False] * len(feet)  # whose landings are looked out for
        self._swing = [(0.0, 0.0)] * len(feet)  # share of a foot's way through the air, as the step begins and ends
        self._between = (0.0, 0.0)  # likewise, of the way from the last landing to the next, of whichever feet

    def stand(self, holds: FootContacts, frame: int, root: Array, yaw: float) -> None:
        """Feet that stand as a frame begins are on what is seen below them; yaw (rad) and root (3,) m as in `look`."""
        for foot, (balls, bears) in enumerate(zip(holds.balls, holds.bears, strict=True)):
            if bears[frame].any():
                seen = self._seen(_placed(balls[frame, bears[frame]], holds, frame, root, yaw))
                self._level[foot] += self._news(seen - self._level[foot])

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

    def look(self, holds: FootContacts, frame: int, root: Array, yaw: float) -> None:
        """Take in what a frame brings, of a motion turned by `yaw` (rad); the root (3,) m is where it is."""
        down, until, soonest = (table[frame].tolist() for table in (holds.down, holds.until, holds.soonest))
        landed = [now and was for now, was in zip(down, self._aloft, strict=True)]
        for foot, stands in enumerate(down):
            if landed[foot]:
                self._level[foot] = self._newest = self._coming[foot]
            if stands:
                self._correct(foot, float(holds.ground[frame, foot]))
            sought = soonest[foot] or not stands
            self._expect(foot, _balls_to_come(holds, foot, frame, root, yaw) if sought else _NOWHERE)
            self._swing[foot] = (0.0, 0.0) if stands else _onward(self._swing[foot][1], until[foot])
        self._between = _onward(0.0 if any(landed) else self._between[1], min(until, default=math.inf))
        self._aloft = [not stands for stands in down]

    def wait(self) -> None:
        """The motion stands still: feet begin the step that they were to make once more."""
        self._swing = [(begun, begun) for begun, _ in self._swing]
        self._between = (self._between[0], self._between[0])

    def _correct(self, foot: int, ground: float) -> None:
        """A foot that stands on `ground` (m) of the motion's, and feels something else than it should, is believed."""
        touched = self._touched[foot]
        news = 0.0 if touched is None else self._news(touched - ground - self._level[foot])
        if news:
            self._level[foot] += PACE * news
            self._newest = self._level[foot]

    def _news(self, difference: float) -> float:
        """Of what differs from what was expected, m: all, or nothing if it is little."""
        return difference if abs(difference) > self._scale * NEWS else 0.0

    def _expect(self, foot: int, balls: Array) -> None:
        """Look out for the level on which balls (B, 3) of a foot will stand, if they will."""
        if len(balls):
            self._coming[foot] += (PACE if self._sought[foot] else 1.0) * (self._seen(balls) - self._coming[foot])
        self._sought[foot] = len(balls) > 0

    def _seen(self, balls: Array) -> float:
        """The level below balls (B, 3) m of a foot where it is highest; if blind, it is taken to be the newest."""
        if self._ground is None:
            return self._newest
        x, y, own = balls.T
        return float((self._ground(x, y) - own).max())

    def level(self, holds: FootContacts, frame: int) -> float:
        """On which the motion takes place, m: between those of the feet, from landing to landing."""
        return self._newest if self._is_even() else float(self._levels(holds, frame)[0])

    def reach(self, holds: FootContacts, frame: int, step: float) -> LegAdjustment:
        """How legs reach from the motion's level to those of its feet, in a frame and a step (s) later."""
        if self._is_even():
            return self._straight
        root = self._levels(holds, frame)
        rise = self._heights() - root[:, None]
        now, ahead = np.einsum("ef,efi->ei", rise, holds.raising[frame : frame + 2])
        ahead[2] += root[1] - root[0]
        return LegAdjustment(now, ahead, CARRIED / step * (ahead - now))

    def _is_even(self) -> bool:
        """Whether all feet stand, and will, on one level."""
        return all(abs(level - self._newest) < EVEN for level in (*self._level, *self._coming))

    def _levels(self, holds: FootContacts, frame: int) -> Array:
        """(2,) m on which the motion takes place, as a step begins and ends."""
        level, coming = np.array(self._level), np.array(self._coming)
        now, then = level.mean(), np.where(holds.soonest[frame], coming, level).mean()
        return np.asarray(now + (then - now) * _smooth(np.array(self._between)))

    def _heights(self) -> Array:
        """(2, F) m of feet as a step begins and ends."""
        done, level = np.array(self._swing).T, np.array(self._level)
        change = np.array(self._coming) - level
        begun = np.where(change > 0.0, done, done - 1.0 + CHANGE) / CHANGE
        lifted = np.minimum(self._scale * CLEARANCE, 3.0 * np.abs(change)) * (4.0 * done * (1.0 - done)) ** 2
        return np.asarray(level + change * _smooth(begun) + lifted)


def _balls_to_come(holds: FootContacts, foot: int, frame: int, root: Array, yaw: float) -> Array:
    """(B, 3) m: where in the world the balls of a foot will stand, and how high the motion's own ground is there; none
    if it does not come down."""
    coming = int(holds.coming[frame, foot])
    return _NOWHERE if coming < 0 else _placed(holds.prints[coming], holds, frame, root, yaw)


def _placed(balls: Array, holds: FootContacts, frame: int, root: Array, yaw: float) -> Array:
    """(B, 3) m: balls of the motion, seen from where the root is."""
    x, y, own = balls.T
    east, north, cos, sin = x - holds.root[frame, 0], y - holds.root[frame, 1], math.cos(yaw), math.sin(yaw)
    return np.column_stack([root[0] + cos * east - sin * north, root[1] + sin * east + cos * north, own])


def _onward(done: float, until: float) -> tuple[float, float]:
    """Shares of a way as a step begins and ends, so many steps before its end: whatever the way was thought to be
    before, it is gone on evenly from here."""
    return done, done + (1.0 - done) / until


def _smooth(share: Array) -> Array:
    """From 0 to 1 without jumps in acceleration."""
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
