"""The simulator: a state, a step, a contact solver.

One step of duration h, velocity first:

1. at (q, v): terms, contact candidates and their rows (`_prepare_step`);
2. v+ from  M~ v+ = M v + h (tau - bias + external) + J' x  with the contact problem in x (`StepSolver`);
3. momenta of floating trees: the old ones plus the impulses of gravity, contacts and external forces;
4. q+ = q (+) h v+, roots shifted so that each centre of mass moves with its momentum;
5. root velocities set so that the momenta at q+ are exact; otherwise a somersault loses a tenth of its spin.
"""

import copy

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.contact.assembly import assemble_contact_problem, solve_free_motion
from poise.contact.joint_limits import write_limit_rows
from poise.contact.rows import impact_speed, write_com_drift
from poise.contact.solver import compile_contact_solvers
from poise.dynamics.actuation import PASSIVE, Actuation, Motors
from poise.dynamics.mechanism import DynamicsTerms, mechanism_of
from poise.dynamics.momentum import integrate_pose_and_momentum, restore_momentum
from poise.dynamics.state import Contacts, State
from poise.dynamics.workspace import CONTACTS, GRIP_ROWS, Workspace
from poise.errors import PoiseError
from poise.world.candidates import ContactCandidates
from poise.world.contact_trial import ContactTrial
from poise.world.grips import Grip, grip_columns, make_grip, write_grip_rows
from poise.world.result import BlowUp, ContactForces, Snapshot, StepResult
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.step_solver import NO_FEEDBACK, SolvedStep, StepDiverged, StepSolver

NO_GRIPS = np.zeros((0, 3))
NO_LINKS = np.zeros(0, np.int64)

LIMIT_REACH = np.pi  # Distance (rad) to a joint limit within which the limit gets a row; a blow can close it in a step


class World:
    """A scene that is simulated step by step."""

    def __init__(self, scene: Scene, settings: WorldSettings | None = None) -> None:
        self.scene = scene
        self.settings = settings or WorldSettings()
        self.model = copy.copy(scene.model)
        self._candidates = ContactCandidates(self.model, self.settings.step, scene.self_pairs)
        if np.any(self.model.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE):
            raise PoiseError("slide joints are not simulated; use hinges, balls and a free root")
        if np.any(self.model.jnt_stiffness):
            raise PoiseError("joint springs (stiffness) are not simulated; apply them by a controller")
        lower = scene.per_dof([body.lower for body in scene.bodies], -np.inf)
        upper = scene.per_dof([body.upper for body in scene.bodies], np.inf)
        self.torque_limit = scene.per_dof([body.torque_limit for body in scene.bodies], 0.0)
        self.mechanism = mechanism_of(self.model, lower, upper)
        self.terms = DynamicsTerms(self.model)
        self.qpos: Array = self.terms.data.qpos
        self.qvel: Array = self.terms.data.qvel
        s = self.settings
        numbers = np.array([s.step, s.touch, s.recovery, s.compliance, s.fastest])
        self._work = Workspace(self.terms, self.mechanism, self.torque_limit, numbers)
        self._joint_dofs = np.setdiff1d(np.arange(self.model.nv), self.mechanism.floating_dofs)
        self._braced = False
        self._contacts: Contacts | None = None
        trial = ContactTrial(self.terms, self.mechanism, self._candidates, s.step, s.recovery)
        self._solver = StepSolver(s, self.terms, self._work, self._candidates, trial, self._write_rows)
        self.reset(self.model.qpos0, np.zeros(self.model.nv))

    # -- state -------------------------------------------------------------------------------------------------------

    def reset(self, qpos: Array, qvel: Array, time: float = 0.0) -> None:
        """Set pose (nq,) and velocity (nv,); drops grips and remembered contact modes."""
        for what, values, size in (("pose", qpos, self.model.nq), ("velocity", qvel, self.model.nv)):
            bad = np.flatnonzero(~np.isfinite(values))
            if len(values) != size:
                raise PoiseError(f"{what} has {len(values)} numbers, the scene needs {size}")
            if bad.size:
                raise PoiseError(f"{what}: number {bad[0]} is not finite")
        self.time, self.steps = time, 0
        self.grips: tuple[Grip, ...] = ()
        self._solver.forget_modes()
        self.qpos[:] = qpos
        self.qvel[:] = qvel
        mujoco.mj_normalizeQuat(self.model, self.qpos)
        self.terms.set_pose()
        self.terms.set_mass()
        self._prepare_step()

    @property
    def snapshot(self) -> Snapshot:
        """Copy of the present state, for `go_back`."""
        return Snapshot(self.time, self.steps, copy.copy(self.terms.data), self.grips, *self._solver.memory)

    def go_back(self, to: Snapshot) -> None:
        """Restore a state of this world, or of another of the same scene."""
        self.time, self.steps, self.grips = to.time, to.steps, to.grips
        self._solver.memory = (to.touched, to.modes)
        mujoco.mj_copyData(self.terms.data, self.model, to.data)
        self.terms.set_mass()
        self._prepare_step()

    def take_over(self, other: "World") -> None:
        """Continue from the present state of another world with the same bodies and props."""
        self.reset(other.qpos, other.qvel, other.time)
        self.steps, self.grips = other.steps, other.grips

    def warm_up(self) -> None:
        """Compile all kernels, so that no step waits for the compiler; the state does not change."""
        compile_contact_solvers()
        twin = copy.deepcopy(self)
        try:
            twin.step()
        except BlowUp:
            pass
        twin._solver.update_curvature()  # and the kernels that not every step needs
        table = twin._work.table
        twin._candidates.may_mislead(twin._work)
        assemble_contact_problem(table, solve_free_motion(table), NO_FEEDBACK)
        impact_speed(table, twin.qvel)
        write_grip_rows(table, NO_LINKS, NO_LINKS, NO_GRIPS, NO_GRIPS, NO_GRIPS)

    def __deepcopy__(self, memo: dict[int, object]) -> "World":
        return _rebuild_world(self.scene, self.settings, self.snapshot)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_world, (self.scene, self.settings, self.snapshot)

    @property
    def state(self) -> State:
        """State for controllers. Contacts are copies; the other arrays are views that change with the next step."""
        terms = self.terms
        return State(
            self.time, self.settings.step, self.qpos, self.qvel, terms.mass, terms.bias, self.contacts, terms.data
        )

    @property
    def contacts(self) -> Contacts:
        """Contact candidates at the present state, without those between links of one body."""
        if self._contacts is None:
            count = self._candidates.outer
            body, other, point, frame, friction, _ = self._contact_forces(0, count)
            gap, jacobian = self._work.contact_gap[:count].copy(), self._work.contact_jacobian[: 3 * count].copy()
            touching = gap <= self.settings.touch
            self._contacts = Contacts(body, other, point, frame, gap, friction, jacobian, touching)
        return self._contacts

    def point(self, link: str, local: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """World position (3,) m of a point given in a link's frame (m)."""
        data, body = self.terms.data, self.scene.link_id(link)
        return np.asarray(data.xpos[body] + data.xmat[body].reshape(3, 3) @ np.asarray(local, float))

    def grip(self, body: str, point: ArrayLike, other: str = "world") -> Grip:
        """Hold one body to another at a world point (m) until `release`."""
        made = make_grip(self.model, self.terms.data, self.scene.link_id(body), self.scene.link_id(other), point)
        self.grips = (*self.grips, made)
        return made

    def release(self, grip: Grip) -> None:
        """Remove a grip."""
        self.grips = tuple(held for held in self.grips if held is not grip)

    @property
    def look_ahead(self) -> float:
        """Distance (m) up to which surfaces are contact candidates in every step."""
        return self._candidates.look_ahead

    def _prepare_step(self) -> None:
        """Update velocity terms, contact candidates and their rows; pose and mass are already set."""
        self._candidates.find(self.terms.data, self._work.table)
        self._write_contact_rows()

    def _write_contact_rows(self) -> None:
        work = self._work
        self._contacts = None
        self.terms.set_velocity()
        write_com_drift(work.table)
        write_limit_rows(work.table, LIMIT_REACH)
        self._candidates.write_rows(work)

    def _write_rows(self) -> None:
        """Rewrite all rows."""
        self._write_contact_rows()
        self._write_grip_rows()

    # -- step --------------------------------------------------------------------------------------------------------

    def step(self, actuation: Actuation = PASSIVE, external: Array | None = None) -> StepResult:
        """Advance by one step; `external` (nv,) are generalised forces of pushes and hung weights."""
        self._write_actuation(actuation, external)
        grip_point = self._write_grip_rows()
        try:
            solved = self._solver.solve(actuation.feedback)
        except StepDiverged:
            error = self._blow_up()
            self._prepare_step()  # restores the rows of the last good state
            raise error from None
        if actuation.brace is not None:
            roots = self.mechanism.floating_dofs  # torques of their motors are external, not joint actuation
            self._work.external[roots] += self._work.applied[roots]
            self._work.applied[roots] = 0.0
        result = self._step_result(grip_point, solved)
        self._advance()
        return result

    def _write_actuation(self, actuation: Actuation, external: Array | None) -> None:
        """Write the actuation into the workspace."""
        work, motors = self._work, actuation.motors
        try:
            work.torque[:] = 0.0 if actuation.torque is None else actuation.torque
            work.gain[:] = 0.0 if motors is None else motors.gain
            work.target[:] = 0.0 if motors is None else motors.velocity
            work.external[:] = 0.0 if external is None else external
            if actuation.external is not None:
                if np.any(actuation.external[self._joint_dofs]):
                    raise PoiseError("actuation.external may act on free roots only; drive joints by torque or motors")
                work.external += actuation.external
            if actuation.brace is not None or self._braced:
                self._write_brace(actuation.brace)
        except ValueError as error:
            raise PoiseError(f"actuation does not fit the scene's {self.model.nv} DOFs: {error}") from None

    def _write_brace(self, brace: Motors | None) -> None:
        """Write motors of the free roots, without torque limits for this step."""
        work, roots = self._work, self.mechanism.floating_dofs
        self._braced = brace is not None
        work.torque[roots] = 0.0
        work.gain[roots] = 0.0 if brace is None else brace.gain[roots]
        work.target[roots] = 0.0 if brace is None else brace.velocity[roots]
        work.torque_limit[roots] = 0.0 if brace is None else np.inf

    def _write_grip_rows(self) -> Array:
        """Write the rows of the grips; returns their points (g, 3) in the world."""
        work, count = self._work, len(self.grips)
        work.counts[GRIP_ROWS] = 0
        if not count:
            return NO_GRIPS
        if count > work.grip_room:
            work.reserve(work.contact_room, 2 * count)
            self._write_contact_rows()
        points = np.empty((count, 3))
        write_grip_rows(work.table, *grip_columns(self.grips), points)
        return points

    def _blow_up(self) -> BlowUp:
        """Error that names the fastest DOF."""
        work, velocity = self._work, self._work.velocity
        given = work.torque + work.gain + work.target + work.external
        if not np.all(np.isfinite(given)):  # the actuation or push is not finite
            velocity = np.where(np.isfinite(given), 0.0, np.nan)
        culprit = int(np.argmax(np.where(np.isfinite(velocity), np.abs(velocity), np.inf)))
        return BlowUp(self.steps, self.scene.dof_name(culprit), float(velocity[culprit]))

    def _step_result(self, grip_point: Array, solved: SolvedStep) -> StepResult:
        work, outer = self._work, self._candidates.outer
        return StepResult(
            *self._contact_forces(0, outer),
            work.applied.copy(),
            work.external.copy(),
            work.limit_impulse.copy(),
            self.grips,
            grip_point,
            solved.solution.impulse[: grip_point.size].reshape(-1, 3),
            *solved,
            self._contact_forces(outer, int(work.counts[CONTACTS])),
        )

    def _contact_forces(self, first: int, last: int) -> ContactForces:
        """The contacts `first` to `last` - 1 of the step just solved; those between links of one body come last."""
        work = self._work
        body, other = (part[first:last].copy() for part in (work.contact_body, work.contact_other))
        own = (work.contact_point, work.contact_axes, work.contact_friction)
        point, axes, friction = (part[first:last].copy() for part in own)
        impulse = work.contact_impulse[3 * first : 3 * last].copy()
        return ContactForces(body, other, point, axes.reshape(-1, 3, 3), friction, impulse.reshape(-1, 3))

    def _advance(self) -> None:
        """Advance to the end of the step with exact momentum, and prepare the next."""
        integrate_pose_and_momentum(self._work.table)
        self.terms.set_pose()
        self.terms.set_mass()
        restore_momentum(self._work.table)
        self.steps += 1
        self.time += self.settings.step
        self._prepare_step()

    def __repr__(self) -> str:
        return f"World({self.scene!r}, {self.time:.3f} s, step {self.settings.step:.6g} s)"


def _rebuild_world(scene: Scene, settings: WorldSettings, snapshot: Snapshot) -> World:
    """A world in the state of a snapshot."""
    world = World(scene, settings)
    world.go_back(snapshot)
    return world
