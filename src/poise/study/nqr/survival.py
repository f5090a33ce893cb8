"""How long motions go on, on level ground, from noisy starts, with the default settings of Poise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_values, distinct_names, rows_where, summary_by
from poise.study.experiment.trial import Trial
from poise.study.nqr.case import COLOURS, MOTIONS, SUMMARY, NqrCase, run_nqr_trial

STEADY = ("stand", "walk-slow", "walk-fast", *MOTIONS)


def survival_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion and seed."""
    return [
        NqrCase({"motion": motion_display_name(motion)}, Trial(motion, seconds=scope.seconds, seed=seed))
        for motion in scope.motions
        for seed in range(scope.seeds)
    ]


def plot_survival(rows: Sequence[Row]) -> Figure:
    """The number of trials that have not yet fallen, over time."""
    names = distinct_names(rows, "motion")
    figure, axes = figure_panels(len(names), 1, size=(6.0, 0.5 * len(names) + 0.8))
    longest = max(float(row["seconds"] or 0.0) for row in rows)
    for axis, name in zip(axes[:, 0], names, strict=True):
        own = rows_where(rows, motion=name)
        falls = np.sort(column_values(own, "fell_at"))
        up = len(own) - np.arange(len(falls) + 2.0)
        up[-1] = up[-2]
        axis.step([0.0, *falls, longest], up, where="post", color=COLOURS["nqr"])
        axis.set_ylim(0, 1.15 * len(own))
        axis.set_yticks([0, len(own)])
        axis.set_ylabel(name, rotation=0, ha="right", va="center")
    axes[-1, 0].set_xlabel("s")
    axes[0, 0].set_title(f"still up, of {len(rows) // len(names)}")
    return figure


STUDY: Study[NqrCase] = Study(
    name="nqr-survival",
    title="how long motions go on, on level ground from noisy starts",
    reproduces="how reliable nqr is",
    whole=Scope(seeds=10, seconds=120.0, motions=STEADY),
    quick=Scope(seeds=1, seconds=20.0, motions=STEADY),
    cases=survival_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion",), SUMMARY),
    plot=plot_survival,
)
