"""The parts of a study: its scope, its cases, the measurement of each case, and the summary and plot of all rows.

Rows are tables that can be selected, grouped and summarised, and written as text and CSV.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

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


Gather = Callable[[Sequence[Row]], Value]  # Reduces the rows of a group to one value


def group_rows(rows: Sequence[Row], by: Sequence[str], columns: Mapping[str, Gather]) -> list[Row]:
    """One row per combination of values in columns `by`, in order of first occurrence; `columns` reduce its group."""
    groups: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return [
        {**dict(zip(by, key, strict=True)), **{name: gather(group) for name, gather in columns.items()}}
        for key, group in groups.items()
    ]


def summary_by(by: Sequence[str], columns: Mapping[str, Gather]) -> Callable[[Sequence[Row]], list[Row]]:
    """A function that groups rows by columns `by` and reduces each group to one row, as `group_rows` does."""
    return lambda rows: group_rows(rows, by, columns)


def column_mean(column: str) -> Gather:
    """Reduces rows to the mean of a column, without missing values; to None if all values are missing."""
    return _column_reducer(column, np.mean)


def column_median(column: str) -> Gather:
    """Reduces rows to the median of a column, without missing values; to None if all values are missing."""
    return _column_reducer(column, np.median)


def _column_reducer(column: str, reduce: Callable[[list[float]], Any]) -> Gather:
    def gather_column(rows: Sequence[Row]) -> Value:
        found = column_values(rows, column)
        return float(reduce(found)) if found else None

    return gather_column


def column_max(column: str) -> Gather:
    """Reduces rows to the largest value of a column; to None if all values are missing."""
    return lambda rows: max(column_values(rows, column), default=None)


def column_total(column: str) -> Gather:
    """Reduces rows to the sum of a column of integers, or to the number of true values in a column."""
    return lambda rows: sum(int(value) for value in column_values(rows, column))


def column_means(*columns: str) -> dict[str, Gather]:
    """For each column, by its name: the function that reduces rows to the mean of the column."""
    return {column: column_mean(column) for column in columns}


def column_totals(*columns: str) -> dict[str, Gather]:
    """For each column, by its name: the function that reduces rows to the sum of the column."""
    return {column: column_total(column) for column in columns}


def row_count(rows: Sequence[Row]) -> Value:
    """The number of rows."""
    return len(rows)


def column_values(rows: Sequence[Row], column: str) -> list[float]:
    """The values of a column as floats, without missing values."""
    return [float(value) for row in rows if (value := row[column]) is not None]


def rows_where(rows: Sequence[Row], **values: Value) -> list[Row]:
    """The rows in which each named column has the given value."""
    return [row for row in rows if all(row[column] == value for column, value in values.items())]


def distinct_names(rows: Sequence[Row], column: str) -> list[str]:
    """The distinct values of a column as text, in the order of their first occurrence."""
    return list(dict.fromkeys(str(row[column]) for row in rows))


def table_text(rows: Sequence[Row]) -> str:
    """The rows as a text table in aligned columns, below the names of the columns."""
    if not rows:
        return "nothing"
    names = list(rows[0])
    cells = [[name.replace("_", " ") for name in names], *([cell_text(row[name]) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = ["<" if isinstance(rows[0][name], str) else ">" for name in names]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
        for line in cells
    )


def cell_text(value: Value) -> str:
    """A value as text for people: numbers with three digits, yes or no, - if missing."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3g}"
        case _:
            return str(value)


def table_csv(rows: Sequence[Row]) -> str:
    """The rows as comma-separated values: numbers in full precision, missing values empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
