"""How many turns does a roll make, on which ground, and what is each part of it good for? [Zordan2014] section VIII."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poise.control.rotation.settings import RotationSettings
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import count, grouped, mean, median
from poise.study.rotation.rehearsal import roll
from poise.study.rotation.stage import BehaviourTrial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GOALS = {"flat": 10.0, "slope:-5": 5.0, "slope:-10": 5.0, "rough:0.05": 5.0, "slope:3": 3.0}
"""Turns that are asked for on each ground."""
WITHOUT = {
    "all of it": RotationSettings(),
    "no momentum": RotationSettings(momentum=0),
    "no blend": RotationSettings(blend=0),
    "one pass": RotationSettings(inclusion=0),
}
"""What is left out on the flat."""
BEHAVIOUR = "forward-roll"
FRESH = 10_000
"""Seeds from here on were not tuned on."""


@dataclass(frozen=True)
class RollCase:
    """A roll from a noisy start."""

    ground: str
    limits: str
    part: str
    rehearsal: BehaviourTrial


def cases(scope: Scope) -> list[RollCase]:
    """Each ground under both sets of torque limits; on the flat, with parts left out as well."""
    grounds = list(GOALS)[:2] if scope.coarse else list(GOALS)
    sets = ("athlete",) if scope.coarse else ("athlete", "human")
    kinds = [(ground, limits, "all of it") for limits in sets for ground in grounds]
    if not scope.coarse:
        kinds += [("flat", "athlete", part) for part in list(WITHOUT)[1:]]
    behaviour = read_behaviour(BEHAVIOUR)
    first = BehaviourTrial(behaviour, seconds=scope.seconds)
    return [
        RollCase(
            ground,
            limits,
            part,
            replace(first, terrain=ground, limits=limits, seed=FRESH + seed, settings=WITHOUT[part]),
        )
        for ground, limits, part in kinds
        for seed in range(scope.seeds)
    ]


def measure(case: RollCase) -> Row:
    """Turns until it stalls or the time is up."""
    rolled = roll(case.rehearsal)
    checked = audit(rolled.performance.recording)
    return {
        "ground": case.ground,
        "limits": case.limits,
        "part": case.part,
        "seed": case.rehearsal.seed,
        "turns": rolled.turns,
        "goal": GOALS[case.ground],
        "survived": rolled.turns >= GOALS[case.ground],
        "seconds": rolled.seconds,
        "blew_up": rolled.blew_up,
        "physical": checked.passed,
        "failed_checks": " ".join(check.name for check in checked.checks if not check.passed),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """Shares that reach the goal."""
    columns = {"goal": mean("goal"), "reached": mean("survived"), "median_turns": median("turns"), "of": count}
    return grouped(rows, ("ground", "limits", "part"), {**columns, "physical": mean("physical")})


def plot(rows: Sequence[Row]) -> Figure:
    """Turns of each start, by ground and what was left out."""
    names = list(dict.fromkeys(_name(row) for row in rows))
    figure, ((axis,),) = panels(1, 1, size=(7.0, 0.9 + 0.3 * len(names)))
    for row in rows:
        k = names.index(_name(row))
        axis.plot(float(row["turns"] or 0.0), k, "o", ms=4, alpha=0.5, color="C2" if row["survived"] else "C3")
        axis.plot([float(row["goal"] or 0.0)] * 2, [k - 0.35, k + 0.35], color="black", lw=1)
    axis.set_yticks(np.arange(len(names)), names)
    axis.invert_yaxis()
    axis.set_xlabel("turns; lines are goals")
    return figure


def _name(row: Row) -> str:
    return f"{row['ground']}, {row['limits']}" + ("" if row["part"] == "all of it" else f", {row['part']}")


STUDY: Study[RollCase] = Study(
    name="rotation-roll",
    title="turns of a forward roll on different grounds, and with parts left out",
    reproduces="Zordan et al. 2014, section VIII-A",
    whole=Scope(seeds=20, seconds=15.0),
    quick=Scope(seeds=2, seconds=8.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
