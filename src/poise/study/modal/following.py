"""How near a performance keeps to its motion, step by step."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.control import Controller
from poise.frozen import Array
from poise.study.study import Row
from poise.world.result import StepResult
from poise.world.world import World

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
