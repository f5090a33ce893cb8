"""What all behaviours of the rotation controller share: torque program, support finder, pose tracking, and pose lines.

A pose line is a sequence of poses, one per step, with the quantities that the planner and the controllers need. Limbs
that move in flight turn the root the other way. The angular momentum is H = I w + h: w is the angular velocity of the
root, h the angular momentum of the limbs relative to the root. So the root turns by the integral of H / I over time
less the integral of h / I. The second integral depends only on the poses, not on how fast they are passed.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.controller import WorldView
from poise.control.rotation.flight_plan import RotationFlightPlanner
from poise.control.rotation.program import (
    ProgramAim,
    ProgramSolution,
    ProgramWeights,
    RotationSupportFinder,
    RotationSupports,
    TorqueProgram,
)
from poise.control.rotation.settings import RotationSettings
from poise.dynamics.actuation import Actuation, Motors
from poise.dynamics.mechanism import DynamicsTerms
from poise.dynamics.momentum import RotationIndices, whole_body_rotation
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import BehaviourReference


@dataclass(frozen=True, eq=False)
class RotationPoseLine:
    """Poses one step apart and their quantities in the sagittal plane; rotations are about y, the body's left."""

    qpos: Array  # (T, nq)
    inertia: Array  # (T,) kg m^2 about the centre of mass
    height: Array  # (T,) m of the centre of mass above the soles, the soles flat
    ahead: Array  # (T,) m of the centre of mass in front of the ankles, the soles flat
    tilt: Array  # (T,) rad: pitch of the pelvis, the soles flat
    moves: Array  # (T, n) rad: joint displacement from the previous pose
    swing: Array  # (T,) rad: angle that the limbs' motion since the first pose subtracts from the turn of the root

    @property
    def last(self) -> int:
        """Index of the last pose."""
        return len(self.qpos) - 1

    def pose_at(self, k: int, step: float) -> tuple[Array, Array]:
        """Pose k (nq,), and joint velocities (n,) rad/s from pose k - 1 in a `step` (s); after the end, at rest."""
        velocity = self.moves[k] / step if k <= self.last else np.zeros(self.moves.shape[1])
        return self.qpos[min(k, self.last)], velocity

    def inertia_from(self, first: int, count: int) -> Array:
        """(count,) kg m^2: inertias of the poses from index `first` on. Past the last pose, its inertia is repeated."""
        return np.asarray(self.inertia[np.minimum(np.arange(first, first + count), self.last)])


def sample_rotation_pose_line(
    staged: BehaviourReference, start: float, stop: float, step: float, seconds: float | None = None
) -> RotationPoseLine:
    """Poses of a behaviour from `start` to `stop` (s), one per `step` (s); stretched to last `seconds`, if given."""
    count = max(2, round((stop - start if seconds is None else seconds) / step) + 1)
    return rotation_pose_line(staged.body, staged.line(np.linspace(start, stop, count)))


def rotation_pose_line(body: Body, qpos: Array) -> RotationPoseLine:
    """The line of successive poses (T, nq), with the quantities of each pose."""
    model, terms = body.model, DynamicsTerms(body.model)
    feet = [body.link_id(foot.link) for foot in body.feet]
    sole = -min(float(foot.points[:, 2].min()) for foot in body.feet)  # m below the ankle
    inertia, height, ahead, tilt, swing = (np.zeros(len(qpos)) for _ in range(5))
    moved, moves = np.zeros(body.nv), np.zeros((len(qpos), body.nv - 6))
    for k, pose in enumerate(qpos):
        if k:
            mujoco.mj_differentiatePos(model, moved, 1.0, qpos[k - 1], pose)
            moved[:6] = 0.0
            moves[k] = moved[6:]
        upright = np.array(pose)
        upright[3:7] = 1.0, 0.0, 0.0, 0.0
        terms.evaluate(upright, moved)
        found = whole_body_rotation(terms.mass, moved, terms.data)
        inertia[k] = found.inertia[1, 1]
        swing[k] = swing[k - 1] + found.angular_momentum[1] / found.inertia[1, 1] if k else 0.0
        foot_in_root = terms.data.xmat[feet[0]].reshape(3, 3)
        leg = foot_in_root.T @ (found.com - np.mean(terms.data.xpos[feet], axis=0))
        height[k], ahead[k] = leg[2] + sole, leg[0]
        tilt[k] = -np.arctan2(foot_in_root[0, 2], foot_in_root[2, 2])
    return RotationPoseLine(qpos, inertia, height, ahead, tilt, moves, swing)


LEAST_FORCE, LEAST_TORQUE, ADULT_MASS = 21.0, 2.0, 73.5
"""Thresholds of the inclusion test, [Zordan2014] section VI: force (N) and torque about the centre of mass (N m).

Both are for a body of ADULT_MASS kg. For other bodies the force scales with mass, the torque with mass^(4/3)."""


GIVING_WAY = 0.1  # Damping of the joints of a fallen body, as a multiple (s) of their torque limits


class RotationActor:
    """The body of a world with its torque program, support finder, pose tracking and flight planner."""

    def __init__(self, world: WorldView, settings: RotationSettings | None = None) -> None:
        self.settings, self.step = settings or RotationSettings(), world.state.step  # s
        self.body: Body = world.scene.body
        self.model = world.scene.model
        self.ground = world.scene.terrain
        self.nv, nv = self.body.nv, self.body.nv
        damping = np.array(self.model.dof_damping[:nv])
        limit, gravity = np.array(world.torque_limit[6:nv]), np.array(self.model.opt.gravity)
        self.program = TorqueProgram(limit, damping, self.body.mass, gravity)
        head = () if self.body.head is None else (self.body.link_id(self.body.head),)
        self.finder = RotationSupportFinder(self.model, nv, head)
        trunk = [name for part in ("trunk", "head") for name in self.body.groups[part]]
        dofs = [dof for name in trunk for dof in self.body.joint(name).dofs]
        self.core = np.isin(np.arange(6, nv), dofs)  # (n,) whether a joint DOF belongs to the trunk or the head
        spine = [dof - 6 for name in self.body.groups["trunk"] for dof in self.body.joint(name).dofs]
        self.trunk_limit = float(self.program.limit[spine].min())  # N m: smallest limit of the trunk's joints
        middle = [i for i, link in enumerate(self.body.links, 1) if self.body.link_mirror.get(link) == link]
        self.trunk = np.isin(np.arange(self.model.nbody), middle)  # (nbody,) whether a body is in the plane of symmetry
        self._damping = damping  # (nv,) N m s/rad: passive damping of the joints
        size = self.body.mass / ADULT_MASS
        self._thresholds = LEAST_FORCE * size, LEAST_TORQUE * size ** (4.0 / 3.0)  # N, N m
        self.planner = RotationFlightPlanner(self.body.mass, self.step, -float(gravity[2]))

    def observe(self, state: State) -> RotationIndices:
        """Rotation indices of a state; also sets up the torque program for the coming step."""
        rotation = whole_body_rotation(state.mass[: self.nv, : self.nv], state.qvel[: self.nv], state.data)
        self.program.begin(state)
        return rotation

    def solve(
        self, aim: ProgramAim, weights: ProgramWeights, supports: RotationSupports, com: Array, inclusion: bool = True
    ) -> ProgramSolution:
        """Solve the torque program; with `inclusion`, solve again without supports that fail the inclusion test."""
        found = self.program.solve(aim, weights, supports, com)
        if not inclusion or not len(supports.body):
            return found
        kept = supports.included(found.force, com, *self._thresholds)
        return found if kept.all() else self.program.solve(aim, weights, supports.selected(kept), com)

    def actuate(self, torque: Array) -> Actuation:
        """Actuation of the whole scene that applies joint torques (n,) N m to the body."""
        out = np.zeros(self.model.nv)
        out[6 : self.nv] = torque
        return Actuation(torque=out)

    def track(self, state: State, pose: Array, stiffness: float, velocity: Array) -> Actuation:
        """Actuation that tracks a pose (nq,) moving at joint velocities (n,) rad/s, within limits, without supports."""
        torque = self.pose_torques(state, pose[None], stiffness, velocity)[0]
        return self.actuate(np.clip(torque, -self.program.limit, self.program.limit))

    def give_way(self) -> Actuation:
        """Actuation that damps all joints."""
        gain = np.zeros(self.model.nv)
        gain[6 : self.nv] = GIVING_WAY * self.program.limit
        return Actuation(motors=Motors(np.zeros(self.model.nv), gain))

    def pose_torques(
        self, state: State, poses: Array, stiffness: Array | float, velocity: Array | None = None
    ) -> Array:
        """(P, n) N m: joint torques towards P poses (P, nq), [Zordan2014] Eq. (6), in the stable form of [Tan2011].

        `stiffness` (1/s^2) is one number or (n,). `velocity` (n,) rad/s is the velocity of the poses, 0 by default.
        With mass matrix M, gains K_p = stiffness M_jj and K_d = 2 sqrt(stiffness) M_jj act on errors at the step's end.
        """
        nv, h = self.nv, state.step
        mass = state.mass[:nv, :nv]
        own = np.diag(mass)[6:]
        spring = stiffness * own
        damper = 2.0 * np.sqrt(stiffness) * own
        error, difference = np.zeros((len(poses), nv - 6)), np.zeros(self.model.nv)
        target = np.array(state.qpos)
        for k, pose in enumerate(poses):
            target[7 : len(pose)] = pose[7:]
            mujoco.mj_differentiatePos(self.model, difference, 1.0, state.qpos, target)
            error[k] = difference[6:nv]
        desired = 0.0 if velocity is None else velocity
        pull = spring * (error - h * state.qvel[6:nv]) + damper * (desired - state.qvel[6:nv])
        implicit = np.array(mass)
        implicit[np.arange(6, nv), np.arange(6, nv)] += h * (damper + self._damping[6:])
        drive = np.tile(-state.bias[:nv], (len(poses), 1))
        drive[:, 6:] += pull - self._damping[6:] * state.qvel[6:nv]
        acceleration = np.linalg.solve(implicit, drive.T).T
        return np.asarray(pull - h * damper * acceleration[:, 6:])
