"""What plots share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.arrays import Array
from poise.study.experiment.study import Row, Value
from poise.study.experiment.table import grouped, mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL = (2.6, 2.4)
"""Inches, of a panel."""
SHARES = "RdYlGn"
"""Colours of shares that survive: red for none, green for all."""
WRITTEN = 10
"""Columns up to which there is room to write shares out."""


def panels(
    rows: int, columns: int, size: tuple[float, float] | None = None, share_rows: bool = False
) -> tuple[Figure, Any]:
    """A figure of a size in inches, and its axes (rows, columns)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size or (PANEL[0] * columns + 0.4, PANEL[1] * rows + 0.3), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, sharex="col", sharey="row" if share_rows else "none")


def share_map(axis: Any, shares: Array, columns: Sequence[str], rows: Sequence[str]) -> None:
    """A table of shares (rows, columns) that survive, coloured and if there is room written out in percent."""
    axis.imshow(shares, cmap=SHARES, vmin=0.0, vmax=1.0, aspect="auto", origin="lower")
    axis.set_xticks(range(len(columns)), columns)
    axis.set_yticks(range(len(rows)), rows)
    for (i, j), share in np.ndenumerate(shares):
        if np.isfinite(share) and len(columns) <= WRITTEN:
            axis.text(j, i, f"{100 * share:.0f}", ha="center", va="center", fontsize=7)


def share_circle(axis: Any, shares: Array, degrees: Sequence[float], radii: Sequence[float]) -> None:
    """The same (radii, degrees) on polar axes: 0 degrees is up, 90 left."""
    from matplotlib import colormaps

    colours = colormaps[SHARES]
    around = np.radians(np.diff([*degrees, degrees[0] + 360.0]))
    edges = ring_edges(radii)
    for (i, j), share in np.ndenumerate(shares):
        axis.bar(
            math.radians(degrees[j]),
            edges[i + 1] - edges[i],
            around[j],
            edges[i],
            color=colours(share),
            edgecolor="white",
            lw=0.3,
        )
    axis.set_theta_zero_location("N")
    axis.grid(visible=False)


def ring_edges(radii: Sequence[float]) -> Array:
    """(n + 1,) where the rings about some radii meet: half-way from one to the next, and as far beyond both ends."""
    if len(radii) == 1:
        return np.array([0.5, 1.5]) * radii[0]
    halves = 0.5 * np.diff(radii)
    return np.concatenate([[radii[0] - halves[0]], radii[:-1] + halves, [radii[-1] + halves[-1]]])


# Shares of trials that survive, over two things that vary.


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
