"""A repertoire of walks and turns that can be steered: which steps there are, and which may follow which."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.carriage import Carriage
from poise.body.link_kinematics import Kinematics
from poise.body.pose_space import PoseSpace
from poise.body.symmetry import counterparts
from poise.edit.pose import mirrored_parts
from poise.errors import PoiseError, unknown
from poise.library.motions import finished_for, joins
from poise.reference.dynamic import ContactSchedule, Dynamic
from poise.reference.played import Played
from poise.reference.reference import Start, Target
from poise.rotations import mirror_vector, quat_conjugate, quat_rotate, yaw_of

# How transitions between steps went when they were tried: the findings of `poise study nqr-transitions`.
#
# What is true of two steps is true of their mirrored counterparts: only one of the two pairs is kept.

Transitions = Mapping[tuple[str, str], float]
"""(step, next step): rad by which joints were off, infinite if it fell."""


def canonical(one: str, other: str) -> tuple[str, str]:
    """The pair of steps or its mirror image, whichever is kept."""
    return min((one, other), (_swapped(one), _swapped(other)))


def _swapped(name: str) -> str:
    stem, _, side = name.rpartition(" ")
    return {"left": f"{stem} right", "right": f"{stem} left"}.get(side, name)


def transitions_path(body: str) -> Path:
    """Where those of a body that come with Poise are kept."""
    return Path(__file__).parent / "shipped" / body / "nqr-transitions.json"


def load_transitions(path: Path) -> Transitions:
    """What the study found; a fall in any trial is one."""
    told = json.loads(path.read_text())["summary"]
    return {(row["step"], row["next"]): row["off"] if row["survived"] == row["trials"] else math.inf for row in told}


# Motions that obey physics, left and right swapped: a turn to the left becomes one to the right.


def mirrored_motion(motion: Dynamic) -> Dynamic:
    """The motion reflected across the x-z plane; each contact stays the same number, on the other side."""
    clip, body = motion.clip, motion.clip.body
    down = None if clip.down is None else readonly(clip.down[:, mirrored_parts(body)], bool)
    return replace(
        motion,
        clip=replace(clip, qpos=readonly(body.mirrored(clip.qpos)), down=down),
        qvel=readonly(body.mirror_signs * motion.qvel[:, body.mirror_dofs]),
        torque=readonly(body.mirror_signs * motion.torque[:, body.mirror_dofs]),
        contacts=_mirrored_contacts(body, motion.contacts),
    )


def _mirrored_contacts(body: Body, contacts: ContactSchedule) -> ContactSchedule:
    names = counterparts(contacts.names)
    links = tuple(body.link_mirror[link] for link in contacts.links)
    return replace(
        contacts,
        names=tuple(names.get(name, name) for name in contacts.names),
        links=links,
        centre=readonly(_mirrored_centres(body, contacts, links)),
        force=readonly(mirror_vector(contacts.force)),
    )


def _mirrored_centres(body: Body, contacts: ContactSchedule, links: tuple[str, ...]) -> Array:
    """(C, 3) m in the other links: where the mirrored pose has the mirrored places, however links have their frames."""
    here = Kinematics(body, list(zip(contacts.links, contacts.centre, strict=True)))
    there = Kinematics(body, [(link, np.zeros(3)) for link in links], links)
    places, _ = here.at(body.standing[None])
    origins, turns = there.at(body.mirrored(body.standing)[None])
    return quat_rotate(quat_conjugate(turns[0]), mirror_vector(places[0]) - origins[0])


# Steps: stretches of motions from one stance to another, the nodes of a motion graph.
#
# A walk whose second half mirrors its first is two steps: turns to the left branch off where its left foot lands, turns
# to the right, which are mirrored, where its right foot does.

GAITS = ("walk-slow", "walk", "walk-fast", "run")
"""Cycles that begin where the left foot lands."""
STANDING = "stand"
BASE = "walk"
"""What is turned, and must be there."""
SIDES = ("left", "right")

_SAME = 0.01  # rad, m: states nearer than this are one
_PATIENCE = 0.1  # s that it stands before it may start to walk


class BoundaryStance(NamedTuple):
    """The state between two steps."""

    gait: str
    side: str = ""  # whose foot lands; none if it stands


AT_REST = BoundaryStance(STANDING)


@dataclass(frozen=True)
class MotionStep:
    """Frames of a motion from one stance to another."""

    name: str
    motion: str
    first: int
    stop: int
    begins: BoundaryStance
    ends: BoundaryStance
    turn: float  # rad, to the left
    speed: float  # m/s along the ground
    seconds: float

    @property
    def steady(self) -> bool:
        """Is it of a motion that goes on for ever?"""
        return self.motion in (*GAITS, STANDING)

    def joins(self, other: MotionStep) -> bool:
        """Does it end in the very state in which another begins?"""
        return self.ends == other.begins

    def switches(self, other: MotionStep) -> bool:
        """Does it end with the same foot as another of another gait begins?"""
        return self.ends.gait != other.begins.gait and self.ends.side == other.begins.side != ""


def gait_steps(name: str, motion: Dynamic) -> list[MotionStep]:
    """Both halves of a gait, or the whole cycle if they are not alike."""
    left, right = (BoundaryStance(name, side) for side in SIDES)
    last = motion.clip.frames - 1
    if not symmetric(motion):
        return [step_of(f"{name} left", name, motion, (0, last), (left, left))]
    return [
        step_of(f"{name} left", name, motion, (0, last // 2), (left, right)),
        step_of(f"{name} right", name, motion, (last // 2, last), (right, left)),
    ]


def standing_step(name: str, motion: Dynamic) -> MotionStep:
    """Standing for a moment."""
    step = step_of(name, name, motion, (0, round(_PATIENCE * motion.clip.rate)), (AT_REST, AT_REST))
    return replace(step, turn=0.0, speed=0.0)


def step_of(
    name: str,
    motion_name: str,
    motion: Dynamic,
    frames: tuple[int, int],
    stances: tuple[BoundaryStance, BoundaryStance],
) -> MotionStep:
    """The step of a motion between two frames."""
    first, stop = frames
    poses, seconds = motion.clip.qpos[first : stop + 1], (stop - first) * motion.step
    length = float(np.linalg.norm(np.diff(poses[:, :2], axis=0), axis=1).sum())
    yaw = np.unwrap(yaw_of(poses[:, 3:7]))
    turn = float(yaw[-1] - yaw[0]) if stances[0] == stances[1] else 0.0  # else it is only the pelvis that has turned
    return MotionStep(name, motion_name, first, stop, *stances, turn, length / seconds, seconds)


def symmetric(motion: Dynamic) -> bool:
    """Does a cycle's second half mirror its first?"""
    clip, last = motion.clip, motion.clip.frames - 1
    if last % 2 or clip.body.symmetry is None:
        return False
    other = clip.body.mirrored(clip.qpos[: last // 2 + 1])
    there = Carriage.between(other[0], clip.qpos[last // 2]).pose(other)
    return bool(np.abs(PoseSpace(clip.body).difference(there, clip.qpos[last // 2 :])).max() < _SAME)


TURNS = ("turn-15", "turn-45", "turn-60", "turn-90", "turn-180")
"""From walk to walk, left foot first and to the left."""
CHANGES = (
    *("start", "stop"),
    *("walk-to-slow", "slow-to-walk", "walk-to-fast", "fast-to-walk"),
    *("walk-to-run", "run-to-walk"),
)
"""From standing or a gait to another, likewise left foot first."""
RISK = 5.0
"""Cost of a transition per radian by which joints were off when it was tried."""
STRAIN = 0.005
"""rad: off by more, a transition is not taken: a few of them in a row may fall where each alone does not."""


@dataclass(frozen=True, eq=False)
class Repertoire(Mapping[str, Dynamic]):
    """Motions by name, and the steps that they are made of. The first motion is the one to begin with."""

    motions: Mapping[str, Dynamic]
    steps: tuple[MotionStep, ...]
    risk: Array  # (S, S) cost of a step after another; infinite where it cannot follow

    def __getitem__(self, name: str) -> Dynamic:
        """A motion."""
        return self.motions[name]

    def __iter__(self) -> Iterator[str]:
        """Names of motions."""
        return iter(self.motions)

    def __len__(self) -> int:
        """How many motions there are."""
        return len(self.motions)

    def beginning_with(self, name: str) -> Repertoire:
        """The same, with another motion to begin with: one that goes on for ever."""
        steady = dict.fromkeys(step.motion for step in self.steps if step.steady)
        if name not in steady:
            raise unknown("motion that can be steered", name, steady)
        return replace(self, motions={name: self.motions[name], **self.motions})


class Roaming:
    """A walk that goes where it is told: what comes next is decided step by step, by whoever performs it."""

    start: Start = "origin"
    duration = None

    def __init__(self, repertoire: Repertoire, first: str = BASE, begin: float = 0.0) -> None:
        """`begin` (s) is how far into its first motion time zero is."""
        self.motions = repertoire.beginning_with(first)
        self.name, self.begin = first, begin
        self._played = Played(self.motions[first].clip, self.motions[first], begin)

    def at(self, time: float) -> Target:
        """What is wanted at a time if nobody steers."""
        return self._played.at(time)


def shipped_repertoire(body: Body) -> Repertoire:
    """The walks and turns that come with Poise for a body."""
    names = (*GAITS, STANDING, *TURNS, *CHANGES)
    found = {name: motion for name in names if (motion := finished_for(name, body)) is not None}
    if BASE not in found:
        raise PoiseError(f"body '{body.name}' cannot be steered: no walks and turns come with Poise for it")
    tried = transitions_path(body.name)
    return repertoire(found, load_transitions(tried) if tried.is_file() else {})


def repertoire(motions: Mapping[str, Dynamic], tried: Transitions) -> Repertoire:
    """Steps of motions that are named as those that come with Poise; `walk` must be among them.

    Steps that were not `tried` one after the other follow if the one begins in the state in which the other ends.
    What begins or ends in a motion that is not there is left out.
    """
    kept: dict[str, Dynamic] = {}
    steps: list[MotionStep] = []
    sides = SIDES if symmetric(motions[BASE]) else SIDES[:1]
    for name, motion in motions.items():
        if name in GAITS:
            kept[name] = motion
            steps += gait_steps(name, motion)
        elif name == STANDING:
            kept[name] = motion
            steps.append(standing_step(name, motion))
        elif all(gait in motions for gait in joins(name)):
            for side in sides:
                key, one = f"{name} {side}", motion if side == SIDES[0] else mirrored_motion(motion)
                kept[key] = replace(one, clip=replace(one.clip, name=key))
                begins, ends = (BoundaryStance(gait, side) if gait in GAITS else AT_REST for gait in joins(name))
                steps.append(step_of(key, key, one, (0, one.clip.frames - 1), (begins, ends)))
    return Repertoire(kept, tuple(steps), _risks(steps, tried))


def _risks(steps: Sequence[MotionStep], tried: Transitions) -> Array:
    """(S, S) what it costs to take a step after another: infinite if they do not meet or tried badly."""
    out = np.full((len(steps), len(steps)), np.inf)
    for i, one in enumerate(steps):
        for j, other in enumerate(steps):
            if one.joins(other) or one.switches(other):
                untried = 0.0 if one.joins(other) else np.inf
                off = tried.get(canonical(one.name, other.name), untried)
                out[i, j] = RISK * off if off <= STRAIN else np.inf
    return readonly(out)
