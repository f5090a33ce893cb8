"""Shares of trials that survive, over two things that vary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.frozen import Array
from poise.study.plots import panels, share_map
from poise.study.study import Row, Value
from poise.study.table import grouped, mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def shares_over(rows: Sequence[Row], across: str, up: str) -> tuple[list[Any], list[Any], Array]:
    """The values of two columns, and the shares (up, across) of trials that survive; not a number where none is."""
    columns, lines = (_values(rows, name) for name in (across, up))
    shares = np.full((len(lines), len(columns)), np.nan)
    for row in grouped(rows, (across, up), {"share": mean("survived")}):
        shares[lines.index(row[up]), columns.index(row[across])] = row["share"]
    return columns, lines, shares


def _values(rows: Sequence[Row], column: str) -> list[Any]:
    """Those there are: numbers from the least to the most, words as they come."""
    found: list[Any] = list(dict.fromkeys(row[column] for row in rows))
    return found if any(isinstance(value, str) for value in found) else sorted(found)


def map_of(across: str, up: str) -> Callable[[Sequence[Row]], Figure]:
    """A plot of the share of trials that survive over two columns, the first value of the second one at the top."""

    def plot(rows: Sequence[Row]) -> Figure:
        columns, lines, shares = shares_over(rows, across, up)
        figure, ((axis,),) = panels(1, 1, size=(2.0 + 0.75 * len(columns), 1.2 + 0.3 * len(lines)))
        share_map(axis, shares[::-1], [short(value) for value in columns], [short(value) for value in lines[::-1]])
        axis.set_xlabel(across.replace("_", " "))
        axis.set_title("survived, %")
        return figure

    return plot


def short(value: Value) -> str:
    """As a tick says it."""
    return f"{value:g}" if isinstance(value, float) else str(value)
