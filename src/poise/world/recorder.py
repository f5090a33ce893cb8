"""Takes down what happens, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.world.recording import Recording
from poise.world.result import StepResult
from poise.world.scene import LOOK_AHEAD
from poise.world.world import World

Array = NDArray[np.float64]


USUAL_RATE = 120.0
"""Hz, for which the scene's surfaces look ahead."""
CHUNK = 1024
"""Steps whose contact forces are put together at once: one by one, it would take longer than to simulate them."""


class Recorder:
    """Collects the states and forces of a world into a `Recording`."""

    def __init__(self, world: World, with_reference: bool) -> None:
        self.world = world
        self.time = [world.time]
        self.qpos = [world.qpos.copy()]
        self.qvel = [world.qvel.copy()]
        self.torque: list[Array] = []
        self.external: list[Array] = []
        self.contacts: list[tuple[Any, ...]] = []
        self._waiting: list[StepResult] = []  # steps whose contact forces are not yet in `contacts`
        self.reference: list[Array] | None = [] if with_reference else None
        self.solves: Counter[str] = Counter()
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
        self.torque.append(result.torque)
        self.external.append(result.external)
        self.solves[result.solution.status.name.lower()] += 1
        self.worst_residual = max(self.worst_residual, result.solution.residual)
        self.weakened += result.feedback_kept < 1.0
        self.weak_motors += result.weakest < 1.0
        self._waiting.append(result)
        if len(self._waiting) == CHUNK:
            self._put_together()

    def _put_together(self) -> None:
        if self._waiting:
            first = len(self.torque) - len(self._waiting)
            self.contacts.append(_forces(self._waiting, first, self.world.settings.step))
            self._waiting = []

    def _scene_xml(self) -> str:
        """The scene, whose surfaces look ahead as far as limbs go in a step, so that replays find what was met."""
        scene, longer = self.world.scene, self.world.settings.step * USUAL_RATE
        return scene.xml if longer <= 1.0 else scene.described(longer * LOOK_AHEAD)

    def finish(self, meta: dict[str, Any]) -> Recording:
        """The recording so far."""
        self._put_together()
        nv = self.world.model.nv
        columns = list(zip(*self.contacts, strict=True)) or [()] * 8
        step, body, other, point, normal, force, friction, kind = columns
        solver = {
            **{name: self.solves.get(name, 0) for name in ("exact", "retried", "approximate")},
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
            contact_step=_join(step, (0,), np.int64),
            contact_body=_join(body, (0,), np.int64),
            contact_other=_join(other, (0,), np.int64),
            contact_point=_join(point, (0, 3)),
            contact_normal=_join(normal, (0, 3)),
            contact_force=_join(force, (0, 3)),
            contact_friction=_join(friction, (0,)),
            contact_kind=_join(kind, (0,), np.int64),
            reference_qpos=None if reference is None else np.array(reference),
            meta={**meta, "solver": solver},
        )


def _join(parts: Any, empty: tuple[int, ...], kind: type = float) -> Any:
    return np.concatenate([np.zeros(empty, kind), *parts]).astype(kind)


def _forces(results: Sequence[StepResult], first: int, h: float) -> tuple[Any, ...]:
    """Step, body, other, point, normal, force, friction and kind of the contacts and grips that carry force.

    The results are of successive steps from `first` on.
    """
    impulse = np.concatenate([result.impulse for result in results])
    used = np.flatnonzero(impulse.any(axis=1))
    body, other, point, frame, friction = (
        np.concatenate(column)[used]
        for column in zip(*((r.body, r.other, r.point, r.frame, r.friction) for r in results), strict=True)
    )
    step = _steps([len(result.impulse) for result in results], first)[used]
    force = np.einsum("cij,ci->cj", frame, impulse[used]) / h
    loose = (step, body, other, point, frame[:, 0], force, friction, np.zeros(len(used), np.int64))
    grips = [grip for result in results for grip in result.grips]
    if not grips:
        return loose
    pull = np.concatenate([result.grip_impulse for result in results]) / h
    size = np.linalg.norm(pull, axis=1, keepdims=True)
    held = (
        _steps([len(result.grips) for result in results], first),
        np.array([grip.body for grip in grips]),
        np.array([grip.other for grip in grips]),
        np.concatenate([result.grip_point for result in results]),
        np.divide(pull, size, out=np.tile([0.0, 0.0, 1.0], (len(grips), 1)), where=size > 0),
        pull,
        np.zeros(len(grips)),
        np.ones(len(grips), np.int64),
    )
    both = [np.concatenate(pair) for pair in zip(loose, held, strict=True)]
    order = np.argsort(both[0], kind="stable")
    return tuple(column[order] for column in both)


def _steps(counts: list[int], first: int) -> NDArray[np.int64]:
    """The step of each of so many things in each of successive steps."""
    return np.repeat(np.arange(first, first + len(counts)), counts)
