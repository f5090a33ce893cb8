"""Modal-space control for articulated characters [Jain2011]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.controller import ResetFirst, Stage
from poise.control.modal import ENTRY
from poise.control.modal.footholds import FootholdOffsets
from poise.control.modal.frames import CarriedMass, Frames, Laden, Whole, points
from poise.control.modal.horizon import Ahead, Horizon
from poise.control.modal.law import low_forces, planned_forces, rigid_error
from poise.control.modal.modes import (
    ROOT,
    Modes,
    fitting_window,
    jacobians,
    modal_forces,
    modes_at,
    moved_by,
    usual_stiffness,
)
from poise.control.modal.planted import Planted, curves, giving_way, rigid_acceleration
from poise.control.modal.settings import ModalSettings
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.reference.reference import Reference

# Who is pushed notices it late [Jain2011] section 6: until then it plans from where it believes to be.


class ModalError(NamedTuple):
    """How far the body is from the reference."""

    rigid: Array  # (12,) places and turns of the rigid modes, then their rates
    joints: Array  # (n,) rad
    speeds: Array  # (n,) rad/s


class Reaction:
    """Errors as they are believed: the present ones, or for a while after a push those that there were before it.

    In the paper's own form a pushed body believes itself in the reference's very state: without any error. That is a
    push by itself for one that is not, and a share of 0 is it.
    """

    def __init__(self, latency: float, share: float) -> None:
        """`latency` in s, `share` of the errors before the push that is believed in."""
        self._latency, self._share = latency, share
        self._noticed: list[float] = []  # s at which pushes will be
        self._kept: ModalError | None = None

    def startle(self, time: float) -> None:
        """A push begins to act."""
        if self._latency:
            self._noticed.append(time + self._latency)

    def dazed(self, time: float) -> bool:
        """Whether a push has begun that is not noticed yet at a time, s."""
        return any(time < noticed - 1e-9 for noticed in self._noticed)

    def believed(self, time: float, errors: ModalError) -> ModalError:
        """Of the errors that there are at a time, s; when a push is noticed, those of that time."""
        coming = [noticed for noticed in self._noticed if time < noticed - 1e-9]
        if len(coming) < len(self._noticed):
            self._kept = None
        self._noticed = coming
        if not coming:
            return errors
        if self._kept is None:
            self._kept = ModalError(*(self._share * error for error in errors))
        return self._kept


class BodyView(NamedTuple):
    """The body as it is."""

    whole: Whole
    place: Array  # (3,) m, of the root
    turn: Array  # (3, 3) of the root
    mass: Array  # (nv, nv) with what it carries
    bias: Array  # (nv,) forces, likewise
    qvel: Array  # (nv,)
    corner: Array  # (C, 3) m: points that may bear


class Off(NamedTuple):
    """How far the body is from the reference, which goes on from where its feet stand."""

    rigid: Array  # (12,) places and turns of the rigid modes, then their rates
    slow: Array  # (n,) places of the deformations
    rate: Array  # (n,) their speeds
    pull: Array  # (n,) accelerations that the reference has
    lacking: Array  # (n,) speeds that lack to where the reference has them next
    shift: Array  # (3,) m: of the reference's body
    moved: Array  # (C, 3) m: of its points that may bear


class Modal(ResetFirst):
    """Plans contact forces and slow deformations a window ahead, and drives fast ones to where they are due next.

    Deviations from the paper, with their reasons and measurements, are in docs/modal.md.
    """

    name = "modal"
    entry = ENTRY

    def __init__(
        self,
        settings: ModalSettings | None = None,
        loads: Sequence[CarriedMass] = (),
        stiffness: Callable[[Body], Array] = usual_stiffness,
    ) -> None:
        """`loads` are what it knows that it will carry; `stiffness` (n,) N m/rad is that of a body's joints."""
        self._loads, self._stiffness_of = tuple(loads), stiffness
        self._settings = settings or ModalSettings()
        self.settings: dict[str, Any] = asdict(self._settings)

    def reset(self, world: Stage, reference: Reference) -> None:
        """Begin to look along the reference."""
        body, s, step = world.scene.body, self._settings, world.state.step
        model = world.scene.model
        gravity = -float(model.opt.gravity[2])
        self._model, self._body = model, body
        self._frames = Frames(body, reference, step, self._loads)
        self.window = s.window or fitting_window(reference, step)
        self._laden = Laden(model, body.nv, self._frames)
        self._friction = float(model.geom_friction[0, 0])  # that of all surfaces
        ground = world.scene.terrain
        self._ahead = Ahead(self._frames, self.window, body.mass, gravity, step, self._friction, ground)
        self._stiffness = _checked(self._stiffness_of(body), body)
        self._scale = (step, gravity)
        self._weights = np.array([s.place] * 3 + [s.turn] * 3 + [s.speed] * 6)
        self._effort = s.force * (gravity * step) ** 2  # the paper's weighs the change of velocity by a force
        self._slow = (s.low_place, s.low_speed, s.low_effort)
        self._moves = moved_by(model, body.nv)
        self._jacobian, self._moving, self._turning = (np.zeros((3, model.nv)) for _ in range(3))
        self._begin(world)
        self.act(world.state)  # compiles it, before time counts
        self._begin(world)

    def _begin(self, world: Stage) -> None:
        """Nothing was planned yet, no foot has moved and nobody was pushed."""
        s, (step, gravity) = self._settings, self._scale
        self._due = self.target(world.state.time)  # where the body should be now
        self._footholds = FootholdOffsets(self._body, world.scene.terrain, self._frames, step, gravity, s.capture)
        self._dual = np.zeros(12)
        self._reaction = Reaction(s.latency, s.believed)

    def startle(self, time: float) -> None:
        """A push begins at a time, s, which will be noticed later."""
        self._reaction.startle(time)

    def dazed(self, time: float) -> bool:
        """Whether a push has begun that is not noticed yet at a time, s."""
        return self._reaction.dazed(time)

    def target(self, time: float) -> Array:
        """The reference's pose."""
        return self._frames.at(round(time / self._scale[0])).qpos

    def act(self, state: State) -> Actuation:
        """Plan the window, and drive the modes for the coming step."""
        index = round(state.time / state.step)
        ahead, view = self._ahead.at(index), self._seen(index, state)
        modes, slow = self._split(self._analysed(view))
        off = self._off(index, state, view, modes, ahead)
        forces = self._planned_forces(ahead, off, view)
        reach = self._reach(modes, view.corner, ahead, state.data)
        weight = view.whole.mass * self._scale[1]
        meant = weight * ahead.force.reshape(len(ahead.force), -1) @ reach  # (window, n) modal forces of contacts
        planned = weight * forces.reshape(len(forces), -1) @ reach
        resting = modal_forces(modes, view.bias)  # what bias takes to be borne
        drive = resting.copy()
        drive[:slow] += self._slow_drive(modes, off, planned - meant, slow) - meant[0, :slow]
        drive[slow:] += off.lacking[slow:] / state.step - planned[0, slow:]
        bend = drive + planned[0] - resting
        drive[:slow] += self._giving_way(modes, slow, bend, weight * forces[0], view, ahead, state)
        return self._given(modes, drive, slow, planned[0], state)

    def _analysed(self, view: BodyView) -> Modes:
        return Modes(*modes_at(view.mass, self._stiffness, view.whole.com, view.place, view.turn))

    def _split(self, modes: Modes) -> tuple[Modes, int]:
        """Modes with the slow ones first, which are planned ahead, and how many these are."""
        return modes, int(np.searchsorted(modes.frequency, self._settings.threshold))

    def _planned_forces(self, ahead: Horizon, off: Off, view: BodyView) -> Array:
        """(window, C, 3) contact forces in weights."""
        forces, _ = planned_forces(
            ahead,
            off.rigid,
            view.corner,
            view.whole,
            self._weights,
            self._effort,
            self._scale,
            self._frames.held,
            self._friction,
            self._dual,
            off.shift,
            off.moved,
        )
        return np.asarray(forces)

    def _giving_way(
        self,
        modes: Modes,
        slow: int,
        bend: Array,
        force: Array,
        view: BodyView,
        ahead: Horizon,
        state: State,
    ) -> Array:
        """(slow,) modal forces that keep planted what bears, beside accelerations (n,) and contact forces (C, 3)."""
        bears = self._bearing(state, ahead.down[0], view.qvel)
        if bears is None or not slow:
            return np.zeros(slow)
        rigid = rigid_acceleration(view.bias, force, view.corner, view.place, view.turn, view.mass, modes.basis)
        return np.asarray(giving_way(modes, slow, rigid, bend, bears.rows, bears.curve, self._settings.soft))

    def _bearing(self, state: State, down: Array, qvel: Array) -> Planted | None:
        """What touches the ground and should."""
        contacts, data, nv = state.contacts, state.data, self._body.nv
        bears = np.zeros(self._model.nbody, bool)
        bears[self._frames.link[down]] = True
        chosen = np.flatnonzero(contacts.touching & bears[contacts.body])
        if not len(chosen):
            return None
        curve, point, frame = np.zeros(3 * len(chosen)), contacts.point[chosen], contacts.frame[chosen]
        for link in set(contacts.body[chosen].tolist()):
            mujoco.mj_jacDot(self._model, data, self._moving, self._turning, data.xpos[link], link)
            mujoco.mj_jacBody(self._model, data, None, self._jacobian, link)
            own = contacts.body[chosen] == link
            curves(self._moving, self._turning, self._jacobian, qvel, data.xpos[link], point, frame, own, curve)
        rows = contacts.jacobian.reshape(-1, 3, self._model.nv)[chosen, :, :nv].reshape(-1, nv)
        return Planted(np.ascontiguousarray(rows), curve)

    def _seen(self, index: int, state: State) -> BodyView:
        data, frames = state.data, self._frames
        here = frames.at(index)
        mass, bias = self._laden.terms(state, here)
        whole = self._laden.whole(state, here, frames.at(index + self.window).borne)
        corner = points(data, frames.link, frames.local)
        turn = data.xmat[1].reshape(3, 3)
        return BodyView(whole, data.xpos[1], turn, mass, bias, state.qvel[: self._body.nv], corner)

    def _off(self, index: int, state: State, view: BodyView, modes: Modes, ahead: Horizon) -> Off:
        """Against the reference as footholds edit it."""
        here, then, steps, nv = self._frames.at(index), self._frames.at(index + 1), self._footholds, self._body.nv
        before = steps.root.copy()
        qpos, away, goal = state.qpos[: self._body.nq], np.zeros(nv), np.zeros(nv)
        mujoco.mj_differentiatePos(self._body.model, away, 1.0, self._due, qpos)
        rigid = rigid_error(view.whole, view.place, view.turn, view.mass, view.qvel, away, ahead, before)
        errors = ModalError(rigid, away[ROOT:], (view.qvel - here.qvel)[ROOT:])
        believed = self._reaction.believed(state.time, errors)
        steps.follow(index, believed.rigid, view.corner, state.contacts, ahead.force[0])
        rigid = believed.rigid.copy()
        rigid[:3] -= steps.root - before
        self._due = steps.edited(then.qpos)
        mujoco.mj_differentiatePos(self._body.model, goal, 1.0, qpos, self._due)
        pull = (then.qvel - here.qvel)[ROOT:] / state.step
        lacking = goal[ROOT:] / state.step - view.qvel[ROOT:]
        told = np.column_stack([believed.joints, believed.speeds, pull, lacking])
        slow, rate, pulled, lack = (modes.lever.T @ told).T
        return Off(rigid, slow, rate, pulled, lack, steps.root.copy(), steps.moved())

    def _slow_drive(self, modes: Modes, off: Off, pushed: Array, slow: int) -> Array:
        """(slow,) modal forces: what accelerates as the reference does, springs to it, and the window's plan."""
        step = self._scale[0]
        wanted = low_forces(modes.frequency, slow, off.slow, off.rate, step * pushed, self._slow, step)
        return np.asarray(off.pull[:slow] + wanted)

    def _reach(self, modes: Modes, corner: Array, ahead: Horizon, data: Any) -> Array:
        """(3 C, n) modal forces of contact forces at the points that bear in the window."""
        bears = ahead.down.any(axis=0)
        rows = jacobians(corner, self._frames.link, bears, self._moves, data.cdof, data.subtree_com[1])
        return modal_forces(modes, np.asarray(rows).T).T

    def _given(self, modes: Modes, drive: Array, slow: int, planned: Array, state: State) -> Actuation:
        """Torques of modal forces; fast modes make up for some of the contact forces that were not planned."""
        nv, share = self._body.nv, self._settings.adapt
        torque, fast = np.zeros(self._model.nv), modes.lever[:, slow:]
        torque[ROOT:nv] = modes.lever @ drive
        if not share or not len(state.contacts.gap):
            return Actuation(torque=torque)
        torque[ROOT:nv] += share * fast @ planned[slow:]
        feedback = np.zeros((self._model.nv, len(state.contacts.jacobian)))
        feedback[ROOT:nv] = -share / state.step * fast @ modal_forces(modes, state.contacts.jacobian[:, :nv].T)[slow:]
        return Actuation(torque=torque, feedback=feedback)


def _checked(stiffness: Array, body: Body) -> Array:
    """(n,) N m/rad: one for each angle, more than 0."""
    found = np.array(stiffness, float)
    if found.shape != (body.nv - ROOT,) or not np.all(np.isfinite(found) & (found > 0)):
        raise PoiseError(f"modal: stiffness must be {body.nv - ROOT} numbers of more than 0, one for each joint angle")
    return found
