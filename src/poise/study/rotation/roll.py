"""Turns of a forward roll by ground, and with parts of the controller left out: [Zordan2014] section VIII-A."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.control.rotation.settings import RotationSettings
from poise.library.behaviours.files import read_behaviour
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_mean, column_median, row_count, summary_by
from poise.study.experiment.trial import audit_columns
from poise.study.rotation.rehearsal import attempt_roll
from poise.study.rotation.stage import BehaviourTrial

GOALS = {"flat": 10.0, "slope:-5": 5.0, "slope:-10": 5.0, "rough:0.05": 5.0, "slope:3": 3.0}
"""Goals: number of turns on each ground."""
PARTS = {
    RotationSettings(): "all of it",
    RotationSettings(momentum=0): "no momentum",
    RotationSettings(blend=0): "no blend",
    RotationSettings(inclusion=0): "one pass",
}
"""For each settings: the part of the controller that is left out; "all of it" leaves out nothing."""
BEHAVIOUR = "forward-roll"
FRESH = 10_000  # First seed of the trials; tuning did not use seeds from here on


def roll_cases(scope: Scope) -> list[BehaviourTrial]:
    """Trials of each seed on each ground with both sets of torque limits; on flat ground also with parts left out."""
    grounds = list(GOALS)[:2] if scope.coarse else list(GOALS)
    sets = ("athlete",) if scope.coarse else ("athlete", "human")
    first = BehaviourTrial(read_behaviour(BEHAVIOUR), seconds=scope.seconds, limits="athlete")
    kinds = [replace(first, terrain=ground, limits=limits) for limits in sets for ground in grounds]
    if not scope.coarse:
        kinds += [replace(first, settings=without) for without in list(PARTS)[1:]]
    return [replace(kind, seed=FRESH + seed) for kind in kinds for seed in range(scope.seeds)]


def run_roll_case(trial: BehaviourTrial) -> Row:
    """Row of a roll: the turns until the roll stalls or the time is up."""
    rolled, goal = attempt_roll(trial), GOALS[trial.terrain]
    return {
        "ground": trial.terrain,
        "limits": trial.limits,
        "part": PARTS[trial.settings],
        "seed": trial.seed,
        "turns": rolled.turns,
        "goal": goal,
        "survived": rolled.turns >= goal,
        "seconds": rolled.seconds,
        "blew_up": rolled.blew_up,
        **audit_columns(rolled.performance.recording),
    }


def plot_rolls(rows: Sequence[Row]) -> Figure:
    """Turns of each trial, by ground, torque limits and part left out."""
    names = list(dict.fromkeys(_roll_label(row) for row in rows))
    figure, ((axis,),) = figure_panels(1, 1, size=(7.0, 0.9 + 0.3 * len(names)))
    for row in rows:
        k = names.index(_roll_label(row))
        axis.plot(float(row["turns"] or 0.0), k, "o", ms=4, alpha=0.5, color="C2" if row["survived"] else "C3")
        axis.plot([float(row["goal"] or 0.0)] * 2, [k - 0.35, k + 0.35], color="black", lw=1)
    axis.set_yticks(np.arange(len(names)), names)
    axis.invert_yaxis()
    axis.set_xlabel("turns; lines are goals")
    return figure


def _roll_label(row: Row) -> str:
    return f"{row['ground']}, {row['limits']}" + ("" if row["part"] == "all of it" else f", {row['part']}")


STUDY: Study[BehaviourTrial] = Study(
    name="rotation-roll",
    title="turns of a forward roll on different grounds, and with parts left out",
    reproduces="Zordan et al. 2014, section VIII-A",
    whole=Scope(seeds=20, seconds=15.0),
    quick=Scope(seeds=2, seconds=8.0, coarse=True),
    cases=roll_cases,
    run_case=run_roll_case,
    summary=summary_by(
        ("ground", "limits", "part"),
        {
            "goal": column_mean("goal"),
            "reached": column_mean("survived"),
            "median_turns": column_median("turns"),
            "of": row_count,
            "physical": column_mean("physical"),
        },
    ),
    plot=plot_rolls,
)
