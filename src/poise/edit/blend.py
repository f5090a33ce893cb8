"""Transitions from one motion to another: aligned in position, heading and phase. Feet step instead of sliding."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.pose_space import displace_poses
from poise.ease import quintic_ease
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limbs import foot_parts, has_legs, leg_lengths, pelvis_drop, toe_dofs
from poise.edit.take import BLOCK, Frame, Span, Take, edit_text, number_text, take_of
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip, posed_data
from poise.reference.played import Played
from poise.rotations import quat_exp, quat_rotate, slerp, yaw_of

LONGEST_TRANSITION = 30.0  # s
OVER = 0.5  # s, default duration of a transition
SEARCHED = 4.0  # s at the beginning of the other motion in which the best entry is searched
SPEED_SHARE = 0.15  # s: weight of link speeds relative to link positions
CONTACT_SHARE = 0.2  # m: one differing contact counts like this distance
QUICKEST, SLOWEST = 0.25, 1.2  # s, shortest and longest step of a foot from one motion to the other
STEP_HEIGHT, STEP_FAR = 0.05, 0.15  # m: a foot that has to move by STEP_FAR or more is lifted by STEP_HEIGHT
SAME_PLACE = 0.001  # m: a foot whose step is longer than this is not in contact during the step
NEAR = 0.1  # m: a foot this near to its new place waits until the motion lifts it


@dataclass(frozen=True, eq=False)
class Blend:
    """Transition to another motion at the span's start."""

    source: str | BodyClip  # a motion file, or a clip of the same body
    over: float = OVER  # s
    entry: float | None = None  # s in the other motion; None to search the best
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        name = self.source if isinstance(self.source, str) else self.source.name
        entry = None if self.entry is None else number_text(self.entry)
        over = None if self.over == OVER else number_text(self.over)
        return edit_text("blend", name, self.span, over=over, **{"from": entry})

    def on(self, take: Take) -> Take:
        """The motion `take` up to the span's start, then the transition, then the other motion."""
        clip = _load_blend_clip(self.source, take.body) if isinstance(self.source, str) else self.source
        if clip.body.dof_names != take.body.dof_names:
            raise PoiseError(f"edit '{self}': that motion is for body '{clip.body.name}', not '{take.body.name}'")
        other = take_of(Played(clip), take.body, take.rate)
        return crossfaded(take, other, self.span.start or 0.0, self.over, self.entry)


def _load_blend_clip(path: str, body: Body) -> BodyClip:
    """Read the clip of a motion file. A file that is not a prepared motion is prepared for the body."""
    from poise.reference.archive import is_prepared, load_prepared
    from poise.retarget.prepare import prepare

    return load_prepared(Path(path)) if is_prepared(Path(path)) else prepare(path, body).clip


def crossfaded(take: Take, other: Take, start: float, over: float, entry: float | None = None) -> Take:
    """`take` up to `start` (s), then a transition of `over` (s) to `other` at `entry` (s), by default the best."""
    if not 0 <= over <= LONGEST_TRANSITION:
        raise PoiseError(f"a transition takes from 0 to {LONGEST_TRANSITION:g} s, not {over:g}")
    first = round(start * take.rate)
    entered = best_entry_frame(take, other, first, over) if entry is None else round(entry * take.rate)
    crossing = _Crossfade(take, other, first, max(round(over * take.rate), 1), entered)
    length = None if other.duration is None else start + max(other.duration - entered / take.rate, over)
    return replace(take.with_blocks(crossing.block, first), duration=length)


def best_entry_frame(take: Take, other: Take, first: int, over: float) -> int:
    """The frame of `other` that is most like frame `first` of `take` and leaves time for a transition of `over` (s)."""
    room = SEARCHED if other.duration is None else min(SEARCHED, max(other.duration - over, 0.0))
    count = round(room * take.rate) + 3
    theirs = blend_features(take.body, [other.frame(k) for k in range(count)], take.rate)
    mine = blend_features(take.body, [take.frame(first + k) for k in range(3)], take.rate)[1]
    shared = min(theirs.shape[1], len(mine))  # contacts come last and may be unknown in one of the two
    return int(np.argmin(np.linalg.norm(theirs[1:-1, :shared] - mine[:shared], axis=1)))


def blend_features(body: Body, frames: Sequence[Frame], rate: float) -> Array:
    """(T, n) features of frames: positions and velocities of links from the root's heading and place, contacts."""
    qpos = np.array([frame.qpos for frame in frames])
    links = np.array([data.xpos[1:].copy() for data in posed_data(body, qpos)])
    yaw = yaw_of(qpos[:, 3:7])
    back = quat_exp(np.stack([0 * yaw, 0 * yaw, -yaw], axis=1))[:, None]
    speed = np.gradient(links, axis=0) * rate if len(frames) > 1 else np.zeros_like(links)
    ground = qpos[:, None, :3] * [1.0, 1.0, 0.0]
    parts = [quat_rotate(back, links - ground), SPEED_SHARE * quat_rotate(back, speed)]
    scale = 1.0 / np.sqrt(links.shape[1])
    table = [scale * part.reshape(len(frames), -1) for part in parts]
    if all(frame.down is not None for frame in frames):
        table.append(CONTACT_SHARE * np.array([frame.down for frame in frames], float))
    return np.concatenate(table, axis=1)


@dataclass(frozen=True, eq=False)
class _BlendedFootTransfer:
    """The step of one foot from the first motion to the other; it begins and ends at frames of the first motion."""

    begin: int
    end: int
    far: float  # m along the ground; 0 if the foot is in the air in both motions
    lead: Array  # (2,) m: when the step begins, shift of the blended root from the root of the first motion

    @property
    def lift(self) -> float:
        """Extra height (m) of the foot during the step."""
        return STEP_HEIGHT * min(self.far / STEP_FAR, 1.0)

    def part(self, numbers: ArrayLike) -> Array:
        """Fraction of the step's time, 0 to 1, that has elapsed at the frames `numbers`."""
        return np.clip((np.asarray(numbers) - self.begin) / (self.end - self.begin), 0.0, 1.0)

    def share(self, numbers: ArrayLike) -> Array:
        """Weight of the other motion in the place of the foot, 0 to 1, at the frames `numbers`."""
        return quintic_ease(self.part(numbers))


class _Crossfade:
    """Frames of a transition of `over` frames: frame `first` of `take` is played with frame `entry` of `other`."""

    def __init__(self, take: Take, other: Take, first: int, over: int, entry: int) -> None:
        self._take, self._other, self._first, self._over, self._entry = take, other, first, over, entry
        self._body, self._placement, self._parts = take.body, EditedFootPlacement(take.body), foot_parts(take.body)
        self._lengths, self._toes = leg_lengths(take.body), toe_dofs(take.body)
        half = over // 2  # align the middle of the transition, so that neither motion is far ahead of the other
        mine, theirs = take.frame(first + half).qpos, other.frame(entry + half).qpos
        yaw = float(yaw_of(mine[3:7]) - yaw_of(theirs[3:7]))
        self._turn = quat_exp(np.array([0.0, 0.0, yaw]))
        self._shift = (mine[:3] - quat_rotate(self._turn, theirs[:3])) * [1.0, 1.0, 0.0]
        self._changes = [self._foot_transfer(foot) for foot in range(len(self._parts))]
        self._end = max([first + over, *(change.end for change in self._changes)])

    def block(self, first: int) -> list[Frame]:
        """The BLOCK frames from frame `first` on."""
        numbers = range(first, first + BLOCK)
        into = [self._other_frame(k) for k in numbers]
        if first >= self._end:
            return into
        out_of = [self._take.frame(k) for k in numbers]
        share = quintic_ease((np.array(numbers) - self._first) / self._over)
        mixed = [self._mixed_frame(a, b, s, k) for a, b, s, k in zip(out_of, into, share, numbers, strict=True)]
        place, turn = self._foot_places(out_of, into, np.array([frame.qpos[:2] for frame in mixed]), numbers)
        inside = np.minimum(np.array(numbers) - self._first, self._end - np.array(numbers))
        sinks = quintic_ease(inside / self._over) * self._pelvis_sink(mixed, out_of, into, place)
        for frame, sink in zip(mixed, sinks, strict=True):
            frame.qpos[2] -= sink
        solved = self._placement.settled(mixed, place, turn)
        return [b if k >= self._end else s for k, s, b in zip(numbers, solved, into, strict=True)]

    def _other_frame(self, number: int) -> Frame:
        """The frame of the other motion, aligned with the first, at the same time as frame `number` of the first."""
        frame = self._other.frame(max(self._entry + number - self._first, 0))
        return Frame(readonly(displace_poses(frame.qpos, self._turn, self._shift)), frame.down)

    def _mixed_frame(self, before: Frame, after: Frame, share: float, number: int) -> Frame:
        qpos, way, shares = np.array(before.qpos), np.zeros(self._body.nv), np.full(self._body.nv, share)
        for change, toes in zip(self._changes, self._toes, strict=True):
            shares[toes] = change.share(number)
        mujoco.mj_differentiatePos(self._body.model, way, 1.0, before.qpos, after.qpos)
        mujoco.mj_integratePos(self._body.model, qpos, shares * way, 1.0)
        if before.down is None or after.down is None:
            return Frame(qpos, None)
        down = np.array(before.down if share < 0.5 else after.down)
        for change, parts in zip(self._changes, self._parts, strict=True):
            if number < change.begin:
                down[parts] = before.down[parts]
            else:
                down[parts] = after.down[parts] & (number >= change.end or change.far < SAME_PLACE)
        return Frame(qpos, readonly(down, bool))

    def _foot_places(self, out_of: list[Frame], into: list[Frame], root: Array, numbers: range) -> tuple[Array, Array]:
        """Positions (T, F, 3) m and turns (T, F, 4) of feet; each moves with `root` (T, 2) m from its own step on."""
        place, turn = self._placement.places(np.array([frame.qpos for frame in out_of]))
        there, turned = self._placement.places(np.array([frame.qpos for frame in into]))
        for foot, change in enumerate(self._changes):
            part, share = change.part(numbers), change.share(numbers)
            behind = root - np.array([frame.qpos[:2] for frame in out_of]) - change.lead
            place[:, foot, :2] += np.where(part[:, None] > 0, behind, 0.0)
            place[:, foot] += share[:, None] * (there[:, foot] - place[:, foot])
            place[:, foot, 2] += change.lift * np.sin(np.pi * part) ** 2
            turn[:, foot] = slerp(turn[:, foot], turned[:, foot], share)
        return place, turn

    def _pelvis_sink(self, mixed: list[Frame], out_of: list[Frame], into: list[Frame], place: Array) -> Array:
        """(T,) m by which the pelvis is lowered, so that legs stretch no further than in the two motions."""
        if not has_legs(self._body):
            return np.zeros(len(mixed))
        poses, *both = (np.array([frame.qpos for frame in frames]) for frames in (mixed, out_of, into))
        hips, places = self._placement.hips, self._placement.places
        used = [np.linalg.norm(hips(qpos) - places(qpos)[0], axis=-1) for qpos in both]
        return pelvis_drop(hips(poses), place, self._lengths, np.maximum(*used))

    def _foot_transfer(self, foot: int) -> _BlendedFootTransfer:
        """The step of a foot. It begins when the foot is up in either motion, and ends when it is down in the other."""
        rate, parts = self._take.rate, self._parts[foot]
        quick, slow = round(QUICKEST * rate), round(SLOWEST * rate)
        latest = self._first + max(self._over, quick)
        if self._foot_distance(foot, latest, latest) < NEAR:
            latest = max(latest, self._first + slow)

        def stands(k: int) -> bool:
            return _foot_is_down_in_take(self._take.frame(k), parts)

        def lands(k: int) -> bool:
            return _foot_is_down_in_take(self._other_frame(k), parts)

        begin = self._first_frame_where(latest, self._first, lambda k: not (stands(k) and lands(k)))
        end = self._first_frame_where(begin + slow, begin + quick, lands)
        stood = any(lands(k) for k in range(begin, end)) or stands(begin)
        share = float(quintic_ease((begin - self._first) / self._over))
        lead = share * (self._other_frame(begin).qpos[:2] - self._take.frame(begin).qpos[:2])
        return _BlendedFootTransfer(begin, end, self._foot_distance(foot, begin, end) if stood else 0.0, lead)

    def _foot_distance(self, foot: int, begin: int, end: int) -> float:
        """Ground distance (m) from a foot at frame `begin` of the first motion to the foot at `end` of the other."""
        here, _ = self._placement.places(self._take.frame(begin).qpos[None])
        there, _ = self._placement.places(self._other_frame(end).qpos[None])
        return float(np.linalg.norm(here[0, foot, :2] - there[0, foot, :2]))

    @staticmethod
    def _first_frame_where(latest: int, number: int, holds: Callable[[int], bool]) -> int:
        """The first frame from `number` to before `latest` for which `holds` is true; otherwise `latest`."""
        return next((k for k in range(number, latest) if holds(k)), max(latest, number))


def _foot_is_down_in_take(frame: Frame, parts: list[int]) -> bool:
    return frame.down is not None and bool(frame.down[parts].any())
