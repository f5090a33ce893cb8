"""Survival and tracking of motions over something that varies, as curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope
from poise.study.experiment.table import column_values, grouped, mean
from poise.study.experiment.trial import Trial
from poise.study.modal.case import performer
from poise.study.modal.push import blows_for, push_to

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Left alone, and pushed to four sides: what settings are tried on.

PUSH = 100.0
"""N, as long as in `modal-push`."""
SIDES = (0, 90, 180, 270)
"""Degrees: forward, then to the left."""


def shaken(motion: str, scope: Scope) -> Iterator[tuple[Row, Trial]]:
    """Trials of a motion from each seed, with their labels: one left alone, and one pushed to each side."""
    for seed in range(scope.seeds):
        for way in (None, *SIDES):
            pushes = () if way is None else (push_to(way, PUSH, blows_for(motion).frames),)
            trial = Trial(motion, performer(motion), seconds=scope.seconds, seed=seed, pushes=pushes)
            yield {"pushed": way is not None, "direction": way}, trial


PANELS = {"survived": (100.0, "survived, %"), "joint_rms_deg": (1.0, "joints off, degrees"),
          "root_rms_m": (1e3, "root off, mm")}  # fmt: skip
"""Scale and label of each column."""


def curves_over(across: str, unit: str, apart: str | None = None) -> Callable[[Sequence[Row]], Figure]:
    """A plot with a curve for each motion; errors of those that survive only.

    Trials for which what `apart` tells is true have dashed curves of their own.
    """

    def plot(rows: Sequence[Row]) -> Figure:
        figure, (axes,) = panels(1, len(PANELS), size=(10.5, 2.8))
        motions = list(dict.fromkeys(str(row["motion"]) for row in rows))
        for axis, (column, (scale, label)) in zip(axes, PANELS.items(), strict=True):
            told = rows if column == "survived" else [row for row in rows if row["survived"]]
            for k, motion in enumerate(motions):
                here = [row for row in told if row["motion"] == motion]
                usual = [row for row in here if not (apart and row[apart])]
                _curve(axis, usual, (across, column), scale, "o-", color=f"C{k}", label=motion)
                if apart:
                    other = [row for row in here if row[apart]]
                    _curve(axis, other, (across, column), scale, "o--", color=f"C{k}", label=f"{motion}, {apart}")
            axis.set_xlabel(f"{across}, {unit}")
            axis.set_ylabel(label)
            axis.set_xscale("log", base=2)
            axis.set_ylim(bottom=0.0)
            ticks = sorted(set(column_values(rows, across)))
            axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=90, fontsize=7)
            axis.minorticks_off()
        axes[-1].legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return figure

    return plot


def _curve(axis: Any, rows: Sequence[Row], columns: tuple[str, str], scale: float, style: str, **look: str) -> None:
    across, up = columns
    found = grouped(rows, (across,), {up: mean(up)})
    found.sort(key=lambda row: float(row[across] or 0.0))
    axis.plot(column_values(found, across), [scale * value for value in column_values(found, up)], style, ms=4, **look)
