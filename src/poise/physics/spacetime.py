"""Trajectory optimisation: the motion nearest to a desired one that joint torques and contacts can produce.

[Muico2009] section 3.2, after [Witkin1988]: poses, velocities, torques and contact forces that satisfy the equations of
motion as the world discretises them. This is one sparse least-squares problem with constraints. Each frame has few
variables, which are coupled over three frames.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.physics.constraint_rows import (
    acceleration_rows,
    cone_bounds,
    cycle_constraint_rows,
    end_constraint_rows,
    force_rows,
    height_bounds,
    joint_bounds,
    likeness_rows,
    overlap_rows,
    standing_rows,
)
from poise.physics.equation_rows import torque_bounds, torque_rows, whole_body_rows
from poise.physics.motion_terms import MotionTerms
from poise.physics.rows import LinearisedProblem, violations
from poise.physics.task import SpacetimeTask, Trajectory, VariableLayout, acting_forces, variable_layout


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
        return LinearisedProblem(
            cost=[
                likeness_rows(motion, layout, point.qpos),
                acceleration_rows(motion, layout, t, self._acceleration),
                replace(torque, name="torque", jacobian=scale * torque.jacobian, value=scale * torque.value),
                *force_rows(task, layout, point.force),
                *overlap_rows(motion, layout, point.qpos),
            ],
            equal=[
                *whole_body_rows(motion, layout, t),
                *standing_rows(motion, layout, t),
                *end_constraint_rows(task, layout, motion.path, point),
            ],
            bounded=[
                torque_bounds(motion, torque),
                cone_bounds(task, layout, point.force),
                joint_bounds(motion, layout, point.qpos),
                *height_bounds(motion, layout, t),
            ],
            tied=[] if task.closure is None else cycle_constraint_rows(task.closure, layout, motion.path, point),
        )

    def conflict(self, here: LinearisedProblem) -> str:
        """The most violated constraint as text: ``heel: stands on the ground at 0.4 s cannot be kept (off by 3 cm)``.

        The time is that of the last frame whose pose or velocity the constraint depends on; frame 1 is at 0 s.
        """
        found = [(float(excess.max()), rows, excess) for rows, excess in violations(here) if excess.size]
        size, rows, excess = max(found, key=lambda item: item[0])
        block, row = (int(k) for k in np.unravel_index(int(excess.argmax()), excess.shape))
        whose = "" if rows.whose is None else f"{np.broadcast_to(rows.whose, excess.shape)[block, row]}: "
        frame = int(np.searchsorted(self.layout.pose[:, 0], rows.columns[block].max(), side="right")) - 1
        off = f"{size:.2g} {rows.unit}".rstrip()
        return f"{whose}{rows.name} at {max(frame - 1, 0) * self._task.step:.2f} s cannot be kept (off by {off})"
