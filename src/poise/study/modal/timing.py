"""Time of a step of control and simulation, by stages: [Jain2011] section 7.1, and as a ratio to MuJoCo's own step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from poise.control.modal.modal import Modal
from poise.control.modal.settings import ModalSettings
from poise.measure.speed import timed_steps
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, NamedCase, Row, Scope, Study, motion_cases
from poise.study.experiment.table import column_means, column_values, summary_by
from poise.study.experiment.trial import Trial, stage_trial
from poise.study.modal.case import COLOUR, MOTIONS, paper_window, study_body

STAGES = {
    "modes": "_analysed",
    "footholds": "_deviation",
    "window forces": "_planned_forces",
    "slow modes": "_slow_drive",
    "giving way": "_giving_way",
}
"""Stages of a control step, and the methods of `Modal` that perform them."""
PAPER = {"walk": (4.0, 10.0), "squat": (30.0, 40.0), "swing": (30.0, 40.0)}
"""The paper's range of frames per second, on a computer of 2006 (Intel Core 2 Duo, 2.8 GHz)."""
FIRST = 12  # Number of first steps that are not timed: in them hands take hold, and code is loaded
PARTS = {**{stage: f"{stage}_ms" for stage in STAGES}, "the rest": "rest_ms", "world": "world_ms"}
"""Name of the column for each part of a step."""
_TIMES = (*PARTS.values(), "step_ms", "median_ms", "p99_ms", "mj_step_ms", "ratio", "real_time_factor", "fps")


class TimedModal(Modal):
    """Modal-space control that sums up the processor time of each stage; it actuates exactly as `Modal` does."""

    def __init__(self, settings: ModalSettings) -> None:
        super().__init__(settings)
        self.reset_times()
        for stage, method in STAGES.items():
            setattr(self, method, self._timed_stage(stage, getattr(self, method)))

    def reset_times(self) -> None:
        """Set the time sum of each stage to zero."""
        self.spent = dict.fromkeys(STAGES, 0.0)  # s

    def _timed_stage(self, stage: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed_stage(*given: Any) -> Any:
            began = time.thread_time()
            out = method(*given)
            self.spent[stage] += time.thread_time() - began
            return out

        return timed_stage


def run_modal_timing(case: NamedCase) -> Row:
    """Row of mean times of control stages and simulation; `ratio`: median step time over MuJoCo's median step time."""
    controller = TimedModal(ModalSettings(window=paper_window(case.name)))
    trial = Trial(case.name, study_body(case.name), seconds=case.seconds, seed=case.seed)
    run = stage_trial(trial, controller)
    for _ in range(FIRST):
        run.step()
    controller.reset_times()
    steps, step = max(1, round(case.seconds * trial.rate)), run.step_s
    times = timed_steps(run.world, controller, steps)
    stages = {PARTS[stage]: 1e3 * spent / steps for stage, spent in controller.spent.items()}
    whole, mujoco_ms = 1e3 * times.whole, 1e3 * float(np.median(times.mujoco))
    middle, high = (float(value) for value in np.percentile(whole, (50, 99)))
    return {
        "motion": motion_display_name(case.name),
        "window": controller.window,
        "seed": case.seed,
        "contacts": float(times.contacts.mean()),
        **stages,
        "rest_ms": 1e3 * float(times.control.mean()) - sum(stages.values()),
        "world_ms": 1e3 * float(times.simulation.mean()),
        "step_ms": float(whole.mean()),
        "median_ms": middle,
        "p99_ms": high,
        "mj_step_ms": mujoco_ms,
        "ratio": middle / mujoco_ms,
        "real_time_factor": 1e3 * step / float(whole.mean()),
        "fps": 1e3 / float(whole.mean()),
    }


modal_timing_summary = summary_by(("motion", "window"), column_means("contacts", *_TIMES))


def plot_modal_timing(rows: Sequence[Row]) -> Figure:
    """The parts of a step as stacked bars, and the time of a whole step beside the times of the paper and MuJoCo."""
    from matplotlib import colormaps

    found = modal_timing_summary(rows)
    names = [str(row["motion"]) for row in found]
    figure, ((parts, beside),) = figure_panels(1, 2, size=(8.5, 3.2))
    bottom = np.zeros(len(found))
    for k, (part, column) in enumerate(PARTS.items()):
        height = np.array(column_values(found, column))
        parts.bar(names, height, bottom=bottom, color=colormaps["viridis"](k / (len(PARTS) - 1)), label=part)
        bottom += height
    parts.set_ylabel("ms")
    parts.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    beside.bar(names, column_values(found, "step_ms"), color=COLOUR)
    for place, row in enumerate(found):
        beside.plot(place, float(row["mj_step_ms"] or 0.0), "_k", ms=20, label=None if place else "mj_step")
        if row["motion"] in PAPER:
            slow, fast = (1e3 / rate for rate in PAPER[str(row["motion"])])
            beside.plot([place, place], [fast, slow], "-", color="grey", lw=6, label=None if place else "paper")
    beside.axhline(1e3 / 120, color="grey", lw=0.8)
    beside.set(yscale="log", ylabel="ms")
    beside.legend(frameon=False, fontsize=7)
    return figure


STUDY: Study[NamedCase] = Study(
    name="modal-timing",
    title="time of a step of control and simulation, by stages",
    reproduces="Jain and Liu 2011, section 7.1",
    whole=Scope(seeds=3, seconds=30.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=5.0, motions=MOTIONS),
    cases=motion_cases,
    run_case=run_modal_timing,
    summary=modal_timing_summary,
    plot=plot_modal_timing,
    alone=True,
)
