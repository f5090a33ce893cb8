"""Survival on stairs, rough ground and unforeseen drops: [Tsai2010] section 5.3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.study.experiment.plots import share_map_plot
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.pendulum.case import SUMMARY, PendulumCase, run_pendulum_trial, walk_trial

SPEEDS = (0.5, 0.8)  # Commanded speeds, m/s
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
        for speed in (SPEEDS[:1] if scope.coarse else SPEEDS)
        for height in (ground.heights[:2] if scope.coarse else ground.heights)
        for seed in range(scope.seeds)
        for factor in (float(np.random.default_rng(seed).uniform(1.0 - _VARIED, 1.0 + _VARIED)),)
        for terrain in (ground.terrain.format(height).format(seed=seed),)
    ]


STUDY: Study[PendulumCase] = Study(
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
