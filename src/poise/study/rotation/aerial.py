"""How often does each behaviour that flies, other than the flip, do what it is for? [Zordan2014] section VIII-B."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.performance.run import Performance
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import count, grouped, mean, median
from poise.study.rotation.flights import dive, kip, spring
from poise.study.rotation.stage import BehaviourTrial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRESH = 40_000
"""Seeds from here on were not tuned on."""
FEW = 5
"""Starts of each with a human's torques, at the least noise."""
GOING_ON = 2.0
"""Turns after a leap down, of a roll that goes on."""


class AerialOutcome(NamedTuple):
    """What came of a try."""

    reached: bool
    flew: float  # s
    performance: Performance


def _dived(rehearsal: BehaviourTrial) -> AerialOutcome:
    dived = dive(rehearsal)
    return AerialOutcome(dived.succeeded, dived.flew, dived.performance)


def _rolled_on(rehearsal: BehaviourTrial) -> AerialOutcome:
    dived = dive(rehearsal)
    return AerialOutcome(
        dived.on_hands and dived.turns >= GOING_ON and not dived.blew_up, dived.flew, dived.performance
    )


def _kipped(rehearsal: BehaviourTrial) -> AerialOutcome:
    kipped = kip(rehearsal)
    return AerialOutcome(kipped.succeeded, kipped.flew, kipped.performance)


def _sprung(rehearsal: BehaviourTrial) -> AerialOutcome:
    sprung = spring(rehearsal)
    return AerialOutcome(sprung.succeeded, sum(sprung.flights), sprung.performance)


@dataclass(frozen=True)
class AerialGoal:
    """What a behaviour is for, who judges it, where, and from how noisy starts."""

    words: str
    judge: Callable[[BehaviourTrial], AerialOutcome]
    seconds: float
    terrain: str = "flat"
    noises: tuple[float, ...] = (0.1,)  # rad/s of the first joint velocities


GOALS = {
    "kip-up": AerialGoal("onto its feet alone, and stands there for 2 s", _kipped, 6.0),
    "dive-roll": AerialGoal("onto its hands, over, and stands for 1 s", _dived, 5.0),
    "dive-down": AerialGoal("onto its hands, and two turns", _rolled_on, 5.5, "drop:0.5"),
    "back-handspring": AerialGoal("onto its hands, onto its feet, stands for 2 s", _sprung, 6.0, noises=(0.1, 0.2)),
    "double-back-handspring": AerialGoal("the same, twice in a row", _sprung, 8.0),
}


@dataclass(frozen=True)
class AerialCase:
    """A behaviour from a noisy start."""

    name: str
    limits: str
    noise: float
    seed: int
    seconds: float


def cases(scope: Scope) -> list[AerialCase]:
    """Each behaviour from each start with an athlete's torques, and from a few with a human's."""
    names = ("dive-roll",) if scope.coarse else tuple(GOALS)
    kinds = [(name, "athlete", noise, scope.seeds) for name in names for noise in GOALS[name].noises]
    if not scope.coarse:
        kinds += [(name, "human", GOALS[name].noises[0], min(FEW, scope.seeds)) for name in names]
    return [
        AerialCase(name, limits, noise, FRESH + seed, min(scope.seconds, GOALS[name].seconds))
        for name, limits, noise, seeds in kinds
        for seed in range(seeds)
    ]


def measure(case: AerialCase) -> Row:
    """Whether it did it, and whether that was physical."""
    goal = GOALS[case.name]
    rehearsal = BehaviourTrial(
        read_behaviour(case.name), goal.terrain, case.seconds, case.seed, case.noise, limits=case.limits
    )
    outcome = goal.judge(rehearsal)
    checked = audit(outcome.performance.recording)
    return {
        "behaviour": case.name,
        "goal": goal.words,
        "limits": case.limits,
        "noise": case.noise,
        "seed": case.seed,
        "survived": outcome.reached,
        "flew": outcome.flew,
        "physical": checked.passed,
        "both": outcome.reached and checked.passed,
        "failed_checks": " ".join(check.name for check in checked.checks if not check.passed),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """Shares that do it, that pass the audit, and that do both."""
    columns = {"reached": mean("survived"), "median_flew": median("flew"), "of": count}
    columns |= {"physical": mean("physical"), "both": mean("both")}
    return grouped(rows, ("behaviour", "goal", "limits", "noise"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """Shares that do it and pass the audit."""
    told = summary(rows)
    figure, ((axis,),) = panels(1, 1, size=(7.0, 0.9 + 0.4 * len(told)))
    places = np.arange(len(told))
    axis.barh(places, [100 * float(row["both"] or 0.0) for row in told], color="C0")
    axis.set_yticks(places, [f"{row['behaviour']}, {row['limits']}, noise {row['noise']:g}" for row in told])
    axis.invert_yaxis()
    axis.set_xlim(0, 100)
    axis.set_xlabel("do what they are for and pass the audit, %")
    return figure


STUDY: Study[AerialCase] = Study(
    name="rotation-aerial",
    title="how often dives, kip-ups and handsprings do what they are for",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=20, seconds=10.0),
    quick=Scope(seeds=2, seconds=5.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
