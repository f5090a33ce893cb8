"""Trajectory optimisation: the motion nearest to a desired one that joint torques and contacts can produce.

[Muico2009] section 3.2, after [Witkin1988]: poses, velocities, torques and contact forces that satisfy the equations of
motion as the world discretises them. This is one sparse least-squares problem with constraints. Each frame has few
variables, which are coupled over three frames.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.physics import constraint_rows
from poise.physics.rows import BoundedRows, LinearisedProblem, TaskRows, violations
from poise.physics.task import (
    MotionTerms,
    SpacetimeTask,
    TaskSpheres,
    Trajectory,
    TrajectoryTerms,
    VariableLayout,
    acting_forces,
    variable_layout,
)
from poise.rotations import cross_matrix


def _wrench_by_force(balls: TaskSpheres, t: TrajectoryTerms) -> Array:
    """(n - 1, 6, 3 S), n frames, S spheres: contact forces to their wrench (torque, force) about the origin."""
    count = balls.bearing
    lever = np.array(t.inverse.point[:-1, :count])  # (n - 1, S, 3) m
    lever[..., 2] -= balls.radius[:count]
    out = np.zeros((len(lever), 6, count, 3))
    out[:, :3] = cross_matrix(lever).transpose(0, 2, 1, 3)
    out[:, 3:] = np.eye(3)[:, None, :]
    return out.reshape(len(lever), 6, 3 * count)


def _prediction_rows(motion: MotionTerms, layout: VariableLayout, t: TrajectoryTerms, by_force: Array) -> TaskRows:
    """Equalities: equations of motion of the root for the predicted velocity."""
    dynamics, unit = t.inverse, 1.0 / motion.weight
    by_q, by_v, by_a = (unit * part[:-1] for part in (dynamics.wrench_q, dynamics.wrench_v, dynamics.momentum_v))
    slopes = chain_step_slopes(t, motion.task.step, by_q, by_v, by_a, -by_force)
    value = unit * dynamics.wrench[:-1]
    return TaskRows("equations of motion of the root", layout.steps, slopes.joined(), value, unit="body weights")


def _momentum_rows(motion: MotionTerms, layout: VariableLayout, t: TrajectoryTerms, by_force: Array) -> TaskRows:
    """Equalities: only contacts and gravity change the momentum about the world's origin."""
    dynamics, force = t.inverse, t.x.force[1:-1]
    unit = 1.0 / (motion.task.step * motion.weight)
    before, here, root = chain_state_slopes(t, motion.task.step, unit * dynamics.momentum_q, unit * dynamics.momentum_v)
    down = motion.tree.gravity / np.linalg.norm(motion.tree.gravity)
    com = dynamics.com[:-1]
    gravity = np.concatenate([np.cross(com, down), np.broadcast_to(down, com.shape)], axis=1)
    contact = (by_force @ force.reshape(len(force), -1, 1))[:, :, 0]
    by_pose = np.zeros((len(force), 6, motion.task.body.nv))  # derivative of contact and gravity wrenches
    by_pose[:, :3] = -cross_matrix(down) @ dynamics.momentum_v[:-1, 3:] / motion.mass
    by_pose[:, :3] -= np.einsum("ncij,ncjk->nik", cross_matrix(force), dynamics.point_q[:-1, : force.shape[1]])
    slopes = StepSlopes(
        before=-before[:-1],
        pose=before[1:] - here[:-1] - by_pose,
        root=-root[:-1],
        ahead=np.zeros((len(force), 6, 3)),
        force=-by_force,
        after=here[1:],
        root_after=root[1:],
    )
    value = unit * np.diff(dynamics.momentum, axis=0) - contact - gravity
    return TaskRows("momentum", layout.steps, slopes.joined(), value, unit="body weights")


def _drift_rows(motion: MotionTerms, layout: VariableLayout, t: TrajectoryTerms) -> TaskRows:
    """Equalities of frames 2 to N: in a step the centre of mass moves with the momentum at the end of the step."""
    h, mass, dynamics = motion.task.step, motion.mass, t.inverse
    com_q = dynamics.momentum_v[:, 3:] / mass
    before, here, root = chain_state_slopes(t, h, dynamics.momentum_q[:, 3:] / mass, com_q)
    parts = [before[1:] + com_q[:-1] / h, here[1:] - com_q[1:] / h, root[1:]]
    value = dynamics.momentum[1:, 3:] / mass - np.diff(dynamics.com, axis=0) / h
    return TaskRows("centre of mass", layout.arrivals, np.concatenate(parts, axis=2), value, unit="m/s")


def torque_rows(motion: MotionTerms, layout: VariableLayout, t: TrajectoryTerms) -> TaskRows:
    """Rows whose values are the joint torques of each step, in body weight times metre."""
    dynamics, unit = t.inverse, 1.0 / motion.weight
    by_q, by_v, by_a = (unit * part[:-1, 6:] for part in (dynamics.torque_q, dynamics.torque_v, dynamics.mass))
    slopes = chain_step_slopes(
        t, motion.task.step, by_q, by_v, by_a, -_contact_point_slopes(motion.task.balls, t)[:, 6:]
    )
    damping = unit * motion.tree.damping[6:, None] / motion.task.step
    damped = slopes._replace(
        pose=slopes.pose + damping * t.way_start[1:, 6:], after=slopes.after + damping * t.way_end[1:, 6:]
    )
    joints = np.array(motion.task.body.dof_names[6:])
    value = unit * t.torque[:-1, 6:]
    return TaskRows("torque limit", layout.steps, damped.joined(), value, joints, "body weights times m")


def _contact_point_slopes(balls: TaskSpheres, t: TrajectoryTerms) -> Array:
    """(n - 1, nv, 3 S) m: derivatives by the pose of the contact points, as if fixed to their links."""
    count = balls.bearing
    lever = np.array([0.0, 0.0, -1.0]) * balls.radius[:count, None]  # (S, 3) m from the centre
    moved = t.inverse.point_q[:-1, :count] - cross_matrix(lever) @ t.inverse.spin[:-1, :count]
    return moved.transpose(0, 3, 1, 2).reshape(len(moved), moved.shape[3], 3 * count)


class StepSlopes(NamedTuple):
    """Derivatives (n - 1, R, ...) of R rows per step by the step's variables, in order of `VariableLayout.steps`."""

    before: Array  # (.., nv) by the pose one frame before the step's first state
    pose: Array  # (.., nv) by the pose of the first state
    root: Array  # (.., 6) by the root velocity of the first state
    ahead: Array  # (.., 3) by the root's predicted linear velocity
    force: Array  # (.., 3 S) by the contact forces
    after: Array  # (.., nv) by the pose of the second state
    root_after: Array  # (.., 6) by the root velocity of the second state

    def joined(self) -> Array:
        """(n - 1, R, m) all derivatives in one Jacobian, m variables per step."""
        return np.concatenate(self, axis=2)


def chain_step_slopes(
    t: TrajectoryTerms, step: float, by_q: Array, by_v: Array, by_a: Array, by_force: Array
) -> StepSlopes:
    """Derivatives of R rows per step by the step's variables, from those (n - 1, R, nv) by q, v and acceleration a."""
    joint_v, joint_a = by_v[..., 6:] / step, by_a[..., 6:] / step**2
    from_before, to_here = t.way_start[:-1], t.way_end[:-1]
    from_here, to_after = t.way_start[1:], t.way_end[1:]
    turning = by_a[..., 3:] / step**2
    return StepSlopes(
        before=(joint_v - joint_a) @ from_before[:, 6:],
        pose=by_q + (joint_v - joint_a) @ to_here[:, 6:] + turning @ from_here[:, 3:],
        root=by_v[..., :6] - by_a[..., :6] / step,
        ahead=by_a[..., :3] / step,
        force=by_force,
        after=turning @ to_after[:, 3:],
        root_after=np.zeros((*by_q.shape[:2], 6)),
    )


def chain_state_slopes(t: TrajectoryTerms, step: float, by_q: Array, by_v: Array) -> tuple[Array, Array, Array]:
    """Derivatives (n, R, .) of rows per state by last pose, pose and root velocity, from those by q and v."""
    joint = by_v[..., 6:] / step
    return joint @ t.way_start[:, 6:], by_q + joint @ t.way_end[:, 6:], by_v[..., :6]


class Spacetime:
    """The optimisation problem of a task, in the form that `poise.physics.interior` minimises."""

    def __init__(self, task: SpacetimeTask) -> None:
        self._task = task
        self.layout: VariableLayout = variable_layout(task)
        self.terms = MotionTerms(task)
        self.size, self.bandwidth = self.layout.size, self.layout.bandwidth
        self._way, _, _ = self.terms.path.difference(task.desired[:-1], task.desired[1:])  # (N, nv)
        self._acceleration = np.diff(self._way[:, 6:], axis=0) / task.step**2  # (N - 1, nj) rad/s^2

    def start(self) -> Trajectory:
        """The initial guess: the desired motion, with the weight shared evenly by the contacts."""
        root = np.concatenate([np.zeros((1, 6)), self._way[:, :6] / self._task.step])
        ahead = np.concatenate([root[1:, :3], root[-1:, :3]])
        pushing = acting_forces(self._task)[..., 2]
        force = np.zeros((*pushing.shape, 3))
        force[..., 2] = pushing / np.maximum(pushing.sum(axis=1, keepdims=True), 1)
        return Trajectory(np.array(self._task.desired), root, ahead, force)

    def moved(self, point: Trajectory, step: Array) -> Trajectory:
        """The trajectory `point` after a `step` (n,) of all n variables."""
        padded, here = np.append(step, 0.0), self.layout  # index -1 reads the appended 0
        return Trajectory(
            self.terms.path.moved(point.qpos, padded[here.pose]),
            point.root + padded[here.root],
            point.ahead + padded[here.ahead],
            point.force + padded[here.force],
        )

    def at(self, point: Trajectory) -> LinearisedProblem:
        """Cost and constraints, with their derivatives, at the trajectory `point`."""
        task, layout, motion = self._task, self.layout, self.terms
        t = motion.at(point)
        torque, scale = torque_rows(motion, layout, t), np.sqrt(task.weights.torque)
        limit = (1.0 - task.margin) * task.body.torque_limit[6:] / motion.weight
        limits, by_force = np.broadcast_to(limit, torque.value.shape), _wrench_by_force(task.balls, t)
        return LinearisedProblem(
            cost=[
                constraint_rows.likeness_rows(motion, layout, point.qpos),
                constraint_rows.acceleration_rows(motion, layout, t, self._acceleration),
                replace(torque, name="torque", jacobian=scale * torque.jacobian, value=scale * torque.value),
                *constraint_rows.force_rows(task, layout, point.force),
                *constraint_rows.overlap_rows(motion, layout, point.qpos),
            ],
            equal=[
                _prediction_rows(motion, layout, t, by_force),
                _momentum_rows(motion, layout, t, by_force),
                _drift_rows(motion, layout, t),
                *constraint_rows.standing_rows(motion, layout, t),
                *constraint_rows.end_constraint_rows(task, layout, motion.path, point),
            ],
            bounded=[
                BoundedRows(torque, -limits, limits),
                constraint_rows.cone_bounds(task, layout, point.force),
                constraint_rows.joint_bounds(motion, layout, point.qpos),
                *constraint_rows.height_bounds(motion, layout, t),
            ],
            tied=constraint_rows.cycle_constraint_rows(task.closure, layout, motion.path, point),
        )

    def conflict(self, here: LinearisedProblem) -> str:
        """The most violated constraint: ``heel: stands on the ground at 0.4 s cannot be kept (off by 3 cm)`` or so."""
        found = [(float(excess.max()), rows, excess) for rows, excess in violations(here) if excess.size]
        size, rows, excess = max(found, key=lambda item: item[0])
        block, row = (int(k) for k in np.unravel_index(int(excess.argmax()), excess.shape))
        whose = "" if rows.whose is None else f"{np.broadcast_to(rows.whose, excess.shape)[block, row]}: "
        frame = int(np.searchsorted(self.layout.pose[:, 0], rows.columns[block].max(), side="right")) - 1
        off = f"{size:.2g} {rows.unit}".rstrip()
        return f"{whose}{rows.name} at {max(frame - 1, 0) * self._task.step:.2f} s cannot be kept (off by {off})"
