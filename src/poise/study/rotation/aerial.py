"""Success rates of back flips (noise, parts left out), dives, kip-ups and handsprings: [Zordan2014] section VIII-B."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter

from poise.control.rotation.settings import RotationSettings
from poise.library.behaviours.files import read_behaviour
from poise.study.experiment.plots import bars, picture
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_mean, column_means, column_median, row_count, summary_by
from poise.study.experiment.trial import audit_columns
from poise.study.rotation import attempts
from poise.study.rotation.ground import FRESH_ROLLS
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
    """Trials of the whole controller that vary noise, jolt, limits and rate, and trials without one of its parts."""
    first = BehaviourTrial(read_behaviour(BEHAVIOUR), seconds=scope.seconds, noise=NOISY, limits="athlete")
    kinds = [first]
    if not scope.coarse:
        kinds = [replace(first, noise=noise) for noise in NOISES]
        kinds += [replace(first, jolt=NOISY)]
        kinds += [replace(first, rate=60.0, jolt=jolt) for jolt in (0.0, NOISY)]
        kinds += [replace(first, limits="human", rate=rate) for rate in (60.0, 120.0)]
        kinds += [replace(first, settings=without) for without in list(PARTS)[1:]]
    return [replace(kind, seed=FRESH_ROLLS + seed) for kind in kinds for seed in range(scope.seeds)]


def run_flip_case(trial: BehaviourTrial) -> Row:
    """Row of a flip: how the body lands, and how long it stands."""
    flipped = attempts.run_flip_trial(trial)
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


FLIPS: Study[BehaviourTrial] = Study(
    name="rotation-flip",
    title="success rate of back flips, over noise and with parts left out",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=20, seconds=5.0),
    quick=Scope(seeds=4, seconds=5.0, coarse=True),
    cases=flip_cases,
    run_case=run_flip_case,
    summary=summary_by(
        ("part", "limits", "rate", "noise", "jolt"),
        succeeded=column_mean("survived"),
        on_feet=column_mean("on_feet"),
        median_turned=column_median("turned"),
        median_stood=column_median("stood"),
        of=row_count,
        physical=column_mean("physical"),
    ),
    plot=picture(
        bars(("survived",), ("part", "limits", "rate", "noise", "jolt"), xlabel="share that lands and stands for 2 s")
    ),
)


FRESH_AERIAL = 40_000  # First seed of the trials; tuning did not use seeds from here on
FEW = 5  # Number of trials of each behaviour with human torque limits


@dataclass(frozen=True)
class AerialGoal:
    """What a behaviour must achieve, and the conditions of its trials."""

    words: str
    perform: Callable[[BehaviourTrial], attempts.FlightOutcome]
    seconds: float
    terrain: str = "flat"
    noises: tuple[float, ...] = (0.1,)  # of the initial joint velocities, rad/s
    reached: Callable[[attempts.FlightOutcome], bool] = attrgetter("succeeded")


GOALS = {
    "kip-up": AerialGoal("onto its feet alone, and stands there for 2 s", attempts.run_kip_trial, 6.0),
    "dive-roll": AerialGoal("onto its hands, over, and stands for 1 s", attempts.run_dive_trial, 5.0),
    "dive-down": AerialGoal(
        "onto its hands, and two turns", attempts.run_dive_trial, 5.5, "drop:0.5", reached=attrgetter("rolled_on")
    ),
    "back-handspring": AerialGoal(
        "onto its hands, onto its feet, stands for 2 s", attempts.run_handspring_trial, 6.0, noises=(0.1, 0.2)
    ),
    "double-back-handspring": AerialGoal("the same, twice in a row", attempts.run_handspring_trial, 8.0),
}


def aerial_cases(scope: Scope) -> list[BehaviourTrial]:
    """Trials of each behaviour, noise and seed with an athlete's torque limits, and a few with a human's limits."""
    names = ("dive-roll",) if scope.coarse else tuple(GOALS)
    kinds = [(name, "athlete", noise, scope.seeds) for name in names for noise in GOALS[name].noises]
    if not scope.coarse:
        kinds += [(name, "human", GOALS[name].noises[0], min(FEW, scope.seeds)) for name in names]
    return [
        BehaviourTrial(read_behaviour(name), goal.terrain, seconds, FRESH_AERIAL + seed, noise, limits=limits)
        for name, limits, noise, seeds in kinds
        for goal, seconds in ((GOALS[name], min(scope.seconds, GOALS[name].seconds)),)
        for seed in range(seeds)
    ]


def run_aerial_case(trial: BehaviourTrial) -> Row:
    """Row of a trial: whether the goal is reached, and whether the recording passes the audit."""
    goal = GOALS[trial.behaviour.name]
    outcome = goal.perform(trial)
    reached, audited = goal.reached(outcome), audit_columns(outcome.performance.recording)
    return {
        "behaviour": trial.behaviour.name,
        "goal": goal.words,
        "limits": trial.limits,
        "noise": trial.noise,
        "seed": trial.seed,
        "survived": reached,
        "flew": outcome.flew,
        "physical": audited["physical"],
        "both": reached and audited["physical"],
        "failed_checks": audited["failed_checks"],
    }


AERIAL: Study[BehaviourTrial] = Study(
    name="rotation-aerial",
    title="success rates of dives, kip-ups and handsprings",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=20, seconds=10.0),
    quick=Scope(seeds=2, seconds=5.0, coarse=True),
    cases=aerial_cases,
    run_case=run_aerial_case,
    summary=summary_by(
        ("behaviour", "goal", "limits", "noise"),
        reached=column_mean("survived"),
        median_flew=column_median("flew"),
        of=row_count,
        **column_means("physical", "both"),
    ),
    plot=picture(bars(("both",), ("behaviour", "limits", "noise"), xlabel="share that reaches its goal physically")),
)
