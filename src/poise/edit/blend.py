"""Transitions: from one motion into another, aligned in place, heading and phase, with feet that step, not slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.carriage import carried
from poise.edit.foot_placement import FootPlacement
from poise.edit.limbs import easy_reach, foot_parts, has_legs, leg_lengths, pelvis_drop, toe_dofs
from poise.edit.span import Span, edit_text, number, smooth_ease
from poise.edit.take import BLOCK, Flags, Frame, Take, take_of
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.rotations import quat_exp, quat_rotate, slerp, yaw_of

# How alike two moments of motions are, wherever they take place and whichever way they face.

SPEED_SHARE = 0.15  # s; 1 m/s counts as much as so many metres
CONTACT_SHARE = 0.2  # m; what one contact part more or less counts


def features(body: Body, frames: Sequence[Frame], rate: float) -> Array:
    """(T, n): places of all links as seen from the root's heading, their speeds, and contacts. Compare by distance."""
    data, model = mujoco.MjData(body.model), body.model
    links = np.empty((len(frames), model.nbody - 1, 3))
    for k, frame in enumerate(frames):
        data.qpos[:] = frame.qpos
        mujoco.mj_kinematics(model, data)
        links[k] = data.xpos[1:]
    qpos = np.array([frame.qpos for frame in frames])
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


OVER = 0.5  # s
SEARCHED = 4.0  # s of the other motion in which the best moment to enter is looked for
QUICKEST, SLOWEST = 0.25, 1.2  # s, of a foot's step from one motion into the other
STEP_HEIGHT, STEP_FAR = 0.05, 0.15  # m: feet that must move by the second are lifted by the first
SAME_PLACE = 0.001  # m; a foot that moves further does not bear meanwhile
NEAR = 0.1  # m; a foot that stands so near to where it goes waits until it is lifted anyway


@dataclass(frozen=True, eq=False)
class Blend:
    """Over to another motion at the span's start."""

    source: str | BodyClip  # a motion file, or a clip of the same body
    over: float = OVER  # s
    entry: float | None = None  # s of the other motion; None finds the best
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        """As on the command line."""
        name = self.source if isinstance(self.source, str) else self.source.name
        entry = None if self.entry is None else number(self.entry)
        over = None if self.over == OVER else number(self.over)
        return edit_text("blend", name, self.span, over=over, **{"from": entry})

    def on(self, take: Take) -> Take:
        """The motion that goes over into the other."""
        clip = _loaded(self.source, take.body) if isinstance(self.source, str) else self.source
        if clip.body.dof_names != take.body.dof_names:
            raise PoiseError(f"edit '{self}': that motion is of body '{clip.body.name}', not '{take.body.name}'")
        other = take_of(Played(clip), take.body, take.rate)
        return crossed(take, other, self.span.start or 0.0, self.over, self.entry)


def _loaded(path: str, body: Body) -> BodyClip:
    """A motion file on a body: as it was prepared, or prepared now."""
    from poise.reference.archive import is_prepared, load_prepared
    from poise.retarget.prepare import prepare

    return load_prepared(Path(path)) if is_prepared(Path(path)) else prepare(path, body).clip


def crossed(take: Take, other: Take, start: float, over: float, entry: float | None = None) -> Take:
    """From `start` on over to `other`, which is entered at `entry` s or where it is most alike."""
    first = round(start * take.rate)
    entered = best_entry(take, other, first, over) if entry is None else round(entry * take.rate)
    crossing = _Crossing(take, other, first, max(round(over * take.rate), 1), entered)
    length = None if other.duration is None else start + max(other.duration - entered / take.rate, over)
    return replace(take.with_blocks(crossing.block, first), duration=length)


def best_entry(take: Take, other: Take, first: int, over: float) -> int:
    """The frame of `other` that is most like frame `first` of `take`, with time left for the transition."""
    room = SEARCHED if other.duration is None else min(SEARCHED, max(other.duration - over, 0.0))
    count = round(room * take.rate) + 3
    theirs = features(take.body, [other.frame(k) for k in range(count)], take.rate)
    mine = features(take.body, [take.frame(first + k) for k in range(3)], take.rate)[1]
    shared = min(theirs.shape[1], len(mine))  # one of the two may not know its contacts
    return int(np.argmin(np.linalg.norm(theirs[1:-1, :shared] - mine[:shared], axis=1)))


@dataclass(frozen=True, eq=False)
class _Change:
    """When a foot goes from one motion to the other, in frames, and how far."""

    begin: int
    end: int
    far: float  # m, that a foot has to go that stands in either motion
    lead: Array  # (2,) m, how far the root is ahead of the motion it leaves when the change begins

    @property
    def lift(self) -> float:
        """How high it is lifted for it, m."""
        return STEP_HEIGHT * min(self.far / STEP_FAR, 1.0)

    def part(self, numbers: ArrayLike) -> Array:
        """How much of the time of the change has passed at frames, 0 to 1."""
        return np.clip((np.asarray(numbers) - self.begin) / (self.end - self.begin), 0.0, 1.0)

    def share(self, numbers: ArrayLike) -> Array:
        """How much of the other motion the foot has at frames, 0 to 1."""
        return smooth_ease(self.part(numbers))


class _Crossing:
    """Frames of a transition."""

    def __init__(self, take: Take, other: Take, first: int, over: int, entry: int) -> None:
        self._take, self._other, self._first, self._over, self._entry = take, other, first, over, entry
        self._body, self._footing, self._parts = take.body, FootPlacement(take.body), foot_parts(take.body)
        self._lengths, self._toes = leg_lengths(take.body), toe_dofs(take.body)
        half = over // 2  # where they meet, so that a faster motion is neither far ahead nor far behind
        mine, theirs = take.frame(first + half).qpos, other.frame(entry + half).qpos
        yaw = float(yaw_of(mine[3:7]) - yaw_of(theirs[3:7]))
        self._turn = quat_exp(np.array([0.0, 0.0, yaw]))
        self._shift = (mine[:3] - quat_rotate(self._turn, theirs[:3])) * [1.0, 1.0, 0.0]
        self._changes = [self._change(foot) for foot in range(len(self._parts))]
        self._end = max([first + over, *(change.end for change in self._changes)])

    def block(self, first: int) -> list[Frame]:
        """The frames of a block."""
        numbers = range(first, first + BLOCK)
        into = [self._there(k) for k in numbers]
        if first >= self._end:
            return into
        out_of = [self._take.frame(k) for k in numbers]
        share = smooth_ease((np.array(numbers) - self._first) / self._over)
        mixed = [self._mixed(a, b, s, k) for a, b, s, k in zip(out_of, into, share, numbers, strict=True)]
        place, turn = self._feet(out_of, into, np.array([frame.qpos[:2] for frame in mixed]), numbers)
        for frame, sink in zip(mixed, self._sink(mixed, out_of, into, place), strict=True):
            frame.qpos[2] -= sink
        solved = self._footing.settled(mixed, place, turn)
        return [b if k >= self._end else s for k, s, b in zip(numbers, solved, into, strict=True)]

    def _there(self, number: int) -> Frame:
        """A frame of the other motion, aligned; `number` counts as in the first."""
        frame = self._other.frame(max(self._entry + number - self._first, 0))
        return Frame(readonly(carried(frame.qpos, self._turn, self._shift)), frame.down)

    def _mixed(self, before: Frame, after: Frame, share: float, number: int) -> Frame:
        qpos, way, shares = np.array(before.qpos), np.zeros(self._body.nv), np.full(self._body.nv, share)
        for change, toes in zip(self._changes, self._toes, strict=True):
            shares[toes] = change.share(number)
        mujoco.mj_differentiatePos(self._body.model, way, 1.0, before.qpos, after.qpos)
        mujoco.mj_integratePos(self._body.model, qpos, shares * way, 1.0)
        if before.down is None or after.down is None:
            return Frame(qpos, None)
        down = np.array(before.down if share < 0.5 else after.down)
        for change, parts in zip(self._changes, self._parts, strict=True):
            down[parts] = self._bears(before.down[parts], after.down[parts], change, number)
        return Frame(qpos, readonly(down, bool))

    @staticmethod
    def _bears(before: Flags, after: Flags, change: _Change, number: int) -> Flags:
        if number < change.begin:
            return before
        return after if number >= change.end else after & (change.far < SAME_PLACE)

    def _feet(self, out_of: list[Frame], into: list[Frame], root: Array, numbers: range) -> tuple[Array, Array]:
        """Places (T, F, 3) and turns (T, F, 4): each foot goes over in a step of its own.

        From its change on a foot goes with the `root` (T, 2) of the transition, not with that of the motion it leaves.
        """
        place, turn = self._footing.places(np.array([frame.qpos for frame in out_of]))
        there, turned = self._footing.places(np.array([frame.qpos for frame in into]))
        for foot, change in enumerate(self._changes):
            part, share = change.part(numbers), change.share(numbers)
            behind = root - np.array([frame.qpos[:2] for frame in out_of]) - change.lead
            place[:, foot, :2] += np.where(part[:, None] > 0, behind, 0.0)
            place[:, foot] += share[:, None] * (there[:, foot] - place[:, foot])
            place[:, foot, 2] += change.lift * np.sin(np.pi * part) ** 2
            turn[:, foot] = slerp(turn[:, foot], turned[:, foot], share)
        return place, turn

    def _sink(self, mixed: list[Frame], out_of: list[Frame], into: list[Frame], place: Array) -> Array:
        """(T,) m: how far the pelvis goes down; legs stretch as far as in either motion."""
        if not has_legs(self._body):
            return np.zeros(len(mixed))
        used = [np.linalg.norm(self._hips(frames) - self._placed(frames), axis=-1) for frames in (out_of, into)]
        return pelvis_drop(self._hips(mixed), place, easy_reach(self._lengths, np.maximum(*used)))

    def _hips(self, frames: list[Frame]) -> Array:
        return self._footing.hips(np.array([frame.qpos for frame in frames]))

    def _placed(self, frames: list[Frame]) -> Array:
        return self._footing.places(np.array([frame.qpos for frame in frames]))[0]

    def _change(self, foot: int) -> _Change:
        """A foot goes over while it is in the air: from where it lifts off in either to where it touches down there."""
        rate, parts = self._take.rate, self._parts[foot]
        quick, slow = round(QUICKEST * rate), round(SLOWEST * rate)
        latest = self._first + max(self._over, quick)
        if self._apart(foot, latest, latest) < NEAR:
            latest = max(latest, self._first + slow)
        begin = self._next(
            latest, self._first, lambda k: not (_down(self._take.frame(k), parts) and _down(self._there(k), parts))
        )
        end = self._next(begin + slow, begin + quick, lambda k: _down(self._there(k), parts))
        stood = any(_down(self._there(k), parts) for k in range(begin, end)) or _down(self._take.frame(begin), parts)
        share = float(smooth_ease((begin - self._first) / self._over))
        lead = share * (self._there(begin).qpos[:2] - self._take.frame(begin).qpos[:2])
        return _Change(begin, end, self._apart(foot, begin, end) if stood else 0.0, lead)

    def _apart(self, foot: int, begin: int, end: int) -> float:
        """How far apart a foot is at `begin` in the one and at `end` in the other motion, over the ground, m."""
        here, _ = self._footing.places(self._take.frame(begin).qpos[None])
        there, _ = self._footing.places(self._there(end).qpos[None])
        return float(np.linalg.norm(here[0, foot, :2] - there[0, foot, :2]))

    @staticmethod
    def _next(latest: int, number: int, holds: Callable[[int], bool]) -> int:
        """The first frame from `number` on for which something holds, at the latest `latest`."""
        return next((k for k in range(number, latest) if holds(k)), max(latest, number))


def _down(frame: Frame, parts: list[int]) -> bool:
    return frame.down is not None and bool(frame.down[parts].any())
