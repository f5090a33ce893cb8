"""Takes down what happens, step by step."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from poise.contact import Status
from poise.frozen import Array
from poise.world.ledger import Ledger
from poise.world.recording import Recording
from poise.world.result import StepResult
from poise.world.scene import LOOK_AHEAD
from poise.world.world import World


class Recorder:
    """Collects the states and forces of a world into a `Recording`."""

    def __init__(self, world: World, with_reference: bool) -> None:
        self.world = world
        self.time = [world.time]
        self.qpos = [world.qpos.copy()]
        self.qvel = [world.qvel.copy()]
        self.torque: list[Array] = []
        self.external: list[Array] = []
        self.forces = Ledger(world.settings.step)
        self.reference: list[Array] | None = [] if with_reference else None
        self.looked: list[float] = []  # m, (T,) how far ahead the world looked
        self.solves: Counter[Status] = Counter()
        self.worst_residual = 0.0
        self.weakened = 0
        self.weak_motors = 0

    def track(self, qpos: Array) -> None:
        """The pose that is tracked at the present state."""
        if self.reference is not None:
            self.reference.append(qpos)

    def add(self, result: StepResult) -> None:
        """A step that has just been made."""
        world = self.world
        self.time.append(world.time)
        self.qpos.append(world.qpos.copy())
        self.qvel.append(world.qvel.copy())
        self.forces.add(len(self.torque), result)
        self.torque.append(result.torque)
        self.external.append(result.external)
        self.looked.append(result.looked_ahead)
        self.solves[result.solution.status] += 1
        self.worst_residual = max(self.worst_residual, result.solution.residual)
        self.weakened += result.feedback_kept < 1.0
        self.weak_motors += result.weakest < 1.0

    def cut(self, steps: int) -> None:
        """Forget all but the first so many steps; the solver's worst residual and counts stay as they were."""
        del self.time[steps + 1 :], self.qpos[steps + 1 :], self.qvel[steps + 1 :]
        if self.reference is not None:
            del self.reference[steps + 1 :]
        del self.torque[steps:], self.external[steps:], self.looked[steps:]
        self.forces.cut(steps)

    def _scene_xml(self) -> str:
        """The scene, whose surfaces look at least as far ahead as the world did, so that replays find what was met."""
        scene, usual = self.world.scene, self.world.looks_ahead
        met = max(self.looked, default=usual)
        return scene.xml if met <= LOOK_AHEAD else scene.described(met, usual)

    def finish(self, meta: dict[str, Any]) -> Recording:
        """The recording so far."""
        nv, forces = self.world.model.nv, self.forces.entries()
        solver = {
            **{status.name.lower(): self.solves[status] for status in Status},
            "worst_residual": self.worst_residual,
            "feedback_weakened": self.weakened,
            "motors_weakened": self.weak_motors,
        }
        reference = self.reference
        assert reference is None or len(reference) == len(self.time), "one tracked pose per state"
        return Recording(
            model_xml=self._scene_xml(),
            time=np.array(self.time),
            qpos=np.array(self.qpos),
            qvel=np.array(self.qvel),
            torque=np.array(self.torque).reshape(-1, nv),
            external=np.array(self.external).reshape(-1, nv),
            **{f"contact_{name}": column for name, column in forces._asdict().items()},
            reference_qpos=None if reference is None else np.array(reference),
            meta={**meta, "solver": solver},
        )
