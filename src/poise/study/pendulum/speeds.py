"""Long walks at random commanded speeds, one after another: [Tsai2010] section 5.1."""

import math

import numpy as np

from poise.arrays import Array
from poise.control.commands import SteerCommand
from poise.control.pendulum.pendulum import Pendulum
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import dots, picture
from poise.study.experiment.study import NamedCase, Row, Scope, Study, motion_cases
from poise.study.experiment.table import column_max, column_totals, row_count, summary_by
from poise.study.experiment.trial import Trial
from poise.study.pendulum.case import BODY, STEP_RATE, walk_path

SLOWEST, FASTEST = -0.6, 1.6  # Range of commanded speeds, m/s
HELD, SETTLING = 12.0, 5.0
"""Duration (s) of each command, and time (s) from a command until its speed should be reached."""
_SPEEDS = 7  # second seed word: separates the draw of speeds from the draws of noise and phase


def run_speeds_case(case: NamedCase) -> Row:
    """Row of a walk straight ahead, with the largest difference between mean speed and commanded speed."""
    spans = math.ceil(case.seconds / HELD)
    speeds = np.random.default_rng([case.seed, _SPEEDS]).uniform(SLOWEST, FASTEST, spans)  # (spans,) commanded, m/s
    commands = tuple(SteerCommand(HELD * k, 0.0, float(speed)) for k, speed in enumerate(speeds))
    trial = Trial(case.name, BODY, seconds=case.seconds, seed=case.seed, commands=commands, rate=STEP_RATE)
    verdict, way = walk_path(trial, Pendulum())
    errors = mean_span_speeds(way, spans) - speeds
    errors = np.abs(errors[np.isfinite(errors)])
    survived = verdict.fell_at is None
    return {
        "motion": motion_display_name(case.name),
        "seed": case.seed,
        "survived": survived,
        "seconds": verdict.seconds,
        "physical": not verdict.failed if survived else None,  # falls are not audited
        "failed_checks": " ".join(verdict.failed),
        "speed_error": float(errors.max()) if len(errors) else None,
        "slip": verdict.slip,
        "penetration": verdict.penetration,
    }


def mean_span_speeds(way: Array, spans: int) -> Array:
    """(spans,) mean speed (m/s) on a path (T, 2), m, in each span without its first SETTLING s; nan if cut short.

    Distances count in any direction, because a clip may head slightly off x. A speed is negative if x decreases.
    """
    begin = np.rint((HELD * np.arange(spans) + SETTLING) * STEP_RATE).astype(int)
    end = np.rint(HELD * np.arange(1, spans + 1) * STEP_RATE).astype(int)
    whole = end < len(way)
    speeds = np.full(spans, np.nan)
    covered = way[end[whole]] - way[begin[whole]]
    speeds[whole] = np.copysign(np.hypot(*covered.T), covered[:, 0]) * STEP_RATE / (end - begin)[whole]
    return speeds


STUDY: Study[NamedCase] = Study(
    name="pendulum-speeds",
    title="long walks at random speeds: falls, speed errors, the audit",
    reproduces="Tsai et al. 2010, section 5.1",
    whole=Scope(seeds=10, seconds=300.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=24.0, motions=("walk",)),
    cases=motion_cases,
    run_case=run_speeds_case,
    summary=summary_by(
        ("motion",),
        trials=row_count,
        **column_totals("survived", "physical"),
        **{column: column_max(column) for column in ("speed_error", "slip", "penetration")},
    ),
    plot=picture(dots("speed_error", ("motion",), xlabel="m/s off, at most; red: fell")),
)
