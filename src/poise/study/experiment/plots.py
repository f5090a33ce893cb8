"""Pictures of studies, declared as kinds of panels: curves, dots, bars, and maps and circles of survival shares."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.study.experiment.study import Figure, Row, Value
from poise.study.experiment.table import Gather, column_mean, group_rows, rows_by

ACROSS = 4  # Largest number of panels side by side
SHARES = "RdYlGn"  # Colour map of survival shares: red is 0, green is 1
WRITTEN = 10  # Largest number of columns of a map for which percentages are also written into the cells
SIDES = {0: "forward", 90: "left", 180: "backward", 270: "right"}
"""Names of directions (degrees, counter-clockwise from forward)."""


@dataclass(frozen=True)
class Panel:
    """A panel of a picture."""

    draw: Callable[[Any], None]  # draws on axes of Matplotlib
    settings: Mapping[str, Any]  # of the axes: title, labels, scales, limits
    size: tuple[float, float] = (3.4, 2.8)  # width and height, inches
    polar: bool = False


Kind = Callable[[Sequence[Row]], list[Panel]]  # Makes panels of rows


def picture(*kinds: Kind) -> Callable[[Sequence[Row]], Figure]:
    """A function that draws the panels of all kinds in a grid; a legend stands beside the last panel with its names."""

    def plot(rows: Sequence[Row]) -> Figure:
        from matplotlib.figure import Figure

        panels = [panel for kind in kinds for panel in kind(rows)]
        lines = -(-len(panels) // ACROSS)
        columns = -(-len(panels) // lines)
        width, height = np.max([panel.size for panel in panels], axis=0)
        figure = Figure(figsize=(width * columns, height * lines), layout="constrained")
        named: dict[tuple[str, ...], Any] = {}
        for place, panel in enumerate(panels, 1):
            axis = figure.add_subplot(lines, columns, place, projection="polar" if panel.polar else None)
            axis.set(**panel.settings)
            axis.title.set_fontsize(8)
            panel.draw(axis)
            named[tuple(axis.get_legend_handles_labels()[1])] = axis
        for axis in [axis for names, axis in named.items() if any(names)]:
            axis.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return figure

    return plot


def drawn_of(select: Callable[[Sequence[Row]], Iterable[Row]], *kinds: Kind) -> Kind:
    """The panels of kinds, drawn of the rows that `select` chooses, changes or adds."""
    return lambda rows: [panel for kind in kinds for panel in kind(list(select(rows)))]


def point_rows(labels: Row, **columns: ArrayLike) -> list[Row]:
    """A row with the labels for each point of a curve; `columns` are arrays (n,) of the points' values."""
    points = np.transpose([*columns.values()]).tolist()
    return [{**labels, **dict(zip(columns, point, strict=True))} for point in points]


def curves(
    x: str, y: Sequence[str], by: Sequence[str] = (), panels: Sequence[str] = (), mark: str = "o-", **settings: Any
) -> Kind:
    """Means of columns `y` over column `x`: a curve for each combination of values in columns `by`.

    There is a panel for each column and each combination of values in columns `panels`. Crosses are means of rows that
    did not all survive. Labels are the names of the columns, unless `settings` of the axes say otherwise.
    """

    def draw_curves(column: str, rows: Sequence[Row], axis: Any) -> None:
        ticks = _distinct_values(rows, x)
        if len(ticks) <= WRITTEN and not isinstance(ticks[0], str):
            axis.set_xticks(ticks, map(_value_text, ticks), rotation=90)
            axis.minorticks_off()
        for labels, own in rows_by(rows, by):
            places = _distinct_values(own, x)
            found = {row[x]: row for row in group_rows(own, (x,), {"mean": column_mean(column), "whole": _survived})}
            means = np.array([found[place]["mean"] for place in places], float)
            whole = np.array([found[place]["whole"] for place in places])
            (line,) = axis.plot(places, means, mark, ms=3, lw=1, label=group_label(labels))
            axis.plot(places, np.where(whole, np.nan, means), "x", color=line.get_color())

    return lambda rows: [
        Panel(
            partial(draw_curves, column, own),
            {"title": group_label(labels), "xlabel": _words(x), "ylabel": _words(column), **settings},
        )
        for column in y
        for labels, own in rows_by(rows, panels)
    ]


def _survived(rows: Sequence[Row]) -> Value:
    """Whether all rows survived; true for rows that do not say."""
    return all(row.get("survived", True) for row in rows)


def dots(value: str, by: Sequence[str], goal: str = "", **settings: Any) -> Kind:
    """A dot for each row at the value of a column, on a line for each combination of values in columns `by`.

    Dots of rows that survived are green, others red; strokes mark the value of column `goal`.
    """

    def draw_dots(groups: Sequence[Sequence[Row]], axis: Any) -> None:
        for place, own in enumerate(groups):
            for row in own:
                colour = "C2" if row["survived"] else "C3"
                axis.plot(np.array([row[value]], float), [place], "o", alpha=0.5, color=colour)
            if goal:
                axis.plot(own[0][goal], place, "|k", ms=14)

    return _panel_of_lines(draw_dots, by, {"xlabel": _words(value), **settings})


def bars(
    columns: Sequence[str],
    by: Sequence[str],
    stacked: bool = False,
    lines: Mapping[str, float] | None = None,
    **settings: Any,
) -> Kind:
    """Bars of the means of columns, for each combination of values in columns `by`.

    The bars of a combination lie below each other or, `stacked`, end to end. `lines` are vertical lines by name.
    """

    def draw_bars(groups: Sequence[Sequence[Row]], axis: Any) -> None:
        left, height = np.zeros(len(groups)), 0.8 if stacked else 0.8 / len(columns)
        for k, column in enumerate(columns):
            places = np.arange(len(groups)) + (0.0 if stacked else (k + 0.5) * height - 0.4)
            width = np.array([column_mean(column)(own) for own in groups], float)
            axis.barh(places, width, height, left=left, label=_words(column))
            left = left + stacked * width
        for k, (name, place) in enumerate((lines or {}).items()):
            axis.axvline(place, color="black", ls=("-", "--", ":")[k % 3], lw=0.8, label=name)

    return _panel_of_lines(draw_bars, by, settings)


def _panel_of_lines(
    draw: Callable[[Sequence[Sequence[Row]], Any], None], by: Sequence[str], settings: Mapping[str, Any]
) -> Kind:
    """A panel with a named line for each combination of values in columns `by`, the first on top."""

    def make_panel(rows: Sequence[Row]) -> list[Panel]:
        groups = rows_by(rows, by)
        names = [group_label(labels) for labels, _ in groups]
        ticks = {"yticks": range(len(names)), "yticklabels": names, "ylim": (len(names) - 0.5, -0.5)}
        return [Panel(partial(draw, [own for _, own in groups]), {**ticks, **settings}, (6.0, 0.9 + 0.35 * len(names)))]

    return make_panel


def share_map(across: str, up: str, panels: Sequence[str] = (), written: Gather | None = None, **settings: Any) -> Kind:
    """Survival shares by columns `across` and `up` as coloured cells; in each the percentage, or `written` of its rows.

    There is a panel for each combination of values in columns `panels`, all with the same axes. Percentages are left
    out where there are many columns.
    """

    def draw_map(rows: Sequence[Row], own: Sequence[Row], axis: Any) -> None:
        columns, lines, shares = survival_shares(own, across, up, rows)
        top = "upper" if isinstance(lines[0], str) else "lower"
        axis.imshow(shares, cmap=SHARES, vmin=0.0, vmax=1.0, aspect="auto", origin=top)
        axis.set_xticks(range(len(columns)), map(_value_text, columns), rotation=90)
        axis.set_yticks(range(len(lines)), map(_value_text, lines))
        if written is None and len(columns) > WRITTEN:
            return
        for row in group_rows(own, (across, up), {"cell": written or column_mean("survived")}):
            text = "" if row["cell"] is None else f"{row['cell']:{'.3g' if written else '.0%'}}"
            axis.text(columns.index(row[across]), lines.index(row[up]), text, ha="center", va="center", fontsize=7)

    def make_panels(rows: Sequence[Row]) -> list[Panel]:
        columns, lines, _ = survival_shares(rows, across, up)
        shown = len(columns) if written else min(len(columns), WRITTEN)
        size = 1.8 + 0.07 * max(len(_value_text(line)) for line in lines) + 0.35 * shown, 1.5 + 0.35 * len(lines)
        names = {"xlabel": _words(across), "ylabel": _words(up), **settings}
        return [
            Panel(partial(draw_map, rows, own), {"title": group_label(labels) or "survived, %", **names}, size)
            for labels, own in rows_by(rows, panels)
        ]

    return make_panels


def share_circle(panels: Sequence[str], limits: Mapping[str, Sequence[tuple[float, float]]] | None = None) -> Kind:
    """Survival shares of pushes by columns `direction` (degrees) and `force` (N), on polar axes.

    There is a panel for each combination of values in columns `panels`. `limits` are points (degrees, N) by name.
    """

    def draw_circle(rows: Sequence[Row], axis: Any) -> None:
        from matplotlib import colormaps

        degrees, forces, shares = survival_shares(rows, "direction", "force")
        around = np.radians(np.diff([*degrees, degrees[0] + 360.0]))
        edges = plot_ring_edges(forces)
        for (i, j), share in np.ndenumerate(shares):
            ring = (edges[i + 1] - edges[i], around[j], edges[i])  # height, width and bottom
            axis.bar(math.radians(degrees[j]), *ring, color=colormaps[SHARES](share), edgecolor="white", lw=0.3)
        for style, (name, points) in zip(cycle("^x"), (limits or {}).items(), strict=False):
            angles, radii = np.transpose(points)
            axis.plot(np.radians(angles), radii, f"k{style}", ms=5, label=name)
        axis.set_theta_zero_location("N")
        axis.grid(visible=False)
        axis.set_thetagrids(list(SIDES), SIDES.values())
        axis.set_rgrids(forces, [f"{force:g} N" for force in forces], angle=157.5, fontsize=6)

    return lambda rows: [
        Panel(partial(draw_circle, own), {"title": group_label(labels)}, (3.4, 3.4), polar=True)
        for labels, own in rows_by(rows, panels)
    ]


def plot_ring_edges(radii: Sequence[float]) -> Array:
    """(n + 1,) edges of rings around n radii: half-way between neighbours, and as far beyond the first and the last."""
    if len(radii) == 1:
        return np.array([0.5, 1.5]) * radii[0]
    halves = 0.5 * np.diff(radii)
    return np.concatenate([[radii[0] - halves[0]], radii[:-1] + halves, [radii[-1] + halves[-1]]])


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


def group_label(labels: Row) -> str:
    """The values that a group of rows shares, as text; numbers come after the names of their columns."""
    return ", ".join(map(_named_value, labels, labels.values()))


def _named_value(column: str, value: Value) -> str:
    match value:
        case bool():
            return _words(column) if value else f"not {_words(column)}"
        case float() | int():
            return f"{_words(column)} {value:g}"
        case _:
            return str(value)


def _value_text(value: Value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _words(column: str) -> str:
    return column.replace("_", " ")
