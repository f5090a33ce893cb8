"""Solving a script: goal after goal, each from the last state that its parameters cannot affect [Fattal2006] sec. 6."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from poise.animation.crew import Attempt, Crew
from poise.animation.directing import Change, affected_from
from poise.animation.rehearsal import Rehearsal
from poise.animation.script import Goal, Script
from poise.animation.units import spoken
from poise.optimize.shooting import Hit, ShootingSettings, Shot, Simulate, shoot

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """What came of a goal."""

    goal: Goal
    hit: Hit
    seconds: float  # that it took

    def lines(self) -> list[str]:
        """What is wanted and reached, for people."""
        return [_told(self.goal, self.hit, k) for k in range(len(self.goal.wants))]


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved script, and how it was found."""

    script: Script  # its goals with the changes that were found
    answers: tuple[Answer, ...]
    seconds: float

    @property
    def converged(self) -> bool:
        """Whether all constraints are met."""
        return all(answer.hit.converged for answer in self.answers)

    def lines(self) -> list[str]:
        """How it went, for people; of goals that are not met each constraint."""
        out = []
        for answer in self.answers:
            hit = answer.hit
            met = "met" if hit.converged else "NOT met"
            out.append(f"{answer.goal.name}: {met}, {hit.iterations} iterations, {hit.simulations} simulations, "
                       f"{answer.seconds:.2f} s")  # fmt: skip
            if not hit.converged:
                out += [f"  {line}" for line in answer.lines()]
        return out


def solve(
    script: Script, settings: ShootingSettings | None = None, say: Say = lambda _: None, workers: int = 1
) -> Solution:
    """Find the least changes of the animator's values that meet the script's constraints.

    With several worker processes finite differences are taken at once; what is found is the same.
    """
    began = clock.perf_counter()
    rehearsal = Rehearsal(script)
    known: list[Change] = []
    answers: list[Answer] = []
    with Crew(script, workers) as crew:
        for goal in script.goals:
            started = clock.perf_counter()
            rehearsal.direct(known)
            rehearsal.run_until(min(affected_from(script, free) for free in goal.free))
            attempt = Attempt(goal, tuple(known), rehearsal.world.snapshot)
            shot = _shot(goal, partial(crew.outcomes, attempt), _hint(goal, answers))
            hit = shoot(shot, settings, partial(_tell, goal, say))
            known += list(zip(goal.free, hit.change.tolist(), strict=True))
            solved = replace(goal, solved=tuple(hit.change.tolist()))
            answers.append(Answer(solved, hit, clock.perf_counter() - started))
    solved_script = replace(script, goals=tuple(answer.goal for answer in answers))
    return Solution(solved_script, tuple(answers), clock.perf_counter() - began)


def _hint(goal: Goal, answers: Sequence[Answer]) -> Hit | None:
    """What was found for the repetition of a goal before this one, as long as nothing is known of this one itself."""
    if not answers or any(goal.solved):
        return None
    last = answers[-1]
    alike = last.goal.origin == (goal.origin[0], goal.origin[1] - 1)
    return last.hit if alike and last.hit.converged else None


def _shot(goal: Goal, simulate: Simulate, hint: Hit | None) -> Shot:
    """A goal as a shooting problem."""
    return Shot(
        simulate,
        target=np.array([want.value for want in goal.wants]),
        tolerance=np.array([want.within for want in goal.wants]),
        unit=np.array([free.unit for free in goal.free]),
        most=np.array([free.most for free in goal.free]),
        first=np.array(goal.solved) if hint is None else hint.change,
        slopes=None if hint is None else hint.slopes,
    )


def _tell(goal: Goal, say: Say, hit: Hit) -> None:
    """Progress: what is furthest off."""
    worst = int(np.argmax(np.where(np.isfinite(hit.off), np.abs(hit.off), np.inf)))
    say(f"{goal.name}: iteration {hit.iterations}, {_told(goal, hit, worst)}")


def _told(goal: Goal, hit: Hit, k: int) -> str:
    want = goal.wants[k]
    reached = "never came" if np.isnan(hit.reached[k]) else spoken(want.what, float(hit.reached[k]))
    return f"{want.what} {reached}, wanted {spoken(want.what, want.value)}"
