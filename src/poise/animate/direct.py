"""From a script to what performs it: a reference of its poses and a controller, with some parameters changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from poise.animate.script import Free, Goal, Pose, Script
from poise.control.poses.poses import Poses
from poise.control.poses.rig import Strengthening
from poise.errors import PoiseError
from poise.reference.key_poses import KeyPoses, PoseKeys, standing_coordinates

Change = tuple[Free, float]
"""A parameter and how much it is changed."""


def solved_changes(goals: Iterable[Goal]) -> list[Change]:
    """All that was found for goals."""
    return [pair for goal in goals for pair in zip(goal.free, goal.solved, strict=True)]


def direct(script: Script, changes: Iterable[Change] = ()) -> tuple[KeyPoses, Poses]:
    """The reference and the controller of a script, with changes."""
    changed = list(changes)
    gains = list(script.changes)
    for free, by in changed:
        if free.kind in ("stiffness", "damping"):
            for place in free.places:
                gains[place] = _stronger(gains[place], free.kind, by)
    controller = Poses(script.settings, gains, script.stabilised, script.objectives, script.rig)
    return _reference(script, changed), controller


def keys_of(script: Script, changes: Iterable[Change] = ()) -> PoseKeys:
    """The keys of all poses, with changes."""
    triples = [(pose.time, dof, angle) for pose in _changed(script, changes) for dof, angle in pose.angles.items()]
    time, dof, value = (np.array(column) for column in zip(*triples, strict=True))
    return PoseKeys(time.astype(float), dof.astype(np.int64), value.astype(float))


def affected_from(script: Script, free: Free, known: Iterable[Change] = ()) -> float:
    """When a parameter begins to matter, s: a key draws its freedom from the key before it on.

    `known` are changes that have been made already. A time that is free may pass the key before it.
    """
    if free.kind in ("stiffness", "damping"):
        return min(script.changes[place].when.start for place in free.places)
    first, poses = np.inf, _changed(script, known)
    for place in free.places:
        pose = poses[place]
        margin = free.most if free.kind == "time" else 0.0
        for dof in free.shares or pose.angles:
            earlier = [other.time for other in poses if dof in other.angles and other.time < pose.time - margin]
            first = min(first, max(earlier, default=0.0))
    return max(float(first), 0.0)


def goal_start(script: Script, goal: Goal, known: Sequence[Change] = ()) -> float:
    """When a goal's parameters begin to matter, s; what it wants at an earlier time is refused."""
    start = min(affected_from(script, free, known) for free in goal.free)
    for want in goal.wants:
        if want.when.event == "time" and want.when.time < start:
            told = f"{want.what} at {want.when.time:g} s, before what it may change matters, at {start:g} s"
            raise PoiseError(f"{goal.name} wants {told}")
    return start


def _changed(script: Script, changes: Iterable[Change]) -> list[Pose]:
    """The poses with changes."""
    poses = list(script.poses)
    for free, by in changes:
        if free.kind in ("angle", "time"):
            for place in free.places:
                poses[place] = _bent(poses[place], free, by)
    return poses


def _bent(pose: Pose, free: Free, by: float) -> Pose:
    if free.kind == "time":
        return replace(pose, time=pose.time + by)
    return replace(pose, angles={**pose.angles, **_shifted(pose.angles, free.shares, by)})


def _shifted(angles: Mapping[int, float], shares: Mapping[int, float], by: float) -> dict[int, float]:
    return {dof: angles[dof] + share * by for dof, share in shares.items()}


def _stronger(change: Strengthening, kind: str, by: float) -> Strengthening:
    if kind == "stiffness":
        return replace(change, stiffness=change.stiffness * (1.0 + by))
    return replace(change, damping=change.damping * (1.0 + by))


def _reference(script: Script, changes: Iterable[Change]) -> KeyPoses:
    body = script.scene.body
    velocity = np.zeros(body.nv)
    velocity[:3] = script.beginning.velocity
    first = standing_coordinates(body)
    made = KeyPoses(body, script.name, keys_of(script, changes), first, velocity, script.seconds)
    return made.raised(script.rise)
