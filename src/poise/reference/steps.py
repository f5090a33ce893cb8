"""Steps: stretches of motions from one stance to another, the nodes of a motion graph.

A walk whose second half mirrors its first is two steps: turns to the left branch off where its left foot lands, turns
to the right, which are mirrored, where its right foot does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.body.carrying import Carriage
from poise.body.poses import PoseSpace
from poise.reference.dynamic import Dynamic
from poise.spatial import yaw_of

GAITS = ("walk-slow", "walk", "walk-fast", "run")
"""Cycles that begin where the left foot lands."""
STANDING = "stand"
BASE = "walk"
"""What is turned, and must be there."""
SIDES = ("left", "right")

_SAME = 0.01  # rad, m: states nearer than this are one
_PATIENCE = 0.1  # s that it stands before it may start to walk


class Stance(NamedTuple):
    """The state between two steps."""

    gait: str
    side: str = ""  # whose foot lands; none if it stands


AT_REST = Stance(STANDING)


@dataclass(frozen=True)
class Step:
    """Frames of a motion from one stance to another."""

    name: str
    motion: str
    first: int
    stop: int
    begins: Stance
    ends: Stance
    turn: float  # rad, to the left
    speed: float  # m/s along the ground
    seconds: float

    @property
    def steady(self) -> bool:
        """Is it of a motion that goes on for ever?"""
        return self.motion in (*GAITS, STANDING)

    def joins(self, other: Step) -> bool:
        """Does it end in the very state in which another begins?"""
        return self.ends == other.begins

    def switches(self, other: Step) -> bool:
        """Does it end with the same foot as another of another gait begins?"""
        return self.ends.gait != other.begins.gait and self.ends.side == other.begins.side != ""


def gait_steps(name: str, motion: Dynamic) -> list[Step]:
    """Both halves of a gait, or the whole cycle if they are not alike."""
    left, right = (Stance(name, side) for side in SIDES)
    last = motion.clip.frames - 1
    if not symmetric(motion):
        return [step_of(f"{name} left", name, motion, (0, last), (left, left))]
    return [
        step_of(f"{name} left", name, motion, (0, last // 2), (left, right)),
        step_of(f"{name} right", name, motion, (last // 2, last), (right, left)),
    ]


def standing_step(name: str, motion: Dynamic) -> Step:
    """Standing for a moment."""
    step = step_of(name, name, motion, (0, round(_PATIENCE * motion.clip.rate)), (AT_REST, AT_REST))
    return replace(step, turn=0.0, speed=0.0)


def step_of(
    name: str, motion_name: str, motion: Dynamic, frames: tuple[int, int], stances: tuple[Stance, Stance]
) -> Step:
    """The step of a motion between two frames."""
    first, stop = frames
    poses, seconds = motion.clip.qpos[first : stop + 1], (stop - first) * motion.step
    length = float(np.linalg.norm(np.diff(poses[:, :2], axis=0), axis=1).sum())
    yaw = np.unwrap(yaw_of(poses[:, 3:7]))
    turn = float(yaw[-1] - yaw[0]) if stances[0] == stances[1] else 0.0  # else it is only the pelvis that has turned
    return Step(name, motion_name, first, stop, *stances, turn, length / seconds, seconds)


def symmetric(motion: Dynamic) -> bool:
    """Does a cycle's second half mirror its first?"""
    clip, last = motion.clip, motion.clip.frames - 1
    if last % 2 or clip.body.symmetry is None:
        return False
    other = clip.body.mirrored(clip.qpos[: last // 2 + 1])
    there = Carriage.between(other[0], clip.qpos[last // 2]).pose(other)
    return bool(np.abs(PoseSpace(clip.body).difference(there, clip.qpos[last // 2 :])).max() < _SAME)
