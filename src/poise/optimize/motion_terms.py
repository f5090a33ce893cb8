"""The equations of motion of a candidate trajectory, in our own discretisation, with derivatives.

A step of the world from state (q, v) by torques and contact forces, see `poise.world`:

    M (w - v) / h + bias = torque - damping w + J' f       predicted velocity w
    q+ = q (+) h w, moved so that  com+ = com + h P+ / m
    v+ = w with root velocities of momentum                 P+ = P + h (m g + sum f),  H+ = H + h sum (r - com) x f

About the world's origin the last line reads: momentum+ = momentum + h (wrench of contacts + of gravity at com).
Joint velocities of a state are differences of poses; root velocities v and the root's predicted linear velocity are
variables, its predicted angular velocity is again a difference of poses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.dynamics.inverse import invert
from poise.dynamics.tree import Tree, tree_of
from poise.optimize.layout import Trajectory
from poise.optimize.path import PosePath, cross_matrix
from poise.optimize.rows import Array
from poise.optimize.task import Task


@dataclass(frozen=True, eq=False)
class Terms:
    """Everything about frames 1 to N (first axis, n = N) and the steps from 1 to N - 1 (the first n - 1 of them)."""

    torque: Array  # (n, nv) N m that joints must give; at the root what is missing
    wrench: Array  # (n, 6) N m, N: missing for the predicted velocity
    momentum: Array  # (n, 6)
    com: Array  # (n, 3) m
    point: Array  # (n, C, 3) m, centres of the balls
    torque_q: Array  # by pose, velocity and acceleration
    torque_v: Array
    mass: Array
    wrench_q: Array
    wrench_v: Array
    momentum_q: Array
    momentum_v: Array  # also the wrench by acceleration
    attitude: Array  # (n, C, 4)
    spin: Array  # (n, C, 3, nv)
    point_q: Array  # (n, C, 3, nv)
    qvel: Array  # (n, nv)
    qacc: Array  # (n, nv)
    way: Array  # (n, nv) differences of poses, from each of frames 0 to N - 1 to the next
    way_start: Array  # (n, nv, nv)
    way_end: Array  # (n, nv, nv)


class MotionTerms:
    """Evaluates the terms of trajectories of one task."""

    def __init__(self, task: Task) -> None:
        self.tree: Tree = tree_of(task.body.model)
        self.path = PosePath(task.body)
        self.mass = task.body.mass
        self.weight = task.body.mass * float(np.linalg.norm(self.tree.gravity))  # N
        self._task = task

    def at(self, x: Trajectory) -> Terms:
        """The terms of a candidate."""
        h, balls = self._task.step, self._task.balls
        way, way_start, way_end = self.path.difference(x.qpos[:-1], x.qpos[1:])
        for part in (way_start, way_end):  # the root's place is told by variables of its own
            part[:, :3, :3] = 0.0
        qvel = np.concatenate([x.root[1:], way[:, 6:] / h], axis=1)
        ahead = np.array(qvel)
        ahead[:-1, :3], ahead[:-1, 3:] = x.ahead[1:-1], way[1:, 3:] / h
        qacc = (ahead - qvel) / h
        n, nv, c = *qvel.shape, len(balls.link)
        vectors = [np.empty(shape) for shape in ((n, nv), (n, 6), (n, 6), (n, 3), (n, c, 3))]
        matrices = [np.empty((n, nv, nv)) for _ in range(3)] + [np.empty((n, 6, nv)) for _ in range(4)]
        contacts = [np.empty((n, c, 4)), np.empty((n, c, 3, nv)), np.empty((n, c, 3, nv))]
        force = x.force[1:] * self.weight
        force[-1] = 0.0
        out = [*vectors, *matrices, *contacts]
        invert(self.tree, x.qpos[1:], qvel, qacc, balls.link, balls.centre, balls.radius, force, *out)
        out[0][:-1] += self.tree.damping * ahead[:-1]
        return Terms(*out, qvel, qacc, way, way_start, way_end)

    def by_step(self, t: Terms, by_q: Array, by_v: Array, by_a: Array) -> tuple[Array, ...]:
        """Derivatives of rows (n - 1, R, nv) of the steps by pose before, pose, root, ahead, and pose after."""
        h = self._task.step
        joint_v, joint_a = by_v[..., 6:] / h, by_a[..., 6:] / h**2
        start, end = t.way_start[:-1], t.way_end[:-1]  # of the way to the frame
        after_start, after_end = t.way_start[1:], t.way_end[1:]  # of the way from it
        before = (joint_v - joint_a) @ start[:, 6:]
        here = by_q + (joint_v - joint_a) @ end[:, 6:] + by_a[..., 3:] / h**2 @ after_start[:, 3:]
        after = by_a[..., 3:] / h**2 @ after_end[:, 3:]
        return before, here, by_v[..., :6] - by_a[..., :6] / h, by_a[..., :3] / h, after

    def by_state(self, t: Terms, by_q: Array, by_v: Array) -> tuple[Array, Array, Array]:
        """Derivatives of rows (n, R, nv) of states by pose before, pose and root."""
        joint = by_v[..., 6:] / self._task.step
        return joint @ t.way_start[:, 6:], by_q + joint @ t.way_end[:, 6:], by_v[..., :6]

    def contact_wrench(self, t: Terms, x: Trajectory) -> tuple[Array, Array, Array]:
        """(n - 1, 6) body weights (times m) of the contacts, by pose (.., 6, nv) and by force (.., 6, 3 C)."""
        lever, force = np.array(t.point[:-1]), x.force[1:-1]
        lever[..., 2] -= self._task.balls.radius
        n, c = force.shape[:2]
        total = np.concatenate([np.cross(lever, force).sum(axis=1), force.sum(axis=1)], axis=1)
        by_q = np.zeros((n, 6, t.mass.shape[2]))
        by_q[:, :3] = -np.einsum("ncij,ncjk->nik", cross_matrix(force), t.point_q[:-1])
        by_force = np.zeros((n, 6, c, 3))
        by_force[:, :3] = cross_matrix(lever).transpose(0, 2, 1, 3)
        by_force[:, 3:] = np.eye(3)[:, None, :]
        return total, by_q, by_force.reshape(n, 6, 3 * c)
