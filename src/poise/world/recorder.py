"""Takes down what happens, step by step."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.world.recording import Recording
from poise.world.result import StepResult
from poise.world.world import World

Array = NDArray[np.float64]


CHUNK = 4096
"""Steps after which contact forces are put together."""


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
        self.contacts.append(_forces(result, len(self.torque) - 1, world.settings.step))
        if len(self.contacts) >= CHUNK:  # many small arrays take more memory than they hold
            self.contacts = [tuple(np.concatenate(column) for column in zip(*self.contacts, strict=True))]

    def finish(self, meta: dict[str, Any]) -> Recording:
        """The recording so far."""
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
            model_xml=self.world.scene.xml,
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


def _forces(result: StepResult, step: int, h: float) -> tuple[Any, ...]:
    """Step, body, other, point, normal, force, friction and kind of the contacts and grips that carry force."""
    used = np.flatnonzero(result.impulse.any(axis=1))
    frame = result.frame[used]
    force = np.einsum("cij,ci->cj", frame, result.impulse[used]) / h
    contacts, grips = len(used), len(result.grips)
    loose = (
        np.full(contacts, step),
        result.body[used],
        result.other[used],
        result.point[used],
        frame[:, 0],
        force,
        result.friction[used],
        np.zeros(contacts, np.int64),
    )
    if not grips:
        return loose
    pull = result.grip_impulse / h
    size = np.linalg.norm(pull, axis=1, keepdims=True)
    along = np.divide(pull, size, out=np.tile([0.0, 0.0, 1.0], (grips, 1)), where=size > 0)
    held = (
        np.full(grips, step),
        np.array([grip.body for grip in result.grips]),
        np.array([grip.other for grip in result.grips]),
        result.grip_point,
        along,
        pull,
        np.zeros(grips),
        np.ones(grips, np.int64),
    )
    return tuple(np.concatenate(pair) for pair in zip(loose, held, strict=True))
