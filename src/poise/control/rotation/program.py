"""The torque controller: a quadratic program over joint torques, contact forces and a pose blend.

[Zordan2014] Eq. (2). Accelerations are eliminated by the equations of motion, which leaves x = (tau, gamma, lambda):

    |tau - tau_b - gamma (tau_a - tau_b)|^2 + |L'_d - L'|^2_wL + |H'_d - H'|^2_wH + |(J v+ + b) / h|^2_wv + |lambda|^2

the last by a small weight, within torque limits, friction pyramids and 0 <= gamma <= 1. Momentum changes by contact
forces alone: L' = sum f + m g and H' = sum (r - c) x f. What paths bend in a step, b, is as the world takes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import daqp
import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri

from poise.arrays import Array, Ints
from poise.dynamics.state import State
from poise.rotations import cross_matrix

# Which contacts a controller uses: the ground supervisor of [Zordan2014] section VI.

Bools = NDArray[np.bool_]


class Supports(NamedTuple):
    """Contacts that forces are planned for."""

    body: Ints  # (c,) body id
    point: Array  # (c, 3) m, world
    axes: Array  # (c, 3, 3) rows n, t1, t2
    friction: Array  # (c,)
    jacobian: Array  # (3 c, nv) velocity of the body along n, t1, t2
    curve: Array  # (3 c,) m/s along them that paths bend away in the step, beyond the velocity at its end

    def only(self, chosen: Bools | Ints) -> Supports:
        """Some of them."""
        nv = self.jacobian.shape[1]
        rows = self.jacobian.reshape(-1, 3, nv)[chosen].reshape(-1, nv)
        curve = self.curve.reshape(-1, 3)[chosen].ravel()
        return Supports(self.body[chosen], self.point[chosen], self.axes[chosen], self.friction[chosen], rows, curve)


class Finder:
    """Finds supports of the first character of a scene, and their Jacobians."""

    def __init__(self, model: mujoco.MjModel, nv: int, excluded: tuple[int, ...]) -> None:
        """`excluded` are body ids that are never used, such as the head's."""
        self._nv = nv
        self._carried = np.zeros((model.nbody, nv), bool)  # which freedoms move which body
        for body in range(1, model.nbody):
            dof = int(model.body_dofadr[body] + model.body_dofnum[body] - 1) if model.body_dofnum[body] else -1
            parent = int(model.body_parentid[body])
            if dof < 0:
                self._carried[body] = self._carried[parent]
            while dof >= 0:
                if dof < nv:
                    self._carried[body, dof] = True
                dof = int(model.dof_parentid[dof])
        self._mass, self._gravity = float(model.body_subtreemass[1]), np.array(model.opt.gravity)
        self._own = (model.body_rootid == 1) & ~np.isin(np.arange(model.nbody), excluded)

    def near(self, state: State, gap: float) -> Supports:
        """All that are nearer than a gap (m), of the character's own and on something else."""
        found = state.contacts
        chosen = np.flatnonzero((found.gap < gap) & self._own[found.body])
        body, point, axes = found.body[chosen], found.point[chosen], found.frame[chosen]
        moves = self.moves(state, body, point)  # (c, 3, nv)
        curve = 0.5 * state.step * (axes @ self._bending(state, body, point)[:, :, None]).ravel()
        return Supports(body, point, axes, found.friction[chosen], (axes @ moves).reshape(-1, self._nv), curve)

    def moves(self, state: State, body: Ints, point: Array) -> Array:
        """(c, 3, nv) Jacobians of points (c, 3) m of bodies (c,), in the world."""
        axis = state.data.cdof[: self._nv].T  # (6, nv) turning first, about the centre of mass
        arm = cross_matrix(point - state.data.subtree_com[1])
        return np.asarray((axis[3:] - arm @ axis[:3]) * self._carried[body][:, None, :])

    def _bending(self, state: State, body: Ints, point: Array) -> Array:
        """(c, 3) m/s^2 of points (c, 3) m of bodies (c,) that velocities alone cause, and the path of the whole.

        The world keeps momentum exact by moving the whole body after each step: a foot that stays where it is has
        a velocity, of up to 0.5 m/s in a push, and it is the path of the step that must not leave the ground.
        """
        nv = self._nv
        turning = self._carried[body] @ (state.data.cdof_dot[:nv] * state.qvel[:nv, None])  # (c, 6)
        whole = state.bias[:3] / self._mass + self._gravity
        arm = cross_matrix(point - state.data.subtree_com[1])
        return np.asarray(turning[:, 3:] - (arm @ turning[:, :3, None])[:, :, 0] + whole)

    def turns(self, state: State, body: int) -> Array:
        """(3, nv) Jacobian of a body's angular velocity, in the world."""
        return np.asarray((state.data.cdof[: self._nv, :3] * self._carried[body][:, None]).T)


def included_contacts(supports: Supports, force: Array, com: Array, least_force: float, least_torque: float) -> Bools:
    """(c,) the inclusion test: which forces (c, 3) N along their axes, or torques about the centre of mass, matter."""
    world = np.einsum("cij,ci->cj", supports.axes, force)
    torque = (cross_matrix(supports.point - com) @ world[:, :, None])[:, :, 0]
    strong = np.linalg.norm(world, axis=1) > least_force
    return np.asarray(strong | (np.linalg.norm(torque, axis=1) > least_torque))


FREE = 1e30
"""What the solver takes for no bound."""
GRASP = 0.9
"""Of friction: what is planned stays inside the cone, so that the world's own solution is near it."""
SMALLEST_FORCE = 1e-4
"""Weight of the contact forces' square, 1/N^2: makes them unique."""
LEAST_BLEND = 1e-6
"""Weight of the blend's own square, (N m)^2: where both poses ask for the same, it is 0."""
SOLVED = 1
"""The solver's word for an optimum."""


@dataclass(frozen=True)
class ProgramWeights:
    """What matters how much, against a squared error of 1 (N m)^2 in torques."""

    linear: float  # of linear momentum's rate, 1/N^2
    angular: float  # of angular momentum's rate, 1/(N m)^2
    support: float  # of the velocity of supports after the step, over the step: 1/(m/s^2)^2, the same at any rate
    tangential: float = 1.0  # of that weight: for velocities along the ground


@dataclass(frozen=True, eq=False)
class ProgramAim:
    """What is wanted of a step."""

    torque_a: Array  # (n,) N m, of joints: the pose to blend to
    torque_b: Array  # (n,) N m: the pose to blend from
    linear: Array  # (3,) N: rate of linear momentum
    angular: Array  # (3,) N m: rate of angular momentum
    tasks: tuple[FeatureTask, ...] = ()


@dataclass(frozen=True, eq=False)
class FeatureTask:
    """An acceleration that is wanted of a feature: |J (v+ - v) / h - acceleration|^2."""

    jacobian: Array  # (k, nv)
    acceleration: Array  # (k,) m/s^2 or rad/s^2, the drift Jdot v taken off
    weight: float


@dataclass(frozen=True, eq=False)
class ProgramSolution:
    """What the program found."""

    torque: Array  # (n,) N m, of joints
    force: Array  # (c, 3) N on supports, along n, t1, t2
    blend: float  # 0 for b, 1 for a
    solved: bool


class Program:
    """The program of one body, set up anew at each step."""

    def __init__(self, limit: Array, damping: Array, mass: float, gravity: Array) -> None:
        """Torque limits (n,) N m of joints, their damping (nv,), the body's mass, and gravity (3,)."""
        self.limit, self.mass = limit, mass
        self._weight = mass * gravity
        self._damping = damping
        self._shapes: dict[int, _Shape] = {}

    def begin(self, state: State) -> None:
        """Take the equations of motion of a state: M~ v+ = M v + h (tau - bias + J' lambda)."""
        nv, h = len(self._damping), state.step
        mass = state.mass[:nv, :nv]
        heavy = mass.copy()
        heavy[np.arange(nv), np.arange(nv)] += h * self._damping
        self.inverse = _inverse(heavy)  # (nv, nv) M~^-1
        self.velocity, self.step = np.array(state.qvel[:nv]), h
        self._free = self.inverse @ (mass @ self.velocity - h * state.bias[:nv])  # v+ without torques or contacts

    def solve(self, aim: ProgramAim, weights: ProgramWeights, supports: Supports, com: Array) -> ProgramSolution:
        """The torques that meet an aim best, with forces on those supports only."""
        n, c, h = len(self.limit), len(supports.body), self.step
        size = n + 1 + 3 * c
        hessian, linear = np.zeros((size, size)), np.zeros(size)
        self._pose_terms(hessian, linear, aim)
        if c:
            forces = slice(n + 1, size)
            self._momentum_terms(hessian[forces, forces], linear[forces], aim, weights, supports, com)
            scale = np.full((c, 3), weights.support * weights.tangential / h**2)
            scale[:, 0] = weights.support / h**2
            self._motion_terms(hessian, linear, supports, supports.jacobian, scale.ravel(), -supports.curve)
        for task in aim.tasks:
            wanted = h * task.acceleration + task.jacobian @ self.velocity
            alike = np.full(len(wanted), task.weight / h**2)
            self._motion_terms(hessian, linear, supports, task.jacobian, alike, wanted)
        shape = self._shape(c)
        hessian[shape.force, shape.force] += SMALLEST_FORCE
        shape.cone[shape.row, shape.column] = np.repeat(-GRASP * supports.friction, 4)
        x, _, flag, _ = daqp.solve(hessian, linear, shape.cone, shape.upper, shape.lower)
        return ProgramSolution(x[:n], x[n + 1 :].reshape(c, 3), float(x[n]), flag == SOLVED)

    def _pose_terms(self, hessian: Array, linear: Array, aim: ProgramAim) -> None:
        """[Zordan2014] Eq. (7): |tau - tau_b - gamma (tau_a - tau_b)|^2."""
        n = len(self.limit)
        way = aim.torque_a - aim.torque_b
        hessian[np.arange(n), np.arange(n)] = 1.0
        hessian[:n, n] = hessian[n, :n] = -way
        hessian[n, n] = way @ way + LEAST_BLEND
        linear[:n] = -aim.torque_b
        linear[n] = way @ aim.torque_b

    def _momentum_terms(
        self, hessian: Array, linear: Array, aim: ProgramAim, weights: ProgramWeights, supports: Supports, com: Array
    ) -> None:
        """Of the forces: the objectives of [Zordan2014] section V-A."""
        axes = supports.axes.transpose(0, 2, 1)
        push = axes.transpose(1, 0, 2).reshape(3, -1)  # (3, 3 c) world force of each unit force
        twist = (cross_matrix(supports.point - com) @ axes).transpose(1, 0, 2).reshape(3, -1)
        hessian += weights.linear * push.T @ push + weights.angular * twist.T @ twist
        linear -= (weights.linear * (aim.linear - self._weight)) @ push + (weights.angular * aim.angular) @ twist

    def _motion_terms(
        self, hessian: Array, linear: Array, supports: Supports, jacobian: Array, scale: Array, wanted: Array
    ) -> None:
        """|J v+ - wanted|^2 by scale; v+ is affine in torques and forces."""
        n, lever = len(self.limit), self.step * jacobian @ self.inverse  # (k, nv)
        by = np.zeros((len(wanted), len(linear)))
        by[:, :n] = lever[:, 6:]
        if len(linear) > n + 1:
            by[:, n + 1 :] = lever @ supports.jacobian.T
        weighted = scale[:, None] * by
        hessian += by.T @ weighted
        linear += (jacobian @ self._free - wanted) @ weighted

    def _shape(self, c: int) -> _Shape:
        """Bounds and cones of so many supports, made once."""
        if c not in self._shapes:
            self._shapes[c] = _shape(len(self.limit), c)
        shape, n = self._shapes[c], len(self.limit)
        shape.upper[:n], shape.lower[:n] = self.limit, -self.limit
        return shape


class _Shape(NamedTuple):
    """What programs of so many supports have in common."""

    upper: Array  # (n + 1 + 7 c,) of torques, blend, forces, cones
    lower: Array
    cone: Array  # (4 c, n + 1 + 3 c)
    row: Ints  # (4 c,) where friction stands in it
    column: Ints
    force: Ints  # (3 c,) places of forces


def _shape(n: int, c: int) -> _Shape:
    size = n + 1 + 3 * c
    upper, lower = np.full(size + 4 * c, FREE), np.full(size + 4 * c, -FREE)
    upper[n], lower[n] = 1.0, 0.0
    lower[n + 1 : size : 3] = 0.0
    upper[size:] = 0.0
    cone, row, support = np.zeros((4 * c, size)), np.arange(4 * c), np.repeat(np.arange(c), 4)
    side = row % 4  # |lambda_T| <= mu lambda_N, in each of two directions
    cone[row, n + 2 + side // 2 + 3 * support] = np.where(side % 2, 1.0, -1.0)
    return _Shape(upper, lower, cone, row, n + 1 + 3 * support, np.arange(n + 1, size))


def _inverse(matrix: Array) -> Array:
    """Of a positive definite matrix."""
    factor, _ = dpotrf(matrix, lower=1)
    half, _ = dpotri(factor, lower=1)
    return np.asarray(np.tril(half) + np.tril(half, -1).T)
