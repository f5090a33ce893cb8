"""The recorder, which collects the states and forces of a run step by step."""

from collections import Counter
from math import hypot
from typing import Any

import numpy as np

from poise.arrays import Array, Ints
from poise.contact.problem import LcpStatus
from poise.kernel import kernel
from poise.world.recording import Recording
from poise.world.result import ContactForces, StepResult
from poise.world.scene import LOOK_AHEAD
from poise.world.world import World

CAPACITY = 1024  # Initial capacity, in contact forces
CONTACT, GRIP, SELF = range(3)  # Values of `contact_kind` in a recording; SELF is between links of one body

_NO_LINKS = np.zeros(0, np.int64)
_NO_CONTACTS = (_NO_LINKS, _NO_LINKS, np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros(0), np.zeros((0, 3)))
"""Body, other, point, frame, friction and impulse of no contacts."""


class Recorder:
    """Collects the states and forces of a world into a `Recording`."""

    def __init__(self, world: World, with_reference: bool) -> None:
        self.world = world
        self.time = [world.time]
        self.qpos = [world.qpos.copy()]
        self.qvel = [world.qvel.copy()]
        self.torque: list[Array] = []
        self.external: list[Array] = []
        self.limit_impulse: list[Array] = []
        self.forces = ContactLog(world.settings.step)
        self.reference: list[Array] | None = [] if with_reference else None
        self.look_ahead: list[float] = []  # (T,) m: look-ahead distance of each step
        self.solves: Counter[LcpStatus] = Counter()
        self.worst_residual = 0.0
        self.weakened = 0
        self.weak_motors = 0

    def track(self, qpos: Array) -> None:
        """Record the pose that is tracked at the present state."""
        if self.reference is not None:
            self.reference.append(qpos)

    def add(self, result: StepResult) -> None:
        """Record the step just made."""
        world = self.world
        self.time.append(world.time)
        self.qpos.append(world.qpos.copy())
        self.qvel.append(world.qvel.copy())
        self.forces.add(len(self.torque), result)
        self.torque.append(result.torque)
        self.external.append(result.external)
        self.limit_impulse.append(result.limit_impulse)
        self.look_ahead.append(result.looked_ahead)
        self.solves[result.solution.status] += 1
        self.worst_residual = max(self.worst_residual, result.solution.residual)
        self.weakened += result.feedback_kept < 1.0
        self.weak_motors += result.weakest < 1.0

    def cut(self, steps: int) -> None:
        """Keep only the first `steps` steps; the solver's worst residual and counts still include all steps."""
        del self.time[steps + 1 :], self.qpos[steps + 1 :], self.qvel[steps + 1 :]
        if self.reference is not None:
            del self.reference[steps + 1 :]
        for per_step in (self.torque, self.external, self.limit_impulse, self.look_ahead):
            del per_step[steps:]
        self.forces.cut(steps)

    def drop(self, steps: int) -> None:
        """Forget the first `steps` steps; the solver's worst residual and counts still include all steps."""
        per_state = (self.time, self.qpos, self.qvel, self.reference)
        for rows in (*per_state, self.torque, self.external, self.limit_impulse, self.look_ahead):
            if rows is not None:
                del rows[:steps]
        self.forces.drop(steps)

    def finish(self, meta: dict[str, Any]) -> Recording:
        """The recording so far. Its scene has margins of the look-ahead used, so that replays find every contact."""
        nv, reference, scene = self.world.model.nv, self.reference, self.world.scene
        met = max(self.look_ahead, default=self.world.look_ahead)
        solver = {
            **{status.name.lower(): self.solves[status] for status in LcpStatus},
            "worst_residual": self.worst_residual,
            "feedback_weakened": self.weakened,
            "motors_weakened": self.weak_motors,
        }
        assert reference is None or len(reference) == len(self.time), "one tracked pose per state"
        return Recording(
            model_xml=scene.xml if met <= LOOK_AHEAD else scene.described(met, self.world.look_ahead),
            time=np.array(self.time),
            qpos=np.array(self.qpos),
            qvel=np.array(self.qvel),
            torque=np.array(self.torque).reshape(-1, nv),
            external=np.array(self.external).reshape(-1, nv),
            limit_impulse=np.array(self.limit_impulse).reshape(-1, nv),
            **self.forces.columns(),
            reference_qpos=None if reference is None else np.array(reference),
            meta={**meta, "solver": solver},
        )


class ContactLog:
    """Log of the contacts and grips that carry force, as plain numbers."""

    def __init__(self, step: float) -> None:
        """`step` is the duration of a step, s."""
        self._h = step
        self._ids = np.empty((CAPACITY, 4), np.int64)  # step, body, other, kind
        self._values = np.empty((CAPACITY, 10))  # point, normal, force, friction
        self._count = 0
        _append_contacts(*_NO_CONTACTS, 0, step, CONTACT, 0, *self._tables)  # compiles the kernel before the first step

    def add(self, step: int, result: StepResult) -> None:
        """Append the forces of a step."""
        own = result.self_contacts
        outer = ContactForces(result.body, result.other, result.point, result.frame, result.friction, result.impulse)
        while self._count + len(outer.body) + len(own.body) + len(result.grips) > len(self._ids):
            self._ids, self._values = (np.concatenate([table, np.empty_like(table)]) for table in self._tables)
        for forces, kind in ((outer, CONTACT), (own, SELF)):
            if len(forces.body):
                self._count = _append_contacts(*forces, step, self._h, kind, self._count, *self._tables)
        pulls = zip(result.grips, result.grip_point.tolist(), result.grip_impulse.tolist(), strict=True)
        for grip, point, impulse in pulls:
            size = hypot(*impulse)
            way = [part / size for part in impulse] if size > 0 else [0.0, 0.0, 1.0]
            self._ids[self._count] = step, grip.body, grip.other, GRIP
            self._values[self._count] = *point, *way, *(part / self._h for part in impulse), 0.0
            self._count += 1

    def cut(self, steps: int) -> None:
        """Keep only the first `steps` steps."""
        self._count = int(np.searchsorted(self._ids[: self._count, 0], steps))

    def drop(self, steps: int) -> None:
        """Forget the first `steps` steps, and count the others from 0."""
        first = int(np.searchsorted(self._ids[: self._count, 0], steps))
        self._count -= first
        for table in self._tables:
            table[: self._count] = table[first : first + self._count].copy()
        self._ids[: self._count, 0] -= steps

    @property
    def _tables(self) -> tuple[Ints, Array]:
        return self._ids, self._values

    def columns(self) -> dict[str, Any]:
        """The `contact_...` arrays of a `Recording`: all forces so far, in the order of their steps."""
        ids = self._ids[: self._count].T.copy()
        *vectors, friction = np.split(self._values[: self._count], [3, 6, 9], axis=1)
        values = (*ids, *(vector.copy() for vector in vectors), friction.ravel())
        names = ("step", "body", "other", "kind", "point", "normal", "force", "friction")
        return {f"contact_{name}": value for name, value in zip(names, values, strict=True)}


@kernel
def _append_contacts(
    body: Ints, other: Ints, point: Array, frame: Array, friction: Array, impulse: Array,
    step: int, h: float, kind: int, count: int, ids: Ints, values: Array,
) -> int:  # fmt: skip
    """Append the contacts that carry force from row `count` on; returns the new number of rows."""
    for c in range(body.shape[0]):
        if impulse[c, 0] == 0.0 and impulse[c, 1] == 0.0 and impulse[c, 2] == 0.0:
            continue
        ids[count, 0], ids[count, 1], ids[count, 2], ids[count, 3] = step, body[c], other[c], kind
        for i in range(3):
            values[count, i] = point[c, i]
            values[count, 3 + i] = frame[c, 0, i]
            along = frame[c, 0, i] * impulse[c, 0] + frame[c, 1, i] * impulse[c, 1] + frame[c, 2, i] * impulse[c, 2]
            values[count, 6 + i] = along / h
        values[count, 9] = friction[c]
        count += 1
    return count
