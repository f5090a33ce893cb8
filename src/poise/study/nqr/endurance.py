"""Cost and survival against the strength (gamma) with which torques adapt to contacts: [Muico2009] Fig. 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import distinct_names, rows_where, summary_by
from poise.study.experiment.trial import Trial
from poise.study.nqr.case import COLOURS, LAWS, SUMMARY, VARIANTS, NqrCase, run_nqr_trial

GAMMAS = (0.0, *np.logspace(-4, 0, 9).tolist())
COARSE = (0.0, 1e-3, 1e-2, 1e-1)
DESCENDING = "turn-45"  # The motion that also descends a spiral staircase
DESCENTS = (0.02, 0.04)  # Descents (m) in each cycle of the turn
SPIRAL = "spiral:{}:45:3.4:6"  # Six steps down, one per cycle of the turn, before the spiral returns to the first step
_AT_ZERO = 3e-5  # where gamma = 0 is drawn on the logarithmic axis
_COSTS = (0.01, 10.0)  # range of the cost axis; the cost of a fall has no bound
_WIDTHS = {"nqr": 3.0, "lqr": 1.2}  # line widths, so that coinciding curves are both visible


def endurance_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion and ground, law, gamma and seed, with the paper's settings and with ours."""
    return [
        NqrCase(
            {"variant": variant, "ground": ground, "law": law, "gamma": gamma},
            Trial(motion, seconds=scope.seconds, seed=seed, terrain=terrain),
            replace(settings, law=LAWS[law], gamma=gamma),
        )
        for (variant, settings), (ground, motion, terrain) in product(VARIANTS.items(), _endurance_grounds(scope))
        for law, gamma, seed in product(LAWS, COARSE if scope.coarse else GAMMAS, range(scope.seeds))
    ]


def _endurance_grounds(scope: Scope) -> Iterator[tuple[str, str, str]]:
    """Name, motion and terrain of each panel of the figure."""
    for motion in scope.motions:
        yield motion_display_name(motion), motion, "flat"
        for height in DESCENTS if motion == DESCENDING else ():
            yield f"{motion}, {100 * height:g} cm down", motion, SPIRAL.format(height)


endurance_summary = summary_by(("variant", "ground", "law", "gamma"), SUMMARY)


def plot_endurance(rows: Sequence[Row]) -> Figure:
    """Cost against gamma: solid where all trials survive, dashed where some fall; a row of panels for each variant."""
    found = endurance_summary(rows)
    variants, grounds = (distinct_names(found, key) for key in ("variant", "ground"))
    figure, axes = figure_panels(len(variants), len(grounds), share_rows=True)
    for (variant, ground), axis in zip(product(variants, grounds), axes.flat, strict=True):
        _plot_cost_curves(axis, rows_where(found, variant=variant, ground=ground))
        axis.set_title(f"{ground} ({variant})")
    for axis in axes[:, 0]:
        axis.set_ylabel("average cost (18)")
    for axis in axes[-1]:
        axis.set_xlabel("gamma")
    axes[0, 0].legend(frameon=False)
    return figure


def _plot_cost_curves(axis: Any, rows: Sequence[Row]) -> None:
    axis.set(xscale="log", yscale="log", ylim=_COSTS)
    axis.set_xticks([_AT_ZERO, 1e-4, 1e-2, 1.0], ["0", "$10^{-4}$", "$10^{-2}$", "1"])
    for law in LAWS:
        line = [row for row in rows_where(rows, law=law) if row["cost"] is not None]
        gamma = np.array([row["gamma"] or _AT_ZERO for row in line], float)
        cost = np.clip([float(row["cost"] or 0.0) for row in line], *_COSTS)
        stable = np.array([row["survived"] == row["trials"] for row in line], bool)
        colour = COLOURS[law]
        axis.plot(gamma, cost, "--", color=colour, lw=0.8)
        axis.plot(gamma, np.where(stable, cost, np.nan), "-", color=colour, lw=_WIDTHS[law], label=law.upper())
        axis.plot(gamma[stable], cost[stable], "o", color=colour, ms=4)
        axis.plot(gamma[~stable], cost[~stable], "x", color=colour, ms=5)


STUDY: Study[NqrCase] = Study(
    name="nqr-endurance",
    title="cost and survival against the strength of adaptation to contacts, nonlinear and linear",
    reproduces="Muico et al. 2009, Fig. 3",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "run", "turn-180", DESCENDING)),
    quick=Scope(seeds=1, seconds=5.0, motions=("walk", "turn-180"), coarse=True),
    cases=endurance_cases,
    run_case=run_nqr_trial,
    summary=endurance_summary,
    plot=plot_endurance,
)
