"""Let a motion walk on another course: footprints move rigidly, swings and the root follow, legs are solved by IK.

An edit gives a rigid move of the root for each frame, and a rigid move of each footprint. A foot in stance rolls from
heel to toe on the moved footprint, so that the foot does not slide. In swing, a foot passes smoothly from one move to
the next. The pelvis is lowered where a leg would otherwise be too short.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poise.arrays import Array, Ints
from poise.ease import quintic_ease
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limbs import leg_lengths, pelvis_drop
from poise.edit.take import BLOCK, Frame, FrameSketch, Take
from poise.edit.track import StancePhase, TakeFootTrack, TakeFootTrackSampler, foot_sketches, smooth_cover
from poise.errors import PoiseError
from poise.rotations import quat_exp, quat_multiply, quat_rotate, slerp

BEFORE = 1.0  # s of motion read before an edit starts
AHEAD = 2.5  # s of motion read beyond the requested frame
STEP, SHARE = 0.25, 0.1  # planned beyond a request: seconds, or fraction of the walk so far, whichever is more
GATE, LIFT_EASE = 0.3, 0.11  # s: easing in of the root's move, and of the extra height of a swing at both ends
EARLY = 0.8  # fraction of the time of a climbing swing after which the foot is above its new place
SWING = 0.4  # s, usual duration of a swing
LANDING = 0.12  # s: a foot that lands this soon after the edit's start keeps its footprint
SINK_WINDOW, SINK_SIGMA = 0.15, 0.05  # s: widening and smoothing of the pelvis' drop; equally wide, so never too small

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class RigidEditMove:
    """A rigid move: x becomes turn x + shift."""

    turn: Array  # (..., 4)
    shift: Array  # (..., 3) m

    def place(self, points: Array) -> Array:
        """The points (..., 3) m after the move."""
        return np.asarray(quat_rotate(self.turn, points) + self.shift)

    def at(self, rows: int | slice) -> "RigidEditMove":
        """The move in some of the frames."""
        return RigidEditMove(self.turn[rows], self.shift[rows])


UNMOVED = RigidEditMove(IDENTITY, np.zeros(3))  # Leaves every point where it is


@dataclass(frozen=True, eq=False)
class SwingPath:
    """The path of a foot in one swing of n frames."""

    foot: int
    rows: Ints  # (n,) rows of the track
    place: Array  # (n, 3) m, foot link
    turn: Array  # (n, 4)


Lift = Callable[[SwingPath], Array]  # Maps the path of a swing to its extra height (n,) m


@dataclass(frozen=True, eq=False)
class CourseMoves:
    """The moves that an edit applies to the root and the footprints of a track of K frames."""

    root: RigidEditMove  # (K, 4) and (K, 3)
    prints: tuple[RigidEditMove, ...]  # one per stance phase of the track
    lift: Lift | None = None


Course = Callable[[TakeFootTrack], CourseMoves]
"""Maps a track of any length to moves. For a longer track, only moves in the last AHEAD seconds may differ."""


def path_moves(path: Array, target: Array, yaw: Array) -> RigidEditMove:
    """(K,) moves that bring ground points `path` (K, 2) m to `target` (K, 2) m and rotate about them by `yaw` (K,)."""
    turn = quat_exp(np.stack([np.zeros_like(yaw), np.zeros_like(yaw), yaw], axis=-1))
    flat = np.pad(path, ((0, 0), (0, 1)))
    return RigidEditMove(turn, np.pad(target, ((0, 0), (0, 1))) - quat_rotate(turn, flat))


def edit_moves_of_footprints(
    track: TakeFootTrack, root: RigidEditMove, start: float | None
) -> tuple[RigidEditMove, ...]:
    """One move per stance phase: the root's move at mid-stance. Stances begun before `start` + LANDING (s) stay.

    A foot that lands soon after `start` looks ahead by half the time since then, so that its leg need not hurry.
    """
    held = -1.0 if start is None else (start + LANDING) * track.rate - track.first
    middles = [track.middle(stance) for stance in track.stances]
    if start is not None:
        begun = round(start * track.rate) - track.first
        soon = [max((3 * stance.begin - begun) // 2, 0) for stance in track.stances]
        middles = [min(pair) for pair in zip(middles, soon, strict=True)]
    return tuple(
        UNMOVED if stance.begin < held else root.at(k) for stance, k in zip(track.stances, middles, strict=True)
    )


def require_walk(track: TakeFootTrack, start: float | None, edit: object) -> None:
    """Raise a PoiseError if no foot takes a step after `start` (s) within the track. `edit` is named in the message."""
    begin = (start or 0.0) * track.rate - track.first
    if not any(stance.begin > begin for stance in track.stances):
        raise PoiseError(f"edit '{edit}' needs a walk: no foot takes a step within {AHEAD:g} s of its start")


def take_on_course(take: Take, start: float | None, prepare: Callable[[TakeFootTrack], Course]) -> Take:
    """The take on another course from `start` (s), made by `prepare` from the track of the first AHEAD seconds."""
    first = round((start or 0.0) * take.rate)
    walk = _TakeOnCourse(take, first, prepare)
    return take.with_blocks(walk.block, first, walk.sketch)


class _TakeOnCourse:
    """The edited walk, planned only a little beyond the last frame that was requested."""

    def __init__(self, take: Take, start: int, prepare: Callable[[TakeFootTrack], Course]) -> None:
        self._take, self._start = take, start
        self._first = max(start - round(BEFORE * take.rate), 0)
        self._source, self._sampler = foot_sketches(take), TakeFootTrackSampler(take)
        self._placement, self._lengths = EditedFootPlacement(take.body), leg_lengths(take.body)
        self._known = -1
        self._planned: TakeFootTrack | None = None
        self._course = prepare(self._sampler.track(self._first, start + round(AHEAD * take.rate)))

    def block(self, first: int) -> list[Frame]:
        """The BLOCK frames from frame `first` on."""
        plan = self._planned_track(first + BLOCK)
        rows = np.clip(np.arange(first, first + BLOCK) - self._first, 0, plan.frames - 1)
        frames = [Frame(plan.qpos[row], plan.down[row]) for row in rows]
        return self._placement.settled(frames, plan.place[rows], plan.turn[rows])

    def sketch(self, number: int) -> FrameSketch:
        """Frame `number` of the edited walk with target positions of the feet, before the legs are solved."""
        if number < self._start:
            return self._source(number)
        plan = self._planned_track(number + 1)
        row = min(number - self._first, plan.frames - 1)
        return FrameSketch(plan.qpos[row], plan.down[row], plan.place[row], plan.turn[row], plan.hip[row])

    def _planned_track(self, stop: int) -> TakeFootTrack:
        """The track of the edited walk, planned at least up to frame `stop`."""
        if self._planned is not None and stop <= self._known:
            return self._planned
        final = self._known - self._first
        self._known = stop + round(max(STEP * self._take.rate, SHARE * (stop - self._first)))
        track = self._sampler.track(self._first, self._known + round(AHEAD * self._take.rate))
        steps, gate = self._course(track), np.ones(track.frames)  # (K,) weight of the root's move
        if self._start:  # eased in if the edit begins amid a motion, because plans look ahead
            gate = quintic_ease((track.time - self._start / track.rate) / GATE)
        place, turn = np.array(track.place), np.array(track.turn)
        if self._planned is not None:
            place[:final], turn[:final] = self._planned.place[:final], self._planned.turn[:final]
        _move_feet_of_take(place, turn, track, steps, self._start - track.first, final)
        hip = quat_rotate(steps.root.turn[:, None], track.hip) + steps.root.shift[:, None]
        root = steps.root.place(track.qpos[:, :3])
        used = np.linalg.norm(track.hip - track.place, axis=-1)  # (K, F)
        root[:, 2] -= gradual_drop(pelvis_drop(hip, place, self._lengths, used), track.rate)
        qpos = np.array(track.qpos)
        qpos[:, :3] += gate[:, None] * (root - track.qpos[:, :3])
        turned = slerp(IDENTITY, steps.root.turn, gate)
        qpos[:, 3:7] = quat_multiply(turned, track.qpos[:, 3:7])
        hip = qpos[:, None, :3] + quat_rotate(turned[:, None], track.hip - track.qpos[:, None, :3])
        self._planned = replace(track, qpos=qpos, place=place, turn=turn, hip=hip)
        return self._planned


def _move_feet_of_take(
    place: Array, turn: Array, track: TakeFootTrack, steps: CourseMoves, start: int, final: int
) -> None:
    """Overwrite positions `place` (K, F, 3) m and orientations `turn` (K, F, 4) of feet from row `final` on."""
    for foot in range(place.shape[1]):
        mine = [(s, m) for s, m in zip(track.stances, steps.prints, strict=True) if s.foot == foot]
        for stance, move in mine:
            if stance.end > final:
                span = slice(stance.begin, stance.end)
                place[span, foot] = move.place(track.place[span, foot])
                turn[span, foot] = quat_multiply(move.turn, track.turn[span, foot])
        for span, before, after in _swings_of_take(mine, steps.root, track.frames, start):
            if span.stop > final:
                swing = _edited_swing_path(track, foot, span, before, after, start, steps.lift)
                place[span, foot], turn[span, foot] = swing.place, swing.turn


def _edited_swing_path(
    track: TakeFootTrack, foot: int, span: slice, before: RigidEditMove, after: RigidEditMove, start: int,
    lift: Lift | None,
) -> SwingPath:  # fmt: skip
    """The path of a foot in the swing over rows `span`, from the move `before` to the move `after`."""
    rows = np.arange(span.start, span.stop)
    begin, end = _swing_frames_of_take(span, track, start)
    share = quintic_ease((rows - begin) / max(end - begin, 1))
    was, will = before.place(track.place[span, foot]), after.place(track.place[span, foot])
    climbs = lift is not None and will[-1, 2] > was[-1, 2]
    along = quintic_ease((rows - begin) / max(EARLY * (end - begin), 1)) if climbs else share
    place = was + np.stack([along, along, share], axis=1) * (will - was)
    turn = quat_multiply(slerp(before.turn, after.turn, share), track.turn[span, foot])
    if lift is not None:
        since = rows - begin if _begins_inside(span, start) else np.full(len(rows), np.inf)
        until = end - rows if span.stop < track.frames else np.full(len(rows), np.inf)
        ramp = quintic_ease(np.minimum(since, until) / (LIFT_EASE * track.rate))
        place[:, 2] += ramp * lift(SwingPath(foot, rows, place, turn))
    return SwingPath(foot, rows, place, turn)


def _swing_frames_of_take(span: slice, track: TakeFootTrack, start: int) -> tuple[int, int]:
    """First and last row of a swing. A swing that the motion's beginning or end cuts off is extended to SWING."""
    usual = round(SWING * track.rate)
    begin = max(span.start - 1, start) if _begins_inside(span, start) else min(-1, span.stop - usual)
    return begin, span.stop if span.stop < track.frames else max(span.stop, span.start + usual)


def _begins_inside(span: slice, start: int) -> bool:
    """Whether a swing over rows `span` begins inside the track, or the edit starts inside the track (row `start`)."""
    return span.start > 0 or start > 0


def _swings_of_take(
    stances: list[tuple[StancePhase, RigidEditMove]], root: RigidEditMove, frames: int, start: int
) -> list[tuple[slice, RigidEditMove, RigidEditMove]]:  # fmt: skip
    """The swings between `stances` of a foot: rows, moves before and after; at the ends the move of the root."""
    if not stances:
        return [(slice(0, frames), root, root)]
    swings = [(slice(a.end, b.begin), was, will) for (a, was), (b, will) in pairwise(stances)]
    (first, there), (last, here) = stances[0], stances[-1]
    before, after = slice(0, first.begin), slice(last.end, frames)
    origin = UNMOVED if start > 0 else root.at(before)  # for a swing that began before the track
    swings = [(before, origin, there), *swings, (after, here, root.at(after))]
    return [swing for swing in swings if swing[0].start < swing[0].stop]


def gradual_drop(missing: Array, rate: float) -> Array:
    """(K,) m: a smooth drop of the pelvis that is nowhere less than the necessary drop `missing` (K,) m."""
    return smooth_cover(missing, SINK_WINDOW * rate, SINK_SIGMA * rate)


def gradual_drop_reach(rate: float) -> int:
    """Number of neighbouring rows, on each side, that a row of `gradual_drop` depends on."""
    return round(SINK_WINDOW * rate) + math.ceil(3 * SINK_SIGMA * rate)
