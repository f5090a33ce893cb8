"""Whom does it fit? [Tsai2010] section 5.3: legs of other lengths, other masses, loads, with the same settings."""

from __future__ import annotations

import math

from poise.study.experiment.plots import map_of
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.trial import Build, Trial
from poise.study.pendulum.case import BODY, STEP_RATE, PendulumCase, measure, summary_by, walking

SUITED = 1.0
"""m/s, of legs as they are; others as fast as they swing: with the root of their length."""
BUILDS = {
    "times as long legs": {times: Build(legs=times) for times in (0.5, 0.75, 1.0, 1.5, 2.0)},
    "times as heavy": {times: Build(mass=times, limits="human") for times in (0.5, 0.75, 1.5, 2.0)},
    "kg in one hand": {load: Build(load=load) for load in (5.0, 10.0, 15.0)},
}
"""Longer legs are as thick and dense as they were; who is heavier is so everywhere, and no stronger than people are:
with limits that grow, or that are never reached, all masses would walk alike."""
CARRYING = "carry:side_right"
"""How a load is carried."""
COARSE = 2
"""Of so many builds one is tried when it has to be quick."""


def cases(scope: Scope) -> list[PendulumCase]:
    """Each build at the speed that suits it."""
    return [
        PendulumCase(
            {"what": what, "value": value, "wanted": SUITED * math.sqrt(build.legs)},
            Trial(
                "walk",
                BODY,
                build,
                (CARRYING,) if build.load else (),
                seconds=scope.seconds,
                seed=seed,
                commands=walking(SUITED * math.sqrt(build.legs)),
                rate=STEP_RATE,
            ),
        )
        for what, builds in BUILDS.items()
        for value, build in list(builds.items())[:: COARSE if scope.coarse else 1]
        for seed in range(scope.seeds)
    ]


STUDY: Study[PendulumCase] = Study(
    name="pendulum-body",
    title="legs of other lengths, other masses, and loads in one hand, with the same settings",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=5, seconds=60.0),
    quick=Scope(seeds=1, seconds=10.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary_by("what", "value", "wanted"),
    plot=map_of("value", "what"),
)
