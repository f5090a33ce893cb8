"""How often does a back flip succeed, and which parts does it need? [Zordan2014] section VIII-B."""

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
from poise.study.rotation.rehearsal import flip_trial
from poise.study.rotation.roll import FRESH
from poise.study.rotation.stage import BehaviourTrial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WITHOUT = {
    "all of it": RotationSettings(),
    "no planning": RotationSettings(planning=0),
    "no momentum": RotationSettings(momentum=0),
    "no foot placing": RotationSettings(placing=0),
    "no replanning": RotationSettings(replanning=0),
}
NOISES = (0.0, 0.05, 0.1, 0.2)
"""rad/s of the first joint velocities."""
NOISY = 0.2
BEHAVIOUR = "back-flip"


@dataclass(frozen=True)
class FlipCase:
    """A flip from a noisy start."""

    part: str
    rehearsal: BehaviourTrial


def cases(scope: Scope) -> list[FlipCase]:
    """All of it: each noise, jolts at take-off, both limits and rates; parts left out at the greatest noise."""
    first = BehaviourTrial(read_behaviour(BEHAVIOUR), seconds=scope.seconds, noise=NOISY, limits="athlete")
    kinds = [("all of it", first)]
    if not scope.coarse:
        kinds = [("all of it", replace(first, noise=noise)) for noise in NOISES]
        kinds += [("all of it", replace(first, jolt=NOISY))]
        kinds += [("all of it", replace(first, rate=120.0, jolt=jolt)) for jolt in (0.0, NOISY)]
        kinds += [("all of it", replace(first, limits="human", rate=rate)) for rate in (60.0, 120.0)]
        kinds += [(part, replace(first, settings=without)) for part, without in list(WITHOUT.items())[1:]]
    return [FlipCase(part, replace(kind, seed=FRESH + seed)) for part, kind in kinds for seed in range(scope.seeds)]


def measure(case: FlipCase) -> Row:
    """How it landed and how long it stood."""
    flipped = flip_trial(case.rehearsal)
    checked = audit(flipped.performance.recording)
    return {
        "part": case.part,
        "noise": case.rehearsal.noise,
        "jolt": case.rehearsal.jolt,
        "limits": case.rehearsal.limits,
        "rate": case.rehearsal.hertz,
        "seed": case.rehearsal.seed,
        "survived": flipped.succeeded,
        "turned": flipped.turned,
        "on_feet": flipped.on_feet,
        "stood": flipped.stood,
        "flew": flipped.flew,
        "physical": checked.passed,
        "failed_checks": " ".join(check.name for check in checked.checks if not check.passed),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """Shares that go round, land on the feet and stand."""
    columns = {
        "succeeded": mean("survived"),
        "on_feet": mean("on_feet"),
        "median_turned": median("turned"),
        "median_stood": median("stood"),
        "of": count,
        "physical": mean("physical"),
    }
    return grouped(rows, ("part", "limits", "rate", "noise", "jolt"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """Shares of success."""
    told = summary(rows)
    names = [_name(row) for row in told]
    figure, ((axis,),) = panels(1, 1, size=(7.0, 0.9 + 0.3 * len(names)))
    places = np.arange(len(names))
    axis.barh(places, [100 * float(row["succeeded"] or 0.0) for row in told], color="C0")
    axis.set_yticks(places, names)
    axis.invert_yaxis()
    axis.set_xlim(0, 100)
    axis.set_xlabel("land on their feet and stand for 2 s, %")
    return figure


def _name(row: Row) -> str:
    jolted = f" and {row['jolt']:g} at take-off" if row["jolt"] else ""
    return f"{row['part']}, {row['limits']}, {row['rate']:g} Hz, noise {row['noise']:g}{jolted}"


STUDY: Study[FlipCase] = Study(
    name="rotation-flip",
    title="back flips that succeed, over noise and with parts left out",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=20, seconds=5.0),
    quick=Scope(seeds=4, seconds=5.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
