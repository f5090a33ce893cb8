"""Walking elsewhere: steps moved as a whole, feet between them carried over, the root along, legs by IK.

An edit says how the root moves at each frame and where each footprint goes, as rigid moves. A foot that stands
keeps its roll from heel to toe on the moved footprint, so it does not slide; in the swing it passes smoothly from
one move to the next. The pelvis sinks where a leg would otherwise be too short.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise.reference.edit.footing import Footing
from poise.reference.edit.limbs import easy_reach, leg_lengths, sinking
from poise.reference.edit.span import smooth
from poise.reference.edit.take import BLOCK, Frame, Take
from poise.reference.edit.track import Sampler, Stance, Track, smoothed
from poise.spatial import Array, quat_exp, quat_multiply, quat_rotate, slerp

BEFORE = 1.0  # s of motion known before an edit starts
AHEAD = 2.5  # s of motion known beyond the frame that is asked for
STEP, SHARE = 0.25, 0.1  # s planned at once, or a share of what is planned already if that is more
GATE, LIFT_EASE = 0.3, 0.12  # s
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
class Steps:
    """What an edit does to a track."""

    root: Move  # (K, 4) and (K, 3)
    prints: tuple[Move, ...]  # one for each stance of the track
    lift: Callable[[int, NDArray[np.int64], Array, Array], Array] | None = None
    """(foot, frames (n,), places (n, 3), turns (n, 4)) of a swing to the heights (n,) in m that it needs in addition"""


Course = Callable[[Track], Steps]
"""How a walk goes, for a track of any length; a longer track changes nothing but its last AHEAD seconds."""


def still() -> Move:
    """The move that leaves everything where it is."""
    return Move(IDENTITY, np.zeros(3))


def at_root(path: Array, target: Array, yaw: Array) -> Move:
    """The moves that carry points (K, 2) of the ground to others and turn by `yaw` (K,) about them."""
    turn = quat_exp(np.stack([np.zeros_like(yaw), np.zeros_like(yaw), yaw], axis=-1))
    flat = np.pad(path, ((0, 0), (0, 1)))
    return Move(turn, np.pad(target, ((0, 0), (0, 1))) - quat_rotate(turn, flat))


def prints_along(track: Track, root: Move, start: float | None) -> tuple[Move, ...]:
    """Footprints that move as the root does in the middle of their stance; those begun before `start` stay."""
    moves = []
    for stance in track.stances:
        k = track.middle(stance)
        held = start is not None and track.first + stance.begin < start * track.rate
        moves.append(still() if held else Move(root.turn[k], root.shift[k]))
    return tuple(moves)


def rewalked(take: Take, start: float | None, prepare: Callable[[Track], Course]) -> Take:
    """The take walked on another course from `start` on; `prepare` sees the first seconds of it."""
    first = round((start or 0.0) * take.rate)
    return take.with_blocks(_Walk(take, first, prepare).block, first)


class _Walk:
    """Plans a walk as far as it is asked for."""

    def __init__(self, take: Take, start: int, prepare: Callable[[Track], Course]) -> None:
        self._take, self._start = take, start
        self._first = max(start - round(BEFORE * take.rate), 0)
        self._sampler, self._footing = Sampler(take), Footing(take.body)
        self._lengths = leg_lengths(take.body)
        self._known = -1
        self._course = prepare(self._sampler.track(self._first, start + round(AHEAD * take.rate)))

    def block(self, first: int) -> list[Frame]:
        """The frames of a block."""
        self._plan(first + BLOCK)
        rows = np.clip(np.arange(first, first + BLOCK) - self._first, 0, len(self._qpos) - 1)
        frames = [Frame(self._qpos[row], self._take.frame(first + i).down) for i, row in enumerate(rows)]
        return self._footing.settled(frames, self._place[rows], self._turn[rows])

    def _plan(self, stop: int) -> None:
        if stop <= self._known:
            return
        self._known = stop + round(max(STEP * self._take.rate, SHARE * (stop - self._first)))
        track = self._sampler.track(self._first, self._known + round(AHEAD * self._take.rate))
        steps = self._course(track)
        self._place, self._turn = _feet(track, steps, self._start - track.first)
        self._qpos = np.array(track.qpos)
        self._qpos[:, :3] = steps.root.place(track.qpos[:, :3])
        hip = quat_rotate(steps.root.turn[:, None], track.hip) + steps.root.shift[:, None]
        self._qpos[:, 2] -= _sink(track, hip, self._place, self._lengths)
        gate = self._gate(track)
        self._qpos[:, :3] = track.qpos[:, :3] + gate[:, None] * (self._qpos[:, :3] - track.qpos[:, :3])
        self._qpos[:, 3:7] = quat_multiply(slerp(IDENTITY, steps.root.turn, gate), track.qpos[:, 3:7])

    def _gate(self, track: Track) -> Array:
        """(K,) how much of the root's move holds: plans look ahead, but nothing jumps when one begins amid a motion."""
        since = track.time - self._start / track.rate
        return smooth(since / GATE) if self._start else np.ones(track.frames)


def _feet(track: Track, steps: Steps, start: int) -> tuple[Array, Array]:
    """Places (K, F, 3) and turns (K, F, 4) of the feet's links on the new course."""
    place, turn = np.array(track.place), np.array(track.turn)
    for foot in range(place.shape[1]):
        mine = [(s, m) for s, m in zip(track.stances, steps.prints, strict=True) if s.foot == foot]
        for stance, move in mine:
            span = slice(stance.begin, stance.end)
            place[span, foot] = move.place(track.place[span, foot])
            turn[span, foot] = quat_multiply(move.turn, track.turn[span, foot])
        for span, before, after in _swings(mine, steps.root, track.frames, start):
            rows = np.arange(span.start, span.stop)
            begin = max(span.start - 1, start)
            share = smooth((rows - begin) / max(span.stop - begin, 1))
            was, is_ = before.place(track.place[span, foot]), after.place(track.place[span, foot])
            place[span, foot] = was + share[:, None] * (is_ - was)
            turn[span, foot] = quat_multiply(slerp(before.turn, after.turn, share), track.turn[span, foot])
            if steps.lift is not None:
                ramp = smooth(np.minimum(rows - begin, span.stop - rows) / (LIFT_EASE * track.rate))
                place[span, foot, 2] += ramp * steps.lift(foot, rows, place[span, foot], turn[span, foot])
    return place, turn


def _swings(
    mine: list[tuple[Stance, Move]], root: Move, frames: int, start: int
) -> list[tuple[slice, Move, Move]]:  # fmt: skip
    """Stretches in which a foot is in the air, with the moves it comes from and goes to."""
    if not mine:
        return [(slice(0, frames), _row(root, slice(0, frames)), _row(root, slice(0, frames)))]
    swings = [(slice(a.end, b.begin), was, will) for (a, was), (b, will) in pairwise(mine)]
    (first, there), (last, here) = mine[0], mine[-1]
    before, after = slice(0, first.begin), slice(last.end, frames)
    origin = still() if start > 0 else there  # of a swing that began before anything is known
    swings = [(before, origin, there), *swings, (after, here, _row(root, after))]
    return [swing for swing in swings if swing[0].start < swing[0].stop]


def _row(move: Move, rows: slice) -> Move:
    return Move(move.turn[rows], move.shift[rows])


def _sink(track: Track, hip: Array, foot: Array, lengths: Array) -> Array:
    """(K,) m: how far the pelvis goes down so that no leg is too short."""
    reach = easy_reach(lengths, np.linalg.norm(track.hip - track.place, axis=-1))  # (K, F)
    missing = sinking(hip, foot, reach)
    return smoothed(dilated(missing, round(SINK_WINDOW * track.rate)), SINK_SIGMA * track.rate)


def dilated(values: Array, reach: int) -> Array:
    """(K,) the greatest value within `reach` rows."""
    padded = np.pad(values, reach, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1))
