"""What a study is: cases, what is measured in each, and what is made of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from poise.errors import PoiseError
from poise.performance.run import check

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = float | int | str | bool | None
Row = dict[str, Value]
"""What was measured, by column."""
Case = TypeVar("Case")


@dataclass(frozen=True)
class Scope:
    """How much of a study is run."""

    seeds: int
    seconds: float  # of each performance, at most
    motions: tuple[str, ...] = ()  # by name or prepared file; none where a study does not ask for any
    coarse: bool = False  # a few values of each parameter instead of all

    def __post_init__(self) -> None:
        check(self.seconds, 0, 0.0)
        if self.seeds < 1:
            raise PoiseError(f"{self.seeds} seeds: must be at least 1")


@dataclass(frozen=True)
class Study(Generic[Case]):
    """An experiment."""

    name: str
    title: str
    reproduces: str  # the table or figure of a paper, or what is asked
    whole: Scope
    quick: Scope  # of a minute or so
    cases: Callable[[Scope], Sequence[Case]]
    measure: Callable[[Case], Row]  # pure, at the top level of a module so that worker processes find it
    summary: Callable[[Sequence[Row]], Sequence[Row]]
    plot: Callable[[Sequence[Row]], Figure]
    alone: bool = False  # whether a case needs the machine to itself, because it is timed

    def scope(
        self,
        quick: bool = False,
        seeds: int | None = None,
        seconds: float | None = None,
        motions: Sequence[str] = (),
    ) -> Scope:
        """The whole or the quick one, with some of it changed."""
        chosen = self.quick if quick else self.whole
        if motions and not chosen.motions:
            raise PoiseError(f"{self.name} has motions of its own: it takes no others")
        return replace(
            chosen,
            seeds=chosen.seeds if seeds is None else seeds,
            seconds=chosen.seconds if seconds is None else seconds,
            motions=tuple(motions) or chosen.motions,
        )


@dataclass(frozen=True)
class MotionCase:
    """A case that is no more than a motion, and the seed of what is left to chance."""

    motion: str
    seconds: float
    seed: int


def each_motion(scope: Scope) -> list[MotionCase]:
    """Each motion of a scope with each seed."""
    return [MotionCase(motion, scope.seconds, seed) for motion in scope.motions for seed in range(scope.seeds)]
