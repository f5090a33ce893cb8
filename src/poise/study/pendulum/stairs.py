"""How uneven may the ground be? [Tsai2010] section 5.3: stairs, rough ground, and drops that it does not see coming."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.study.experiment.plots import map_of
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.trial import Trial
from poise.study.pendulum.case import BODY, STEP_RATE, PendulumCase, measure, summary_by, walking

SPEEDS = (0.5, 0.8)
"""m/s."""
APPROACH = 2.5
"""m: the first edge is half a metre ahead of the origin, too near to get to the speed."""
_VARIED = 0.1  # of a speed, to both sides, by the seed: so that feet meet edges elsewhere


@dataclass(frozen=True)
class Uneven:
    """A kind of ground."""

    terrain: str  # with a place for the height
    heights: tuple[float, ...]  # m
    beyond: float  # m ahead of the origin, to which it must get
    foreseen: bool = True


GROUNDS = {
    "stairs up": Uneven("stairs:{}:0.3:16", (0.05, 0.10, 0.15), 5.9),
    "stairs down": Uneven("stairs:-{}:0.3:16", (0.05, 0.10, 0.15), 5.9),
    "rough": Uneven("rough:{}:{{seed}}", (0.02, 0.04, 0.06), 5.0),
    "drop, unforeseen": Uneven("drop:{}:1.5", (0.05,), 5.0, foreseen=False),
}


def cases(scope: Scope) -> list[PendulumCase]:
    """Each height of each ground at each speed; rough ground is another for each seed."""
    return [
        PendulumCase(
            {"ground": f"{name}, {speed:g} m/s", "height_cm": 100 * height, "wanted": speed},
            Trial(
                "walk",
                BODY,
                seconds=scope.seconds,
                seed=seed,
                commands=walking(speed * _varied(seed)),
                terrain=ground.terrain.format(height).format(seed=seed),
                approach=APPROACH,
                rate=STEP_RATE,
            ),
            beyond=APPROACH + ground.beyond,
            foresees=ground.foreseen,
        )
        for name, ground in GROUNDS.items()
        for speed in (SPEEDS[:1] if scope.coarse else SPEEDS)
        for height in (ground.heights[:2] if scope.coarse else ground.heights)
        for seed in range(scope.seeds)
    ]


def _varied(seed: int) -> float:
    return float(np.random.default_rng(seed).uniform(1.0 - _VARIED, 1.0 + _VARIED))


STUDY: Study[PendulumCase] = Study(
    name="pendulum-stairs",
    title="whether it gets over stairs, rough ground and unforeseen drops",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=10, seconds=24.0),
    quick=Scope(seeds=1, seconds=20.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary_by("ground", "height_cm"),
    plot=map_of("height_cm", "ground"),
)
