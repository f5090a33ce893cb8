"""A repertoire of walks and turns that can be steered: which steps there are, and which may follow which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.body import Body
from poise.errors import PoiseError, unknown
from poise.frozen import Array, readonly
from poise.reference.dynamic import Dynamic
from poise.reference.mirroring import mirrored
from poise.reference.played import Played
from poise.reference.reference import Start, Target
from poise.reference.shipping import finished_for, joins
from poise.reference.steps import (
    AT_REST,
    BASE,
    GAITS,
    SIDES,
    STANDING,
    Stance,
    Step,
    gait_steps,
    standing_step,
    step_of,
    symmetric,
)
from poise.reference.transitions import Transitions, canonical, load_transitions, transitions_path

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
    steps: tuple[Step, ...]
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
    steps: list[Step] = []
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
                key, one = f"{name} {side}", motion if side == SIDES[0] else mirrored(motion)
                kept[key] = replace(one, clip=replace(one.clip, name=key))
                begins, ends = (Stance(gait, side) if gait in GAITS else AT_REST for gait in joins(name))
                steps.append(step_of(key, key, one, (0, one.clip.frames - 1), (begins, ends)))
    return Repertoire(kept, tuple(steps), _risks(steps, tried))


def _risks(steps: Sequence[Step], tried: Transitions) -> Array:
    """(S, S) what it costs to take a step after another: infinite if they do not meet or tried badly."""
    out = np.full((len(steps), len(steps)), np.inf)
    for i, one in enumerate(steps):
        for j, other in enumerate(steps):
            if one.joins(other) or one.switches(other):
                untried = 0.0 if one.joins(other) else np.inf
                off = tried.get(canonical(one.name, other.name), untried)
                out[i, j] = RISK * off if off <= STRAIN else np.inf
    return readonly(out)
