"""Survival and tracking against the planning window: [Jain2011] sections 7.1 and 9."""

from __future__ import annotations

from dataclasses import replace

from poise.control.modal.modal import Modal
from poise.reference.archive import motion_display_name
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.modal.case import MOTIONS, OURS, SUMMARY, ModalCase, modal_trial_row
from poise.study.modal.curves import pushed_and_unpushed_trials, setting_curves_plot

FRAMES = (4, 8, 12, 16, 20, 24, 36, 48, 0)  # Planning windows, frames; 0 fits the window to the motion
COARSE = (4, 12, 36, 0)


def window_cases(scope: Scope) -> list[ModalCase]:
    """Cases for each motion, window and seed: one without a push, four with a push to one side."""
    return [
        ModalCase(
            {"motion": motion_display_name(motion), "chosen": "by hand" if frames else "as fits", **pushed},
            trial,
            replace(OURS, window=frames),
        )
        for motion in scope.motions
        for frames in (COARSE if scope.coarse else FRAMES)
        for pushed, trial in pushed_and_unpushed_trials(motion, scope)
    ]


def run_window_case(case: ModalCase) -> Row:
    """Row of a trial, with the planning window that was used."""
    controller = Modal(case.settings)
    row = modal_trial_row(case, controller)
    return {"motion": row["motion"], "window": controller.window, **row}


STUDY: Study[ModalCase] = Study(
    name="modal-window",
    title="survival and tracking against the planning window, and with the window fitted to the motion",
    reproduces="Jain and Liu 2011, sections 7.1 and 9",
    whole=Scope(seeds=2, seconds=5.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=3.0, motions=MOTIONS, coarse=True),
    cases=window_cases,
    run_case=run_window_case,
    summary=summary_by(("motion", "chosen", "window", "pushed"), SUMMARY),
    plot=setting_curves_plot("window", "frames"),
)
