"""Motions with their look-ahead policies, and the order in which they are performed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from poise.arrays import Array
from poise.body.carriage import Carriage, advance
from poise.control.nqr.footholds import ContactTrack, FootContacts, contact_track, foot_contacts
from poise.control.nqr.lookahead import Policy, carried_cost, look_ahead
from poise.control.nqr.tables import PolicyTables, policy_tables
from poise.control.nqr.weights import Weights
from poise.reference.dynamic import Dynamic


@dataclass(frozen=True, eq=False)
class MotionSegment:
    """A motion with its policy, and the contacts of its feet during the motion and after it."""

    policy: Policy
    tables: PolicyTables
    track: ContactTrack
    footholds: FootContacts

    @property
    def motion(self) -> Dynamic:
        """The motion."""
        return self.policy.motion


def cyclic_segment(motion: Dynamic, weights: Weights, cycles: int | None = None, linear: bool = False) -> MotionSegment:
    """A cycle that is followed by itself."""
    return _segment(look_ahead(motion, weights, cycles), contact_track(motion), linear)


def leading_segment(
    motion: Dynamic, then: MotionSegment, weights: Weights, linear: bool = False, frame: int = 0
) -> MotionSegment:
    """A motion that is performed once and ends in the state of segment `then` at a frame."""
    entered, ended = then.motion.clip.qpos[frame], motion.clip.qpos[-1]
    once = replace(motion, clip=replace(motion.clip, cyclic=False))
    policy = look_ahead(once, weights, then=carried_cost(then.policy.costs[frame], entered, ended))
    return _segment(policy, contact_track(once, then.track.entered(frame, Carriage(*advance(entered, ended)))), linear)


def segment_sequence(
    motions: Sequence[Dynamic], weights: Weights, cycles: int | None, linear: bool
) -> list[MotionSegment]:
    """Segments of motions in order; a last motion that is not a cycle is followed by its last pose, held."""
    *leading, last = motions if motions[-1].clip.cyclic else (*motions, resting_motion(motions[-1]))
    segments = [cyclic_segment(last, weights, cycles, linear)]
    for motion in reversed(leading):
        segments.insert(0, leading_segment(motion, segments[0], weights, linear))
    return segments


def _segment(policy: Policy, track: ContactTrack, linear: bool) -> MotionSegment:
    return MotionSegment(policy, policy_tables(policy, linear), track, foot_contacts(policy.motion, track))


def resting_motion(motion: Dynamic) -> Dynamic:
    """The last pose of a motion as a cycle of one second, held by the torques and forces of the motion's last step."""
    clip, contacts = motion.clip, motion.contacts
    steps = round(clip.rate)
    poses, last = np.full(steps + 1, -1), np.full(steps, -1)
    down = None if clip.down is None else clip.down[poses]
    held = replace(contacts, down=contacts.down[poses], force=contacts.force[last], ground=contacts.ground[poses])
    pose = replace(clip, qpos=clip.qpos[poses], down=down, cyclic=True)
    still = np.zeros((steps + 1, clip.body.nv))
    return replace(motion, clip=pose, qvel=still, torque=motion.torque[last], contacts=held)


@dataclass(frozen=True, eq=False)
class SegmentSpan:
    """Frames `first` to `stop` of a segment, after which another span may follow."""

    segment: MotionSegment
    first: int
    stop: int

    @property
    def poses(self) -> Array:
        """(T, nq) poses of the whole motion."""
        return self.segment.motion.clip.qpos


class SegmentCourse(Protocol):
    """Chooses the spans that are performed one after the other."""

    @property
    def now(self) -> SegmentSpan:
        """The span being performed."""

    def proceed(self, heading: float) -> None:
        """Go on to the next span; `heading` (rad, in the world) is that at which the present one began."""


class FixedCourse:
    """Segments in a given order; the last one repeats."""

    def __init__(self, segments: Sequence[MotionSegment]) -> None:
        self.now, *self._later = (SegmentSpan(segment, 0, segment.policy.steps) for segment in segments)

    def proceed(self, heading: float) -> None:  # noqa: ARG002
        """Go on to the next segment, if there is one."""
        if self._later:
            self.now = self._later.pop(0)
