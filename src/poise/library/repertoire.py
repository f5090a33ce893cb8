"""A motion graph for steering: the steps of walks, runs and turns, and which step may follow which.

A gait whose second half mirrors its first is two steps. Turns to the left branch off at left heel strike; turns to the
right are mirrored copies and branch off at right heel strike.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseDisplacement, PoseSpace
from poise.body.symmetry import mirrored_names
from poise.edit.pose import mirrored_parts
from poise.errors import PoiseError, known_name
from poise.library.motions import shipped_dynamic_for, shipped_motions_joined_by
from poise.reference.dynamic import ContactSchedule, Dynamic
from poise.reference.played import Played
from poise.reference.reference import Start, Target
from poise.rotations import mirror_vector, quat_conjugate, quat_rotate, yaw_of

GAITS = ("walk-slow", "walk", "walk-fast", "run")  # Cyclic gaits that begin at left heel strike
STANDING = "stand"
BASE = "walk"  # The gait that turns start from; every repertoire must contain it
SIDES = ("left", "right")
TURNS = ("turn-15", "turn-45", "turn-60", "turn-90", "turn-180")
"""Turns to the left by these degrees, from walk to walk; they start at left heel strike."""
_CHANGES_OF_SPEED = ("walk-to-slow", "slow-to-walk", "walk-to-fast", "fast-to-walk", "walk-to-run", "run-to-walk")
CHANGES = ("start", "stop", *_CHANGES_OF_SPEED)
"""Changes between two gaits, or between standing and walking; they start with the left foot."""
RISK = 5.0  # Cost of a transition per radian of tracking error measured after the transition
STRAIN = 0.005
"""Largest tracking error (rad) of an allowed transition. Above it the character may fall after several in a row."""
_SAME = 0.01  # largest pose difference (rad, m) at which the halves of a cycle count as mirror images
_PATIENCE = 0.1  # s, length of a standing step: how often the character may start to walk

Transitions = Mapping[tuple[str, str], float]
"""Tracking error (rad) of each tested pair (step, next step); infinite if the character fell in any trial."""


@dataclass(frozen=True, eq=False)
class Repertoire(Mapping[str, Dynamic]):
    """A motion graph: motions by name, and their S steps. A performance begins with the first motion."""

    motions: Mapping[str, Dynamic]
    steps: "tuple[RepertoireStep, ...]"
    risk: Array  # (S, S) cost of taking step j after step i; infinite if j cannot follow i

    def __getitem__(self, name: str) -> Dynamic:
        return self.motions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.motions)

    def __len__(self) -> int:
        return len(self.motions)

    def beginning_with(self, name: str) -> "Repertoire":
        """Return a copy that begins with the motion `name`, which must be a gait or standing."""
        steady = dict.fromkeys(step.motion for step in self.steps if step.steady)
        known_name("motion that can be steered", name, steady)
        return replace(self, motions={name: self.motions[name], **self.motions})

    def __repr__(self) -> str:
        return f"Repertoire({len(self)} motions, {len(self.steps)} steps)"


class Roaming:
    """A reference of which the controller chooses the next step during the performance."""

    start: Start = "origin"
    duration = None

    def __init__(self, repertoire: Repertoire, first: str = BASE, begin: float = 0.0) -> None:
        """Start with the motion `first`; `begin` (s) is the time within this motion at time 0."""
        self.motions = repertoire.beginning_with(first)
        self.name, self.begin = first, begin
        self._played = Played(self.motions[first].clip, self.motions[first], begin)

    def at(self, time: float) -> Target:
        """Target at `time` (s) if the first motion is repeated without steering."""
        return self._played.at(time)

    def __repr__(self) -> str:
        return f"Roaming({self.motions!r})"


def shipped_repertoire(body: Body) -> Repertoire:
    """Return the motion graph of the walks and turns that ship for a body. Raises a PoiseError if there are none."""
    names = (*GAITS, STANDING, *TURNS, *CHANGES)
    found = {name: motion for name in names if (motion := shipped_dynamic_for(name, body)) is not None}
    if BASE not in found:
        raise PoiseError(f"body '{body.name}' cannot be steered: Poise ships no walks and turns for it")
    path = Path(__file__).parent / "shipped" / body.name / "nqr-transitions.json"
    rows = json.loads(path.read_text())["summary"] if path.is_file() else []  # as `poise study nqr-transitions` wrote
    off = {(row["step"], row["next"]): row["off"] if row["survived"] == row["trials"] else math.inf for row in rows}
    return build_repertoire(found, off)


def build_repertoire(motions: Mapping[str, Dynamic], tried: Transitions) -> Repertoire:
    """Build the motion graph of motions that are named like shipped motions; `walk` must be among them.

    `tried` are measured transitions; an untested pair is allowed if the second step begins in the end state of the
    first. A motion that begins or ends in a missing motion is left out.
    """
    kept: dict[str, Dynamic] = {}
    steps: list[RepertoireStep] = []
    sides = SIDES if is_symmetric_gait(motions[BASE]) else SIDES[:1]
    for name, motion in motions.items():
        if name in GAITS:
            kept[name] = motion
            steps += repertoire_gait_steps(name, motion)
        elif name == STANDING:
            kept[name] = motion
            patience = (0, round(_PATIENCE * motion.clip.rate))
            standing = repertoire_step(name, name, motion, patience, (AT_REST, AT_REST))
            steps.append(replace(standing, turn=0.0, speed=0.0))
        elif set(joined := shipped_motions_joined_by(name)) <= set(motions):
            for side in sides:
                key, one = f"{name} {side}", motion if side == SIDES[0] else mirrored_repertoire_step(motion)
                kept[key] = replace(one, clip=replace(one.clip, name=key))
                begins, ends = (BoundaryStance(gait, side) if gait in GAITS else AT_REST for gait in joined)
                steps.append(repertoire_step(key, key, one, (0, one.clip.frames - 1), (begins, ends)))
    return Repertoire(kept, tuple(steps), _transition_costs(steps, tried))


def _transition_costs(steps: "Sequence[RepertoireStep]", tried: Transitions) -> Array:
    """Costs (S, S) of taking step j after step i: infinite if j cannot follow, or the measured error exceeds STRAIN."""
    out = np.full((len(steps), len(steps)), np.inf)
    for i, one in enumerate(steps):
        for j, other in enumerate(steps):
            if one.joins(other) or one.switches(other):
                untried = 0.0 if one.joins(other) else np.inf
                off = tried.get(canonical_repertoire_transition(one.name, other.name), untried)
                out[i, j] = RISK * off if off <= STRAIN else np.inf
    return readonly(out)


class BoundaryStance(NamedTuple):
    """The gait and the landing foot at the boundary between two steps."""

    gait: str
    side: str = ""  # side of the landing foot; empty when standing


AT_REST = BoundaryStance(STANDING)


@dataclass(frozen=True)
class RepertoireStep:
    """The frames `first` to `stop`, both included, of a motion, between two boundaries: a node of the motion graph."""

    name: str
    motion: str
    first: int
    stop: int
    begins: BoundaryStance
    ends: BoundaryStance
    turn: float  # rad, positive to the left
    speed: float  # m/s along the ground
    seconds: float

    @property
    def steady(self) -> bool:
        """Whether the step belongs to a motion that can be repeated without end."""
        return self.motion in (*GAITS, STANDING)

    def joins(self, other: "RepertoireStep") -> bool:
        """Whether `other` begins in the state in which this step ends."""
        return self.ends == other.begins

    def switches(self, other: "RepertoireStep") -> bool:
        """Whether `other` begins with the same landing foot, but in another gait."""
        return self.ends.gait != other.begins.gait and self.ends.side == other.begins.side != ""


def repertoire_gait_steps(name: str, motion: Dynamic) -> list[RepertoireStep]:
    """Return the two halves of a gait cycle as steps, or the whole cycle as one step if it is not symmetric."""
    left, right = (BoundaryStance(name, side) for side in SIDES)
    last = motion.clip.frames - 1
    if not is_symmetric_gait(motion):
        return [repertoire_step(f"{name} left", name, motion, (0, last), (left, left))]
    return [
        repertoire_step(f"{name} left", name, motion, (0, last // 2), (left, right)),
        repertoire_step(f"{name} right", name, motion, (last // 2, last), (right, left)),
    ]


def repertoire_step(
    name: str, of: str, motion: Dynamic, frames: tuple[int, int], stances: tuple[BoundaryStance, BoundaryStance]
) -> RepertoireStep:
    """Return the step between two `frames`, both included, of the motion named `of`, with its speed and turn."""
    first, stop = frames
    poses, seconds = motion.clip.qpos[first : stop + 1], (stop - first) * motion.step
    length = float(np.linalg.norm(np.diff(poses[:, :2], axis=0), axis=1).sum())
    yaw = np.unwrap(yaw_of(poses[:, 3:7]))
    # Between different stances the yaw change is only the rotation of the pelvis within the gait.
    turn = float(yaw[-1] - yaw[0]) if stances[0] == stances[1] else 0.0
    return RepertoireStep(name, of, first, stop, *stances, turn, length / seconds, seconds)


def is_symmetric_gait(motion: Dynamic) -> bool:
    """Whether the second half of a gait cycle mirrors its first half."""
    clip, last = motion.clip, motion.clip.frames - 1
    if last % 2 or clip.body.symmetry is None:
        return False
    other = clip.body.mirrored(clip.qpos[: last // 2 + 1])
    there = PoseDisplacement.between(other[0], clip.qpos[last // 2]).pose(other)
    return bool(np.abs(PoseSpace(clip.body).difference(there, clip.qpos[last // 2 :])).max() < _SAME)


def canonical_repertoire_transition(one: str, other: str) -> tuple[str, str]:
    """Return the pair of step names or its mirror image, whichever sorts first. Both have the same test result."""
    return min((one, other), (_mirrored_step_name(one), _mirrored_step_name(other)))


def _mirrored_step_name(name: str) -> str:
    stem, _, side = name.rpartition(" ")
    return {"left": f"{stem} right", "right": f"{stem} left"}.get(side, name)


def mirrored_repertoire_step(motion: Dynamic) -> Dynamic:
    """Reflect the motion across the x-z plane; each contact keeps its index and moves to the opposite side."""
    clip, body = motion.clip, motion.clip.body
    down = None if clip.down is None else readonly(clip.down[:, mirrored_parts(body)], bool)
    return replace(
        motion,
        clip=replace(clip, qpos=readonly(body.mirrored(clip.qpos)), down=down),
        qvel=readonly(body.mirror_signs * motion.qvel[:, body.mirror_dofs]),
        torque=readonly(body.mirror_signs * motion.torque[:, body.mirror_dofs]),
        contacts=_mirrored_repertoire_contacts(body, motion.contacts),
    )


def _mirrored_repertoire_contacts(body: Body, contacts: ContactSchedule) -> ContactSchedule:
    names = mirrored_names(contacts.names)
    links = tuple(body.link_mirror[link] for link in contacts.links)
    # The frames of the opposite links need not be mirrored frames.
    here = LinkKinematics(body, list(zip(contacts.links, contacts.centre, strict=True)))
    there = LinkKinematics(body, [(link, np.zeros(3)) for link in links], links)
    places, _ = here.at(body.standing[None])
    origins, turns = there.at(body.mirrored(body.standing)[None])
    return replace(
        contacts,
        names=tuple(names.get(name, name) for name in contacts.names),
        links=links,
        centre=readonly(quat_rotate(quat_conjugate(turns[0]), mirror_vector(places[0]) - origins[0])),
        force=readonly(mirror_vector(contacts.force)),
    )
