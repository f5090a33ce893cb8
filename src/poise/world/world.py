"""The simulator: a state, a step, a contact solver.

One step, velocity first; h is its duration:

1. at (q, v): terms, contact candidates and their rows (`_prepare`);
2. v+ from  M~ v+ = M v + h (tau - bias + external) + J' x  with the contact problem in x (`_solve`);
3. momenta of floating trees: old ones plus the impulses of gravity, contacts and external forces;
4. q+ = q (+) h v+, roots shifted so that each centre of mass moves with its momentum;
5. root velocities set so that the momenta at q+ are exact. Otherwise a somersault loses a tenth of its spin.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.contact import ContactProblem, ContactSolution, Status, solve
from poise.contact.assembly import assemble, conclude
from poise.contact.limits import limit_rows
from poise.contact.problem import polygon
from poise.contact.rows import contact_rows, grip_rows
from poise.contact.solve import Modes, Solver, first_modes
from poise.dynamics import Actuation, Contacts, State, Terms
from poise.dynamics.actuation import PASSIVE
from poise.dynamics.mechanism import mechanism_of
from poise.dynamics.momentum import momentum_after, restore_momentum
from poise.errors import PoiseError
from poise.world.grips import Grip
from poise.world.scene import Scene

Array = NDArray[np.float64]

Ints = NDArray[np.int64]

NO_FEEDBACK = np.zeros((0, 0))

GHOST = 2e-3
"""m: surfaces further apart than this at the end of a step have not touched in it."""


@dataclass(frozen=True)
class WorldSettings:
    """How the world steps."""

    step: float = 1 / 120
    """Duration of a step, s."""
    sides: int = 4
    """Sides of the friction polygon: 4, 6 or 8."""
    solver: Solver = "lemke"
    """lemke: exact and verified. sweeps: projected Gauss-Seidel, quick with many contacts."""
    touch: float = 1e-3
    """Points nearer than this to a surface carry friction, m. Friction in the air makes walkers fall."""
    recovery: float = 0.1
    """Share of a penetration that is undone in a step."""
    compliance: float = 1e-7
    """Softness of a contact relative to that of the bodies there; makes forces on many points unique."""
    fastest: float = 1e3
    """A joint faster than this (rad/s) has blown up, and the run stops."""

    def __post_init__(self) -> None:
        if not 1e-5 <= self.step <= 0.05:
            raise PoiseError(f"step of {self.step} s: must be between 0.00001 and 0.05 s")
        if self.sides not in (4, 6, 8):
            raise PoiseError(f"friction polygon of {self.sides} sides: must be 4, 6 or 8")


class BlowUp(Exception):
    """A step gave numbers that are not finite or absurd; the world still holds the last good state."""

    def __init__(self, step: int, culprit: str, value: float) -> None:
        self.step, self.culprit, self.value = step, culprit, value
        super().__init__(f"blew up in step {step}: velocity of {culprit} is {value:.3g}")


@dataclass(frozen=True)
class StepResult:
    """What happened in a step."""

    torque: Array  # (nv,) N m, joint actuation that was applied
    external: Array  # (nv,) all other applied forces
    contacts: Contacts  # candidates at the start of the step
    impulse: Array  # (c, 3) N s along n, t1, t2
    grips: tuple[Grip, ...]
    grip_point: Array  # (g, 3) m, world
    grip_impulse: Array  # (g, 3) N s, world
    solution: ContactSolution
    feedback_kept: float  # share of the contact feedback that was used: 1, unless the problem had no solution


class World:
    """A scene in motion."""

    def __init__(self, scene: Scene, settings: WorldSettings | None = None) -> None:
        self.scene = scene
        self.settings = settings or WorldSettings()
        self.model = scene.model
        self._refuse_what_is_not_simulated()
        lower = scene.per_dof([body.lower for body in scene.bodies], -np.inf)
        upper = scene.per_dof([body.upper for body in scene.bodies], np.inf)
        self.torque_limit = scene.per_dof([body.torque_limit for body in scene.bodies], 0.0)
        self.mechanism = mechanism_of(self.model, lower, upper)
        self.terms = Terms(self.model)
        self.grips: tuple[Grip, ...] = ()
        self._trial = mujoco.MjData(self.model)
        self._directions = polygon(self.settings.sides)
        self._gravity = np.array(self.model.opt.gravity)
        self._geom_body = self.model.geom_bodyid.astype(np.int64)
        self._zero = np.zeros(self.model.nv)
        self._drift = np.zeros((len(self.mechanism.tree_dof), 3))
        self._after = np.zeros((len(self.mechanism.tree_dof), 9))
        self.reset(self.model.qpos0, self._zero)

    def _refuse_what_is_not_simulated(self) -> None:
        if np.any(self.model.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE):
            raise PoiseError("slide joints are not simulated; use hinges, balls and a free root")
        if np.any(self.model.jnt_stiffness):
            raise PoiseError("joint springs (stiffness) are not simulated; let the controller make them")

    # -- state ------------------------------------------------------------------------------------------------

    def reset(self, qpos: Array, qvel: Array, time: float = 0.0) -> None:
        """Put the world into a state, without grips."""
        for what, values, size in (("pose", qpos, self.model.nq), ("velocity", qvel, self.model.nv)):
            bad = np.flatnonzero(~np.isfinite(values))
            if len(values) != size:
                raise PoiseError(f"{what} has {len(values)} numbers, the scene needs {size}")
            if bad.size:
                raise PoiseError(f"{what}: number {bad[0]} is not finite")
        self.time = time
        self.steps = 0
        self.grips = ()
        self._memory = (np.zeros((0, 2)), np.zeros(0, np.int64))
        self.qpos = np.array(qpos, float)
        self.qvel = np.array(qvel, float)
        mujoco.mj_normalizeQuat(self.model, self.qpos)
        self.terms.set_pose(self.qpos)
        self.terms.set_mass()
        self._prepare()

    def grip(self, body: str, point: Array, other: str = "world") -> Grip:
        """Hold a world point (m) of one body to another, from now on."""
        data = self.terms.data
        ids = (self.scene.link_id(body), self.scene.link_id(other))
        local = [tuple(data.xmat[i].reshape(3, 3).T @ (np.asarray(point, float) - data.xpos[i])) for i in ids]
        made = Grip(ids[0], local[0], ids[1], local[1])
        self.grips = (*self.grips, made)
        return made

    def release(self, grip: Grip) -> None:
        """Let go of what was gripped."""
        self.grips = tuple(held for held in self.grips if held is not grip)

    def _prepare(self) -> None:
        """Terms, contact candidates and their rows at (qpos, qvel); pose and mass are already set."""
        terms, data, mech = self.terms, self.terms.data, self.mechanism
        mujoco.mj_collision(self.model, data)
        terms.set_velocity(self.qvel)
        # The acceleration of each tree's centre of mass that the velocity alone causes.
        for tree, first in enumerate(mech.tree_dof):
            self._drift[tree] = terms.bias[first : first + 3] / mech.tree_mass[tree] + self._gravity
        found = data.contact
        gap = found.dist.copy()  # MuJoCo reuses its memory at the next collision
        point = found.pos.copy()
        body, other, axes, jacobian, curve = contact_rows(
            point,
            found.frame,
            gap,
            found.geom,
            self._geom_body,
            self.settings.touch,
            self.settings.step,
            self._gravity,
            mech.body_last_dof,
            mech.dof_parent,
            mech.body_root,
            mech.body_tree,
            data.cdof,
            data.cdof_dot,
            data.cvel,
            data.subtree_com,
            self._drift,
            self.qvel,
        )
        contacts = Contacts(
            body, other, point, axes, gap, found.friction[:, 0].copy(), jacobian, gap <= self.settings.touch
        )
        self._geoms = found.geom.copy()
        self._offset = curve
        self._offset[::3] += np.where(gap > 0, gap, self.settings.recovery * gap) / self.settings.step
        self.state = State(self.time, self.settings.step, self.qpos, self.qvel, terms.mass, terms.bias, contacts, data)

    # -- step -------------------------------------------------------------------------------------------------

    def step(self, actuation: Actuation = PASSIVE, push: Array | None = None) -> StepResult:
        """Advance by one step; ``push`` (nv,) are generalised forces that the scene exerts."""
        external = self._zero if push is None else push
        if actuation.external is not None:
            external = external + actuation.external
        result, velocity, impulse = self._solve(actuation, external)
        self._refuse_blow_up(velocity)
        self._advance(velocity, impulse + self.settings.step * external)
        return result

    def _solve(self, actuation: Actuation, external: Array) -> tuple[StepResult, Array, Array]:
        """Velocities at the end of the step and the generalised impulse of contacts and grips."""
        terms, mech, contacts = self.terms, self.mechanism, self.state.contacts
        h = self.settings.step
        momentum = terms.mass @ self.qvel
        force = external - terms.bias
        torque = self._zero if actuation.torque is None else actuation.torque
        gain = self._zero if actuation.motors is None else actuation.motors.gain
        target = self._zero if actuation.motors is None else actuation.motors.velocity
        feedback = NO_FEEDBACK if actuation.feedback is None else actuation.feedback
        limit_jacobian, room, limits = limit_rows(
            self.qpos,
            self.qvel,
            h,
            0.1,
            mech.limit_dof,
            mech.limit_qpos,
            mech.limit_size,
            mech.limit_lower,
            mech.limit_upper,
        )
        room = room[:limits]
        limit_offset = np.where(room > 0, room, self.settings.recovery * room) / h
        limit_used = np.zeros(limits, np.int64)
        grip_point, grip_jacobian, grip_offset = self._grip_rows()
        kind = np.where(contacts.touching, 2, 0)
        for grip in self.grips:  # a hand and what it holds do not also collide
            pair = (contacts.body == grip.body) & (contacts.other == grip.other)
            kind[pair | (contacts.body == grip.other) & (contacts.other == grip.body)] = 3
        saturated = np.zeros(self.model.nv, np.int64)
        kept = 1.0
        passes = 0
        while True:
            passes += 1
            factor, rhs, matrix, bias, unilateral, _touching = assemble(
                terms.mass,
                momentum,
                force,
                torque,
                h,
                mech.damping,
                gain,
                target,
                saturated,
                self.torque_limit,
                mech.dof_parent,
                grip_jacobian,
                grip_offset,
                limit_jacobian,
                limit_offset,
                limit_used,
                contacts.jacobian,
                self._offset,
                kind,
                feedback,
                self.settings.compliance,
            )
            friction = contacts.friction[kind == 2]
            problem = ContactProblem(matrix, bias, len(grip_offset), unilateral, friction, self._directions)
            solution = solve(problem, self.settings.solver, self._guess(problem, kind))
            if solution.status == Status.APPROXIMATE and kept > 0 and feedback.size and self.settings.solver == "lemke":
                # With strong feedback the problem need not have a solution: weaken it, then drop it.
                kept = 0.1 if kept == 1.0 else 0.0
                feedback = kept * feedback if kept else NO_FEEDBACK
                continue
            velocity, applied, impulse, spread, again = conclude(
                factor,
                rhs,
                mech.dof_parent,
                h,
                torque,
                gain,
                target,
                saturated,
                self.torque_limit,
                grip_jacobian,
                limit_jacobian,
                limit_offset,
                limit_used,
                contacts.jacobian,
                self._offset,
                kind,
                feedback,
                solution.impulse,
                passes,
            )
            if not again and not self._drop_ghosts(kind, spread, velocity):
                break
        self._memory = (self._geoms[kind == 2], solution.modes[unilateral:])
        result = StepResult(
            applied,
            external,
            contacts,
            spread.reshape(-1, 3),
            self.grips,
            grip_point,
            solution.impulse[: len(grip_offset)].reshape(-1, 3),
            solution,
            kept,
        )
        return result, velocity, impulse

    def _drop_ghosts(self, kind: Ints, spread: Array, velocity: Array) -> bool:
        """Rule out far surfaces that were stopped although the motion takes them past each other.

        A gap is closed along the normal it has at the start of the step. A limb that swings round the edge of a
        stair would be stopped in the air; where it really ends up decides.
        """
        suspects = np.flatnonzero((kind == 1) & (spread[::3] > 0))
        if not suspects.size:
            return False
        qpos = self.qpos.copy()
        mujoco.mj_integratePos(self.model, qpos, velocity, self.settings.step)
        self._trial.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self._trial)
        mujoco.mj_collision(self.model, self._trial)
        near = {
            (a, b)
            for (a, b), gap in zip(self._trial.contact.geom.tolist(), self._trial.contact.dist, strict=True)
            if gap < GHOST
        }
        ghosts = [c for c in suspects if tuple(self._geoms[c].tolist()) not in near]
        kind[ghosts] = 3
        return bool(ghosts)

    def _guess(self, problem: ContactProblem, kind: Ints) -> Modes:
        """Modes to start from: those of the last step, if the same surfaces touch."""
        modes = first_modes(problem)
        pairs, last = self._memory
        if np.array_equal(pairs, self._geoms[kind == 2]):
            modes[problem.unilateral :] = last
        return modes

    def _grip_rows(self) -> tuple[Array, Array, Array]:
        """Points (g, 3), Jacobian (3 g, nv) and offsets (3 g,) of the grips."""
        data, mech = self.terms.data, self.mechanism
        if not self.grips:
            return np.zeros((0, 3)), np.zeros((0, self.model.nv)), np.zeros(0)
        ends = np.array([grip.ends(data.xpos, data.xmat) for grip in self.grips])  # (g, 2, 3)
        jacobian, curve = grip_rows(
            np.array([grip.body for grip in self.grips]),
            np.array([grip.other for grip in self.grips]),
            np.ascontiguousarray(ends[:, 0]),
            self.settings.step,
            mech.body_last_dof,
            mech.dof_parent,
            mech.body_root,
            mech.body_tree,
            data.cdof,
            data.cdof_dot,
            data.cvel,
            data.subtree_com,
            self._drift,
            self.qvel,
        )
        apart = (ends[:, 0] - ends[:, 1]).ravel()
        return ends[:, 0], jacobian, curve + 2 * self.settings.recovery * apart / self.settings.step

    def _refuse_blow_up(self, velocity: Array) -> None:
        if np.all(np.abs(velocity) < self.settings.fastest):
            return
        culprit = int(np.argmax(np.where(np.isfinite(velocity), np.abs(velocity), np.inf)))
        raise BlowUp(self.steps, self.scene.dof_name(culprit), float(velocity[culprit]))

    def _advance(self, velocity: Array, impulse: Array) -> None:
        """Move to the end of the step with exact momentum, and prepare the next."""
        terms, data, mech = self.terms, self.terms.data, self.mechanism
        h = self.settings.step
        trees = (mech.tree_dof, mech.tree_end, mech.tree_body)
        momentum_after(
            terms.mass,
            self.qvel,
            impulse,
            h,
            self._gravity,
            *trees,
            mech.tree_mass,
            data.xpos,
            data.xmat,
            data.subtree_com,
            self._after,
        )
        mujoco.mj_integratePos(self.model, self.qpos, velocity, h)
        terms.set_pose(self.qpos)
        for tree, body in enumerate(mech.tree_body):
            first = mech.tree_qpos[tree]
            self.qpos[first : first + 3] += self._after[tree, 6:9] - data.subtree_com[body]
        terms.set_pose(self.qpos)
        terms.set_mass()
        self.qvel[:] = velocity
        restore_momentum(terms.mass, self.qvel, self._after, *trees, data.xpos, data.xmat, data.subtree_com)
        self.steps += 1
        self.time += h
        self._prepare()
