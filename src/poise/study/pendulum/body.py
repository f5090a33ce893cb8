"""Walking with other leg lengths, masses and loads, with the same settings: [Tsai2010] section 5.3."""

from __future__ import annotations

import math

from poise.study.experiment.plots import share_map_plot
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.experiment.trial import BodyVariant
from poise.study.pendulum.case import SUMMARY, PendulumCase, run_pendulum_trial, walk_trial

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
COARSE = 2  # Stride through the body variants in the coarse scope


def build_cases(scope: Scope) -> list[PendulumCase]:
    """A case for each body variant and seed, at the speed that suits its legs."""
    return [
        PendulumCase(
            {"what": what, "value": value, "wanted": speed},
            walk_trial(speed, scope.seconds, seed, build=build, edits=(CARRYING,) if build.load else ()),
        )
        for what, builds in BUILDS.items()
        for value, build in list(builds.items())[:: COARSE if scope.coarse else 1]
        for speed in (SUITED * math.sqrt(build.legs),)
        for seed in range(scope.seeds)
    ]


STUDY: Study[PendulumCase] = Study(
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
