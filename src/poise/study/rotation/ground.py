"""How often does each behaviour on the ground do what it is for? [Zordan2014] section VIII-A."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.control.rotation.roll import Roll
from poise.control.rotation.rotation import Rotation
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.rotations import quat_rotate
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import count, grouped, mean, median
from poise.study.rotation.stage import BehaviourTrial, staged
from poise.world.result import BlowUp
from poise.world.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRESH = 30_000
"""Seeds from here on were not tuned on."""
BELLY = -0.7
"""Upward part of where the pelvis faces, of who lies on the belly."""
Reached = Callable[[Rotation, World], bool]


def _turns(wanted: float) -> Reached:
    def reached(controller: Rotation, _: World) -> bool:
        performing = controller.performing
        return isinstance(performing, Roll) and performing.turned >= wanted

    return reached


def _stands(controller: Rotation, _: World) -> bool:
    return controller.stands()


def _on_belly(_: Rotation, world: World) -> bool:
    return float(quat_rotate(world.state.qpos[3:7], np.array([1.0, 0.0, 0.0]))[2]) < BELLY


@dataclass(frozen=True)
class GroundGoal:
    """What a behaviour is for, and how long it may take."""

    words: str
    reached: Reached
    seconds: float
    staying: float = 1.0  # s for which it must stay where it arrived


GOALS = {
    "shoulder-roll": GroundGoal("one turn", _turns(1.0), 4.0, 0.0),
    "sideways-roll": GroundGoal("four turns", _turns(4.0), 30.0, 0.0),
    "roll-and-stand": GroundGoal("stands", _stands, 10.0),
    "baby-roll": GroundGoal("on its belly", _on_belly, 12.0),
    "baby-too-weak": GroundGoal("on its belly", _on_belly, 12.0),
}


@dataclass(frozen=True)
class GroundCase:
    """A behaviour from a noisy start, with one set of torque limits."""

    name: str
    limits: str
    seed: int
    seconds: float


def cases(scope: Scope) -> list[GroundCase]:
    """Each behaviour from each start; an adult's with an athlete's torques and with a human's."""
    names = ("shoulder-roll", "baby-roll") if scope.coarse else tuple(GOALS)
    return [
        GroundCase(name, limits, FRESH + seed, min(scope.seconds, GOALS[name].seconds))
        for name in names
        for limits in (_sets(name)[:1] if scope.coarse else _sets(name))
        for seed in range(scope.seeds)
    ]


def _sets(name: str) -> tuple[str, ...]:
    """Of torque limits: those of a behaviour, first its own."""
    return ("infant",) if read_behaviour(name).body == "baby" else ("athlete", "human")


def measure(case: GroundCase) -> Row:
    """When it got there, and whether it stayed."""
    goal = GOALS[case.name]
    run, world, controller = staged(BehaviourTrial(read_behaviour(case.name), seed=case.seed, limits=case.limits))
    there, failure = None, None
    try:
        while world.time < case.seconds and there is None:
            run.step()
            there = world.time if goal.reached(controller, world) else None
        while there is not None and world.time < there + goal.staying:
            run.step()
    except BlowUp as error:
        failure = error
    checked = audit(run.take(failure).recording)
    return {
        "behaviour": case.name,
        "limits": case.limits,
        "goal": goal.words,
        "seed": case.seed,
        "survived": there is not None and failure is None and goal.reached(controller, world),
        "seconds": there,
        "blew_up": failure is not None,
        "physical": checked.passed,
        "failed_checks": " ".join(check.name for check in checked.checks if not check.passed),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """Shares that get there and stay, and how long it took them."""
    columns = {"reached": mean("survived"), "median_seconds": median("seconds"), "of": count}
    return grouped(rows, ("behaviour", "limits", "goal"), {**columns, "physical": mean("physical")})


def plot(rows: Sequence[Row]) -> Figure:
    """When each start got there; those that did not are at the end of their time."""
    kinds = list(dict.fromkeys((str(row["behaviour"]), str(row["limits"])) for row in rows))
    figure, ((axis,),) = panels(1, 1, size=(7.0, 0.9 + 0.4 * len(kinds)))
    for row in rows:
        name, limits = str(row["behaviour"]), str(row["limits"])
        time = GOALS[name].seconds if row["seconds"] is None else float(row["seconds"])
        axis.plot(time, kinds.index((name, limits)), "o", ms=4, alpha=0.5, color="C2" if row["survived"] else "C3")
    axis.set_yticks(np.arange(len(kinds)), [f"{name} ({limits}): {GOALS[name].words}" for name, limits in kinds])
    axis.invert_yaxis()
    axis.set_xlabel("s until it is there; red ones never were, or did not stay")
    return figure


STUDY: Study[GroundCase] = Study(
    name="rotation-ground",
    title="how often shoulder rolls, log rolls, rolls that end, and a baby do what they are for",
    reproduces="Zordan et al. 2014, section VIII-A and Fig. 4 (right)",
    whole=Scope(seeds=20, seconds=30.0),
    quick=Scope(seeds=2, seconds=6.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
