"""The torque controller: a quadratic program over joint torques, contact forces and a pose blend.

[Zordan2014] Eq. (2). The equations of motion eliminate accelerations. Torques tau, blend gamma, forces lambda minimise:

    |tau - tau_b - gamma (tau_a - tau_b)|^2 + |L'_d - L'|^2_wL + |H'_d - H'|^2_wH + |(J v+ + b) / h|^2_wv + |lambda|^2

The last term has a small weight. The constraints are torque limits, friction pyramids and 0 <= gamma <= 1. Momentum
changes through gravity and contact forces alone: L' = sum f + m g and H' = sum (r - c) x f. The second-order term b of
the contact velocity is the same as in the contact rows of the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import daqp
import mujoco
import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from poise.arrays import Array, Ints, Mask
from poise.body.link_kinematics import links_moved_by_dofs
from poise.dynamics.state import State
from poise.rotations import cross_matrix

UNBOUNDED = 1e30  # Bound that the solver treats as infinite
FRICTION_SHARE = 0.9
"""Share of the friction coefficient that planned forces may use: well inside the cone, they are near the world's."""
FORCE_WEIGHT = 1e-4  # Weight (1/N^2) of the squared contact forces; makes the forces unique
BLEND_WEIGHT = 1e-6  # Weight ((N m)^2) of the squared blend; makes the blend 0 if both poses ask for the same torques
SOLVED = 1  # Exit flag of DAQP for an optimum


@dataclass(frozen=True)
class ProgramWeights:
    """Weights of the objectives relative to the squared torque error in (N m)^2."""

    linear: float  # 1/N^2, of the rate of linear momentum
    angular: float  # 1/(N m)^2, of the rate of angular momentum
    support: float  # 1/(m/s^2)^2, of the supports' velocity after the step, divided by the step
    tangential: float = 1.0  # share of `support` for velocities along the ground


@dataclass(frozen=True, eq=False)
class ProgramAim:
    """Targets of the torque program in one step."""

    torque_a: Array  # (n,) N m: joint torques towards pose a, blend 1
    torque_b: Array  # (n,) N m: joint torques towards pose b, blend 0
    linear: Array  # (3,) N: desired rate of linear momentum
    angular: Array  # (3,) N m: desired rate of angular momentum
    tasks: tuple[FeatureTask, ...] = ()


@dataclass(frozen=True, eq=False)
class FeatureTask:
    """Desired acceleration of a feature, with objective |J (v+ - v) / h - acceleration|^2 for a step of h s."""

    jacobian: Array  # (k, nv)
    acceleration: Array  # (k,) m/s^2 or rad/s^2, without the drift Jdot v
    weight: float


@dataclass(frozen=True, eq=False)
class ProgramSolution:
    """Solution of the torque program."""

    torque: Array  # (n,) N m, joint torques
    force: Array  # (c, 3) N on the supports, along n, t1, t2
    blend: float  # gamma: 0 is pose b, 1 is pose a
    solved: bool


class TorqueProgram:
    """The torque program of one body; in each step, call `begin` before `solve`."""

    def __init__(self, limit: Array, damping: Array, mass: float, gravity: Array) -> None:
        """Torque limits (n,) N m, joint damping (nv,) N m s/rad, the body's mass (kg) and gravity (3,) m/s^2."""
        self.limit, self.mass = limit, mass
        self._weight = mass * gravity
        self._damping = damping
        self._layouts: dict[int, _ProgramLayout] = {}  # by number of supports

    def begin(self, state: State) -> None:
        """Set up the equations of motion at a state: M~ v+ = M v + h (tau - bias + J' lambda), M~ = M + h damping."""
        nv, h = len(self._damping), state.step
        mass = state.mass[:nv, :nv]
        heavy = mass.copy()
        heavy[np.arange(nv), np.arange(nv)] += h * self._damping
        self.inverse = _cholesky_inverse(heavy)  # (nv, nv) M~^-1
        self.velocity, self.step = np.array(state.qvel[:nv]), h
        self._unforced = self.inverse @ (mass @ self.velocity - h * state.bias[:nv])  # v+ without torques and contacts

    def solve(
        self, aim: ProgramAim, weights: ProgramWeights, supports: RotationSupports, com: Array
    ) -> ProgramSolution:
        """The torques and contact forces that meet the aim best; forces act on the given supports only."""
        n, c, h = len(self.limit), len(supports.body), self.step
        size = n + 1 + 3 * c
        hessian, linear = np.zeros((size, size)), np.zeros(size)
        self._add_pose_terms(hessian, linear, aim)
        if c:
            forces = slice(n + 1, size)
            self._add_momentum_terms(hessian[forces, forces], linear[forces], aim, weights, supports, com)
            weight = np.full((c, 3), weights.support * weights.tangential / h**2)
            weight[:, 0] = weights.support / h**2
            self._add_velocity_terms(hessian, linear, supports, supports.jacobian, weight.ravel(), -supports.curve)
        for task in aim.tasks:
            target = h * task.acceleration + task.jacobian @ self.velocity
            equal = np.full(len(target), task.weight / h**2)
            self._add_velocity_terms(hessian, linear, supports, task.jacobian, equal, target)
        if c not in self._layouts:
            self._layouts[c] = _torque_program_layout(n, c)
        layout = self._layouts[c]
        layout.upper[:n], layout.lower[:n] = self.limit, -self.limit
        hessian[layout.force, layout.force] += FORCE_WEIGHT
        layout.cone[layout.row, layout.column] = np.repeat(-FRICTION_SHARE * supports.friction, 4)
        x, _, flag, _ = daqp.solve(hessian, linear, layout.cone, layout.upper, layout.lower)
        return ProgramSolution(x[:n], x[n + 1 :].reshape(c, 3), float(x[n]), flag == SOLVED)

    def velocity_after(self, found: ProgramSolution, supports: RotationSupports) -> Array:
        """(nv,) v+ that a solution leads to."""
        force = supports.jacobian.T @ found.force.ravel()
        force[6:] += found.torque
        return np.asarray(self._unforced + self.step * self.inverse @ force)

    def _add_pose_terms(self, hessian: Array, linear: Array, aim: ProgramAim) -> None:
        """Add the objective of blend tracking, [Zordan2014] Eq. (7): |tau - tau_b - gamma (tau_a - tau_b)|^2."""
        n = len(self.limit)
        span = aim.torque_a - aim.torque_b
        hessian[np.arange(n), np.arange(n)] = 1.0
        hessian[:n, n] = hessian[n, :n] = -span
        hessian[n, n] = span @ span + BLEND_WEIGHT
        linear[:n] = -aim.torque_b
        linear[n] = span @ aim.torque_b

    def _add_momentum_terms(
        self,
        hessian: Array,
        linear: Array,
        aim: ProgramAim,
        weights: ProgramWeights,
        supports: RotationSupports,
        com: Array,
    ) -> None:
        """Add the momentum objectives of [Zordan2014] section V-A to the program's block of contact forces."""
        axes = supports.axes.transpose(0, 2, 1)
        push = axes.transpose(1, 0, 2).reshape(3, -1)  # (3, 3 c) world force of each unit force
        torque = (cross_matrix(supports.point - com) @ axes).transpose(1, 0, 2).reshape(3, -1)
        hessian += weights.linear * push.T @ push + weights.angular * torque.T @ torque
        linear -= (weights.linear * (aim.linear - self._weight)) @ push + (weights.angular * aim.angular) @ torque

    def _add_velocity_terms(
        self, hessian: Array, linear: Array, supports: RotationSupports, jacobian: Array, weight: Array, target: Array
    ) -> None:
        """Add the k objectives |J v+ - target|^2 with weights (k,); the velocity v+ is affine in torques and forces."""
        n, response = len(self.limit), self.step * jacobian @ self.inverse  # (k, nv)
        by = np.zeros((len(target), len(linear)))
        by[:, :n] = response[:, 6:]
        if len(linear) > n + 1:
            by[:, n + 1 :] = response @ supports.jacobian.T
        weighted = weight[:, None] * by
        hessian += by.T @ weighted
        linear += (jacobian @ self._unforced - target) @ weighted


class _ProgramLayout(NamedTuple):
    """Bounds and constraints that the programs of one body with c supports share."""

    upper: Array  # (n + 1 + 7 c,) of torques, blend, forces, cone rows
    lower: Array
    cone: Array  # (4 c, n + 1 + 3 c) friction pyramids
    row: Ints  # (4 c,) rows and columns of the friction coefficients in `cone`
    column: Ints
    force: Ints  # (3 c,) indices of the forces in the solution


def _torque_program_layout(n: int, c: int) -> _ProgramLayout:
    size = n + 1 + 3 * c
    upper, lower = np.full(size + 4 * c, UNBOUNDED), np.full(size + 4 * c, -UNBOUNDED)
    upper[n], lower[n] = 1.0, 0.0
    lower[n + 1 : size : 3] = 0.0
    upper[size:] = 0.0
    cone, row, support = np.zeros((4 * c, size)), np.arange(4 * c), np.repeat(np.arange(c), 4)
    side = row % 4  # |lambda_T| <= mu lambda_N, both signs of both tangents
    cone[row, n + 2 + side // 2 + 3 * support] = np.where(side % 2, 1.0, -1.0)
    return _ProgramLayout(upper, lower, cone, row, n + 1 + 3 * support, np.arange(n + 1, size))


def _cholesky_inverse(matrix: Array) -> Array:
    """Inverse of a positive definite matrix, by Cholesky factorisation."""
    factor, _ = dpotrf(matrix, lower=1)
    half, _ = dpotri(factor, lower=1)
    return np.asarray(np.tril(half) + np.tril(half, -1).T)


class RotationSupports(NamedTuple):
    """Contacts whose forces are variables of the program."""

    body: Ints  # (c,) body id
    point: Array  # (c, 3) m, world
    axes: Array  # (c, 3, 3) rows n, t1, t2: normal and tangents, world
    friction: Array  # (c,)
    jacobian: Array  # (3 c, nv) of the point's velocity along n, t1, t2
    curve: Array  # (3 c,) m/s along n, t1, t2: second-order term b of the contact velocity

    def selected(self, chosen: Mask | Ints) -> RotationSupports:
        """The supports selected by a mask (c,) or by indices."""
        nv = self.jacobian.shape[1]
        rows = self.jacobian.reshape(-1, 3, nv)[chosen].reshape(-1, nv)
        curve = self.curve.reshape(-1, 3)[chosen].ravel()
        return RotationSupports(
            self.body[chosen], self.point[chosen], self.axes[chosen], self.friction[chosen], rows, curve
        )

    def included(self, force: Array, com: Array, least_force: float, least_torque: float) -> Mask:
        """(c,) whether each contact passes the inclusion test of [Zordan2014] section VI.

        `force` (c, 3) N is along the contacts' axes. A contact passes if its force exceeds `least_force` (N), or if the
        torque of its force about the centre of mass `com` exceeds `least_torque` (N m).
        """
        world = np.einsum("cij,ci->cj", self.axes, force)
        torque = (cross_matrix(self.point - com) @ world[:, :, None])[:, :, 0]
        strong = np.linalg.norm(world, axis=1) > least_force
        return np.asarray(strong | (np.linalg.norm(torque, axis=1) > least_torque))


class RotationSupportFinder:
    """Supports of the first character of a scene, and their Jacobians."""

    def __init__(self, model: mujoco.MjModel, nv: int, excluded: tuple[int, ...]) -> None:
        """`excluded` are ids of bodies that never support, such as the head."""
        self._nv = nv
        self._model, self._after = model, mujoco.MjData(model)
        self._carried = links_moved_by_dofs(model)[:, :nv] > 0  # (nbody, nv) whether a DOF moves a body
        self._mass, self._gravity = float(model.body_subtreemass[1]), np.array(model.opt.gravity)
        self._own = (model.body_rootid == 1) & ~np.isin(np.arange(model.nbody), excluded)

    def supports_near(self, state: State, gap: float) -> RotationSupports:
        """The character's contacts with other things that have a gap below `gap` (m)."""
        found = state.contacts
        chosen = np.flatnonzero((found.gap < gap) & self._own[found.body])
        body, point, axes = found.body[chosen], found.point[chosen], found.frame[chosen]
        linear = self.point_jacobians(state, body, point)  # (c, 3, nv)
        drift = self._contact_drift(state.data, state.qvel, body, point) + self._com_drift(state.bias)
        curve = 0.5 * state.step * (axes @ drift[:, :, None]).ravel()
        return RotationSupports(body, point, axes, found.friction[chosen], (axes @ linear).reshape(-1, self._nv), curve)

    def supports_on_paths(self, state: State, supports: RotationSupports, velocity: Array) -> RotationSupports:
        """The supports with the curvature of paths with the velocity (nv,) after the step, as in the world.

        The whole body is then shifted by 2 a(v) - a(v+) instead of a(v).
        """
        model, data = self._model, self._after
        data.qpos[:], data.qvel[:] = state.qpos, state.qvel
        data.qvel[: self._nv] = velocity
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        bias = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 0, bias)
        drift = self._contact_drift(data, data.qvel, supports.body, supports.point)
        drift += 2.0 * self._com_drift(state.bias) - self._com_drift(bias)
        return supports._replace(curve=0.5 * state.step * (supports.axes @ drift[:, :, None]).ravel())

    def point_jacobians(self, state: State, body: Ints, point: Array) -> Array:
        """(c, 3, nv) Jacobians of the velocities of points (c, 3) m on bodies (c,), world frame."""
        axis = state.data.cdof[: self._nv].T  # (6, nv) rotation first, about the centre of mass
        arm = cross_matrix(point - state.data.subtree_com[1])
        return np.asarray((axis[3:] - arm @ axis[:3]) * self._carried[body][:, None, :])

    def _contact_drift(self, data: mujoco.MjData, velocity: Array, body: Ints, point: Array) -> Array:
        """(c, 3) m/s^2: acceleration Jdot v of points (c, 3) m on bodies (c,) at a velocity (nv,)."""
        nv = self._nv
        drift = self._carried[body] @ (data.cdof_dot[:nv] * velocity[:nv, None])  # (c, 6)
        arm = cross_matrix(point - data.subtree_com[1])
        return np.asarray(drift[:, 3:] - (arm @ drift[:, :3, None])[:, :, 0])

    def _com_drift(self, bias: Array) -> Array:
        """(3,) m/s^2: bias / m + g of the whole body, which is added to the acceleration of its points.

        The world corrects the velocity of the whole body after each step to keep momentum exact. A foot at rest may
        therefore have a velocity at the end of the step (up to 0.5 m/s in a push). What must stay on the ground is the
        path of the foot during the step.
        """
        return np.asarray(bias[:3] / self._mass + self._gravity)

    def angular_jacobian(self, state: State, body: int) -> Array:
        """(3, nv) Jacobian of a body's angular velocity, world frame."""
        return np.asarray((state.data.cdof[: self._nv, :3] * self._carried[body][:, None]).T)
