"""Success rate of back flips over noise, and with parts of the controller left out: [Zordan2014] section VIII-B."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from poise.control.rotation.settings import RotationSettings
from poise.library.behaviours.files import read_behaviour
from poise.study.experiment.plots import plot_share_bars
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_mean, column_median, column_values, row_count, summary_by
from poise.study.experiment.trial import audit_columns
from poise.study.rotation.rehearsal import attempt_flip
from poise.study.rotation.roll import FRESH
from poise.study.rotation.stage import BehaviourTrial

PARTS = {
    RotationSettings(): "all of it",
    RotationSettings(planning=0): "no planning",
    RotationSettings(momentum=0): "no momentum",
    RotationSettings(placing=0): "no foot placing",
    RotationSettings(replanning=0): "no replanning",
}
"""For each settings: the part of the controller that is left out; "all of it" leaves out nothing."""
NOISES = (0.0, 0.05, 0.1, 0.2)  # Noise of the initial joint velocities, rad/s
NOISY = 0.2  # Noise (rad/s) of the other trials, and of the joint velocities at take-off in trials with a jolt
BEHAVIOUR = "back-flip"


def flip_cases(scope: Scope) -> list[BehaviourTrial]:
    """Trials of the whole controller by noise, jolt, limits and rate; trials with a part left out at noise NOISY."""
    first = BehaviourTrial(read_behaviour(BEHAVIOUR), seconds=scope.seconds, noise=NOISY, limits="athlete")
    kinds = [first]
    if not scope.coarse:
        kinds = [replace(first, noise=noise) for noise in NOISES]
        kinds += [replace(first, jolt=NOISY)]
        kinds += [replace(first, rate=120.0, jolt=jolt) for jolt in (0.0, NOISY)]
        kinds += [replace(first, limits="human", rate=rate) for rate in (60.0, 120.0)]
        kinds += [replace(first, settings=without) for without in list(PARTS)[1:]]
    return [replace(kind, seed=FRESH + seed) for kind in kinds for seed in range(scope.seeds)]


def run_flip_case(trial: BehaviourTrial) -> Row:
    """Row of a flip: how the body lands, and how long it stands."""
    flipped = attempt_flip(trial)
    return {
        "part": PARTS[trial.settings],
        "noise": trial.noise,
        "jolt": trial.jolt,
        "limits": trial.limits,
        "rate": trial.hertz,
        "seed": trial.seed,
        "survived": flipped.succeeded,
        "turned": flipped.turned,
        "on_feet": flipped.on_feet,
        "stood": flipped.stood,
        "flew": flipped.flew,
        **audit_columns(flipped.performance.recording),
    }


flip_summary = summary_by(
    ("part", "limits", "rate", "noise", "jolt"),
    {
        "succeeded": column_mean("survived"),
        "on_feet": column_mean("on_feet"),
        "median_turned": column_median("turned"),
        "median_stood": column_median("stood"),
        "of": row_count,
        "physical": column_mean("physical"),
    },
)


def plot_flips(rows: Sequence[Row]) -> Figure:
    """A bar with the success rate of each kind of trial."""
    found = flip_summary(rows)
    shares = column_values(found, "succeeded")
    return plot_share_bars([_flip_label(row) for row in found], shares, "land on their feet and stand for 2 s, %", 0.3)


def _flip_label(row: Row) -> str:
    jolted = f" and {row['jolt']:g} at take-off" if row["jolt"] else ""
    return f"{row['part']}, {row['limits']}, {row['rate']:g} Hz, noise {row['noise']:g}{jolted}"


STUDY: Study[BehaviourTrial] = Study(
    name="rotation-flip",
    title="success rate of back flips, over noise and with parts left out",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=20, seconds=5.0),
    quick=Scope(seeds=4, seconds=5.0, coarse=True),
    cases=flip_cases,
    run_case=run_flip_case,
    summary=flip_summary,
    plot=plot_flips,
)
