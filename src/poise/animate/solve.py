"""Solve the goals of a script in turn, each from the last state that its parameters do not affect [Fattal2006] sec. 6.

Every simulation of a goal starts from the same snapshot, so its result does not depend on the process that runs it.
"""

import multiprocessing
import time as clock
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from poise.animate import goals
from poise.animate.script import Change, Goal, Script, ScriptRehearsal, goal_start, solved_changes
from poise.animate.shooting import Shot, ShotResult, SimulationOutcome, shoot
from poise.arrays import Array
from poise.errors import PoiseError
from poise.progress import Say, no_progress
from poise.world.result import Snapshot

ROUNDS = 3  # Largest number of times that goals are solved again after the changes of others have violated them


@dataclass(frozen=True, eq=False)
class GoalResult:
    """A solved goal and the result of the search."""

    goal: Goal
    hit: ShotResult
    seconds: float  # wall-clock time


@dataclass(frozen=True, eq=False)
class ScriptSolution:
    """A solved script and the results of its goals."""

    script: Script  # its goals contain the solved changes
    answers: tuple[GoalResult, ...]
    seconds: float  # wall-clock time

    @property
    def converged(self) -> bool:
        """Whether all constraints are met."""
        return all(answer.hit.converged for answer in self.answers)

    def constraints(self) -> list[dict[str, Any]]:
        """Each constraint with its target, the value reached (None if its time never came) and whether it is met."""
        return [
            {
                "goal": answer.goal.name,
                "what": want.what,
                "unit": goals.goal_constraint_unit(want.what),
                "target": shown(want.value),
                "reached": shown(float(reached)) if np.isfinite(reached) else None,
                "within": shown(want.within),
                "met": bool(abs(off) <= 1),
            }
            for answer in self.answers
            for want, reached, off in zip(answer.goal.wants, answer.hit.reached, answer.hit.off, strict=True)
            for shown in (partial(goals.goal_constraint_in_display_unit, want.what),)
        ]

    def lines(self) -> list[str]:
        """The results as lines of text; a goal that is not met is followed by its constraints."""
        out = []
        for answer in self.answers:
            hit = answer.hit
            met = "met" if hit.converged else "NOT met"
            counts = (hit.iterations, "iteration"), (hit.simulations, "simulation")
            effort = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
            out.append(f"{answer.goal.name}: {met}, {effort}, {answer.seconds:.2f} s")
            if not hit.converged:
                out += [f"  {_constraint_line(answer.goal, hit, k)}" for k in range(len(answer.goal.wants))]
        return out


def solve_script(script: Script, say: Say = no_progress, workers: int = 1) -> ScriptSolution:
    """Find the smallest changes that meet the script's constraints; `workers` do not change the result."""
    began = clock.perf_counter()
    rehearsal = ScriptRehearsal(script)
    known: list[Change] = []
    answers: list[GoalResult] = []
    with GoalSimulationPool(script, workers) as pool:
        for goal in script.goals:
            started = clock.perf_counter()
            start = goal_start(script, goal, known)
            if start < rehearsal.run.world.time - 1e-9:  # goals need not be in the order of their times
                rehearsal = ScriptRehearsal(script)
            rehearsal.continue_with(known)
            rehearsal.run_until(start)
            trial = GoalTrial(goal, tuple(known), rehearsal.run.world.snapshot)
            hit = _shoot_goal(say, pool, trial, _preceding_goal_result(goal, answers))
            solved = replace(goal, solved=tuple(hit.change.tolist()))
            known += solved_changes([solved])
            answers.append(GoalResult(solved, hit, clock.perf_counter() - started))
        if len(answers) > 1:
            answers = _reconcile_goals(script, answers, partial(_shoot_goal, say, pool))
    solved_script = replace(script, goals=tuple(answer.goal for answer in answers))
    return ScriptSolution(solved_script, tuple(answers), clock.perf_counter() - began)


def _shoot_goal(say: Say, pool: "GoalSimulationPool", trial: "GoalTrial", hint: ShotResult | None = None) -> ShotResult:
    """Solve a goal by shooting, from its earlier solution or from the result `hint` of a similar goal."""
    goal = trial.goal
    shot = Shot(
        partial(pool.outcomes, trial),
        target=np.array([want.value for want in goal.wants]),
        tolerance=np.array([want.within for want in goal.wants]),
        unit=np.array([free.unit for free in goal.free]),
        most=np.array([free.most for free in goal.free]),
        first=np.array(goal.solved) if hint is None else hint.change,
        slopes=None if hint is None else hint.slopes,
    )
    return shoot(shot, partial(_report_worst_constraint, goal, say))


def _reconcile_goals(
    script: Script, answers: Sequence[GoalResult], shoot_goal: "Callable[[GoalTrial], ShotResult]"
) -> list[GoalResult]:
    """The results with the changes of all goals applied; goals that are then violated are solved again."""
    alone = [answer.hit.converged for answer in answers]
    now = _evaluate_goals(script, answers)
    for _ in range(ROUNDS):
        violated = [k for k, answer in enumerate(now) if alone[k] and not answer.hit.converged]
        if not violated:
            break
        for k in violated:
            now[k] = _solve_goal_again(script, now, k, shoot_goal)
        now = _evaluate_goals(script, now)
    return now


def _solve_goal_again(
    script: Script, answers: Sequence[GoalResult], k: int, shoot_goal: "Callable[[GoalTrial], ShotResult]"
) -> GoalResult:
    """Goal `k` solved again from its present solution, with the changes of all other goals applied."""
    started, last, goal = clock.perf_counter(), answers[k], answers[k].goal
    known = solved_changes(answer.goal for answer in answers if answer is not last)
    rehearsal = ScriptRehearsal(script)
    rehearsal.continue_with([*known, *solved_changes([goal])])
    rehearsal.run_until(goal_start(script, goal, known))
    hit = shoot_goal(GoalTrial(goal, tuple(known), rehearsal.run.world.snapshot))
    iterations, simulations = last.hit.iterations + hit.iterations, last.hit.simulations + hit.simulations
    total = replace(hit, iterations=iterations, simulations=simulations)
    solved = replace(goal, solved=tuple(hit.change.tolist()))
    return GoalResult(solved, total, last.seconds + clock.perf_counter() - started)


def _evaluate_goals(script: Script, answers: Sequence[GoalResult]) -> list[GoalResult]:
    """The results of the goals in one simulation with all solved changes."""
    rehearsal, known = ScriptRehearsal(script), solved_changes(answer.goal for answer in answers)
    rehearsal.continue_with(known)
    starts = [goal_start(script, answer.goal, known) for answer in answers]
    out = list(answers)
    for k in np.argsort(starts, kind="stable"):
        rehearsal.run_until(starts[k])
        here, goal = rehearsal.run.world.snapshot, answers[k].goal
        reached = goals.GoalEvaluator(rehearsal, goal).simulate_goal().exact
        rehearsal.run.resume(here)
        off = np.array([(value - want.value) / want.within for value, want in zip(reached, goal.wants, strict=True)])
        out[k] = replace(answers[k], hit=replace(answers[k].hit, reached=reached, off=off))
    return out


def _preceding_goal_result(goal: Goal, answers: Sequence[GoalResult]) -> ShotResult | None:
    """The result of the preceding repetition of a goal, as an initial guess if the goal itself is unsolved."""
    if not answers or any(goal.solved):
        return None
    last = answers[-1]
    repeats = last.goal.origin == (goal.origin[0], goal.origin[1] - 1)
    return last.hit if repeats and last.hit.converged else None


def _report_worst_constraint(goal: Goal, say: Say, hit: ShotResult) -> None:
    """Report the iteration and the constraint with the largest error."""
    worst = int(np.argmax(np.where(np.isfinite(hit.off), np.abs(hit.off), np.inf)))
    say(f"{goal.name}: iteration {hit.iterations}, {_constraint_line(goal, hit, worst)}")


def _constraint_line(goal: Goal, hit: ShotResult, k: int) -> str:
    want, reached = goal.wants[k], float(hit.reached[k])
    text = partial(goals.goal_constraint_value_text, want.what)
    return f"{want.what} {'never came' if np.isnan(reached) else text(reached)}, wanted {text(want.value)}"


@dataclass(frozen=True, eq=False)
class GoalTrial:
    """The common part of all simulations of a goal."""

    goal: Goal
    known: tuple[Change, ...]  # solved changes of the other goals
    start: Snapshot  # the last state that the goal's parameters do not affect


class GoalSimulator:
    """Simulates goals with changed parameters in one process."""

    def __init__(self, script: Script) -> None:
        self._rehearsal = ScriptRehearsal(script)
        self._evaluator: tuple[Goal, goals.GoalEvaluator] | None = None

    def outcome(self, trial: GoalTrial, change: Array, slopes: bool) -> SimulationOutcome:
        """The outcome of a change (n,) of the goal's parameters; with `slopes`, only `smooth` is needed."""
        goal, rehearsal = trial.goal, self._rehearsal
        if self._evaluator is None or self._evaluator[0].origin != goal.origin:
            self._evaluator = goal, goals.GoalEvaluator(rehearsal, goal)
        rehearsal.run.resume(trial.start)
        rehearsal.continue_with([*trial.known, *zip(goal.free, change.tolist(), strict=True)])
        return self._evaluator[1].simulate_goal(slopes)


class GoalSimulationPool:
    """Simulates goals in this process, or in several worker processes."""

    def __init__(self, script: Script, workers: int = 1) -> None:
        if workers < 1:
            raise PoiseError(f"{workers} workers: must be at least 1")
        self._simulator = GoalSimulator(script)
        self._pool: ProcessPoolExecutor | None = None
        if workers > 1:  # spawned: a forked process may inherit a held lock of a numba thread
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(workers, context, _start_goal_worker, (script,))

    def __enter__(self) -> "GoalSimulationPool":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def outcomes(self, trial: GoalTrial, changes: Sequence[Array], slopes: bool) -> list[SimulationOutcome]:
        """The outcome of each change (n,), in the order of the changes; `slopes` as in `GoalSimulator.outcome`."""
        if self._pool is None or len(changes) == 1:
            return [self._simulator.outcome(trial, change, slopes) for change in changes]
        try:
            return list(self._pool.map(partial(_goal_worker_outcome, trial, slopes), changes))
        except BrokenProcessPool:
            raise PoiseError("a worker process died, perhaps for lack of memory: use fewer --workers") from None


_worker: list[GoalSimulator] = []  # The simulator of a worker process


def _start_goal_worker(script: Script) -> None:
    threadpool_limits(1)  # threads cost more than they gain on small matrices
    _worker[:] = [GoalSimulator(script)]


def _goal_worker_outcome(trial: GoalTrial, slopes: bool, change: Array) -> SimulationOutcome:
    return _worker[0].outcome(trial, change, slopes)
