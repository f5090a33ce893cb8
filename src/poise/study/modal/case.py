"""A trial of modal-space control, and the row that becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import Controller
from poise.control.modal.modal import Modal
from poise.control.modal.settings import ModalSettings
from poise.control.pendulum.pendulum import Pendulum
from poise.performance.catch import Catching
from poise.study.experiment.study import Row
from poise.study.experiment.table import Gather, count, grouped, mean, total
from poise.study.experiment.trial import Trial, judge, staged
from poise.world.result import StepResult
from poise.world.world import World

# How near a performance keeps to its motion, step by step.

END = 0.5
"""s at the end over which it is judged where it ended."""


class Following:
    """Is told every step of a performance."""

    def __init__(self, world: World, controller: Controller) -> None:
        self._world, self._controller = world, controller
        self._body = world.scene.body
        self._errors: list[Array] = []

    def add(self, _: StepResult) -> None:
        """After a step."""
        error, pose = np.zeros(self._body.nv), np.array(self._world.qpos[: self._body.nq])
        target = self._controller.target(self._world.time)
        mujoco.mj_differentiatePos(self._body.model, error, 1.0, target, pose)
        self._errors.append(error)

    @property
    def errors(self) -> Array:
        """(T, nv) m and rad from the motion's poses to the performance's."""
        return np.array(self._errors).reshape(-1, self._body.nv)

    @property
    def turned(self) -> Array:
        """(T,) rad: how far the root is turned from how the motion has it [Jain2011] section 8."""
        return np.asarray(np.linalg.norm(self.errors[:, 3:6], axis=1))

    @property
    def end_m(self) -> float:
        """m: how far the root is from the motion's in the end."""
        last = self.errors[-max(1, round(END / self._world.settings.step)) :, :3]
        return float(np.sqrt(np.mean(np.sum(last**2, axis=1))))

    def told(self) -> Row:
        """Root-mean-squares over all of it."""
        errors = self.errors
        return {
            "joint_rms_deg": float(np.degrees(np.sqrt(np.mean(errors[:, 6:] ** 2)))),
            "root_rms_m": float(np.sqrt(np.mean(np.sum(errors[:, :3] ** 2, axis=1)))),
            "turned_rms_rad": float(np.sqrt(np.mean(self.turned**2))),
            "end_m": self.end_m,
        }


BODY = "human42"
"""That of the paper."""
COLOUR = "#2a7f62"
OURS = ModalSettings()
"""As Poise comes."""
WINDOWS = {"walk": 12, "squat": 16, "swing": 24}
"""Frames, the paper's."""
MOTIONS = tuple(WINDOWS)
ASTRAY = 0.2
"""m: who hangs on a bar cannot fall; but one whose root ends further than this from the motion's did not survive."""

TOLD: Mapping[str, Gather] = {
    "trials": count,
    "survived": total("survived"),
    "share": mean("survived"),
    "seconds": mean("seconds"),
    "physical": total("physical"),
    "joint_rms_deg": mean("joint_rms_deg"),
    "root_rms_m": mean("root_rms_m"),
}
"""What is told of many trials."""


@dataclass(frozen=True)
class ModalCase:
    """A trial, with what tells it from the others."""

    labels: Row
    trial: Trial
    settings: ModalSettings = OURS
    caught: bool = False  # by the pendulum, when it topples


def performer(motion: str) -> str | None:
    """Who performs it: the paper's body what comes with Poise, and anything else the body that it is for."""
    return None if Path(motion).suffix else BODY


def window_for(motion: str) -> int:
    """Frames, the paper's; for other motions 0, as many as fit."""
    return WINDOWS.get(motion, 0)


def measure(case: ModalCase) -> Row:
    """Perform it: its labels, whether it survived, and how near it kept to the motion."""
    first = Modal(case.settings)
    return measured(case, Catching(first, Pendulum()) if case.caught else first)


def measured(
    case: ModalCase, controller: Controller, turned: list[float] | None = None, world: type[World] = World
) -> Row:  # fmt: skip
    """The same by some controller, perhaps in another kind of world.

    How far the root is turned from the motion's, step by step, is put into `turned`.
    """
    trial = case.trial
    run, stage, reference = staged(trial, controller, world)
    following = Following(stage, controller)
    verdict = asdict(judge(run, stage, reference, trial.seconds, following.add))
    failed = verdict.pop("failed")
    stayed_up = verdict["fell_at"] is None
    if turned is not None:
        turned[:] = following.turned.tolist()
    hangs = any(motion.contacts.held.any() for motion in reference.motions.values())
    return {
        **case.labels,
        "seed": trial.seed,
        "survived": stayed_up and not (hangs and following.end_m > ASTRAY),
        **verdict,
        **following.told(),
        "physical": not failed if stayed_up else None,
        "failed_checks": " ".join(failed),
    }


def summary_by(*columns: str) -> Callable[[Sequence[Row]], list[Row]]:
    """A summary with a row for each combination of some columns."""
    return lambda rows: grouped(rows, columns, TOLD)
