"""Survival and tracking against the threshold of modes and the planning window: [Jain2011] sections 4, 7 and 9."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from poise.control.modal.modal import Modal
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import SIDES, curves, drawn_of, picture
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import rows_where, summary_by
from poise.study.experiment.trial import Trial
from poise.study.modal import case as modal
from poise.study.modal.push import push_of_modal_case, pushes_of_motion

PUSH = 100.0  # Force (N) of the pushes; they last as long as in `modal-push`


def pushed_and_unpushed_trials(motion: str, scope: Scope) -> Iterator[tuple[Row, Trial]]:
    """Yield labels and trial of a motion: for each seed one trial without a push and one for a push to each side."""
    for seed in range(scope.seeds):
        for side in (None, *SIDES):
            pushes = () if side is None else (push_of_modal_case(side, PUSH, pushes_of_motion(motion).frames),)
            trial = Trial(motion, modal.study_body(motion), seconds=scope.seconds, seed=seed, pushes=pushes)
            yield {"pushed": side is not None, "direction": side}, trial


def setting_curves(across: str, label: str) -> Callable[[Sequence[Row]], Figure]:
    """A function that plots survival, and errors of survivors, over a column."""
    over = partial(curves, across, by=("motion", "pushed"), xscale="log", xlabel=label)
    return picture(
        over(("survived",)), drawn_of(partial(rows_where, survived=True), over(("joint_rms_deg", "root_rms_m")))
    )


THRESHOLDS = (25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0, 800.0)
"""Squared frequencies, (rad/s)^2; the paper has 100."""
FEW_THRESHOLDS = (25.0, 100.0, 400.0)


def threshold_cases(scope: Scope) -> list[modal.ModalCase]:
    """Cases for each motion, threshold and seed: one without a push, four with a push to one side."""
    return [
        modal.ModalCase(
            {"motion": motion_display_name(motion), "threshold": threshold, **pushed},
            trial,
            replace(modal.OURS, threshold=threshold, window=modal.paper_window(motion)),
        )
        for motion in scope.motions
        for threshold in (FEW_THRESHOLDS if scope.coarse else THRESHOLDS)
        for pushed, trial in pushed_and_unpushed_trials(motion, scope)
    ]


THRESHOLD: Study[modal.ModalCase] = Study(
    name="modal-threshold",
    title="survival and tracking against the squared frequency below which modes are planned ahead",
    reproduces="Jain and Liu 2011, section 7",
    whole=Scope(seeds=2, seconds=5.0, motions=modal.MOTIONS),
    quick=Scope(seeds=1, seconds=3.0, motions=modal.MOTIONS, coarse=True),
    cases=threshold_cases,
    run_case=modal.run_modal_trial,
    summary=summary_by(("motion", "threshold", "pushed"), **modal.SUMMARY),
    plot=setting_curves("threshold", "threshold, (rad/s)²"),
)


WINDOW_FRAMES = (4, 8, 12, 16, 20, 24, 36, 48, 0)  # Planning windows, frames; 0 fits the window to the motion
FEW_FRAMES = (4, 12, 36, 0)


def window_cases(scope: Scope) -> list[modal.ModalCase]:
    """Cases for each motion, window and seed: one without a push, four with a push to one side."""
    return [
        modal.ModalCase(
            {"motion": motion_display_name(motion), "chosen": "by hand" if frames else "as fits", **pushed},
            trial,
            replace(modal.OURS, window=frames),
        )
        for motion in scope.motions
        for frames in (FEW_FRAMES if scope.coarse else WINDOW_FRAMES)
        for pushed, trial in pushed_and_unpushed_trials(motion, scope)
    ]


def run_window_case(case: modal.ModalCase) -> Row:
    """Row of a trial, with the planning window that was used."""
    controller = Modal(case.settings)
    row = modal.modal_trial_row(case, controller)
    return {"motion": row["motion"], "window": controller.window, **row}


WINDOW: Study[modal.ModalCase] = Study(
    name="modal-window",
    title="survival and tracking against the planning window, and with the window fitted to the motion",
    reproduces="Jain and Liu 2011, sections 7.1 and 9",
    whole=Scope(seeds=2, seconds=5.0, motions=modal.MOTIONS),
    quick=Scope(seeds=1, seconds=3.0, motions=modal.MOTIONS, coarse=True),
    cases=window_cases,
    run_case=run_window_case,
    summary=summary_by(("motion", "chosen", "window", "pushed"), **modal.SUMMARY),
    plot=setting_curves("window", "window, frames"),
)
