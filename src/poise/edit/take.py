"""What edits share: takes, time spans with easing, the text form of edits, and edits during a performance.

A take is a motion as a sequence of frames that are computed when first requested; an edit takes a take and returns
another. Frames are cached, so that repeated requests cost nothing. Poses are interpolated between frames, so that
velocities match the poses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Frozen, Mask, readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.ease import quintic_ease, quintic_ease_integral
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
from poise.reference.reference import Reference, Start, Target
from poise.rotations import quat_conjugate, quat_log, quat_multiply

LATEST = 1e6  # s
EASE, LONGEST_EASE = 0.3, 3.0  # s, shortest and longest duration of easing in and out that an edit chooses
HASTE = 1.5  # largest turning speed of a link while an edit comes or goes, over that of the motion
CALM = 0.25  # of the fastest link's speed: a link that is slower may be edited as if it turned that fast


@dataclass(frozen=True)
class Span:
    """Time span of an edit, which eases in and out inside it. No `start`: applies at once. No `end`: never ends."""

    start: float | None = None  # s
    end: float | None = None  # s
    ease: float | None = None  # s, duration of easing in and of easing out; None: as suits the size of the edit

    def __post_init__(self) -> None:
        times = [t for t in (self.start, self.end) if t is not None]
        if not all(0 <= t <= LATEST for t in (*times, self.ease or 0.0)):
            raise PoiseError(f"times of an edit must be from 0 to {LATEST:g} s: {self.start}, {self.end}, {self.ease}")
        if self.end is not None and self.end <= (self.start or 0.0):
            raise PoiseError(f"an edit that starts at {self.start or 0.0:g} s cannot end at {self.end:g} s")

    def weight(self, time: ArrayLike) -> Array:
        """Weight of the edit, 0 to 1, at times (...) s."""
        time, ease = np.asarray(time, float), self._bounded_ease
        begun = np.ones_like(time) if self.start is None else quintic_ease((time - self.start) / ease)
        return np.asarray(begun - (0.0 if self.end is None else quintic_ease((time - self.end) / ease + 1.0)))

    def passed(self, time: ArrayLike) -> Array:
        """(...) s: integral of `weight` over time from 0 to the given times (...) s."""
        time = np.asarray(time, float)
        ease = self._bounded_ease
        begun = time if self.start is None else ease * quintic_ease_integral((time - self.start) / ease)
        ended = 0.0 if self.end is None else ease * quintic_ease_integral((time - self.end) / ease + 1.0)
        return np.asarray(begun - ended)

    def since(self, now: float) -> "Span":
        """The part of the span after the time `now` (s). Raises a PoiseError if the span ends before."""
        start = max(self.start or 0.0, now)
        if self.end is not None and self.end <= start:
            raise PoiseError(f"the edit ends at {self.end:g} s, before the current time {now:g} s")
        return replace(self, start=start)

    @property
    def _bounded_ease(self) -> float:
        """Duration (s) of easing in, and of easing out: `ease`, but at most half of the span, and greater than 0."""
        ease = EASE if self.ease is None else self.ease
        shortest = ease if self.end is None else min(ease, (self.end - (self.start or 0.0)) / 2)
        return max(shortest, 1e-9)


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0")


def edit_text_of_numbers(values: Iterable[float]) -> str:
    """Text with the numbers joined by colons, such as 1:0.5."""
    return ":".join(number_text(v) for v in values)


def edit_text(name: str, value: str = "", span: Span | None = None, **options: str | None) -> str:
    """The text form of an edit, NAME[:VALUE][@START[-END]][,key=value...]. Options with value None are left out."""
    span = span or Span()
    when = ""
    if span.start is not None or span.end is not None:
        when = f"@{number_text(span.start or 0.0)}" + ("" if span.end is None else f"-{number_text(span.end)}")
    if span.ease is not None:
        options = {**options, "ease": number_text(span.ease)}
    return name + (value and f":{value}") + when + "".join(f",{k}={v}" for k, v in options.items() if v is not None)


REMEMBERED = 4096  # frames in a cache
BLOCK = 8  # frames solved at once, which costs less than solving them one by one
DEFAULT_RATE = 120.0  # frames per second, of references that have no frames of their own


class Frame(NamedTuple):
    """One frame of a take."""

    qpos: Array  # (nq,)
    down: Mask | None  # (P,) whether each contact part is in contact; None if unknown


def take_without_contacts(down: Mask | None, parts: Mask) -> Mask | None:
    """Contacts `down` (P,) with the contacts of the marked `parts` (P,) removed; None if unknown."""
    return None if down is None else readonly(down & ~parts, bool)


class FrameSketch(NamedTuple):
    """A frame and target positions of its F feet; the legs are not yet solved for these targets."""

    qpos: Array  # (nq,)
    down: Mask | None  # (P,)
    place: Array  # (F, 3) m, foot links in the world
    turn: Array  # (F, 4)
    hip: Array  # (F, 3) m, hip joints


@dataclass(frozen=True, eq=False)
class Take:
    """A reference made of frames that are computed when first requested."""

    body: Body
    rate: float  # frames per second
    name: str
    start: Start
    duration: float | None  # s; None if the take has no end
    frame: Callable[[int], Frame]  # returns the frame with a number, from 0; the last pose is held after the end
    sketch: Callable[[int], FrameSketch] | None = None  # the same before legs are solved, if known without solving
    cycle: BodyClip | None = None  # the cycle, if the take only repeats a cycle for ever
    begin: float = 0.0  # s: see `Reference.begin`
    motions: Mapping[str, Dynamic] = field(default_factory=Frozen)  # empty: edited motions need not obey physics
    notes: tuple[str, ...] = ()  # what edits found and did, a sentence each

    def at(self, time: float) -> Target:
        """The pose interpolated between the two frames around a time (s), and the velocity between these frames."""
        ended = self.duration is not None and time >= self.duration
        clock = max(time if self.duration is None else min(time, self.duration), 0.0) * self.rate
        number = int(np.floor(clock + 1e-9))
        share = max(clock - number, 0.0)
        here, there = self.frame(number), self.frame(number + 1)
        way, qpos = np.zeros(self.body.nv), np.array(here.qpos)
        mujoco.mj_differentiatePos(self.body.model, way, 1.0, here.qpos, there.qpos)
        mujoco.mj_integratePos(self.body.model, qpos, way, share)
        return Target(qpos, 0.0 * way if ended else self.rate * way, (here if share < 0.5 else there).down)

    def with_frames(self, frame: Callable[[int], Frame], **changes: object) -> "Take":
        """A copy whose frames the function `frame` computes; its results are cached. `changes` are other fields."""
        remembered = lru_cache(maxsize=REMEMBERED)(frame)
        return replace(self, frame=remembered, sketch=None, cycle=None, **changes)  # type: ignore[arg-type]

    def with_blocks(
        self,
        block: Callable[[int], Sequence[Frame]],
        since: int = 0,
        sketch: Callable[[int], FrameSketch] | None = None,
    ) -> "Take":
        """A copy whose frames from `since` on come from `block`: it maps a frame number to the next BLOCK frames."""
        remembered = lru_cache(maxsize=REMEMBERED // BLOCK)(block)

        def frame(number: int) -> Frame:
            return self.frame(number) if number < since else remembered(number - number % BLOCK)[number % BLOCK]

        return replace(self, frame=frame, sketch=sketch, cycle=None)

    def clip(self, seconds: float | None = None) -> BodyClip:
        """The whole take as a clip, or only the first `seconds` (s)."""
        length = self.duration if seconds is None else seconds
        if length is None:
            raise PoiseError(f"motion '{self.name}' is endless: give it an end (loop:N) or a duration")
        frames = [self.frame(k) for k in range(round(length * self.rate) + 1)]
        known = [frame.down for frame in frames if frame.down is not None]
        down = readonly(known, bool) if len(known) == len(frames) else None
        return BodyClip(self.name, self.body, self.rate, readonly([frame.qpos for frame in frames]), down)


class Edit(Protocol):
    """A change of a motion; `str(edit)` is its text. If the class `eases`, it comes and goes over its span's ease."""

    @property
    def span(self) -> Span:
        """The time span in which the edit applies."""

    def on(self, take: Take) -> Take:
        """The motion `take` with the edit applied."""


def take_of(reference: Reference, body: Body, rate: float | None = None) -> Take:
    """A reference as a take, sampled at `rate` frames per second, by default the rate of the reference's clip."""
    if isinstance(reference, Take):
        return reference
    if rate is None:
        rate = reference.clip.rate if isinstance(reference, Played) else DEFAULT_RATE

    @lru_cache(maxsize=REMEMBERED)
    def frame(number: int) -> Frame:
        target = reference.at(number / rate)
        return Frame(readonly(target.qpos), target.down)

    cycle = reference.clip if isinstance(reference, Played) and reference.clip.cyclic else None
    return Take(body, rate, reference.name, reference.start, reference.duration, frame, cycle=cycle)


def edited(clip: BodyClip, *edits: Edit, seconds: float | None = None) -> BodyClip:
    """Apply edits to a clip in order: `seconds` (s) of the result, by default all; of an endless one its cycle."""
    return edited_with_notes(clip, *edits, seconds=seconds)[0]


def edited_with_notes(clip: BodyClip, *edits: Edit, seconds: float | None = None) -> tuple[BodyClip, tuple[str, ...]]:
    """The result of `edited`, and what the edits found and did, a sentence each."""
    take = take_of(Played(clip), clip.body)
    for edit in edits:
        take = eased(edit, take).on(take)
    if take.cycle is not None and seconds is None:
        return take.cycle, take.notes
    return take.clip(seconds or take.duration or clip.seconds), take.notes


def eased(edit: Edit, take: Take) -> Edit:
    """The edit with an ease that suits its size, if none is given: no link turns much faster than in the motion."""
    span = edit.span
    if span.ease is not None or not getattr(edit, "eases", False) or (span.start is None and span.end is None):
        return edit
    tried = edit.on(take)
    kinematics, rate = LinkKinematics(take.body, (), take.body.links), take.rate
    hasty, own = np.zeros(len(take.body.links)), np.zeros(len(take.body.links))  # rad/s
    for begin in (span.start, None if span.end is None else max(span.end - EASE, span.start or 0.0)):
        if begin is None or (take.duration is not None and begin >= take.duration):
            continue
        numbers = range(int(begin * rate), int((begin + EASE) * rate) + 2)
        before, after = (kinematics.at(np.array([each.frame(k).qpos for k in numbers]))[1] for each in (take, tried))
        change = quat_log(quat_multiply(after, quat_conjugate(before)))
        hasty = np.maximum(hasty, rate * np.linalg.norm(np.diff(change, axis=0), axis=-1).max(axis=0))
        around = range(max(0, int((begin - 1.0) * rate)), int((begin + 2.0) * rate))
        turned = kinematics.at(np.array([take.frame(k).qpos for k in around]))[1]
        moved = quat_log(quat_multiply(turned[1:], quat_conjugate(turned[:-1])))
        own = np.maximum(own, rate * np.linalg.norm(moved, axis=-1).max(axis=0))
    if not own.any():
        return edit
    room = HASTE * np.maximum(own, CALM * own.max()) - own
    longest = LONGEST_EASE if span.end is None else min(LONGEST_EASE, (span.end - (span.start or 0.0)) / 2)
    ease = min(EASE * max(1.0, float(np.max(hasty / room))), longest)
    return replace(edit, span=replace(span, ease=ease))  # type: ignore[type-var]


class DerivedReference:
    """A reference with the facts of another one, `_now`; an edit may replace that one."""

    _now: Reference

    @property
    def name(self) -> str:
        """Name of the motion."""
        return self._now.name

    @property
    def start(self) -> Start:
        """Where on the terrain the motion starts."""
        return self._now.start

    @property
    def duration(self) -> float | None:
        """Duration (s) with the edits made so far."""
        return self._now.duration

    @property
    def begin(self) -> float:
        """Time (s) within the motion that corresponds to time 0 of the reference."""
        return self._now.begin

    @property
    def motions(self) -> Mapping[str, Dynamic]:
        """The motions of this reference that obey physics, by name; empty after an edit."""
        return self._now.motions


class Live(DerivedReference):
    """A reference that accepts edits at any time. Each edit is eased in from the time at which it is made."""

    def __init__(self, reference: Reference, body: Body) -> None:
        self._body, self._now = body, reference
        self.events: list[dict[str, Any]] = []  # edits made so far, for the recording

    @property
    def edition(self) -> int:
        """Number of edits made so far."""
        return len(self.events)

    def at(self, time: float) -> Target:
        """The target of the edited motion at a time (s)."""
        return self._now.at(time)

    def edit(self, edit: Edit, now: float) -> dict[str, Any]:
        """Apply an edit from the time `now` (s) on. Appends an event for the recording to `events` and returns it."""
        late = replace(edit, span=edit.span.since(now))  # type: ignore[type-var]
        take = take_of(self._now, self._body)
        self._now = eased(late, take).on(take)
        self.events.append({"time": float(now), "kind": "edit", "text": str(edit)})
        return self.events[-1]

    def __repr__(self) -> str:
        return f"Live({self._now!r}, {self.edition} edits)"
