"""Survival on slopes, uphill and downhill: [Tsai2010] section 5.3."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from poise.study.experiment.plots import draw_share_map, figure_panels, survival_shares
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.pendulum.case import SUMMARY, PendulumCase, run_pendulum_trial, walk_trial

DEGREES = (-20.0, -15.0, -10.0, -6.0, 0.0, 6.0, 10.0, 15.0, 20.0)  # Inclinations (degrees); uphill is positive
COARSE = (-15.0, -6.0, 6.0, 15.0)
SPEEDS = (0.5, 0.9)  # Commanded horizontal speeds, m/s
OTHERS = {"paper": (15.0, "-"), "SIMBICON": (6.0, "--")}
"""Steepest slope (degrees, up and down) that the paper reports for itself and for SIMBICON, and a line style."""


def slope_cases(scope: Scope) -> list[PendulumCase]:
    """A case for each slope, speed and seed."""
    return [
        PendulumCase(
            {"degrees": degrees, "wanted": speed}, walk_trial(speed, scope.seconds, seed, terrain=f"slope:{degrees:g}")
        )
        for degrees, speed, seed in product(COARSE if scope.coarse else DEGREES, SPEEDS, range(scope.seeds))
    ]


def plot_slopes(rows: Sequence[Row]) -> Figure:
    """Survival shares by slope and speed, with the steepest slopes of the paper and of SIMBICON."""
    slopes, speeds, shares = survival_shares(rows, "degrees", "wanted")
    figure, ((axis,),) = figure_panels(1, 1, size=(2.0 + 0.6 * len(slopes), 2.2))
    draw_share_map(axis, shares, [f"{slope:g}" for slope in slopes], [f"{speed:g} m/s" for speed in speeds])
    for name, (steepest, line) in OTHERS.items():
        for side, label in ((-1.0, None), (1.0, name)):
            edge = np.interp(side * steepest, slopes, range(len(slopes))) + 0.5 * side
            axis.axvline(edge, color="black", ls=line, lw=1.2, label=label)
    axis.set(xlabel="degrees, uphill is positive; lines: as far as others walk", title="survived, %")
    axis.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


STUDY: Study[PendulumCase] = Study(
    name="pendulum-slope",
    title="survival of slopes, up and down, at two speeds",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=10, seconds=30.0),
    quick=Scope(seeds=1, seconds=8.0, coarse=True),
    cases=slope_cases,
    run_case=run_pendulum_trial,
    summary=summary_by(("degrees", "wanted"), SUMMARY),
    plot=plot_slopes,
)
