"""Plots that several studies share: panels, and survival shares over two parameters as maps and circles."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.study.experiment.study import Figure, Row
from poise.study.experiment.table import column_mean, group_rows

PANEL = (2.6, 2.4)  # Width and height of a panel, inches
SHARES = "RdYlGn"  # Colour map of survival shares: red is 0, green is 1
WRITTEN = 10  # Largest number of columns for which the shares are also written into the cells
SIDES = {0: "forward", 90: "left", 180: "backward", 270: "right"}
"""Names of directions (degrees, counter-clockwise from forward)."""

Label = Callable[[Any], str]  # Makes a tick label of a value


def figure_panels(
    rows: int, columns: int, size: tuple[float, float] | None = None, share_rows: bool = False
) -> tuple[Figure, Any]:
    """A figure of `size` (inches; by default PANEL for each panel), and its axes (rows, columns)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size or (PANEL[0] * columns + 0.4, PANEL[1] * rows + 0.3), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, sharex="col", sharey="row" if share_rows else "none")


def survival_shares(
    rows: Sequence[Row], across: str, up: str, within: Sequence[Row] | None = None
) -> tuple[list[Any], list[Any], Array]:
    """The distinct values of columns `across` and `up`, and the survival share of each pair of values, (up, across).

    A pair without trials has share nan. The values are taken from `within`, so that several panels can have the same
    axes, or from `rows` if `within` is None.
    """
    columns, lines = (_distinct_values(rows if within is None else within, name) for name in (across, up))
    shares = np.full((len(lines), len(columns)), np.nan)
    for row in group_rows(rows, (across, up), {"share": column_mean("survived")}):
        shares[lines.index(row[up]), columns.index(row[across])] = row["share"]
    return columns, lines, shares


def _distinct_values(rows: Sequence[Row], column: str) -> list[Any]:
    """The distinct values of a column: numbers in ascending order, strings in the order of their occurrence."""
    found: list[Any] = list(dict.fromkeys(row[column] for row in rows))
    return found if any(isinstance(value, str) for value in found) else sorted(found)


def draw_share_map(axis: Any, shares: Array, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Draw survival shares (rows, columns) as coloured cells, with percentages if there is room."""
    axis.imshow(shares, cmap=SHARES, vmin=0.0, vmax=1.0, aspect="auto", origin="lower")
    axis.set_xticks(range(len(columns)), columns)
    axis.set_yticks(range(len(rows)), rows)
    for (i, j), share in np.ndenumerate(shares):
        if np.isfinite(share) and len(columns) <= WRITTEN:
            axis.text(j, i, f"{100 * share:.0f}", ha="center", va="center", fontsize=7)


def draw_force_map(
    axis: Any,
    rows: Sequence[Row],
    across: str,
    across_label: Label = "{:.2g}".format,
    force_label: Label = "{:g} N".format,
    within: Sequence[Row] | None = None,
) -> None:
    """Draw survival shares of pushes by force (up) and another column (across)."""
    columns, forces, shares = survival_shares(rows, across, "force", within)
    draw_share_map(axis, shares, [across_label(value) for value in columns], [force_label(force) for force in forces])
    axis.tick_params(axis="x", rotation=90)


def draw_force_circle(axis: Any, rows: Sequence[Row], title: str, label: Label, label_angle: float) -> None:
    """Draw survival shares by direction and force (N) on polar axes; ring labels at `label_angle` (degrees)."""
    from matplotlib import colormaps

    degrees, forces, shares = survival_shares(rows, "direction", "force")
    colours = colormaps[SHARES]
    around = np.radians(np.diff([*degrees, degrees[0] + 360.0]))
    edges = plot_ring_edges(forces)
    for (i, j), share in np.ndenumerate(shares):
        ring = (edges[i + 1] - edges[i], around[j], edges[i])  # height, width and bottom
        axis.bar(math.radians(degrees[j]), *ring, color=colours(share), edgecolor="white", lw=0.3)
    axis.set_theta_zero_location("N")
    axis.grid(visible=False)
    axis.set_thetagrids(list(SIDES), SIDES.values())
    axis.set_rgrids(forces, [label(force) for force in forces], angle=label_angle, fontsize=6)
    axis.set_title(title)


def plot_ring_edges(radii: Sequence[float]) -> Array:
    """(n + 1,) edges of rings around n radii: half-way between neighbours, and as far beyond the first and the last."""
    if len(radii) == 1:
        return np.array([0.5, 1.5]) * radii[0]
    halves = 0.5 * np.diff(radii)
    return np.concatenate([[radii[0] - halves[0]], radii[:-1] + halves, [radii[-1] + halves[-1]]])


def share_map_plot(across: str, up: str) -> Callable[[Sequence[Row]], Figure]:
    """A function that plots the survival share over columns `across` and `up`, with the first value of `up` on top."""

    def plot_share_map(rows: Sequence[Row]) -> Figure:
        columns, lines, shares = survival_shares(rows, across, up)
        figure, ((axis,),) = figure_panels(1, 1, size=(2.0 + 0.75 * len(columns), 1.2 + 0.3 * len(lines)))
        ticks = [[f"{x:g}" if isinstance(x, float) else str(x) for x in each] for each in (columns, lines[::-1])]
        draw_share_map(axis, shares[::-1], *ticks)
        axis.set(xlabel=across.replace("_", " "), title="survived, %")
        return figure

    return plot_share_map


def plot_share_bars(names: Sequence[str], shares: Sequence[float], label: str, spacing: float) -> Figure:
    """A horizontal bar in percent for each share; `spacing` is the height (inches) of a bar with its margin."""
    figure, ((axis,),) = figure_panels(1, 1, size=(7.0, 0.9 + spacing * len(names)))
    places = np.arange(len(names))
    axis.barh(places, [100 * share for share in shares], color="C0")
    axis.set_yticks(places, names)
    axis.invert_yaxis()
    axis.set(xlim=(0, 100), xlabel=label)
    return figure
