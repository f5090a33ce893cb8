"""Turns of a forward roll on several grounds, and success rates of other rolls: [Zordan2014] section VIII-A."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from poise.control.rotation.roll import Roll
from poise.control.rotation.rotation import Rotation
from poise.control.rotation.settings import RotationSettings
from poise.library.behaviours.files import read_behaviour
from poise.rotations import quat_rotate
from poise.study.experiment.plots import dots, drawn_of, picture
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_mean, column_median, row_count, summary_by
from poise.study.experiment.trial import audit_columns
from poise.study.rotation.attempts import run_roll_trial
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour_trial
from poise.world.result import BlowUp
from poise.world.world import World

TURNS = {"flat": 10.0, "slope:-5": 5.0, "slope:-10": 5.0, "rough:0.05": 5.0, "slope:3": 3.0}
"""Goals: number of turns on each ground."""
PARTS = {
    RotationSettings(): "all of it",
    RotationSettings(momentum=0): "no momentum",
    RotationSettings(blend=0): "no blend",
    RotationSettings(inclusion=0): "one pass",
}
"""For each settings: the part of the controller that is left out; "all of it" leaves out nothing."""
BEHAVIOUR = "forward-roll"
FRESH_ROLLS = 10_000  # First seed of the trials; tuning did not use seeds from here on


def roll_cases(scope: Scope) -> list[BehaviourTrial]:
    """Trials of each seed on each ground with both sets of torque limits; on flat ground also with parts left out."""
    grounds = list(TURNS)[:2] if scope.coarse else list(TURNS)
    sets = ("athlete",) if scope.coarse else ("athlete", "human")
    first = BehaviourTrial(read_behaviour(BEHAVIOUR), seconds=scope.seconds, limits="athlete")
    kinds = [replace(first, terrain=ground, limits=limits) for limits in sets for ground in grounds]
    if not scope.coarse:
        kinds += [replace(first, settings=without) for without in list(PARTS)[1:]]
    return [replace(kind, seed=FRESH_ROLLS + seed) for kind in kinds for seed in range(scope.seeds)]


def run_roll_case(trial: BehaviourTrial) -> Row:
    """Row of a roll: the turns until the roll stalls or the time is up."""
    rolled, goal = run_roll_trial(trial), TURNS[trial.terrain]
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


ROLLS: Study[BehaviourTrial] = Study(
    name="rotation-roll",
    title="turns of a forward roll on different grounds, and with parts left out",
    reproduces="Zordan et al. 2014, section VIII-A",
    whole=Scope(seeds=20, seconds=15.0),
    quick=Scope(seeds=2, seconds=8.0, coarse=True),
    cases=roll_cases,
    run_case=run_roll_case,
    summary=summary_by(
        ("ground", "limits", "part"),
        goal=column_mean("goal"),
        reached=column_mean("survived"),
        median_turns=column_median("turns"),
        of=row_count,
        physical=column_mean("physical"),
    ),
    plot=picture(dots("turns", ("ground", "limits", "part"), "goal", xlabel="turns; strokes are goals")),
)


FRESH_GROUND = 30_000  # First seed of the trials; tuning did not use seeds from here on
BELLY = -0.7  # Largest vertical component of the pelvis' forward axis when a body lies on its belly
Reached = Callable[[Rotation, World], bool]  # Whether a goal is reached at the current state


def _has_turned_in_trial(wanted: float) -> Reached:
    """The goal that a roll has made `wanted` turns."""
    return lambda controller, _: isinstance(controller.performing, Roll) and controller.performing.turned >= wanted


def _lies_on_belly_in_trial(_: Rotation, world: World) -> bool:
    return float(quat_rotate(world.state.qpos[3:7], np.array([1.0, 0.0, 0.0]))[2]) < BELLY


@dataclass(frozen=True)
class GroundGoal:
    """What a behaviour must achieve, and how long (s) it may take."""

    words: str
    reached: Reached
    seconds: float
    staying: float = 1.0  # time (s) after which the goal must still hold


GOALS = {
    "shoulder-roll": GroundGoal("one turn", _has_turned_in_trial(1.0), 4.0, 0.0),
    "sideways-roll": GroundGoal("four turns", _has_turned_in_trial(4.0), 30.0, 0.0),
    "roll-and-stand": GroundGoal("stands", lambda controller, _: controller.stands(), 10.0),
    "baby-roll": GroundGoal("on its belly", _lies_on_belly_in_trial, 12.0),
    "baby-too-weak": GroundGoal("on its belly", _lies_on_belly_in_trial, 12.0),
}


def ground_behaviour_cases(scope: Scope) -> list[BehaviourTrial]:
    """Trials of each behaviour and seed; adults with an athlete's and with a human's torque limits."""
    names = ("shoulder-roll", "baby-roll") if scope.coarse else tuple(GOALS)
    return [
        BehaviourTrial(behaviour, seconds=seconds, seed=FRESH_GROUND + seed, limits=limits)
        for name in names
        for behaviour, seconds in ((read_behaviour(name), min(scope.seconds, GOALS[name].seconds)),)
        for limits in (("infant",) if behaviour.body == "baby" else ("athlete", "human")[: 1 if scope.coarse else 2])
        for seed in range(scope.seeds)
    ]


def run_ground_behaviour(trial: BehaviourTrial) -> Row:
    """Row of a trial: when the goal is reached, and whether the goal still holds afterwards."""
    goal = GOALS[trial.behaviour.name]
    run, world, controller = stage_behaviour_trial(trial)
    arrival, failure = None, None
    try:
        while world.time < trial.seconds and arrival is None:
            run.step()
            arrival = world.time if goal.reached(controller, world) else None
        while arrival is not None and world.time < arrival + goal.staying:
            run.step()
    except BlowUp as error:
        failure = error
    recording = run.take(failure).recording
    return {
        "behaviour": trial.behaviour.name,
        "limits": trial.limits,
        "goal": goal.words,
        "seed": trial.seed,
        "survived": arrival is not None and failure is None and goal.reached(controller, world),
        "seconds": arrival,
        "blew_up": failure is not None,
        **audit_columns(recording),
    }


GROUND: Study[BehaviourTrial] = Study(
    name="rotation-ground",
    title="success rates of shoulder rolls, log rolls, rolls that end in a stand, and a baby's rolls",
    reproduces="Zordan et al. 2014, section VIII-A and Fig. 4 (right)",
    whole=Scope(seeds=20, seconds=30.0),
    quick=Scope(seeds=2, seconds=6.0, coarse=True),
    cases=ground_behaviour_cases,
    run_case=run_ground_behaviour,
    summary=summary_by(
        ("behaviour", "limits", "goal"),
        reached=column_mean("survived"),
        median_seconds=column_median("seconds"),
        of=row_count,
        physical=column_mean("physical"),
    ),
    plot=picture(
        drawn_of(
            lambda rows: [{**row, "seconds": row["seconds"] or GOALS[str(row["behaviour"])].seconds} for row in rows],
            dots("seconds", ("behaviour", "limits", "goal"), xlabel="s until the goal is reached; red: never"),
        )
    ),
)
