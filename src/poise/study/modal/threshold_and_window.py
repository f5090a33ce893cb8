"""Survival and tracking against the threshold of modes and the planning window: [Jain2011] sections 4, 7 and 9."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from poise.control.modal.modal import Modal
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import SIDES, figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_mean, column_values, distinct_names, group_rows, rows_where, summary_by
from poise.study.experiment.trial import Trial
from poise.study.modal import case as modal
from poise.study.modal.push import push_of_modal_case, pushes_of_motion

PUSH = 100.0  # Force (N) of the pushes; they last as long as in `modal-push`
PANELS = {"survived": (100.0, "survived, %"), "joint_rms_deg": (1.0, "joints off, degrees"),
          "root_rms_m": (1e3, "root off, mm")}  # fmt: skip
"""Scale and label of each plotted column."""


def pushed_and_unpushed_trials(motion: str, scope: Scope) -> Iterator[tuple[Row, Trial]]:
    """Yield labels and trial of a motion: for each seed one trial without a push and one for a push to each side."""
    for seed in range(scope.seeds):
        for side in (None, *SIDES):
            pushes = () if side is None else (push_of_modal_case(side, PUSH, pushes_of_motion(motion).frames),)
            trial = Trial(motion, modal.study_body(motion), seconds=scope.seconds, seed=seed, pushes=pushes)
            yield {"pushed": side is not None, "direction": side}, trial


def setting_curves_plot(across: str, unit: str) -> Callable[[Sequence[Row]], Figure]:
    """A function that plots survival, and errors of survivors, over a column; curves with pushes are dashed."""

    def plot_setting_curves(rows: Sequence[Row]) -> Figure:
        figure, (axes,) = figure_panels(1, len(PANELS), size=(10.5, 2.8))
        for axis, (column, (scale, title)) in zip(axes, PANELS.items(), strict=True):
            shown = rows if column == "survived" else rows_where(rows, survived=True)
            for k, motion in enumerate(distinct_names(rows, "motion")):
                for pushed, style, label in ((False, "o-", motion), (True, "o--", f"{motion}, pushed")):
                    own = rows_where(shown, motion=motion, pushed=pushed)
                    found = group_rows(own, (across,), {column: column_mean(column)})
                    found.sort(key=lambda row: float(row[across] or 0.0))
                    values = [scale * value for value in column_values(found, column)]
                    axis.plot(column_values(found, across), values, style, ms=4, color=f"C{k}", label=label)
            axis.set(xlabel=f"{across}, {unit}", ylabel=title)
            axis.set_xscale("log", base=2)
            axis.set_ylim(bottom=0.0)
            ticks = sorted(set(column_values(rows, across)))
            axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=90, fontsize=7)
            axis.minorticks_off()
        axes[-1].legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return figure

    return plot_setting_curves


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
    plot=setting_curves_plot("threshold", "(rad/s)²"),
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
    plot=setting_curves_plot("window", "frames"),
)
