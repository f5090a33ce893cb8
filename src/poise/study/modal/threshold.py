"""Survival and tracking against the frequency below which modes are planned ahead: [Jain2011] sections 4 and 7."""

from __future__ import annotations

from dataclasses import replace

from poise.reference.archive import motion_display_name
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.modal.case import MOTIONS, OURS, SUMMARY, ModalCase, paper_window, run_modal_trial
from poise.study.modal.curves import pushed_and_unpushed_trials, setting_curves_plot

THRESHOLDS = (25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0, 800.0)
"""Squared frequencies, (rad/s)^2; the paper has 100."""
COARSE = (25.0, 100.0, 400.0)


def threshold_cases(scope: Scope) -> list[ModalCase]:
    """Cases for each motion, threshold and seed: one without a push, four with a push to one side."""
    return [
        ModalCase(
            {"motion": motion_display_name(motion), "threshold": threshold, **pushed},
            trial,
            replace(OURS, threshold=threshold, window=paper_window(motion)),
        )
        for motion in scope.motions
        for threshold in (COARSE if scope.coarse else THRESHOLDS)
        for pushed, trial in pushed_and_unpushed_trials(motion, scope)
    ]


STUDY: Study[ModalCase] = Study(
    name="modal-threshold",
    title="survival and tracking against the squared frequency below which modes are planned ahead",
    reproduces="Jain and Liu 2011, section 7",
    whole=Scope(seeds=2, seconds=5.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=3.0, motions=MOTIONS, coarse=True),
    cases=threshold_cases,
    run_case=run_modal_trial,
    summary=summary_by(("motion", "threshold", "pushed"), SUMMARY),
    plot=setting_curves_plot("threshold", "(rad/s)²"),
)
