"""Chain rules: derivatives by pose, velocity and acceleration become derivatives by the variables of a trajectory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.frozen import Array
from poise.optimize.motion_terms import Terms


class StepSlopes(NamedTuple):
    """Derivatives (n - 1, R, ...) of rows of the steps, in the order of `Layout.steps`."""

    before: Array  # (.., nv) by the pose before the state
    pose: Array  # (.., nv) by its pose
    root: Array  # (.., 6) by its root velocities
    ahead: Array  # (.., 3) by the root's predicted velocity
    force: Array  # (.., 3 S) by the contact forces
    after: Array  # (.., nv) by the next pose
    root_after: Array  # (.., 6) by the next root velocities

    def joined(self) -> Array:
        """(n - 1, R, m) the Jacobian."""
        return np.concatenate(self, axis=2)


class StateSlopes(NamedTuple):
    """Derivatives (n, R, ...) of rows of the states."""

    before: Array  # (.., nv) by the pose before the state
    pose: Array  # (.., nv) by its pose
    root: Array  # (.., 6) by its root velocities


def by_step(t: Terms, step: float, by_q: Array, by_v: Array, by_a: Array, by_force: Array) -> StepSlopes:
    """Of rows whose derivatives (n - 1, R, nv) by pose, velocity and acceleration of the steps' states are known."""
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


def by_state(t: Terms, step: float, by_q: Array, by_v: Array) -> StateSlopes:
    """Of rows whose derivatives (n, R, nv) by pose and velocity of the states are known."""
    joint = by_v[..., 6:] / step
    return StateSlopes(joint @ t.way_start[:, 6:], by_q + joint @ t.way_end[:, 6:], by_v[..., :6])
