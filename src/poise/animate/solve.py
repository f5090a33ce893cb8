"""Solving a script: goal after goal, each from the last state that its parameters cannot affect [Fattal2006] sec. 6."""

from __future__ import annotations

import multiprocessing
import time as clock
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from poise.animate.goals import Watch, spoken
from poise.animate.script import Goal, Script
from poise.animate.script_run import Change, Rehearsal, goal_start, solved_changes
from poise.animate.shooting import Hit, ShootingSettings, Shot, Simulate, SimulationOutcome, shoot
from poise.arrays import Array
from poise.errors import PoiseError
from poise.progress import Say, in_silence
from poise.world.result import Snapshot

# Simulations of a goal with changed parameters: one after the other, or by several processes at once.
#
# Each begins with the same snapshot, so that it comes to the same, to the last bit, whoever makes it.


@dataclass(frozen=True, eq=False)
class Attempt:
    """What changes are tried on."""

    goal: Goal
    known: tuple[Change, ...]  # what was found for the goals before
    here: Snapshot  # the last state that the goal's parameters cannot affect


class Stand:
    """A rehearsal for attempts."""

    def __init__(self, script: Script) -> None:
        self._rehearsal = Rehearsal(script)
        self._watch: tuple[Goal, Watch] | None = None

    def outcome(self, attempt: Attempt, change: Array, slopes: bool) -> SimulationOutcome:
        """What comes of a change (n,)."""
        goal, rehearsal = attempt.goal, self._rehearsal
        if self._watch is None or self._watch[0].origin != goal.origin:
            self._watch = goal, Watch(rehearsal, goal)
        rehearsal.resume(attempt.here)
        rehearsal.change([*attempt.known, *zip(goal.free, change.tolist(), strict=True)])
        return self._watch[1].reach(rehearsal, slopes)


class Crew:
    """Whoever simulates: this process, or so many others."""

    def __init__(self, script: Script, workers: int = 1) -> None:
        if workers < 1:
            raise PoiseError(f"{workers} workers: must be at least 1")
        self._stand = Stand(script)
        self._pool: ProcessPoolExecutor | None = None
        if workers > 1:  # started afresh, since forked ones may inherit a lock of a numba thread that is held
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(workers, context, _enter, (script,))

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def outcomes(self, attempt: Attempt, changes: Sequence[Array], slopes: bool) -> list[SimulationOutcome]:
        """What comes of each change, in their order."""
        if self._pool is None or len(changes) == 1:
            return [self._stand.outcome(attempt, change, slopes) for change in changes]
        try:
            return list(self._pool.map(partial(_outcome, attempt, slopes), changes))
        except BrokenProcessPool:
            raise PoiseError("a worker process died: is there memory for as many? see --workers") from None


_own: list[Stand] = []  # That of a worker process


def _enter(script: Script) -> None:
    threadpool_limits(1)  # our matrices are small: threads cost more than they give
    _own[:] = [Stand(script)]


def _outcome(attempt: Attempt, slopes: bool, change: Array) -> SimulationOutcome:
    return _own[0].outcome(attempt, change, slopes)


ROUNDS = 3  # How often goals are solved again that others' changes have spoilt


@dataclass(frozen=True, eq=False)
class GoalResult:
    """What came of a goal."""

    goal: Goal
    hit: Hit
    seconds: float  # that it took

    def lines(self) -> list[str]:
        """What is wanted and reached, for people."""
        return [_told(self.goal, self.hit, k) for k in range(len(self.goal.wants))]


@dataclass(frozen=True, eq=False)
class ScriptSolution:
    """A solved script, and how it was found."""

    script: Script  # its goals with the changes that were found
    answers: tuple[GoalResult, ...]
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
            effort = f"{_counted(hit.iterations, 'iteration')}, {_counted(hit.simulations, 'simulation')}"
            out.append(f"{answer.goal.name}: {met}, {effort}, {answer.seconds:.2f} s")
            if not hit.converged:
                out += [f"  {line}" for line in answer.lines()]
        return out


def solve_script(
    script: Script, settings: ShootingSettings | None = None, say: Say = in_silence, workers: int = 1
) -> ScriptSolution:
    """Find the least changes of the animator's values that meet the script's constraints.

    With several worker processes finite differences are taken at once; what is found is the same.
    """
    began = clock.perf_counter()
    rehearsal = Rehearsal(script)
    known: list[Change] = []
    answers: list[GoalResult] = []
    with Crew(script, workers) as crew:
        for goal in script.goals:
            started = clock.perf_counter()
            start = goal_start(script, goal, known)
            if start < rehearsal.world.time - 1e-9:  # goals need not come in the order of their times
                rehearsal = Rehearsal(script)
            rehearsal.change(known)
            rehearsal.run_until(start)
            attempt = Attempt(goal, tuple(known), rehearsal.world.snapshot)
            hit = _shoot(settings, say, goal, partial(crew.outcomes, attempt), _hint(goal, answers))
            known += list(zip(goal.free, hit.change.tolist(), strict=True))
            solved = replace(goal, solved=tuple(hit.change.tolist()))
            answers.append(GoalResult(solved, hit, clock.perf_counter() - started))
        if len(answers) > 1:
            answers = _mended(script, answers, crew, partial(_shoot, settings, say))
    solved_script = replace(script, goals=tuple(answer.goal for answer in answers))
    return ScriptSolution(solved_script, tuple(answers), clock.perf_counter() - began)


def _shoot(settings: ShootingSettings | None, say: Say, goal: Goal, simulate: Simulate, hint: Hit | None) -> Hit:
    return shoot(_shot(goal, simulate, hint), settings, partial(_tell, goal, say))


def _mended(
    script: Script, answers: Sequence[GoalResult], crew: Crew, shoot_at: Callable[..., Hit]
) -> list[GoalResult]:
    """What is reached of goals in the end; those that others' changes have spoilt are solved again, for some rounds."""
    own = [answer.hit.converged for answer in answers]
    now = _in_the_end(script, answers)
    for _ in range(ROUNDS):
        spoilt = [k for k, answer in enumerate(now) if own[k] and not answer.hit.converged]
        if not spoilt:
            break
        for k in spoilt:
            now[k] = _again(script, now, k, crew, shoot_at)
        now = _in_the_end(script, now)
    return now


def _again(
    script: Script, answers: Sequence[GoalResult], k: int, crew: Crew, shoot_at: Callable[..., Hit]
) -> GoalResult:
    """A goal solved once more from where it is, all other goals' changes known."""
    started, last, goal = clock.perf_counter(), answers[k], answers[k].goal
    known = solved_changes(answer.goal for answer in answers if answer is not last)
    rehearsal = Rehearsal(script)
    rehearsal.change([*known, *solved_changes([goal])])
    rehearsal.run_until(goal_start(script, goal, known))
    attempt = Attempt(goal, tuple(known), rehearsal.world.snapshot)
    hit: Hit = shoot_at(goal, partial(crew.outcomes, attempt), None)
    total = replace(
        hit, iterations=last.hit.iterations + hit.iterations, simulations=last.hit.simulations + hit.simulations
    )
    solved = replace(goal, solved=tuple(hit.change.tolist()))
    return GoalResult(solved, total, last.seconds + clock.perf_counter() - started)


def _in_the_end(script: Script, answers: Sequence[GoalResult]) -> list[GoalResult]:
    """What is reached of goals with all changes that were found."""
    rehearsal, known = Rehearsal(script), solved_changes(answer.goal for answer in answers)
    rehearsal.change(known)
    starts = [goal_start(script, answer.goal, known) for answer in answers]
    out = list(answers)
    for k in np.argsort(starts, kind="stable"):
        rehearsal.run_until(starts[k])
        here, goal = rehearsal.world.snapshot, answers[k].goal
        reached = Watch(rehearsal, goal).reach(rehearsal).reached
        rehearsal.resume(here)
        off = np.array([(value - want.value) / want.within for value, want in zip(reached, goal.wants, strict=True)])
        out[k] = replace(answers[k], hit=replace(answers[k].hit, reached=reached, off=off))
    return out


def _hint(goal: Goal, answers: Sequence[GoalResult]) -> Hit | None:
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


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _told(goal: Goal, hit: Hit, k: int) -> str:
    want = goal.wants[k]
    reached = "never came" if np.isnan(hit.reached[k]) else spoken(want.what, float(hit.reached[k]))
    return f"{want.what} {reached}, wanted {spoken(want.what, want.value)}"
