"""Simulations of a goal with changed parameters: one after the other, or by several processes at once.

Each begins with the same snapshot, so that it comes to the same, to the last bit, whoever makes it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial

from threadpoolctl import threadpool_limits

from poise.animation.directing import Change
from poise.animation.rehearsal import Rehearsal
from poise.animation.script import Goal, Script
from poise.animation.wants import Watch
from poise.errors import PoiseError
from poise.frozen import Array
from poise.optimize.shooting import Outcome
from poise.world.snapshot import Snapshot


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
        self._rehearsal.world.load()
        self._watch: tuple[Goal, Watch] | None = None

    def outcome(self, attempt: Attempt, change: Array, slopes: bool) -> Outcome:
        """What comes of a change (n,)."""
        goal, rehearsal = attempt.goal, self._rehearsal
        if self._watch is None or self._watch[0].origin != goal.origin:
            self._watch = goal, Watch(rehearsal, goal)
        rehearsal.world.go_back(attempt.here)
        rehearsal.direct([*attempt.known, *zip(goal.free, change.tolist(), strict=True)])
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

    def outcomes(self, attempt: Attempt, changes: Sequence[Array], slopes: bool) -> list[Outcome]:
        """What comes of each change, in their order."""
        if self._pool is None or len(changes) == 1:
            return [self._stand.outcome(attempt, change, slopes) for change in changes]
        try:
            return list(self._pool.map(partial(_outcome, attempt, slopes), changes))
        except BrokenProcessPool:
            raise PoiseError("a worker process died: is there memory for as many? see --workers") from None


_own: list[Stand] = []
"""That of a worker process."""


def _enter(script: Script) -> None:
    threadpool_limits(1)  # our matrices are small: threads cost more than they give
    _own[:] = [Stand(script)]


def _outcome(attempt: Attempt, slopes: bool, change: Array) -> Outcome:
    return _own[0].outcome(attempt, change, slopes)
