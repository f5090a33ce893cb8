"""The equations of motion of a candidate trajectory, discretised as in the world.

A step from state (q, v) with torques and contact forces f, see `poise.world`:

    M (w - v) / h + bias = torque - damping w + J' f       predicted velocity w
    q+ = q (+) h w, moved so that  com+ = com + h P+ / m
    v+ = w with root velocities of momentum                 P+ = P + h (m g + sum f),  H+ = H + h sum (r - com) x f

About the world's origin the last line reads: momentum+ = momentum + h (wrench of contacts + of gravity at com).
Joint velocities of a state are differences of poses. Root velocities v and the root's predicted linear velocity are
variables; the root's predicted angular velocity is a difference of poses.
"""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.self_contact import SelfDistances
from poise.dynamics.inverse import Bearings, Inverse, inverse_dynamics
from poise.dynamics.tree import Tree, link_tree_of
from poise.physics.task import SpacetimeTask, Trajectory
from poise.rotations import inverse_right_jacobian


@dataclass(frozen=True, eq=False)
class TrajectoryTerms:
    """Terms of the equations of motion of a candidate x: n = N states (frames 1 to N) and the n - 1 steps between."""

    x: Trajectory
    inverse: Inverse  # inverse dynamics of the n states with the accelerations of their steps, the last with none
    torque: Array  # (n, nv) N m of the joints, damping included; for the root the residual of its equations
    qvel: Array  # (n, nv)
    way: Array  # (n, nv) differences of poses, from each of frames 0 to N - 1 to the next
    way_start: Array  # (n, nv, nv) derivatives of `way` by the first pose; 0 for the root's position
    way_end: Array  # (n, nv, nv) derivatives of `way` by the second pose; 0 for the root's position


class MotionTerms:
    """Evaluates the terms of the equations of motion for trajectories of one task."""

    def __init__(self, task: SpacetimeTask) -> None:
        self.task = task
        self.tree: Tree = link_tree_of(task.body.model)
        self.path = PosePath(task.body)
        self.mass = task.body.mass  # kg
        self.weight = task.body.mass * float(np.linalg.norm(self.tree.gravity))  # N
        self.distances = None if task.apart is None else SelfDistances(task.body, task.apart)
        self._bearings = Bearings(task.balls.link, task.balls.centre, task.balls.radius)

    def at(self, x: Trajectory) -> TrajectoryTerms:
        """The terms of the candidate trajectory x."""
        h = self.task.step
        way, way_start, way_end = self.path.difference(x.qpos[:-1], x.qpos[1:])
        for slope in (way_start, way_end):  # the root's linear velocity has variables of its own
            slope[:, :3, :3] = 0.0
        qvel = np.concatenate([x.root[1:], way[:, 6:] / h], axis=1)
        ahead = np.array(qvel)
        ahead[:-1, :3], ahead[:-1, 3:] = x.ahead[1:-1], way[1:, 3:] / h
        force = np.zeros((len(qvel), *self.task.balls.centre.shape))  # zero in the last state, which has no step
        force[:-1, : self.task.balls.bearing] = self.weight * x.force[1:-1]
        inverse = inverse_dynamics(self.tree, x.qpos[1:], qvel, (ahead - qvel) / h, self._bearings, force)
        torque = np.array(inverse.torque)
        torque[:-1] += self.tree.damping * ahead[:-1]
        return TrajectoryTerms(x, inverse, torque, qvel, way, way_start, way_end)


class PosePath:
    """Differences between poses of a body, with derivatives in the tangent spaces of the poses."""

    def __init__(self, body: Body) -> None:
        self._space = PoseSpace(body)
        self._nv = body.nv
        self.balls = self._space.balls  # (K, 3) degrees of freedom of ball joints

    def moved(self, qpos: Array, step: Array) -> Array:
        """Poses (T, nq) moved by tangent steps (T, nv)."""
        return self._space.moved(qpos, step)

    def difference(self, start: Array, end: Array) -> tuple[Array, Array, Array]:
        """The tangent step (T, nv) from `start` to `end`, and its derivatives (T, nv, nv) by both poses."""
        way, turns = self._space.difference(start, end), self._space.turns
        by_start, by_end = (
            self._slopes(sign, self._space.slides, turns, inverse_right_jacobian(sign * way[:, turns]))
            for sign in (-1.0, 1.0)
        )
        return way, by_start, by_end

    def angles(self, qpos: Array) -> tuple[Array, Array]:
        """Coordinates (T, nv) that joint limits bound (0 for the root), and their derivatives (T, nv, nv) by poses."""
        angles, balls = self._space.angles(qpos), self._space.balls
        return angles, self._slopes(1.0, self._space.hinges, balls, inverse_right_jacobian(angles[:, balls]))

    def _slopes(self, sign: float, straight: Ints, turns: Ints, blocks: Array) -> Array:
        """(T, nv, nv) matrix of `sign` at the DOFs `straight`, `sign` times `blocks` (T, K, 3, 3) at `turns` (K, 3)."""
        out = np.zeros((len(blocks), self._nv, self._nv))
        out[:, straight, straight] = sign
        out[:, turns[:, :, None], turns[:, None, :]] = sign * blocks
        return out
