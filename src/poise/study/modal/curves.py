"""Trials with and without pushes, and curves of survival and tracking errors over a setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from poise.study.experiment.plots import SIDES, figure_panels
from poise.study.experiment.study import Figure, Row, Scope
from poise.study.experiment.table import column_mean, column_values, distinct_names, group_rows, rows_where
from poise.study.experiment.trial import Trial
from poise.study.modal.case import study_body
from poise.study.modal.push import push_for_frames, pushes_of_motion

PUSH = 100.0  # Force (N) of the pushes; they last as long as in `modal-push`
PANELS = {"survived": (100.0, "survived, %"), "joint_rms_deg": (1.0, "joints off, degrees"),
          "root_rms_m": (1e3, "root off, mm")}  # fmt: skip
"""Scale and label of each plotted column."""


def pushed_and_unpushed_trials(motion: str, scope: Scope) -> Iterator[tuple[Row, Trial]]:
    """Yield labels and trial of a motion: for each seed one trial without a push and one for a push to each side."""
    for seed in range(scope.seeds):
        for side in (None, *SIDES):
            pushes = () if side is None else (push_for_frames(side, PUSH, pushes_of_motion(motion).frames),)
            trial = Trial(motion, study_body(motion), seconds=scope.seconds, seed=seed, pushes=pushes)
            yield {"pushed": side is not None, "direction": side}, trial


def setting_curves_plot(across: str, unit: str) -> Callable[[Sequence[Row]], Figure]:
    """A function that plots survival, and errors of survivors, over a column; curves with pushes are dashed."""

    def plot_setting_curves(rows: Sequence[Row]) -> Figure:
        figure, (axes,) = figure_panels(1, len(PANELS), size=(10.5, 2.8))
        for axis, (column, (scale, title)) in zip(axes, PANELS.items(), strict=True):
            shown = rows if column == "survived" else rows_where(rows, survived=True)
            for k, motion in enumerate(distinct_names(rows, "motion")):
                for pushed, style, label in ((False, "o-", motion), (True, "o--", f"{motion}, pushed")):
                    found = group_rows(
                        rows_where(shown, motion=motion, pushed=pushed), (across,), {column: column_mean(column)}
                    )
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

    return plot_setting_curves
