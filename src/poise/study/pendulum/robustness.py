"""Survival on slopes, stairs, rough ground and unforeseen drops, and with other bodies: [Tsai2010] section 5.3."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from poise.study.experiment.plots import draw_share_map, figure_panels, share_map_plot, survival_shares
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.experiment.trial import BodyVariant
from poise.study.pendulum.case import SUMMARY, PendulumCase, run_pendulum_trial, walk_trial

DEGREES = (-20.0, -15.0, -10.0, -6.0, 0.0, 6.0, 10.0, 15.0, 20.0)  # Inclinations (degrees); uphill is positive
FEW_DEGREES = (-15.0, -6.0, 6.0, 15.0)
SLOPE_SPEEDS = (0.5, 0.9)  # Commanded horizontal speeds, m/s
OTHERS = {"paper": (15.0, "-"), "SIMBICON": (6.0, "--")}
"""Steepest slope (degrees, up and down) that the paper reports for itself and for SIMBICON, and a line style."""


def slope_cases(scope: Scope) -> list[PendulumCase]:
    """A case for each slope, speed and seed."""
    return [
        PendulumCase(
            {"degrees": degrees, "wanted": speed}, walk_trial(speed, scope.seconds, seed, terrain=f"slope:{degrees:g}")
        )
        for degrees, speed, seed in product(FEW_DEGREES if scope.coarse else DEGREES, SLOPE_SPEEDS, range(scope.seeds))
    ]


def plot_slopes(rows: Sequence[Row]) -> Figure:
    """Survival shares by slope and speed, with the steepest slopes of the paper and of SIMBICON."""
    slopes, speeds, shares = survival_shares(rows, "degrees", "wanted")
    figure, ((axis,),) = figure_panels(1, 1, size=(2.0 + 0.6 * len(slopes), 2.2))
    draw_share_map(axis, shares, [f"{slope:g}" for slope in slopes], [f"{speed:g} m/s" for speed in speeds])
    for name, (steepest, line) in OTHERS.items():
        for side, label in ((-1.0, None), (1.0, name)):
            edge = np.interp(side * steepest, slopes, range(len(slopes))) + 0.5 * side
            axis.axvline(edge, color="black", ls=line, lw=1.2, label=label)
    axis.set(xlabel="degrees, uphill is positive; lines: as far as others walk", title="survived, %")
    axis.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


SLOPE: Study[PendulumCase] = Study(
    name="pendulum-slope",
    title="survival of slopes, up and down, at two speeds",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=10, seconds=30.0),
    quick=Scope(seeds=1, seconds=8.0, coarse=True),
    cases=slope_cases,
    run_case=run_pendulum_trial,
    summary=summary_by(("degrees", "wanted"), SUMMARY),
    plot=plot_slopes,
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
    summary=summary_by(("ground", "height_cm"), SUMMARY),
    plot=share_map_plot("height_cm", "ground"),
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
    summary=summary_by(("what", "value", "wanted"), SUMMARY),
    plot=share_map_plot("value", "what"),
)
