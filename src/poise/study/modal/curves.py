"""Trials with and without pushes, and curves of survival and tracking errors over a setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from poise.study.experiment.plots import SIDES, panels
from poise.study.experiment.study import Figure, Row, Scope
from poise.study.experiment.table import column_values, grouped, matching, mean, names_in
from poise.study.experiment.trial import Trial
from poise.study.modal.case import performer
from poise.study.modal.push import push_to, pushes_for

PUSH = 100.0  # Force (N) of the pushes; they last as long as in `modal-push`
PANELS = {"survived": (100.0, "survived, %"), "joint_rms_deg": (1.0, "joints off, degrees"),
          "root_rms_m": (1e3, "root off, mm")}  # fmt: skip
"""Scale and label of each plotted column."""


def pushed_and_not(motion: str, scope: Scope) -> Iterator[tuple[Row, Trial]]:
    """For each seed a trial of a motion without a push and one with a push to each side; each with its labels."""
    for seed in range(scope.seeds):
        for side in (None, *SIDES):
            pushes = () if side is None else (push_to(side, PUSH, pushes_for(motion).frames),)
            trial = Trial(motion, performer(motion), seconds=scope.seconds, seed=seed, pushes=pushes)
            yield {"pushed": side is not None, "direction": side}, trial


def curves_over(across: str, unit: str) -> Callable[[Sequence[Row]], Figure]:
    """A plot over a column: for each motion a solid curve without pushes and a dashed one with pushes.

    Errors are those of the trials that survive.
    """

    def plot(rows: Sequence[Row]) -> Figure:
        figure, (axes,) = panels(1, len(PANELS), size=(10.5, 2.8))
        for axis, (column, (scale, title)) in zip(axes, PANELS.items(), strict=True):
            shown = rows if column == "survived" else matching(rows, survived=True)
            for k, motion in enumerate(names_in(rows, "motion")):
                for pushed, style, label in ((False, "o-", motion), (True, "o--", f"{motion}, pushed")):
                    found = grouped(matching(shown, motion=motion, pushed=pushed), (across,), {column: mean(column)})
                    found.sort(key=lambda row: float(row[across] or 0.0))
                    values = [scale * value for value in column_values(found, column)]
                    axis.plot(column_values(found, across), values, style, ms=4, color=f"C{k}", label=label)
            axis.set(xlabel=f"{across}, {unit}", ylabel=title)
            axis.set_xscale("log", base=2)
            axis.set_ylim(bottom=0.0)
            ticks = sorted(set(column_values(rows, across)))
            axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=90, fontsize=7)
            axis.minorticks_off()
        axes[-1].legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return figure

    return plot
