"""Modal-space control [Jain2011]."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np

from poise.control.controller import Stage
from poise.control.modal.footholds import Footholds, Stride
from poise.control.modal.frames import Frames
from poise.control.modal.horizon import Ahead
from poise.control.modal.law import low_forces, planned_forces, rigid_error
from poise.control.modal.modes import ROOT, Modes, modes_at
from poise.dynamics import Actuation, State
from poise.reference import Reference
from poise.spatial import Array


@dataclass(frozen=True)
class ModalSettings:
    """How it controls. Weights are the paper's."""

    window: int = 12
    """Frames that are planned ahead."""
    threshold: float = 100.0
    """Modes whose squared frequency is below this are planned ahead, (rad/s)^2."""
    place: float = 0.1
    """W1 of places."""
    turn: float = 0.5
    """W1 of turns."""
    speed: float = 1.0
    """W2."""
    force: float = 0.1
    """W3."""
    low_place: float = 0.5
    """w4."""
    low_speed: float = 2.0
    """w5."""
    low_effort: float = 5e-3
    """W6."""
    capture: float = 0.3
    """Share of the capture point's error."""
    adapt: float = 0.3
    """Share of contact forces beyond the planned ones that fast modes make up for."""


class Modal:
    """Modal-space control."""

    name = "modal"
    needs_physics = True

    def __init__(self, settings: ModalSettings | None = None) -> None:
        self._settings = settings or ModalSettings()
        self.settings: dict[str, Any] = asdict(self._settings)

    def reset(self, world: Stage, reference: Reference) -> None:
        """Begin to look along the reference."""
        body, s, step = world.scene.body, self._settings, world.state.step
        self._model, self._body, self._reference = world.scene.model, body, reference
        self._nv, self._nq = body.nv, body.nq
        gravity = -float(self._model.opt.gravity[2])
        self.frames = Frames(body, reference, step)
        self._ahead = Ahead(self.frames, s.window, body.mass, gravity, step)
        self._stiffness = np.array([body.model.body_subtreemass[body.model.dof_bodyid[d]] for d in range(ROOT, body.nv)])
        self._scale = (step, body.mass, gravity)
        self._weights = np.array([s.place] * 3 + [s.turn] * 3 + [s.speed] * 6)
        self._effort = s.force * (gravity * step) ** 2
        self._low = (s.low_place, s.low_speed, s.low_effort)
        self._dual = np.zeros(12)
        self._away, self._goal = np.zeros(body.nv), np.zeros(body.nv)
        self._jacobian = np.zeros((3, self._model.nv))
        self.passes = [0]
        self.steps = Footholds(body, self.frames, step, gravity, Stride(capture=s.capture)) if s.capture >= 0 else None

    def target(self, time: float) -> Array:
        """The reference's pose."""
        return self._reference.at(time).qpos

    def act(self, state: State) -> Actuation:
        """Plan the window, and drive the modes for the coming step."""
        nv, step, data = self._nv, state.step, state.data
        index = round(state.time / step)
        here, then = self.frames.at(index), self.frames.at(index + 1)
        ahead = self._ahead.at(index)
        com, place, turn = data.subtree_com[1], data.xpos[1], data.xmat[1].reshape(3, 3)
        mass, qvel = np.ascontiguousarray(state.mass[:nv, :nv]), state.qvel[:nv]
        modes = Modes(*modes_at(mass, self._stiffness, com, place, turn))
        links = data.xmat[self.frames.link].reshape(-1, 3, 3)
        corner = data.xpos[self.frames.link] + np.einsum("cij,cj->ci", links, self.frames.local)
        shift, moved = np.zeros(3), np.zeros((len(corner), 3))
        now, next_ = here.qpos, then.qpos
        if self.steps is not None:
            c = state.contacts
            on = set(c.body[c.touching].tolist())
            vel = (mass[:3] @ qvel) / self._scale[1]
            self.steps.follow(index, com, vel, corner, [f in on for f in self.steps._feet])
            self.steps.shift_root(np.array([ahead.force[0, own, 2].sum() for own in self.steps._corners]))
            shift[:2] = self.steps.root
            moved = self.steps.moved()
            now, next_ = self.steps.edited(now), self.steps.edited(next_)
        mujoco.mj_differentiatePos(self._body.model, self._away, 1.0, now, state.qpos[: self._nq])
        mujoco.mj_differentiatePos(self._body.model, self._goal, 1.0, state.qpos[: self._nq], next_)
        error = rigid_error(com, place, turn, mass, qvel, self._away, modes, ahead, shift)
        forces, passes = planned_forces(
            ahead, error, corner, modes.inertia, self._weights, self._effort, self._scale, self._dual, shift, moved
        )
        self.passes.append(passes)
        weight = self._scale[1] * self._scale[2]
        reach = self._reach(modes, corner, ahead, data)
        count = int(np.searchsorted(modes.frequency, self._settings.threshold))
        rate = modes.lever.T @ (qvel[ROOT:] - here.qvel[ROOT:])
        off = modes.lever.T @ self._away[ROOT:]
        given = (ahead.force * weight).reshape(len(ahead.force), -1)
        planned = (forces * weight).reshape(len(forces), -1)
        pushed = step * (planned - given) @ reach
        bias = self._felt(modes, state.bias[:nv])
        drive = bias.copy()
        drive[:count] += modes.lever[:, :count].T @ (then.qvel - here.qvel)[ROOT:] / step - given[0] @ reach[:, :count]
        drive[:count] += low_forces(modes.frequency, count, off, rate, pushed, self._low, step)
        fast = modes.lever[:, count:]
        drive[count:] += (fast.T @ self._goal[ROOT:] / step - fast.T @ qvel[ROOT:]) / step - planned[0] @ reach[:, count:]
        torque = np.zeros(self._model.nv)
        torque[ROOT:nv] = modes.lever @ drive
        feedback = None
        if self._settings.adapt and len(state.contacts.gap):
            share = self._settings.adapt
            felt = self._felt(modes, state.contacts.jacobian[:, :nv].T)[count:]
            feedback = np.zeros((self._model.nv, felt.shape[1]))
            feedback[ROOT:nv] = -share / step * fast @ felt
            torque[ROOT:nv] += share * fast @ (planned[0] @ reach[:, count:])
        return Actuation(torque=torque, feedback=feedback)

    def _felt(self, modes: Modes, force: Array) -> Array:
        """Modal forces of generalised ones (nv, ...)."""
        return modes.shape.T @ (force[ROOT:] - modes.carried.T @ (modes.basis.T @ force[:ROOT]))

    def _reach(self, modes: Modes, corner: Array, ahead: Any, data: Any) -> Array:
        """(3 C, n) modal forces of contact forces at the points that bear in the window."""
        rows = np.zeros((3 * len(corner), self._nv))
        for c in np.flatnonzero(ahead.down.any(axis=0)):
            mujoco.mj_jac(self._model, data, self._jacobian, None, corner[c], int(self.frames.link[c]))
            rows[3 * c : 3 * c + 3] = self._jacobian[:, : self._nv]
        return self._felt(modes, rows.T).T
