"""A motion ready to be controlled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from poise.arrays import Array
from poise.body.carriage import Carriage, advance
from poise.control.nqr.footholds import ContactTrack, FootContacts, footholds_of, track_of
from poise.control.nqr.lookahead import Policy, carried_future, look_ahead
from poise.control.nqr.plan import PolicyTables, plan_of
from poise.control.nqr.weights import Weights
from poise.reference.dynamic import Dynamic


@dataclass(frozen=True, eq=False)
class MotionSegment:
    """A motion with its policy, and what its feet do in it and after it."""

    policy: Policy
    plan: PolicyTables
    track: ContactTrack
    footholds: FootContacts

    @property
    def motion(self) -> Dynamic:
        """What is performed."""
        return self.policy.motion


def cyclic_segment(motion: Dynamic, weights: Weights, cycles: int | None = None, linear: bool = False) -> MotionSegment:
    """A cycle, followed by itself."""
    return _segment(look_ahead(motion, weights, cycles), track_of(motion), linear)


def leading_segment(
    motion: Dynamic, then: MotionSegment, weights: Weights, linear: bool = False, frame: int = 0
) -> MotionSegment:
    """A motion performed once, that ends in the state that another has in a frame."""
    entered, ended = then.motion.clip.qpos[frame], motion.clip.qpos[-1]
    once = replace(motion, clip=replace(motion.clip, cyclic=False))
    policy = look_ahead(once, weights, then=carried_future(then.policy.futures[frame], entered, ended))
    return _segment(policy, track_of(once, then.track.entered(frame, Carriage(*advance(entered, ended)))), linear)


def _segment(policy: Policy, track: ContactTrack, linear: bool) -> MotionSegment:
    return MotionSegment(policy, plan_of(policy, linear), track, footholds_of(policy.motion, track))


def resting(motion: Dynamic) -> Dynamic:
    """The last pose of a motion, held for ever by the torques and forces of its last step: a cycle of a second."""
    clip, contacts = motion.clip, motion.contacts
    steps = round(clip.rate)
    poses, last = np.full(steps + 1, -1), np.full(steps, -1)
    down = None if clip.down is None else clip.down[poses]
    held = replace(contacts, down=contacts.down[poses], force=contacts.force[last], ground=contacts.ground[poses])
    pose = replace(clip, qpos=clip.qpos[poses], down=down, cyclic=True)
    still = np.zeros((steps + 1, clip.body.nv))
    return replace(motion, clip=pose, qvel=still, torque=motion.torque[last], contacts=held)


# What is performed now, and what comes after it.


@dataclass(frozen=True, eq=False)
class Stretch:
    """Frames of a motion after which another may follow."""

    segment: MotionSegment
    first: int
    stop: int

    @property
    def poses(self) -> Array:
        """(T, nq) of the whole motion."""
        return self.segment.motion.clip.qpos


def whole(segment: MotionSegment) -> Stretch:
    """A motion from its beginning to its end."""
    return Stretch(segment, 0, segment.policy.steps)


class SegmentCourse(Protocol):
    """Decides what is performed."""

    @property
    def now(self) -> Stretch:
        """What is performed."""

    def proceed(self, heading: float) -> None:
        """Go on to what comes next, after a stretch that began in this direction of the world, rad."""


class Given:
    """Motions one after the other, the last one again and again."""

    def __init__(self, segments: Sequence[MotionSegment]) -> None:
        self.now, *self._later = (whole(segment) for segment in segments)

    def proceed(self, heading: float) -> None:  # noqa: ARG002
        """The next one, if there is any."""
        if self._later:
            self.now = self._later.pop(0)
