"""Modal-space control for articulated characters [Jain2011]: the controller."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import cos
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array, Mask
from poise.body.body import Body
from poise.body.link_kinematics import links_moved_by_dofs
from poise.control.controller import ResetFirst, WorldView
from poise.control.modal import ENTRY
from poise.control.modal.footholds import ModalFootholds
from poise.control.modal.frames import CarriedMass, ModalLoads, ModalWindowFrames, link_points_in_world
from poise.control.modal.horizon import Horizon, ModalHorizon, fitting_modal_window
from poise.control.modal.law import (
    ModalDeviation,
    ModalState,
    low_frequency_modal_forces,
    plan_window_forces,
    rigid_mode_error,
)
from poise.control.modal.modes import (
    ROOT,
    Modes,
    firm_foot_gains,
    modal_forces,
    modal_stiffness,
    modes_at,
    planted_point_drift_of_modes,
    planted_point_jacobian_of_modes,
    rigid_mode_acceleration,
    yielding_modes,
)
from poise.dynamics.actuation import Actuation, Motors
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.reference.reference import Reference
from poise.rotations import quat_rotate

LARGEST = 1e6  # Largest value of any setting but the window
LONGEST_WINDOW = 240  # Longest window, frames
LOST_TILT, LOST_DROP = 0.8, 1 / 3
"""The body has fallen if its root leans away from the reference's by this (rad), or if its centre of mass has dropped
by this share of its distance from the farthest contact point at the start."""
YIELDING = 2.0  # Damping of a joint after a fall, as a multiple (s) of its stiffness


@dataclass(frozen=True)
class ModalSettings:
    """Settings of `Modal`. W1 to W6 are symbols of [Jain2011]; docs/modal-method.md lists the paper's values."""

    window: int = 12
    """Frames of the planning window; 0 chooses a number that fits the motion."""
    threshold: float = 100.0
    """Squared natural frequency, (rad/s)^2, below which a mode is a low-frequency mode, planned over the window."""
    place: float = 3.0
    """W1: weight of the position error of the rigid body modes at the end of the window."""
    turn: float = 60.0
    """W1: weight of the orientation error of the rigid body modes at the end of the window."""
    speed: float = 1.0
    """W2: weight of the velocity errors of the rigid body modes at the end of the window."""
    force: float = 0.3
    """W3: weight of contact forces, here of their difference from the reference's contact forces."""
    low_place: float = 5.0
    """w4: weight of the position errors of low-frequency modes at the end of the window."""
    low_speed: float = 2.0
    """w5: weight of the velocity errors of low-frequency modes at the end of the window."""
    low_effort: float = 5e-3
    """W6: weight of the actuation of low-frequency modes."""
    adapt: float = 0.0
    """Share of unplanned contact forces that high-frequency modes compensate, Eq. (28); 1 in the paper."""
    capture: float = 0.3
    """Share of the capture point's error by which the next foothold is moved; 0 keeps the reference's footholds."""
    latency: float = 0.2
    """Time (s) from the beginning of a push until the controller reacts to it."""
    believed: float = 1.0
    """Until the controller reacts to a push, it plans with this share of the errors before the push; 0 in the paper."""
    soft: float = 0.03
    """Weight (m^2/kg) of changing low-frequency modes to keep planted points at rest; a lower weight is firmer."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            most = LONGEST_WINDOW if name == "window" else LARGEST
            if not 0 <= value <= most:
                raise PoiseError(f"modal: {name} {value} must be at least 0 and at most {most:g}")
        for name in ("place", "turn", "speed", "force", "low_place", "low_speed", "low_effort"):
            if getattr(self, name) == 0:
                raise PoiseError(f"modal: {name} must be more than 0")


class Modal(ResetFirst):
    """Plans contact forces and slow modes over a window, fast modes to the next pose; docs/modal-method.md."""

    name = "modal"
    entry = ENTRY

    def __init__(
        self,
        settings: ModalSettings | None = None,
        loads: Sequence[CarriedMass] = (),
        stiffness: Callable[[Body], Array] = modal_stiffness,
    ) -> None:
        """The body will carry `loads`; `stiffness(body)` gives the stiffness (n,) N m/rad of the body's joints."""
        self._loads, self._stiffness_of = tuple(loads), stiffness
        self._settings = settings or ModalSettings()
        self.settings: dict[str, Any] = asdict(self._settings)

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare to perform a reference from its start; compile the kernels."""
        body, model, s, step = world.scene.body, world.scene.model, self._settings, world.state.step
        gravity = -float(model.opt.gravity[2])
        self._model, self._body = model, body
        self._frames = ModalWindowFrames(body, reference, step, self._loads)
        self.window = s.window or fitting_modal_window(reference, step)
        self._loaded = ModalLoads(model, body.nv, self._frames)
        self._friction = float(model.geom_friction[0, 0])  # the same on all surfaces
        ground = world.scene.terrain
        self._horizon = ModalHorizon(self._frames, self.window, body.mass, gravity, step, self._friction, ground)
        self._stiffness, count = np.array(self._stiffness_of(body), float), body.nv - ROOT
        if self._stiffness.shape != (count,) or not np.all(np.isfinite(self._stiffness) & (self._stiffness > 0)):
            raise PoiseError(f"modal: stiffness must be {count} numbers of more than 0, one for each joint angle")
        self._firm = np.zeros(model.nv)
        self._firm[ROOT : body.nv] = firm_foot_gains(body)
        start = self._frames.at(0)
        self._drop = LOST_DROP * float(np.linalg.norm(start.corner - start.com, axis=1).max(initial=0.0))
        self._yielding = Motors(np.zeros(model.nv), np.zeros(model.nv))
        self._yielding.gain[ROOT : body.nv] = YIELDING * self._stiffness
        self._scale = (step, gravity)
        self._weights = np.array([s.place] * 3 + [s.turn] * 3 + [s.speed] * 6)
        self._effort = s.force * (gravity * step) ** 2  # W3 weighs the velocity change that a force makes in a step
        self._low_weights = (s.low_place, s.low_speed, s.low_effort)
        self._moves = links_moved_by_dofs(model)[:, : body.nv] > 0
        self._link_rows = (np.zeros((3, model.nv)), np.zeros((3, model.nv)), np.zeros((3, model.nv)))
        self._begin(world)
        self.act(world.state)  # compiles the kernels before the first timed step
        self._begin(world)

    def _begin(self, world: WorldView) -> None:
        """Clear the plan, the foothold offsets and the pushes."""
        s, (step, gravity) = self._settings, self._scale
        self._due = self.target(world.state.time)  # (nq,) the pose that is tracked now, as the footholds edit it
        self._footholds = ModalFootholds(self._body, world.scene.terrain, self._frames, step, gravity, s.capture)
        self._dual = np.zeros(12)
        self._reaction = ModalPushReaction(s.latency, s.believed)
        self._fallen = False

    def note_push(self, time: float) -> None:
        """Note that a push begins at a time (s); the controller reacts after the time `latency`."""
        self._reaction.note_push(time)

    def is_unaware(self, time: float) -> bool:
        """Whether a push has begun to which the controller does not react yet at a time (s)."""
        return self._reaction.is_unaware(time)

    def target(self, time: float) -> Array:
        """(nq,) the reference's pose at a time (s)."""
        return self._frames.at(round(time / self._scale[0])).qpos

    def act(self, state: State) -> Actuation:
        """Plan the window, and drive all modes for the coming step; damp the joints once the body has fallen."""
        index = round(state.time / state.step)
        ahead, view = self._horizon.at(index), self._view(index, state)
        self._fallen = self._fallen or self._falls(state, view.total.com, ahead.com[0])
        if self._fallen:  # the plan is made for small errors: it would throw the limbs about
            return Actuation(motors=self._yielding)
        modes, slow = self._split(self._modes(view))
        deviation = self._deviation(index, state, view, modes, ahead)
        forces = self._planned_forces(ahead, deviation, view)
        effect = self._contact_effect(modes, view.corner, ahead, state.data)
        weight = view.total.mass * self._scale[1]
        # (window, n) modal forces of the reference's and of the planned contact forces
        expected = weight * ahead.force.reshape(len(ahead.force), -1) @ effect
        planned = weight * forces.reshape(len(forces), -1) @ effect
        resting = modal_forces(modes, view.bias)  # balances the bias forces
        drive = resting.copy()
        drive[:slow] += self._slow_drive(modes, deviation, planned - expected, slow) - expected[0, :slow]
        drive[slow:] += deviation.velocity_change[slow:] / state.step - planned[0, slow:]
        bend = drive + planned[0] - resting
        drive[:slow] += self._giving_way(modes, slow, bend, weight * forces[0], view, ahead, state)
        return self._actuation(modes, drive, slow, planned[0], state)

    def _falls(self, state: State, com: Array, wanted: Array) -> bool:
        """Whether the body is too far from the reference, whose centre of mass is `wanted` (3,) m, to return to it."""
        upright = [quat_rotate(qpos[3:7], (0.0, 0.0, 1.0)) for qpos in (state.qpos, self._due)]
        drop = wanted[2] + self._footholds.root[2] - com[2]
        return bool(upright[0] @ upright[1] < cos(LOST_TILT) or drop > self._drop)

    def _modes(self, view: ModalState) -> Modes:
        return Modes(*modes_at(view.mass, self._stiffness, view.total.com, view.place, view.turn))

    def _split(self, modes: Modes) -> tuple[Modes, int]:
        """Modes with the low-frequency modes first, and the number of low-frequency modes."""
        return modes, int(np.searchsorted(modes.frequency, self._settings.threshold))

    def _view(self, index: int, state: State) -> ModalState:
        """The body in its present state, with the loads of frame `index`."""
        data, frames = state.data, self._frames
        here = frames.at(index)
        mass, bias = self._loaded.equation_terms(state, here)
        total = self._loaded.composite_inertia(state, here, frames.at(index + self.window).load_mass)
        corner = link_points_in_world(data.xpos, data.xmat, frames.link, frames.local)
        turn = data.xmat[1].reshape(3, 3)
        return ModalState(total, data.xpos[1], turn, mass, bias, state.qvel[: self._body.nv], corner)

    def _deviation(self, index: int, state: State, view: ModalState, modes: Modes, ahead: Horizon) -> ModalDeviation:
        """Update the footholds; return the deviation of the body from the reference as edited by the footholds."""
        here, then, steps, nv = self._frames.at(index), self._frames.at(index + 1), self._footholds, self._body.nv
        before = steps.root.copy()
        qpos, away, goal = state.qpos[: self._body.nq], np.zeros(nv), np.zeros(nv)
        mujoco.mj_differentiatePos(self._body.model, away, 1.0, self._due, qpos)
        rigid = rigid_mode_error(view, away, ahead, before)
        errors = ModalError(rigid, away[ROOT:], (view.qvel - here.qvel)[ROOT:])
        perceived = self._reaction.perceived(state.time, errors)
        steps.update(index, perceived.rigid, view.corner, state.contacts, ahead.force[0])
        rigid = perceived.rigid.copy()
        rigid[:3] -= steps.root - before
        self._due = steps.edited_pose(then.qpos)
        mujoco.mj_differentiatePos(self._body.model, goal, 1.0, qpos, self._due)
        acceleration = (then.qvel - here.qvel)[ROOT:] / state.step
        velocity_change = goal[ROOT:] / state.step - view.qvel[ROOT:]
        joints = np.column_stack([perceived.joints, perceived.speeds, acceleration, velocity_change])
        position, velocity, acceleration, velocity_change = (modes.lever.T @ joints).T
        shift, moved = steps.root.copy(), steps.corner_offsets()
        return ModalDeviation(rigid, position, velocity, acceleration, velocity_change, shift, moved)

    def _planned_forces(self, ahead: Horizon, deviation: ModalDeviation, view: ModalState) -> Array:
        """(window, C, 3) planned contact forces in weights; keeps the dual solution as the first guess of next time."""
        costs, cones = (self._weights, self._effort, self._scale), (self._frames.held, self._friction)
        return plan_window_forces(ahead, deviation, view, *costs, *cones, self._dual)

    def _contact_effect(self, modes: Modes, corner: Array, ahead: Horizon, data: mujoco.MjData) -> Array:
        """(3 C, n) modal forces by unit forces at the contact points; zero for points that never bear in the window."""
        bears = np.any(ahead.down, axis=0)
        link, com = self._frames.link, data.subtree_com[1]
        rows = planted_point_jacobian_of_modes(corner, link, bears, self._moves, data.cdof, com)
        return modal_forces(modes, rows.T).T

    def _slow_drive(self, modes: Modes, deviation: ModalDeviation, pushed: Array, slow: int) -> Array:
        """(slow,) modal forces on low-frequency modes: reference's accelerations, springs, and plan for the window."""
        step, position, velocity = self._scale[0], deviation.position, deviation.velocity
        weights, pushed = self._low_weights, step * pushed
        wanted = low_frequency_modal_forces(modes.frequency, slow, position, velocity, pushed, weights, step)
        return np.asarray(deviation.acceleration[:slow] + wanted)

    def _giving_way(
        self, modes: Modes, slow: int, bend: Array, force: Array, view: ModalState, ahead: Horizon, state: State
    ) -> Array:
        """(slow,) modal forces that keep planted points at rest, given planned accelerations `bend` (n,) of the
        deformations and contact forces (C, 3) N."""
        rows, drift = self._planted_points(state, ahead.down[0], view.qvel)
        if not len(rows) or not slow:
            return np.zeros(slow)
        rigid = rigid_mode_acceleration(view.bias, force, view.corner, view.place, view.turn, view.mass, modes.basis)
        return yielding_modes(modes, slow, rigid, bend, rows, drift, self._settings.soft)

    def _planted_points(self, state: State, down: Mask, qvel: Array) -> tuple[Array, Array]:
        """Jacobian (3 c, nv) and drift (3 c,) m/s^2 of contacts that touch, on links that bear in the reference."""
        contacts, data, nv = state.contacts, state.data, self._body.nv
        bears = np.zeros(self._model.nbody, bool)
        bears[self._frames.link[down]] = True
        chosen = np.flatnonzero(contacts.touching & bears[contacts.body])
        drift, point, frame = np.zeros(3 * len(chosen)), contacts.point[chosen], contacts.frame[chosen]
        for link in set(contacts.body[chosen].tolist()):
            place = data.xpos[link]
            mujoco.mj_jacDot(self._model, data, *self._link_rows[:2], place, link)
            mujoco.mj_jacBody(self._model, data, None, self._link_rows[2], link)
            own = contacts.body[chosen] == link
            planted_point_drift_of_modes(self._link_rows, qvel, place, point, frame, own, drift)
        rows = contacts.jacobian.reshape(-1, 3, self._model.nv)[chosen, :, :nv].reshape(-1, nv)
        return np.ascontiguousarray(rows), drift

    def _actuation(self, modes: Modes, drive: Array, slow: int, planned: Array, state: State) -> Actuation:
        """Torques of the modal forces `drive` (n,), and feedback by which fast modes compensate unplanned contacts."""
        nv, share = self._body.nv, self._settings.adapt
        torque, fast = np.zeros(self._model.nv), modes.lever[:, slow:]
        torque[ROOT:nv] = modes.lever @ drive
        motors = self._foot_motors(state)
        if not share or not len(state.contacts.gap):
            return Actuation(torque=torque, motors=motors)
        torque[ROOT:nv] += share * fast @ planned[slow:]
        feedback = np.zeros((self._model.nv, len(state.contacts.jacobian)))
        feedback[ROOT:nv] = -share / state.step * fast @ modal_forces(modes, state.contacts.jacobian[:, :nv].T)[slow:]
        return Actuation(torque=torque, feedback=feedback, motors=motors)

    def _foot_motors(self, state: State) -> Motors | None:
        """Motors that bring soft feet to the next pose within the step, whatever forces act on them."""
        if not self._firm.any():
            return None
        nq, nv = self._body.nq, self._body.nv
        way, velocity = np.zeros(nv), np.zeros(self._model.nv)
        mujoco.mj_differentiatePos(self._body.model, way, state.step, state.qpos[:nq], self._due)
        velocity[:nv] = way
        return Motors(velocity, self._firm)


class ModalError(NamedTuple):
    """Errors of the body against the reference."""

    rigid: Array  # (12,) position and orientation of the rigid body modes, then their velocities
    joints: Array  # (n,) rad, joint angles
    speeds: Array  # (n,) rad/s, joint velocities


class ModalPushReaction:
    """Delays the reaction to pushes [Jain2011] section 6: until then, the errors from before the push are used.

    The paper uses the reference's own state until the reaction. A `share` of 0 does the same. If the body was not
    exactly on the reference, this change of state acts like another push.
    """

    def __init__(self, latency: float, share: float) -> None:
        """The reaction begins `latency` (s) after a push; until then, errors before the push count times `share`."""
        self._latency, self._share = latency, share
        self._reactions: list[float] = []  # s: times at which the reactions to pushes begin
        self._kept: ModalError | None = None

    def note_push(self, time: float) -> None:
        """Note that a push begins at a time (s)."""
        if self._latency:
            self._reactions.append(time + self._latency)

    def is_unaware(self, time: float) -> bool:
        """Whether, at a time (s), the reaction to a push has not begun yet."""
        return any(time < reaction - 1e-9 for reaction in self._reactions)

    def perceived(self, time: float, errors: ModalError) -> ModalError:
        """The errors to react to at a time (s); while a reaction is pending, those before the push, times `share`."""
        coming = [reaction for reaction in self._reactions if time < reaction - 1e-9]
        if len(coming) < len(self._reactions):
            self._kept = None
        self._reactions = coming
        if not coming:
            return errors
        if self._kept is None:
            self._kept = ModalError(*(self._share * error for error in errors))
        return self._kept
