"""Rows as tables: selected, grouped and summarised; written as text and CSV."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from poise.study.experiment.study import Row, Value

Gather = Callable[[Sequence[Row]], Value]  # Reduces the rows of a group to one value


def rows_by(rows: Sequence[Row], by: Sequence[str]) -> list[tuple[Row, list[Row]]]:
    """The combinations of values in columns `by`, in order of first occurrence, and the rows of each combination."""
    groups: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return [(dict(zip(by, key, strict=True)), group) for key, group in groups.items()]


def group_rows(rows: Sequence[Row], by: Sequence[str], columns: Mapping[str, Gather]) -> list[Row]:
    """One row per combination of values in columns `by`, in order of first occurrence; `columns` reduce its group."""
    return [
        {**labels, **{name: gather(group) for name, gather in columns.items()}} for labels, group in rows_by(rows, by)
    ]


def summary_by(by: Sequence[str], /, **columns: Gather) -> Callable[[Sequence[Row]], list[Row]]:
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
