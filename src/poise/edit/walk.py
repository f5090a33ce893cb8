"""Walking elsewhere: steps moved as a whole, feet between them carried over, the root along, legs by IK.

An edit says how the root moves at each frame and where each footprint goes, as rigid moves. A foot that stands
keeps its roll from heel to toe on the moved footprint, so it does not slide; in the swing it passes smoothly from
one move to the next. The pelvis sinks where a leg would otherwise be too short.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.edit.foot_placement import FootPlacement
from poise.edit.limbs import easy_reach, leg_lengths, pelvis_drop
from poise.edit.span import smooth_ease
from poise.edit.take import BLOCK, Frame, FrameSketch, Take
from poise.edit.track import FootTrackTake, Sampler, StancePhase, gaussian_smoothed, sketches
from poise.errors import PoiseError
from poise.rotations import quat_exp, quat_multiply, quat_rotate, slerp

BEFORE = 1.0  # s of motion known before an edit starts
AHEAD = 2.5  # s of motion known beyond the frame that is asked for
STEP, SHARE = 0.25, 0.1  # s planned at once, or a share of what is planned already if that is more
GATE, LIFT_EASE = 0.3, 0.11  # s
EARLY = 0.8  # of a swing, after which a foot that climbs has only to be put down
SWING = 0.4  # s that a foot is usually in the air
LANDING = 0.12  # s; a foot that lands so soon after the start lands where it would have
SINK_WINDOW, SINK_SIGMA = 0.15, 0.05  # s; the window is as wide as the filter, which then never lifts the pelvis

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Move:
    """A rigid move: x goes to turn x + shift."""

    turn: Array  # (..., 4)
    shift: Array  # (..., 3) m

    def place(self, points: Array) -> Array:
        """Points (..., 3) moved."""
        return np.asarray(quat_rotate(self.turn, points) + self.shift)


@dataclass(frozen=True, eq=False)
class SwingPath:
    """A foot in the air, on its new course."""

    foot: int
    rows: NDArray[np.int64]  # (n,) frames of the track
    place: Array  # (n, 3) m, the foot's link
    turn: Array  # (n, 4)


Lift = Callable[[SwingPath], Array]
"""How much higher a swing has to be, (n,) m."""


@dataclass(frozen=True, eq=False)
class Steps:
    """What an edit does to a track."""

    root: Move  # (K, 4) and (K, 3)
    prints: tuple[Move, ...]  # one for each stance of the track
    lift: Lift | None = None


Course = Callable[[FootTrackTake], Steps]
"""How a walk goes, for a track of any length; a longer track changes nothing but its last AHEAD seconds."""


def still() -> Move:
    """The move that leaves everything where it is."""
    return Move(IDENTITY, np.zeros(3))


def at_root(path: Array, target: Array, yaw: Array) -> Move:
    """The moves that carry points (K, 2) of the ground to others and turn by `yaw` (K,) about them."""
    turn = quat_exp(np.stack([np.zeros_like(yaw), np.zeros_like(yaw), yaw], axis=-1))
    flat = np.pad(path, ((0, 0), (0, 1)))
    return Move(turn, np.pad(target, ((0, 0), (0, 1))) - quat_rotate(turn, flat))


def prints_along(track: FootTrackTake, root: Move, start: float | None) -> tuple[Move, ...]:
    """Footprints that move as the root does in the middle of their stance; those begun soon after `start` stay."""
    held = -1.0 if start is None else (start + LANDING) * track.rate - track.first
    middles = [track.middle(stance) for stance in track.stances]
    return tuple(
        still() if stance.begin < held else Move(root.turn[k], root.shift[k])
        for stance, k in zip(track.stances, middles, strict=True)
    )


def require_steps(track: FootTrackTake, start: float | None, edit: object) -> None:
    """Raise a PoiseError if no foot takes a step after `start`, as far as the track goes."""
    begin = (start or 0.0) * track.rate - track.first
    if not any(stance.begin > begin for stance in track.stances):
        raise PoiseError(f"edit '{edit}' needs a walk: no foot takes a step within {AHEAD:g} s of its start")


def rewalked(take: Take, start: float | None, prepare: Callable[[FootTrackTake], Course]) -> Take:
    """The take walked on another course from `start` on; `prepare` sees the first seconds of it."""
    first = round((start or 0.0) * take.rate)
    walk = _Walk(take, first, prepare)
    return take.with_blocks(walk.block, first, walk.sketch)


class _Walk:
    """Plans a walk as far as it is asked for."""

    def __init__(self, take: Take, start: int, prepare: Callable[[FootTrackTake], Course]) -> None:
        self._take, self._start = take, start
        self._first = max(start - round(BEFORE * take.rate), 0)
        self._source, self._sampler, self._footing = sketches(take), Sampler(take), FootPlacement(take.body)
        self._lengths = leg_lengths(take.body)
        self._known = -1
        self._planned: FootTrackTake | None = None
        self._course = prepare(self._sampler.track(self._first, start + round(AHEAD * take.rate)))

    def block(self, first: int) -> list[Frame]:
        """The frames of a block."""
        plan = self._plan(first + BLOCK)
        rows = np.clip(np.arange(first, first + BLOCK) - self._first, 0, plan.frames - 1)
        frames = [Frame(plan.qpos[row], plan.down[row]) for row in rows]
        return self._footing.settled(frames, plan.place[rows], plan.turn[rows])

    def sketch(self, number: int) -> FrameSketch:
        """A frame with the feet where they are wanted."""
        if number < self._start:
            return self._source(number)
        plan = self._plan(number + 1)
        row = min(number - self._first, plan.frames - 1)
        return FrameSketch(plan.qpos[row], plan.down[row], plan.place[row], plan.turn[row], plan.hip[row])

    def _plan(self, stop: int) -> FootTrackTake:
        """The track as it is to be, known up to frame `stop` at least."""
        if self._planned is not None and stop <= self._known:
            return self._planned
        final = self._known - self._first
        self._known = stop + round(max(STEP * self._take.rate, SHARE * (stop - self._first)))
        track = self._sampler.track(self._first, self._known + round(AHEAD * self._take.rate))
        steps, gate = self._course(track), self._gate(track)
        place, turn = np.array(track.place), np.array(track.turn)
        if self._planned is not None:
            place[:final], turn[:final] = self._planned.place[:final], self._planned.turn[:final]
        _move_feet(place, turn, track, steps, self._start - track.first, final)
        hip = quat_rotate(steps.root.turn[:, None], track.hip) + steps.root.shift[:, None]
        root = steps.root.place(track.qpos[:, :3])
        root[:, 2] -= _sink(track, hip, place, self._lengths)
        qpos = np.array(track.qpos)
        qpos[:, :3] += gate[:, None] * (root - track.qpos[:, :3])
        turned = slerp(IDENTITY, steps.root.turn, gate)
        qpos[:, 3:7] = quat_multiply(turned, track.qpos[:, 3:7])
        hip = qpos[:, None, :3] + quat_rotate(turned[:, None], track.hip - track.qpos[:, None, :3])
        self._planned = replace(track, qpos=qpos, place=place, turn=turn, hip=hip)
        return self._planned

    def _gate(self, track: FootTrackTake) -> Array:
        """(K,) how much of the root's move holds: plans look ahead, but nothing jumps when one begins amid a motion."""
        since = track.time - self._start / track.rate
        return smooth_ease(since / GATE) if self._start else np.ones(track.frames)


def _move_feet(place: Array, turn: Array, track: FootTrackTake, steps: Steps, start: int, final: int) -> None:
    """Move the feet's links, at places (K, F, 3) and turns (K, F, 4), to the new course, those after row `final`."""
    for foot in range(place.shape[1]):
        mine = [(s, m) for s, m in zip(track.stances, steps.prints, strict=True) if s.foot == foot]
        for stance, move in mine:
            if stance.end > final:
                span = slice(stance.begin, stance.end)
                place[span, foot] = move.place(track.place[span, foot])
                turn[span, foot] = quat_multiply(move.turn, track.turn[span, foot])
        for span, before, after in _swings(mine, steps.root, track.frames, start):
            if span.stop > final:
                swing = _swing(track, foot, span, before, after, start, steps.lift)
                place[span, foot], turn[span, foot] = swing.place, swing.turn


def _swing(
    track: FootTrackTake, foot: int, span: slice, before: Move, after: Move, start: int, lift: Lift | None
) -> SwingPath:  # fmt: skip
    """A foot that passes from one move to the next in the air."""
    rows = np.arange(span.start, span.stop)
    begin, end = _lasts(span, track, start)
    share = smooth_ease((rows - begin) / max(end - begin, 1))
    was, will = before.place(track.place[span, foot]), after.place(track.place[span, foot])
    climbs = lift is not None and will[-1, 2] > was[-1, 2]
    along = smooth_ease((rows - begin) / max(EARLY * (end - begin), 1)) if climbs else share
    place = was + np.stack([along, along, share], axis=1) * (will - was)
    turn = quat_multiply(slerp(before.turn, after.turn, share), track.turn[span, foot])
    if lift is not None:
        since = rows - begin if _seen(span, start) else np.full(len(rows), np.inf)
        until = end - rows if span.stop < track.frames else np.full(len(rows), np.inf)
        ramp = smooth_ease(np.minimum(since, until) / (LIFT_EASE * track.rate))
        place[:, 2] += ramp * lift(SwingPath(foot, rows, place, turn))
    return SwingPath(foot, rows, place, turn)


def _lasts(span: slice, track: FootTrackTake, start: int) -> tuple[int, int]:
    """First and last frame of a swing; one that the motion begins or ends with lasted longer than is seen of it."""
    usual = round(SWING * track.rate)
    begin = max(span.start - 1, start) if _seen(span, start) else min(-1, span.stop - usual)
    return begin, span.stop if span.stop < track.frames else max(span.stop, span.start + usual)


def _seen(span: slice, start: int) -> bool:
    """Does a swing begin within the motion, or is it changed only from frame `start` on?"""
    return span.start > 0 or start > 0


def _swings(
    mine: list[tuple[StancePhase, Move]], root: Move, frames: int, start: int
) -> list[tuple[slice, Move, Move]]:  # fmt: skip
    """Stretches in which a foot is in the air, with the moves it comes from and goes to."""
    if not mine:
        return [(slice(0, frames), _row(root, slice(0, frames)), _row(root, slice(0, frames)))]
    swings = [(slice(a.end, b.begin), was, will) for (a, was), (b, will) in pairwise(mine)]
    (first, there), (last, here) = mine[0], mine[-1]
    before, after = slice(0, first.begin), slice(last.end, frames)
    origin = still() if start > 0 else _row(root, before)  # of a swing that began before anything is known
    swings = [(before, origin, there), *swings, (after, here, _row(root, after))]
    return [swing for swing in swings if swing[0].start < swing[0].stop]


def _row(move: Move, rows: slice) -> Move:
    return Move(move.turn[rows], move.shift[rows])


def _sink(track: FootTrackTake, hip: Array, foot: Array, lengths: Array) -> Array:
    """(K,) m: how far the pelvis goes down so that no leg is too short."""
    reach = easy_reach(lengths, np.linalg.norm(track.hip - track.place, axis=-1))  # (K, F)
    return gradual(pelvis_drop(hip, foot, reach), track.rate)


def gradual(missing: Array, rate: float) -> Array:
    """(K,) m: nowhere less than `missing`, and smooth."""
    return gaussian_smoothed(dilated(missing, round(SINK_WINDOW * rate)), SINK_SIGMA * rate)


def gradual_reach(rate: float) -> int:
    """How many rows before and after it a row of `gradual` depends on."""
    return round(SINK_WINDOW * rate) + math.ceil(3 * SINK_SIGMA * rate)


def dilated(values: Array, reach: int) -> Array:
    """(K,) the greatest value within `reach` rows."""
    padded = np.pad(values, reach, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1))
