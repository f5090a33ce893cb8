"""The parts of a study: its scope, its cases, the measurement of each case, and the summary and plot of all rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from poise.errors import PoiseError
from poise.performance.run import check_run_arguments

if TYPE_CHECKING:
    import matplotlib.figure

Value = float | int | str | bool | None
Row = dict[str, Value]  # Measured values by column name
Case = TypeVar("Case")
Figure: TypeAlias = "matplotlib.figure.Figure"
"""The type of plots. Matplotlib itself is imported only where a plot is drawn, because its import is slow."""


@dataclass(frozen=True)
class Scope:
    """How much of a study is run."""

    seeds: int
    seconds: float  # longest duration of a performance
    motions: tuple[str, ...] = ()  # names or prepared files; empty if the study has no choice of motions
    coarse: bool = False  # use a few values of each parameter instead of all

    def __post_init__(self) -> None:
        check_run_arguments(self.seconds, 0, 0.0)
        if self.seeds < 1:
            raise PoiseError(f"{self.seeds} seeds: must be at least 1")


@dataclass(frozen=True)
class Study(Generic[Case]):
    """An experiment: a list of cases that are measured independently of each other."""

    name: str
    title: str
    reproduces: str  # table or figure of a paper, or the question that the study answers
    whole: Scope
    quick: Scope  # takes about a minute
    cases: Callable[[Scope], Sequence[Case]]
    run_case: Callable[[Case], Row]  # pure; defined at module level, so that worker processes can import it
    summary: Callable[[Sequence[Row]], Sequence[Row]]
    plot: Callable[[Sequence[Row]], Figure]
    alone: bool = False  # whether cases are timed and must run one at a time, on this machine

    def scope(
        self, quick: bool = False, seeds: int | None = None, seconds: float | None = None, motions: Sequence[str] = ()
    ) -> Scope:
        """The quick or the whole scope; arguments that are given replace its values."""
        chosen = self.quick if quick else self.whole
        if motions and not chosen.motions:
            raise PoiseError(f"study {self.name} always uses its own motions: leave out --motion")
        given: dict[str, Any] = {"seeds": seeds, "seconds": seconds, "motions": tuple(motions) or None}
        return replace(chosen, **{name: value for name, value in given.items() if value is not None})


@dataclass(frozen=True)
class NamedCase:
    """A case that is determined by a name (of a motion, script or kind of trial), a duration (s) and a seed."""

    name: str
    seconds: float
    seed: int


def named_cases(names: Iterable[str], scope: Scope) -> list[NamedCase]:
    """A case for each name and each seed of a scope."""
    return [NamedCase(name, scope.seconds, seed) for name in names for seed in range(scope.seeds)]


def motion_cases(scope: Scope) -> list[NamedCase]:
    """A case for each motion and each seed of a scope."""
    return named_cases(scope.motions, scope)
