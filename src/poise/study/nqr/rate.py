"""Survival at 60 and at 120 Hz [Muico2009] section 5.3: at 60 Hz the paper's walk succeeds and its turns fail."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import share_map_plot
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.experiment.trial import Trial
from poise.study.nqr.case import LAWS, MOTIONS, SUMMARY, VARIANTS, NqrCase, run_nqr_trial

RATES = (120.0, 60.0)  # Rates of simulation and control, Hz


def rate_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion, law, rate and seed, with the paper's settings and with ours."""
    return [
        NqrCase(
            {"motion": f"{motion_display_name(motion)} ({variant})", "controller": f"{law} {rate:g} Hz"},
            Trial(motion, seconds=scope.seconds, seed=seed, rate=rate),
            replace(settings, law=LAWS[law]),
        )
        for (variant, settings), motion in product(VARIANTS.items(), scope.motions)
        for rate, law, seed in product(RATES, LAWS, range(scope.seeds))
    ]


STUDY: Study[NqrCase] = Study(
    name="nqr-rate",
    title="survival at 60 and 120 steps a second, nonlinear and linear",
    reproduces="Muico et al. 2009, section 5.3",
    whole=Scope(seeds=5, seconds=30.0, motions=("walk-slow", *MOTIONS)),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "turn-180")),
    cases=rate_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion", "controller"), SUMMARY),
    plot=share_map_plot("controller", "motion"),
)
