"""Survival on slopes, stairs, rough ground and drops, with other bodies, and of pushes: [Tsai2010] section 5.3."""

import math
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from poise.body.body import Body
from poise.study.experiment import plots
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import column_mean, column_total, row_count, rows_where, summary_by
from poise.study.experiment.trial import PUSH_DIRECTIONS, BodyVariant, horizontal_push
from poise.study.pendulum.case import BODY, SUMMARY, PendulumCase, run_pendulum_trial, walk_trial

DEGREES = (-20.0, -15.0, -10.0, -6.0, 0.0, 6.0, 10.0, 15.0, 20.0)  # Inclinations (degrees); uphill is positive
FEW_DEGREES = (-15.0, -6.0, 6.0, 15.0)
SLOPE_SPEEDS = (0.5, 0.9)  # Commanded horizontal speeds, m/s
OTHERS = {"paper": 15.0, "SIMBICON": 6.0}  # Steepest slopes (degrees, up and down) that the paper reports


def slope_cases(scope: Scope) -> list[PendulumCase]:
    """A case for each slope, speed and seed."""
    return [
        PendulumCase(
            {"degrees": degrees, "wanted": speed}, walk_trial(speed, scope.seconds, seed, terrain=f"slope:{degrees:g}")
        )
        for degrees, speed, seed in product(FEW_DEGREES if scope.coarse else DEGREES, SLOPE_SPEEDS, range(scope.seeds))
    ]


SLOPE: Study[PendulumCase] = Study(
    name="pendulum-slope",
    title="survival of slopes, up and down, at two speeds",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=10, seconds=30.0),
    quick=Scope(seeds=1, seconds=8.0, coarse=True),
    cases=slope_cases,
    run_case=run_pendulum_trial,
    summary=summary_by(("degrees", "wanted"), **SUMMARY),
    plot=plots.picture(
        plots.share_map(
            "degrees",
            "wanted",
            title="survived, %; steepest of " + ", of ".join(f"{who} {most:g}°" for who, most in OTHERS.items()),
            ylabel="m/s",
        )
    ),
)


STAIR_SPEEDS = (0.5, 0.8)  # Commanded speeds, m/s
APPROACH = 2.5
"""Distance (m) of the start behind the origin. The first edge is half a metre ahead of the origin, too near to reach
the commanded speed from there."""
_VARIED = 0.1  # largest relative change of the speed, drawn from the seed, so that feet meet edges in different places


@dataclass(frozen=True)
class UnevenGround:
    """A kind of uneven ground."""

    terrain: str  # with placeholders for the height and the seed
    heights: tuple[float, ...]  # m
    beyond: float  # distance (m) ahead of the origin that must be reached
    foreseen: bool = True


GROUNDS = {
    "stairs up": UnevenGround("stairs:{}:0.3:16", (0.05, 0.10, 0.15), 5.9),
    "stairs down": UnevenGround("stairs:-{}:0.3:16", (0.05, 0.10, 0.15), 5.9),
    "rough": UnevenGround("rough:{}:{{seed}}", (0.02, 0.04, 0.06), 5.0),
    "drop, unforeseen": UnevenGround("drop:{}:1.5", (0.05,), 5.0, foreseen=False),
}


def stairs_cases(scope: Scope) -> list[PendulumCase]:
    """A case for each ground, height, speed and seed; rough ground differs from seed to seed."""
    return [
        PendulumCase(
            {"ground": f"{name}, {speed:g} m/s", "height_cm": 100 * height, "wanted": speed},
            walk_trial(speed * factor, scope.seconds, seed, terrain=terrain, approach=APPROACH),
            beyond=APPROACH + ground.beyond,
            foresees=ground.foreseen,
        )
        for name, ground in GROUNDS.items()
        for speed in (STAIR_SPEEDS[:1] if scope.coarse else STAIR_SPEEDS)
        for height in (ground.heights[:2] if scope.coarse else ground.heights)
        for seed in range(scope.seeds)
        for factor in (float(np.random.default_rng(seed).uniform(1.0 - _VARIED, 1.0 + _VARIED)),)
        for terrain in (ground.terrain.format(height).format(seed=seed),)
    ]


STAIRS: Study[PendulumCase] = Study(
    name="pendulum-stairs",
    title="survival of stairs, rough ground and unforeseen drops",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=10, seconds=24.0),
    quick=Scope(seeds=1, seconds=20.0, coarse=True),
    cases=stairs_cases,
    run_case=run_pendulum_trial,
    summary=summary_by(("ground", "height_cm"), **SUMMARY),
    plot=plots.picture(plots.share_map("height_cm", "ground")),
)


SUITED = 1.0
"""Commanded speed (m/s) for legs of normal length; scales with the square root of leg length, as for pendulums."""
BUILDS = {
    "times as long legs": {times: BodyVariant(legs=times) for times in (0.5, 0.75, 1.0, 1.5, 2.0)},
    "times as heavy": {times: BodyVariant(mass=times, limits="human") for times in (0.5, 0.75, 1.5, 2.0)},
    "kg in one hand": {load: BodyVariant(load=load) for load in (5.0, 10.0, 15.0)},
}
"""Body variants by what is changed, and by value. Longer legs keep thickness and density. A heavier body is heavier
everywhere but has human torque limits: with limits that grow or are never reached, all masses would walk alike."""
CARRYING = "carry:side_right"  # The edit of the motion that carries a load
EVERY = 2  # Stride through the body variants in the coarse scope


def build_cases(scope: Scope) -> list[PendulumCase]:
    """A case for each body variant and seed, at the speed that suits its legs."""
    return [
        PendulumCase(
            {"what": what, "value": value, "wanted": speed},
            walk_trial(speed, scope.seconds, seed, build=build, edits=(CARRYING,) if build.load else ()),
        )
        for what, builds in BUILDS.items()
        for value, build in list(builds.items())[:: EVERY if scope.coarse else 1]
        for speed in (SUITED * math.sqrt(build.legs),)
        for seed in range(scope.seeds)
    ]


BODIES: Study[PendulumCase] = Study(
    name="pendulum-body",
    title="legs of other lengths, other masses, and loads in one hand, with the same settings",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=5, seconds=60.0),
    quick=Scope(seeds=1, seconds=10.0, coarse=True),
    cases=build_cases,
    run_case=run_pendulum_trial,
    summary=summary_by(("what", "value", "wanted"), **SUMMARY),
    plot=plots.picture(plots.share_map("value", "what")),
)


SPEED = 0.8  # Commanded speed of the walk, m/s
STRIDE = 16 / 15  # Duration of a stride of the walk, s
PUSHED_AT = 4.0  # Earliest time (s) of a push, when the walk has reached its speed
PAPER = ((0.0, 486.02), (354.75, 321.30), (456.24, 0.0), (266.06, -365.90),
         (0.0, -457.72), (-296.91, -341.59), (-469.68, 0.0), (-270.78, 380.75))  # fmt: skip
"""The largest forces (N to the left, N forward) for 0.4 s in eight directions, along the axes of the paper's Fig. 5."""
SIMBICON = 340.0  # The largest force (N) for 0.4 s in any direction that the paper reports for SIMBICON
LARGEST = {
    "paper's most (walking)": [(math.degrees(math.atan2(*force)), math.hypot(*force)) for force in PAPER],
    "SIMBICON's most (walking)": [(float(degrees), SIMBICON) for degrees in range(0, 360, 15)],
}
"""The largest forces that the paper reports for itself and SIMBICON: (degrees counter-clockwise from forward, N)."""
LIMITS = ("paper", "human")  # Sets of torque limits
_SPREAD = 0.618034  # shift from seed to seed within a phase (the golden ratio), so that no two pushes coincide


@dataclass(frozen=True)
class PendulumPushes:
    """Pushes of one kind: each force in each direction at each phase."""

    kind: str
    forces: tuple[float, ...]  # N
    duration: float  # s
    directions: tuple[int, ...]  # degrees, counter-clockwise from forward
    phases: int  # number of parts of the stride
    motion: str = "walk"


WHOLE = (
    PendulumPushes("walking", (250.0, 350.0, 450.0, 500.0, 550.0), 0.4, PUSH_DIRECTIONS, 8),
    PendulumPushes("walking, sideways", (700.0,), 0.2, (90, 270), 8),
    PendulumPushes("standing", (200.0, 300.0, 400.0), 0.4, PUSH_DIRECTIONS, 1, "stand"),
)
COARSE = (
    PendulumPushes("walking", (350.0, 500.0), 0.4, tuple(plots.SIDES), 2),
    PendulumPushes("walking, sideways", (700.0,), 0.2, (90, 270), 2),
    PendulumPushes("standing", (300.0,), 0.4, tuple(plots.SIDES), 1, "stand"),
)


def pendulum_push_cases(scope: Scope) -> list[PendulumCase]:
    """A case for each push and seed under each set of torque limits."""
    mass = Body.named(BODY).mass
    return [
        PendulumCase(
            {
                "pushed": of.kind,
                "limits": limits,
                "duration": of.duration,
                "force": force,
                "velocity_change": force * of.duration / mass,
                "direction": angle,
                "phase": phase / of.phases,
            },
            walk_trial(
                None if of.motion == "stand" else SPEED,
                time + scope.seconds,
                seed,
                of.motion,
                build=BodyVariant(limits=limits),
                pushes=(horizontal_push(angle, force, time, of.duration),),
            ),
            rests=of.motion == "stand",
        )
        for limits, of in product(LIMITS, COARSE if scope.coarse else WHOLE)
        for angle, force, phase, seed in product(of.directions, of.forces, range(of.phases), range(scope.seeds))
        for time in (push_time_of_case(phase, of.phases, seed),)
    ]


def push_time_of_case(phase: int, phases: int, seed: int) -> float:
    """Time (s) of a push within part `phase` of `phases` equal parts of the stride; each seed has another time."""
    return PUSHED_AT + STRIDE * (phase + seed * _SPREAD % 1.0) / phases


PUSHES: Study[PendulumCase] = Study(
    name="pendulum-push",
    title="survival of pushes at the trunk: force, direction, phase of the stride, torque limits",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=5, seconds=6.0),
    quick=Scope(seeds=1, seconds=4.0, coarse=True),
    cases=pendulum_push_cases,
    run_case=run_pendulum_trial,
    summary=summary_by(
        ("pushed", "limits", "duration", "force"),
        velocity_change=column_mean("velocity_change"),
        trials=row_count,
        survived=column_total("survived"),
        share=column_mean("survived"),
        physical=column_total("physical"),
    ),
    plot=plots.picture(
        plots.drawn_of(partial(rows_where, duration=0.4), plots.share_circle(("pushed", "limits"), LARGEST)),
        plots.share_map("phase", "force", ("pushed", "limits"), xlabel="phase of the stride", ylabel="N"),
    ),
)
