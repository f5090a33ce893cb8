"""Survival against the look-ahead, in cycles of the motion: [Muico2009] section 5.2."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import share_map_plot
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.experiment.trial import Trial
from poise.study.nqr.case import MOTIONS, SUMMARY, VARIANTS, NqrCase, run_nqr_trial

CYCLES = (1, 2, 3, 4, 6, 0)  # Cycles of look-ahead; 0 stands for all cycles that have an effect
COARSE = (1, 2, 0)


def horizon_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion, number of cycles of look-ahead and seed, with the paper's settings and with ours."""
    return [
        NqrCase(
            {"motion": f"{motion_display_name(motion)} ({variant})", "cycles": str(cycles or "all")},
            Trial(motion, seconds=scope.seconds, seed=seed),
            replace(settings, cycles=cycles),
        )
        for (variant, settings), motion in product(VARIANTS.items(), scope.motions)
        for cycles, seed in product(COARSE if scope.coarse else CYCLES, range(scope.seeds))
    ]


STUDY: Study[NqrCase] = Study(
    name="nqr-horizon",
    title="survival against the number of cycles looked ahead",
    reproduces="Muico et al. 2009, section 5.2",
    whole=Scope(seeds=5, seconds=30.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "turn-180"), coarse=True),
    cases=horizon_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion", "cycles"), SUMMARY),
    plot=share_map_plot("cycles", "motion"),
)
