"""Motions with their look-ahead policies, and the order in which they are performed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.body.pose_displacement import PoseDisplacement, planar_displacement
from poise.control.nqr.footholds import ContactPreview, SegmentFootContacts, contact_preview, segment_foot_contacts
from poise.control.nqr.lookahead import Policy, displaced_cost, look_ahead
from poise.control.nqr.tables import PolicyTables, policy_tables
from poise.control.nqr.weights import NqrWeights
from poise.reference.dynamic import Dynamic


@dataclass(frozen=True, eq=False)
class MotionSegment:
    """A motion with its look-ahead policy, its `footholds`, and the `track` of contacts in this and later motions."""

    policy: Policy
    tables: PolicyTables
    track: ContactPreview
    footholds: SegmentFootContacts

    @property
    def motion(self) -> Dynamic:
        """The motion that the policy follows."""
        return self.policy.motion


def cyclic_segment(
    motion: Dynamic, weights: NqrWeights, cycles: int | None = None, linear: bool = False
) -> MotionSegment:
    """The segment of a cycle, which is followed by itself; `cycles` as in `look_ahead`."""
    return _new_segment(look_ahead(motion, weights, cycles), contact_preview(motion), linear)


def leading_segment(
    motion: Dynamic, then: MotionSegment, weights: NqrWeights, linear: bool = False, frame: int = 0
) -> MotionSegment:
    """The segment of a motion that is performed once and ends in the state in which segment `then` is at `frame`."""
    entered, ended = then.motion.clip.qpos[frame], motion.clip.qpos[-1]
    once = replace(motion, clip=replace(motion.clip, cyclic=False))
    policy = look_ahead(once, weights, then=displaced_cost(then.policy.costs[frame], entered, ended))
    track = contact_preview(once, then.track.entered_at(frame, PoseDisplacement(*planar_displacement(entered, ended))))
    return _new_segment(policy, track, linear)


def segment_sequence(
    motions: Sequence[Dynamic], weights: NqrWeights, cycles: int | None, linear: bool
) -> list[MotionSegment]:
    """Segments of motions in order; if the last motion is not a cycle, a segment that holds its last pose follows."""
    *leading, last = motions if motions[-1].clip.cyclic else (*motions, held_last_pose(motions[-1]))
    segments = [cyclic_segment(last, weights, cycles, linear)]
    for motion in reversed(leading):
        segments.insert(0, leading_segment(motion, segments[0], weights, linear))
    return segments


def _new_segment(policy: Policy, track: ContactPreview, linear: bool) -> MotionSegment:
    return MotionSegment(policy, policy_tables(policy, linear), track, segment_foot_contacts(policy.motion, track))


def held_last_pose(motion: Dynamic) -> Dynamic:
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
    """A part of a segment, from frame `first` to frame `stop`. Another span may follow it."""

    segment: MotionSegment
    first: int
    stop: int


class FixedSegmentCourse:
    """Performs segments in a given order and repeats the last segment; `now` is the span being performed."""

    def __init__(self, segments: Sequence[MotionSegment]) -> None:
        self.now, *self._later = (SegmentSpan(segment, 0, len(segment.motion.torque)) for segment in segments)

    def proceed(self, heading: float) -> None:  # noqa: ARG002
        """Go on to the next segment, or repeat the last segment."""
        if self._later:
            self.now = self._later.pop(0)
