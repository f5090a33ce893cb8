"""A trial of modal-space control and its row: survival, the verdict, and tracking errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import Controller
from poise.control.modal.modal import Modal, ModalSettings
from poise.control.pendulum.pendulum import Pendulum
from poise.performance.catch import CatchController
from poise.study.experiment.study import Row
from poise.study.experiment.table import Gather, column_mean, column_means, column_total, row_count
from poise.study.experiment.trial import Trial, judge_run, stage_trial, trial_row
from poise.world.result import StepResult
from poise.world.world import World

BODY = "human42"  # The body of the paper
OURS = ModalSettings()  # The default settings of Poise
WINDOWS = {"walk": 12, "squat": 16, "swing": 24}  # The paper's planning windows, frames
MOTIONS = tuple(WINDOWS)
ASTRAY = 0.2
"""A body that hangs on a bar cannot fall; it fails if its root ends further (m) than this from the motion's root."""
END = 0.5  # Time (s) at the end of a trial over which the final distance is averaged

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
    """A trial of modal-space control, with the labels of its row."""

    labels: Row
    trial: Trial
    settings: ModalSettings = OURS
    caught: bool = False  # whether the pendulum controller takes over when the body topples
    world: type[World] = World


def study_body(motion: str) -> str | None:
    """The body that performs a motion: the paper's body for a shipped motion; None (the file's body) for a file."""
    return None if Path(motion).suffix else BODY


def paper_window(motion: str) -> int:
    """The paper's planning window (frames) of a motion; 0 (fit the window to the motion) if it is not in the paper."""
    return WINDOWS.get(motion, 0)


def summary_columns(*names: str) -> dict[str, Gather]:
    """The columns of SUMMARY that have the given names."""
    return {name: SUMMARY[name] for name in names}


def run_modal_trial(case: ModalCase) -> Row:
    """Row of a trial by modal-space control; if `case.caught`, the pendulum takes over when the body topples."""
    controller = Modal(case.settings)
    return modal_trial_row(case, CatchController(controller, Pendulum()) if case.caught else controller)


def modal_trial_row(case: ModalCase, controller: Controller, root_angles: list[float] | None = None) -> Row:
    """Row of a trial by a controller; `root_angles` receives the orientation error (rad) of the root in each step."""
    run = stage_trial(case.trial, controller, case.world)
    world, body = run.world, run.world.scene.body
    collected: list[Array] = []

    def add_pose_error(_: StepResult) -> None:
        error, pose = np.zeros(body.nv), np.array(world.qpos[: body.nq])
        mujoco.mj_differentiatePos(body.model, error, 1.0, controller.target(world.time), pose)
        collected.append(error)

    verdict = judge_run(run, case.trial.seconds, add_pose_error)
    errors = np.array(collected).reshape(-1, body.nv)  # (T, nv) m and rad: from the motion's to the performed poses
    angles = np.linalg.norm(errors[:, 3:6], axis=1)  # (T,) rad: orientation of the root [Jain2011] section 8
    last = errors[-max(1, round(END / world.settings.step)) :, :3]
    end = float(np.sqrt(np.mean(np.sum(last**2, axis=1))))  # m
    row: Row = {
        "joint_rms_deg": float(np.degrees(np.sqrt(np.mean(errors[:, 6:] ** 2)))),
        "root_rms_m": float(np.sqrt(np.mean(np.sum(errors[:, :3] ** 2, axis=1)))),
        "turned_rms_rad": float(np.sqrt(np.mean(angles**2))),
        "end_m": end,
    }
    if root_angles is not None:
        root_angles[:] = angles.tolist()
    hangs = any(motion.contacts.held.any() for motion in run.reference.motions.values())
    survived = verdict.fell_at is None and not (hangs and end > ASTRAY)
    return trial_row(case.labels, case.trial.seed, survived, verdict, row, audit_falls=False)
