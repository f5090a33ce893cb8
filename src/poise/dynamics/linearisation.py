"""One simulation step from each state of a motion, and its exact derivatives by state and controls.

A deviation is (dq, dv): dq is the tangent step from the motion's pose to another, dv the difference of velocities. A
step first finds the velocity w that advances the pose, from

    M (w - v) / h + bias = tau - damping w + J' f,

then shifts the root so that the centre of mass moves with its momentum, and sets the root's velocity so that the
momenta are exact (see `poise.world`). The step is affine in the controls: joint torques, and contact forces on balls.
"""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.dynamics.inverse import Bearings, Inverse, inverse_dynamics
from poise.dynamics.tree import BALL, Tree, advance_pose
from poise.kernel import kernel
from poise.rotations import quat_conjugate, quat_exp, quat_to_matrix, right_jacobian


@dataclass(frozen=True, eq=False)
class LinearSteps:
    """Steps from each of T states, and their derivatives (T, 2 nv, .) by state and controls."""

    velocity: Array  # (T, nv) the velocity w that advances the pose
    qpos: Array  # (T, nq) poses after the step
    qvel: Array  # (T, nv) velocities after the step
    lever: Array  # (T, C, 3, nv) Jacobians of the lowest points of the balls, before the step
    by_state: Array  # (T, 2 nv, 2 nv)
    by_torque: Array  # (T, 2 nv, nv - 6), of joints
    by_force: Array  # (T, 2 nv, C, 3), on balls, along the world's axes


def linearise_steps(
    tree: Tree, qpos: Array, qvel: Array, torque: Array, bearings: Bearings, force: Array, step: float
) -> LinearSteps:
    """Linearised steps of `step` s from states (T, nq), (T, nv) with torques (T, nv) and contact forces (T, C, 3) N."""
    still = inverse_dynamics(tree, qpos, qvel, np.zeros_like(qvel), bearings, force)
    heavy = still.mass + step * np.diag(tree.damping)
    moved = np.einsum("tij,tj->ti", still.mass, qvel) + step * (torque - still.torque)
    w = np.linalg.solve(heavy, moved[..., None])[..., 0]
    here = inverse_dynamics(tree, qpos, qvel, (w - qvel) / step, bearings, force)
    after, pose, speed = _states_after_step(tree, here, qpos, w, bearings, force, step)
    down = np.zeros((len(bearings.radius), 3))  # m, from the balls' centres to their lowest points
    down[:, 2] = -bearings.radius
    lever = here.point_q + np.cross(here.spin, down[None, :, :, None], axis=2)  # (T, C, 3, nv) their Jacobians
    frames, nv, c = *qvel.shape, len(bearings.link)
    joints = np.broadcast_to(np.eye(nv)[:, 6:], (frames, nv, nv - 6))
    sources = [-step * here.torque_q, here.mass - step * here.torque_v, step * joints]
    sources.append(step * lever.reshape(frames, 3 * c, nv).swapaxes(1, 2))
    w_by = np.asarray(np.linalg.solve(heavy, np.concatenate(sources, axis=2)), float)  # (T, nv, 2 nv + nv - 6 + 3 C)
    thrust = _momentum_derivatives(tree, here, bearings, force, step, w_by.shape[2])
    by = np.concatenate(_step_derivatives(tree, here, after, w, w_by, thrust, step), axis=1)
    forces = by[:, :, 3 * nv - 6 :].reshape(frames, 2 * nv, c, 3)
    return LinearSteps(w, pose, speed, lever, by[:, :, : 2 * nv], by[:, :, 2 * nv : 3 * nv - 6], forces)


def _states_after_step(
    tree: Tree, here: Inverse, qpos: Array, w: Array, bearings: Bearings, force: Array, step: float
) -> tuple[Inverse, Array, Array]:
    """Inverse-dynamics terms at the states after the step, and those poses (T, nq) and velocities (T, nv)."""
    mass, rest, free = tree.link_mass.sum(), np.zeros_like(w), np.zeros_like(force)
    weight = mass * tree.gravity
    lowest = here.point - bearings.radius[:, None] * [0.0, 0.0, 1.0]
    momentum = np.array(here.momentum)
    momentum[:, :3] += step * (np.cross(here.com, weight) + np.cross(lowest, force).sum(axis=1))
    momentum[:, 3:] += step * (weight + force.sum(axis=1))
    pose = np.array(qpos)
    _advance_poses(tree, pose, np.array(w), step)
    strayed = inverse_dynamics(tree, pose, w, rest, bearings, free).com
    pose[:, :3] += here.com + step / mass * momentum[:, 3:] - strayed
    speed, lean = np.array(w), inverse_dynamics(tree, pose, w, rest, bearings, free).momentum_v
    owed = momentum - np.einsum("tij,tj->ti", lean[:, :, 6:], w[:, 6:])
    speed[:, :6] = np.linalg.solve(lean[:, :, :6], owed[..., None])[..., 0]
    return inverse_dynamics(tree, pose, speed, rest, bearings, free), pose, speed


def _step_derivatives(
    tree: Tree, here: Inverse, after: Inverse, w: Array, w_by: Array, thrust: Array, step: float
) -> tuple[Array, Array]:
    """Derivatives (T, nv, .) of the poses and velocities after the step, by state and controls."""
    mass, nv = tree.link_mass.sum(), w.shape[1]
    moves = _pose_derivatives(tree, w, w_by, step)
    com = step / mass * thrust[:, 3:]
    com[:, :, :nv] += here.momentum_v[:, 3:] / mass
    moves[:, :3] = com - (after.momentum_v[:, 3:, 3:] / mass) @ moves[:, 3:]
    speeds = np.array(w_by)
    owed = thrust - after.momentum_q @ moves - after.momentum_v[:, :, 6:] @ w_by[:, 6:]
    speeds[:, :6] = np.linalg.solve(after.momentum_v[:, :, :6], owed)
    return moves, speeds


@kernel
def _advance_poses(tree: Tree, pose: Array, velocity: Array, step: float) -> None:
    """Advance poses (T, nq) in place."""
    for t in range(pose.shape[0]):
        advance_pose(tree, pose[t], velocity[t], step)


def _pose_derivatives(tree: Tree, w: Array, w_by: Array, step: float) -> Array:
    """Derivatives (T, nv, .) of the pose q (+) h w, before its root is shifted."""
    nv = w.shape[1]
    out = step * w_by
    out[:, :, :nv] += np.eye(nv)
    for k in np.flatnonzero(tree.block_kind == BALL):
        dofs = tree.block_dof[k] + np.arange(3)
        turned = step * w[:, dofs]
        out[:, dofs] = step * right_jacobian(turned) @ w_by[:, dofs]
        out[:, dofs[:, None], dofs] += quat_to_matrix(quat_conjugate(quat_exp(turned)))
    return out


def _momentum_derivatives(
    tree: Tree, here: Inverse, bearings: Bearings, force: Array, step: float, columns: int
) -> Array:
    """Derivatives (T, 6, columns) of the momenta after the step about the world's origin, angular first."""
    frames, nv, c = len(force), here.mass.shape[1], len(bearings.link)
    out = np.zeros((frames, 6, columns))
    out[:, :, :nv] = here.momentum_q
    out[:, :, nv : 2 * nv] = here.momentum_v
    weight = tree.link_mass.sum() * tree.gravity
    out[:, :3, :nv] += step * np.cross(here.momentum_v[:, 3:] / tree.link_mass.sum(), weight[None, :, None], axis=1)
    out[:, :3, :nv] += step * np.cross(here.point_q, force[..., None], axis=2).sum(axis=1)
    lowest = here.point - bearings.radius[:, None] * [0.0, 0.0, 1.0]
    by_force = np.zeros((frames, 6, c, 3))
    for axis, unit in enumerate(np.eye(3)):
        by_force[:, :3, :, axis] = np.cross(lowest, unit).swapaxes(1, 2)
        by_force[:, 3 + axis, :, axis] = 1.0
    out[:, :, columns - 3 * c :] = step * by_force.reshape(frames, 6, 3 * c)
    return out
