"""What plots share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.frozen import Array

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
