"""Time of a step of filter, tracking and simulation: [Tsai2010] section 5, and as a ratio to MuJoCo's own step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.control.pendulum.pendulum import Pendulum
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, NamedCase, Row, Scope, Study, motion_cases
from poise.study.experiment.table import column_means, column_values, summary_by
from poise.study.experiment.trial import time_motion
from poise.study.pendulum.case import BODY, COLOUR, STEP_RATE

PAPER = {"filter_ms": 5.10, "simulation_ms": 8.45}  # The paper's times, on a computer of 2008 (Intel E8400)
_TIMES = ("filter_ms", "simulation_ms", "step_ms", "p99_ms", "mj_step_ms", "ratio", "ratio_p99", "real_time_factor")


def run_pendulum_timing(case: NamedCase) -> Row:
    """Row of mean times and of the 99th percentile; ratios are relative to the mean time of MuJoCo's steps.

    `filter_ms` includes the target postures, `simulation_ms` the tracking of these postures.
    """
    times = time_motion(case, Pendulum(), BODY, STEP_RATE)
    whole, mujoco_s = times.whole, float(times.mujoco.mean())
    slow = float(np.percentile(whole, 99))
    return {
        "motion": motion_display_name(case.name),
        "seed": case.seed,
        "contacts": float(times.contacts.mean()),
        "filter_ms": 1e3 * float(times.control.mean()),
        "simulation_ms": 1e3 * float(times.simulation.mean()),
        "step_ms": 1e3 * float(whole.mean()),
        "p99_ms": 1e3 * slow,
        "mj_step_ms": 1e3 * mujoco_s,
        "ratio": float(whole.mean()) / mujoco_s,
        "ratio_p99": slow / mujoco_s,
        "real_time_factor": 1.0 / STEP_RATE / float(whole.mean()),
    }


pendulum_timing_summary = summary_by(("motion",), column_means("contacts", *_TIMES))


def plot_pendulum_timing(rows: Sequence[Row]) -> Figure:
    """Filter and simulation of each motion as stacked bars, beside the paper's times and MuJoCo's step."""
    found = pendulum_timing_summary(rows)
    names = [*(str(row["motion"]) for row in found), "paper", "mj_step"]
    filters = np.array([*column_values(found, "filter_ms"), PAPER["filter_ms"], 0.0])
    simulations = np.array(
        [*column_values(found, "simulation_ms"), PAPER["simulation_ms"], column_values(found, "mj_step_ms")[0]]
    )
    figure, ((axis,),) = figure_panels(1, 1, size=(1.5 + 0.9 * len(names), 2.8))
    axis.bar(names, filters, color=COLOUR, label="filter, postures")
    tops = axis.bar(names, simulations, bottom=filters, color=COLOUR, alpha=0.4, label="tracking, simulation")
    axis.bar_label(tops, [f"{whole:.2f}" for whole in filters + simulations], fontsize=8)
    axis.axhline(1e3 / STEP_RATE, color="grey", lw=0.8, label="real time")
    axis.set(ylim=(0.0, 1.6e3 / STEP_RATE), ylabel="ms")
    axis.legend(frameon=False, fontsize=7)
    return figure


STUDY: Study[NamedCase] = Study(
    name="pendulum-timing",
    title="time of a step of filter, tracking and simulation",
    reproduces="Tsai et al. 2010, section 5",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk",)),
    cases=motion_cases,
    run_case=run_pendulum_timing,
    summary=pendulum_timing_summary,
    plot=plot_pendulum_timing,
    alone=True,
)
