"""A motion ready to be controlled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.body.carrying import Carriage, advance
from poise.control.nqr.footholds import Footholds, footholds_of
from poise.control.nqr.lookahead import Policy, carried_future, look_ahead
from poise.control.nqr.plan import Plan, plan_of
from poise.control.nqr.track import Track, track_of
from poise.control.nqr.weights import Weights
from poise.reference.dynamic import Dynamic


@dataclass(frozen=True, eq=False)
class Segment:
    """A motion with its policy, and what its feet do in it and after it."""

    policy: Policy
    plan: Plan
    track: Track
    footholds: Footholds

    @property
    def motion(self) -> Dynamic:
        """What is performed."""
        return self.policy.motion


def cyclic_segment(motion: Dynamic, weights: Weights, cycles: int | None = None, linear: bool = False) -> Segment:
    """A cycle, followed by itself."""
    return _segment(look_ahead(motion, weights, cycles), track_of(motion), linear)


def leading_segment(motion: Dynamic, then: Segment, weights: Weights, linear: bool = False, frame: int = 0) -> Segment:
    """A motion performed once, that ends in the state that another has in a frame."""
    entered, ended = then.motion.clip.qpos[frame], motion.clip.qpos[-1]
    once = replace(motion, clip=replace(motion.clip, cyclic=False))
    policy = look_ahead(once, weights, then=carried_future(then.policy.futures[frame], entered, ended))
    return _segment(policy, track_of(once, then.track.entered(frame, Carriage(*advance(entered, ended)))), linear)


def _segment(policy: Policy, track: Track, linear: bool) -> Segment:
    return Segment(policy, plan_of(policy, linear), track, footholds_of(policy.motion, track))


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
