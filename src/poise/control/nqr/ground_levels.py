"""Levels of the ground under the feet, seen ahead or felt by contact, and the leg adjustments that reach them.

A level is the height (m) of the ground above the motion's own ground.
"""

import math
from collections.abc import Callable

import numpy as np

from poise.arrays import Array, Mask
from poise.body.body import Body
from poise.body.surface import foot_links
from poise.control.nqr.footholds import SegmentFootContacts
from poise.control.nqr.law import LegAdjustment
from poise.control.nqr.weights import PAPER_HEIGHT
from poise.dynamics.state import Contacts

LEVEL_RATE = 0.15
"""In each step, a foot's level moves by this share of an unexpected change; a jump would act like a blow."""
TOLERANCE = 0.005
"""Difference (m) between the expected and the found level that is ignored; scaled by root height / PAPER_HEIGHT."""
LEAST_UPWARD = 0.7
"""Least upward component of a contact's normal; steeper surfaces are edges or walls and do not count as ground."""
SAME_LEVEL = 1e-9  # Difference (m) below which two levels are equal up to rounding
CLEARANCE = 0.03
"""Height (m, scaled like TOLERANCE) by which a swing foot is lifted on its way to another level; at most three times
the difference of the levels."""
CHANGE_SHARE = 0.4
"""Share of the swing phase in which a foot changes level: the first part if the foot rises, the last if it sinks."""
FEED_FORWARD = 0.4
"""Share of the velocity of leg adjustments that is tracked. The full velocity overshoots, because the look-ahead
assumes that the velocity persists."""


def no_nqr_leg_adjustment(nv: int) -> LegAdjustment:
    """The adjustment that leaves the motion's poses as they are."""
    return LegAdjustment(np.zeros(nv), np.zeros(nv), np.zeros(nv))


class NqrGroundLevels:
    """Levels on which the F feet stand and will land."""

    def __init__(self, body: Body, level: float, heights: Callable[[Array, Array], Array] | None = None) -> None:
        """All feet begin on `level` (m); `heights(x, y)` gives the ground's heights, None if the ground is not seen."""
        feet = foot_links(body)
        self._foot_of = {link: foot for foot, links in enumerate(feet) for link in links.tolist()}
        self._scale = float(body.standing[2]) / PAPER_HEIGHT
        self._ground, self._unadjusted = heights, no_nqr_leg_adjustment(body.nv)
        self._newest = level  # m, level of the foot that landed last
        self._level = [level] * len(feet)  # m, on which each foot stands or stood last
        self._next_level = [level] * len(feet)  # m, on which each foot will land
        self._touched: list[float | None] = [None] * len(feet)  # m in the world, mean height of a foot's contacts
        self._swinging = [False] * len(feet)  # whether each foot was in the air in the frame before
        self._expected = [False] * len(feet)  # whether a foot's next level was looked for in the frame before
        self._swing = [(0.0, 0.0)] * len(feet)  # shares of a foot's swing phase at the beginning and end of the step
        self._between = (0.0, 0.0)  # the same shares of the time between the last landing of any foot and the next

    def set_standing_feet(self, holds: SegmentFootContacts, frame: int, root: Array, yaw: float) -> None:
        """Put feet that stand in a frame on the level seen below them; `root` and `yaw` as in `update`."""
        for foot, (balls, bears) in enumerate(zip(holds.balls, holds.bears, strict=True)):
            if bears[frame].any():
                seen = self._seen_level(_segment_balls_near_root(balls[frame, bears[frame]], holds, frame, root, yaw))
                self._level[foot] += self._beyond_tolerance(seen - self._level[foot])

    def feel_contacts(self, contacts: Contacts) -> Mask:
        """Note the heights at which feet touch the ground; return (F,) whether each foot touches."""
        heights: list[list[float]] = [[] for _ in self._level]
        columns = (contacts.touching, contacts.other, contacts.frame[:, 0, 2], contacts.body, contacts.point[:, 2])
        for touching, other, upward, link, height in zip(*(column.tolist() for column in columns), strict=True):
            if touching and other == 0 and upward > LEAST_UPWARD and link in self._foot_of:
                heights[self._foot_of[link]].append(height)
        self._touched = [sum(found) / len(found) if found else None for found in heights]
        return np.array([len(found) > 0 for found in heights], bool)

    def update(self, holds: SegmentFootContacts, frame: int, root: Array, yaw: float) -> None:
        """Update the levels for a frame; the body's root is at `root` (3,) m, the motion is turned by `yaw` (rad)."""
        tables = (holds.down, holds.steps_to_landing, holds.lands_first)
        down, until, first = (table[frame].tolist() for table in tables)
        landed = [now and was for now, was in zip(down, self._swinging, strict=True)]
        for foot, stands in enumerate(down):
            if landed[foot]:
                self._level[foot] = self._newest = self._next_level[foot]
            if stands:
                self._correct_stance_level(foot, float(holds.ground[frame, foot]))
            index = int(holds.next_footprint[frame, foot]) if first[foot] or not stands else -1
            footprint = (
                _segment_balls_near_root(holds.footprints[index], holds, frame, root, yaw) if index >= 0 else None
            )
            self._expect_landing_level(foot, footprint)
            self._swing[foot] = (0.0, 0.0) if stands else _nqr_phase_shares(self._swing[foot][1], until[foot])
        self._between = _nqr_phase_shares(0.0 if any(landed) else self._between[1], min(until, default=math.inf))
        self._swinging = [not stands for stands in down]

    def repeat_step(self) -> None:
        """Return to the beginning of the step, which the next update repeats because the motion waits."""
        self._swing = [(begun, begun) for begun, _ in self._swing]
        self._between = (self._between[0], self._between[0])

    def _correct_stance_level(self, foot: int, ground: float) -> None:
        """Move a standing foot's level to the height that the foot touches; `ground` (m) is the motion's own height."""
        touched = self._touched[foot]
        error = 0.0 if touched is None else self._beyond_tolerance(touched - ground - self._level[foot])
        if error:
            self._level[foot] += LEVEL_RATE * error
            self._newest = self._level[foot]

    def _beyond_tolerance(self, difference: float) -> float:
        """The difference (m) from an expected level, or 0 if the difference is within the tolerance."""
        return difference if abs(difference) > self._scale * TOLERANCE else 0.0

    def _expect_landing_level(self, foot: int, balls: Array | None) -> None:
        """Update the next level of a foot from its next footprint `balls` (n, 3) m; None if no footprint is known."""
        if balls is not None:
            rate = LEVEL_RATE if self._expected[foot] else 1.0
            self._next_level[foot] += rate * (self._seen_level(balls) - self._next_level[foot])
        self._expected[foot] = balls is not None

    def _seen_level(self, balls: Array) -> float:
        """The highest level (m) below balls (n, 3) m of a foot; the newest level if the ground is not seen."""
        if self._ground is None:
            return self._newest
        x, y, own = balls.T
        return float((self._ground(x, y) - own).max())

    def motion_level(self, holds: SegmentFootContacts, frame: int) -> float:
        """Level (m) of the whole motion: the mean of the feet's levels, moving to the next mean between landings."""
        return self._newest if self._is_one_level() else float(self._motion_levels(holds, frame)[0])

    def leg_adjustment(self, holds: SegmentFootContacts, frame: int, step: float) -> LegAdjustment:
        """The adjustment of the legs in a step (s) that brings each foot from the motion's level to its own level."""
        if self._is_one_level():
            return self._unadjusted
        root = self._motion_levels(holds, frame)
        rise = self._foot_levels() - root[:, None]
        now, ahead = np.einsum("ef,efi->ei", rise, holds.raising[frame : frame + 2])
        ahead[2] += root[1] - root[0]
        return LegAdjustment(now, ahead, FEED_FORWARD / step * (ahead - now))

    def _is_one_level(self) -> bool:
        """Whether all feet stand and will land on one level."""
        return all(abs(level - self._newest) < SAME_LEVEL for level in (*self._level, *self._next_level))

    def _motion_levels(self, holds: SegmentFootContacts, frame: int) -> Array:
        """(2,) m: levels of the whole motion at the beginning and end of the step."""
        level, next_level = np.array(self._level), np.array(self._next_level)
        now, then = level.mean(), np.where(holds.lands_first[frame], next_level, level).mean()
        return np.asarray(now + (then - now) * _nqr_level_change_share(np.array(self._between)))

    def _foot_levels(self) -> Array:
        """(2, F) m: levels of the feet at the beginning and end of the step, including the clearance of swing feet."""
        done, level = np.array(self._swing).T, np.array(self._level)
        change = np.array(self._next_level) - level
        begun = np.where(change > 0.0, done, done - 1.0 + CHANGE_SHARE) / CHANGE_SHARE
        lifted = np.minimum(self._scale * CLEARANCE, 3.0 * np.abs(change)) * (4.0 * done * (1.0 - done)) ** 2
        return np.asarray(level + change * _nqr_level_change_share(begun) + lifted)


def _segment_balls_near_root(balls: Array, holds: SegmentFootContacts, frame: int, root: Array, yaw: float) -> Array:
    """(n, 3) m: the motion's balls, turned by `yaw` (rad) and moved along the ground so that the root is at `root`."""
    x, y, own = balls.T
    east, north, cos, sin = x - holds.root[frame, 0], y - holds.root[frame, 1], math.cos(yaw), math.sin(yaw)
    return np.column_stack([root[0] + cos * east - sin * north, root[1] + sin * east + cos * north, own])


def _nqr_phase_shares(done: float, until: float) -> tuple[float, float]:
    """Shares of a phase that are over at the beginning, `done`, and end of a step; the phase ends in `until` steps."""
    return done, done + (1.0 - done) / until


def _nqr_level_change_share(phase: Array) -> Array:
    """Share of a change of level that is done at shares `phase` of its time.

    It equals `poise.ease.quintic_ease` up to rounding. The rounding is kept so that performances stay bit-identical.
    """
    s = np.clip(phase, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
