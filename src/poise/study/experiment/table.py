"""Rows as tables: grouped, for people, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from poise.study.experiment.study import Row, Value

Gather = Callable[[Sequence[Row]], Value]
"""What becomes of the rows of a group."""


def grouped(rows: Sequence[Row], by: Sequence[str], columns: Mapping[str, Gather]) -> list[Row]:
    """One row for each combination of values that there is, in the order in which they come."""
    groups: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return [
        {**dict(zip(by, key, strict=True)), **{name: gather(group) for name, gather in columns.items()}}
        for key, group in groups.items()
    ]


def mean(column: str) -> Gather:
    """Of the rows that have it; none if none has."""

    def gather(rows: Sequence[Row]) -> Value:
        found = column_values(rows, column)
        return float(np.mean(found)) if found else None

    return gather


def median(column: str) -> Gather:
    """Of the rows that have it; none if none has."""

    def gather(rows: Sequence[Row]) -> Value:
        found = column_values(rows, column)
        return float(np.median(found)) if found else None

    return gather


def most(column: str) -> Gather:
    """The largest."""
    return lambda rows: max(column_values(rows, column), default=None)


def total(column: str) -> Gather:
    """The sum; of truths, how many."""
    return lambda rows: sum(int(value) for value in column_values(rows, column))


def count(rows: Sequence[Row]) -> Value:
    """How many rows."""
    return len(rows)


def column_values(rows: Sequence[Row], column: str) -> list[float]:
    """The values of a column, without those that are missing."""
    return [float(value) for row in rows if (value := row[column]) is not None]


def as_text(rows: Sequence[Row]) -> str:
    """A table in columns."""
    if not rows:
        return "nothing"
    names = list(rows[0])
    cells = [[name.replace("_", " ") for name in names], *([_cell(row[name]) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = ["<" if isinstance(rows[0][name], str) else ">" for name in names]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
        for line in cells
    )


def _cell(value: Value) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3g}"
        case _:
            return str(value)


def as_csv(rows: Sequence[Row]) -> str:
    """Comma-separated values; numbers in full, what is missing empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
