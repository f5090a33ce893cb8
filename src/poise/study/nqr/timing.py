"""Time of a step of control and simulation: [Muico2009] Table 4, and as a ratio to MuJoCo's own step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.control.nqr.nqr import Nqr
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, NamedCase, Row, Scope, Study, motion_cases
from poise.study.experiment.table import column_means, summary_by
from poise.study.experiment.trial import time_motion
from poise.study.nqr.case import COLOURS

_TIMES = ("low_ms", "high_ms", "average_ms", "mj_step_ms", "ratio", "ratio_p99", "real_time_factor")
_RATE = 120.0  # Hz


def run_nqr_timing(case: NamedCase) -> Row:
    """Row of step times; low and high are the 1st and 99th percentiles, ratios are relative to MuJoCo's median step."""
    times = time_motion(case, Nqr(), None, _RATE)
    whole, mujoco_ms = 1e3 * times.whole, float(np.median(1e3 * times.mujoco))
    low, middle, high = np.percentile(whole, (1, 50, 99))
    return {
        "motion": motion_display_name(case.name),
        "seed": case.seed,
        "contacts": float(times.contacts.mean()),
        "low_ms": float(low),
        "high_ms": float(high),
        "average_ms": float(whole.mean()),
        "mj_step_ms": mujoco_ms,
        "ratio": float(middle) / mujoco_ms,
        "ratio_p99": float(high) / mujoco_ms,
        "real_time_factor": 1e3 / _RATE / float(whole.mean()),
    }


nqr_timing_summary = summary_by(("motion",), column_means("contacts", *_TIMES))


def plot_nqr_timing(rows: Sequence[Row]) -> Figure:
    """Low, average and high step times of each motion, and the time of MuJoCo's step."""
    found = nqr_timing_summary(rows)
    figure, ((axis,),) = figure_panels(1, 1, size=(1.5 + 1.2 * len(found), 2.6))
    for place, row in enumerate(found):
        low, high, average, mujoco_ms = (float(row[name] or 0.0) for name in _TIMES[:4])
        axis.plot([place, place], [low, high], "-", color=COLOURS["nqr"], lw=6, alpha=0.35, solid_capstyle="butt")
        axis.plot(place, average, "o", color=COLOURS["nqr"], label="nqr and its world" if not place else None)
        axis.plot(place, mujoco_ms, "_", color="black", ms=16, label="mj_step" if not place else None)
    axis.set_xticks(range(len(found)), [f"{row['motion']}\n{row['contacts']:.1f} contacts" for row in found])
    axis.set(xlim=(-0.6, len(found) - 0.4), yscale="log", ylabel="ms")
    axis.legend(frameon=False)
    return figure


STUDY: Study[NamedCase] = Study(
    name="nqr-timing",
    title="time of a step of control and simulation",
    reproduces="Muico et al. 2009, Table 4",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "run", "stand")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "stand")),
    cases=motion_cases,
    run_case=run_nqr_timing,
    summary=nqr_timing_summary,
    plot=plot_nqr_timing,
    alone=True,
)
