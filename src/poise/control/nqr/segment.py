"""A motion ready to be controlled, and what follows it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.body.carrying import advance
from poise.control.nqr.lookahead import Policy, look_ahead, seen_from_end
from poise.control.nqr.plan import Plan, plan_of
from poise.control.nqr.weights import Weights
from poise.reference.dynamic import Dynamic
from poise.spatial import Array


@dataclass(frozen=True, eq=False)
class Segment:
    """A motion with its policy, and how it carries what follows along the ground."""

    policy: Policy
    plan: Plan
    yaw: float  # rad, by which it turns
    way: Array  # (3,) m, by which it shifts the origin

    @property
    def motion(self) -> Dynamic:
        """What is performed."""
        return self.policy.motion


def cyclic_segment(motion: Dynamic, weights: Weights, cycles: int | None = None, linear: bool = False) -> Segment:
    """A cycle, followed by itself."""
    return _segment(look_ahead(motion, weights, cycles), linear)


def leading_segment(motion: Dynamic, then: Segment, weights: Weights, linear: bool = False) -> Segment:
    """A motion performed once, that ends in the state in which another begins."""
    future = seen_from_end(motion, then.policy.futures[0])
    once = replace(motion, clip=replace(motion.clip, cyclic=False))
    return _segment(look_ahead(once, weights, then=future), linear)


def _segment(policy: Policy, linear: bool) -> Segment:
    poses = policy.motion.clip.qpos
    return Segment(policy, plan_of(policy, linear), *advance(poses[0], poses[-1]))


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
