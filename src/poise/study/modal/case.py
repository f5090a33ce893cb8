"""A trial of modal-space control and its row: survival, the verdict, and tracking errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import Controller
from poise.control.modal.modal import Modal
from poise.control.modal.settings import ModalSettings
from poise.control.pendulum.pendulum import Pendulum
from poise.performance.catch import CatchController
from poise.performance.run import Run
from poise.study.experiment.study import Row
from poise.study.experiment.table import Gather, column_mean, column_means, column_total, row_count
from poise.study.experiment.trial import Trial, judge_run, stage_trial, trial_row
from poise.world.result import StepResult
from poise.world.world import World

BODY = "human42"  # The body of the paper
COLOUR = "#2a7f62"
OURS = ModalSettings()  # The default settings of Poise
WINDOWS = {"walk": 12, "squat": 16, "swing": 24}  # The paper's planning windows, frames
MOTIONS = tuple(WINDOWS)
ASTRAY = 0.2
"""Largest final distance (m) of the root from the motion's for a body that hangs on a bar, which cannot fall."""
END = 0.5  # Time (s) at the end of a trial over which the final distance is taken

SUMMARY: Mapping[str, Gather] = {
    "trials": row_count,
    "survived": column_total("survived"),
    "share": column_mean("survived"),
    "seconds": column_mean("seconds"),
    "physical": column_total("physical"),
    **column_means("joint_rms_deg", "root_rms_m"),
}
"""Summary columns of a group of trials."""


@dataclass(frozen=True)
class ModalCase:
    """A trial with the labels of its row."""

    labels: Row
    trial: Trial
    settings: ModalSettings = OURS
    caught: bool = False  # whether the pendulum controller takes over when the body topples
    world: type[World] = World


def study_body(motion: str) -> str | None:
    """The body of a motion: the paper's for a motion that ships with Poise; None, its own body, for a file."""
    return None if Path(motion).suffix else BODY


def paper_window(motion: str) -> int:
    """The paper's planning window (frames) of a motion; 0, to fit the motion, for motions that are not in the paper."""
    return WINDOWS.get(motion, 0)


def summary_columns(*names: str) -> dict[str, Gather]:
    """The summary columns of these names."""
    return {name: SUMMARY[name] for name in names}


def run_modal_trial(case: ModalCase) -> Row:
    """Perform a trial by modal-space control, with the pendulum to catch it if the case says so."""
    controller = Modal(case.settings)
    return modal_trial_row(case, CatchController(controller, Pendulum()) if case.caught else controller)


def modal_trial_row(case: ModalCase, controller: Controller, root_angles: list[float] | None = None) -> Row:
    """Perform a trial by a controller; `root_angles` receives the orientation error (rad) of the root of each step."""
    trial = case.trial
    run = stage_trial(trial, controller, case.world)
    tracking = ModalTrackingErrors(run)
    verdict = judge_run(run, trial.seconds, tracking.add)
    if root_angles is not None:
        root_angles[:] = tracking.root_angles.tolist()
    hangs = any(motion.contacts.held.any() for motion in run.reference.motions.values())
    survived = verdict.fell_at is None and not (hangs and tracking.final_root_error > ASTRAY)
    return trial_row(case.labels, trial.seed, survived, verdict, tracking.columns(), audit_falls=False)


class ModalTrackingErrors:
    """Differences between the poses of a performance and of its motion, collected after each step."""

    def __init__(self, run: Run) -> None:
        self._world, self._controller, self._body = run.world, run.controller, run.world.scene.body
        self._errors: list[Array] = []

    def add(self, _: StepResult) -> None:
        """Add the error after a step."""
        error, pose = np.zeros(self._body.nv), np.array(self._world.qpos[: self._body.nq])
        target = self._controller.target(self._world.time)
        mujoco.mj_differentiatePos(self._body.model, error, 1.0, target, pose)
        self._errors.append(error)

    @property
    def errors(self) -> Array:
        """(T, nv) from the motion's poses to the performed ones, m and rad."""
        return np.array(self._errors).reshape(-1, self._body.nv)

    @property
    def root_angles(self) -> Array:
        """(T,) angle (rad) between the orientations of the root [Jain2011] section 8."""
        return np.asarray(np.linalg.norm(self.errors[:, 3:6], axis=1))

    @property
    def final_root_error(self) -> float:
        """Distance (m, rms) of the root from the motion's over the last END seconds."""
        last = self.errors[-max(1, round(END / self._world.settings.step)) :, :3]
        return float(np.sqrt(np.mean(np.sum(last**2, axis=1))))

    def columns(self) -> Row:
        """Root mean squares over the whole trial."""
        errors = self.errors
        return {
            "joint_rms_deg": float(np.degrees(np.sqrt(np.mean(errors[:, 6:] ** 2)))),
            "root_rms_m": float(np.sqrt(np.mean(np.sum(errors[:, :3] ** 2, axis=1)))),
            "turned_rms_rad": float(np.sqrt(np.mean(self.root_angles**2))),
            "end_m": self.final_root_error,
        }
