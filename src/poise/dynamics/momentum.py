"""Momentum and rotation of a whole body; pose and root velocities that have exact momentum at the end of a step.

Angular momentum is about a tree's centre of mass, in the world frame. The rows of the mass matrix that belong to a
free root give both momenta: ``(M v)[0:3] = P`` and, in the root's frame, ``(M v)[3:6] = R'(H + (com - p) x P)``.
"""

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.dynamics import workspace as at
from poise.dynamics.tree import advance_quat
from poise.kernel import Table, float_matrix, floats, ints, kernel
from poise.rotations import cross_matrix, quat_exp, quat_multiply


@kernel
def _add_cross_product(a: Array, b: Array, sign: float, out: Array) -> None:
    """Add sign a x b to out."""
    out[0] += sign * (a[1] * b[2] - a[2] * b[1])
    out[1] += sign * (a[2] * b[0] - a[0] * b[2])
    out[2] += sign * (a[0] * b[1] - a[1] * b[0])


@kernel
def integrate_pose_and_momentum(table: Table) -> None:
    """Write the momenta and centres of mass required after the step (AFTER), and the pose q (+) h v+ (QPOS)."""
    h = floats(table, at.SETTINGS)[at.STEP]
    gravity = floats(table, at.GRAVITY)
    constraint, external = floats(table, at.CONSTRAINT), floats(table, at.EXTERNAL)
    momentum = floats(table, at.MOMENTUM)
    tree_dof, tree_body, tree_mass = ints(table, at.TREE_DOF), ints(table, at.TREE_BODY), floats(table, at.TREE_MASS)
    xpos, xmat, com = float_matrix(table, at.XPOS), float_matrix(table, at.XMAT), float_matrix(table, at.SUBTREE_COM)
    after = float_matrix(table, at.AFTER)
    lever = np.empty(3)
    for t in range(tree_dof.shape[0]):
        first, body, mass = tree_dof[t], tree_body[t], tree_mass[t]
        for i in range(3):
            after[t, i] = momentum[first + i] + constraint[first + i] + h * external[first + i]
            lever[i] = com[body, i] - xpos[body, i]
        for i in range(3):
            after[t, 3 + i] = 0.0
            for j in range(3):
                d = first + 3 + j
                after[t, 3 + i] += xmat[body, 3 * i + j] * (momentum[d] + constraint[d] + h * external[d])
        _add_cross_product(lever, after[t, :3], -1.0, after[t, 3:6])
        for i in range(3):
            after[t, i] += h * mass * gravity[i]
            after[t, 6 + i] = com[body, i] + h * after[t, i] / mass

    qpos, velocity = floats(table, at.QPOS), floats(table, at.VELOCITY)
    kind, coordinate, dof = ints(table, at.JOINT_TYPE), ints(table, at.JOINT_QPOS), ints(table, at.JOINT_DOF)
    for j in range(kind.shape[0]):
        q, d = coordinate[j], dof[j]
        if kind[j] == at.FREE_JOINT:
            for i in range(3):
                qpos[q + i] += h * velocity[d + i]
            advance_quat(qpos[q + 3 : q + 7], velocity[d + 3 : d + 6], h)
        elif kind[j] == at.BALL_JOINT:
            advance_quat(qpos[q : q + 4], velocity[d : d + 3], h)
        else:
            qpos[q] += h * velocity[d]


@kernel
def _shift_point(point: Array, shift: Array) -> None:
    for i in range(3):
        point[i] += shift[i]


@kernel
def restore_momentum(table: Table) -> None:
    """Shift each tree to its required centre of mass and set its root velocities; needs MASS at the new pose."""
    after = float_matrix(table, at.AFTER)
    tree_body, tree_dof, tree_end = ints(table, at.TREE_BODY), ints(table, at.TREE_DOF), ints(table, at.TREE_END)
    tree_qpos, body_tree = ints(table, at.TREE_QPOS), ints(table, at.BODY_TREE)
    com, xpos, xmat = float_matrix(table, at.SUBTREE_COM), float_matrix(table, at.XPOS), float_matrix(table, at.XMAT)
    qpos, qvel = floats(table, at.QPOS), floats(table, at.QVEL)
    velocity, mass = floats(table, at.VELOCITY), float_matrix(table, at.MASS)
    trees = tree_body.shape[0]
    shift = np.empty((trees, 3))
    for t in range(trees):
        for i in range(3):
            shift[t, i] = after[t, 6 + i] - com[tree_body[t], i]
            qpos[tree_qpos[t] + i] += shift[t, i]
    xipos = float_matrix(table, at.XIPOS)
    for b in range(body_tree.shape[0]):
        if body_tree[b] >= 0:
            _shift_point(xpos[b], shift[body_tree[b]])
            _shift_point(xipos[b], shift[body_tree[b]])
            _shift_point(com[b], shift[body_tree[b]])
    carried = ((at.GEOM_XPOS, at.GEOM_BODY), (at.SITE_XPOS, at.SITE_BODY), (at.XANCHOR, at.JOINT_BODY))
    for where, whose in carried:
        points, owner = float_matrix(table, where), ints(table, whose)
        for k in range(owner.shape[0]):
            t = body_tree[owner[k]]
            if t >= 0:
                _shift_point(points[k], shift[t])

    for i in range(qvel.shape[0]):
        qvel[i] = velocity[i]
    a = np.empty((6, 6))
    x = np.empty(6)
    lever, about = np.empty(3), np.empty(3)
    for t in range(trees):
        first, body = tree_dof[t], tree_body[t]
        for i in range(3):
            lever[i] = com[body, i] - xpos[body, i]
            about[i] = after[t, 3 + i]
        _add_cross_product(lever, after[t, :3], 1.0, about)
        for i in range(3):
            x[i] = after[t, i]
            x[3 + i] = xmat[body, i] * about[0] + xmat[body, 3 + i] * about[1] + xmat[body, 6 + i] * about[2]
        for i in range(6):
            for j in range(first + 6, tree_end[t]):
                x[i] -= mass[first + i, j] * qvel[j]
            for j in range(6):
                a[i, j] = mass[first + i, first + j]
        _solve_momentum_by_cholesky(a, x)
        for i in range(6):
            qvel[first + i] = x[i]


@kernel
def _solve_momentum_by_cholesky(a: Array, x: Array) -> None:
    """Overwrite x with a^-1 x by Cholesky factorisation; a is positive definite and is overwritten."""
    n = x.shape[0]
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k]
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    for i in range(n):
        for k in range(i):
            x[i] -= a[i, k] * x[k]
        x[i] /= a[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= a[k, i] * x[k]
        x[i] /= a[i, i]


class RotationIndices(NamedTuple):
    """Translation and rotation of a body as a whole."""

    mass: float  # kg
    com: Array  # (3,) m
    velocity: Array  # (3,) m/s, of the centre of mass
    angular_momentum: Array  # (3,) kg m^2/s
    inertia: Array  # (3, 3) kg m^2, composite: of all links as one rigid body
    spin: Array  # (3,) rad/s, inertia^-1 angular_momentum: angular velocity of the composite body


def whole_body_rotation(mass: Array, qvel: Array, data: Any, root: int = 1, first: int = 0) -> RotationIndices:
    """Rotation indices with mass matrix (nv, nv), kinematics `data`, body `root` and DOF `first` [Zordan2014] III-A."""
    total = float(mass[first, first])
    com = np.array(data.subtree_com[root])
    lever = com - data.xpos[root]
    turn = data.xmat[root].reshape(3, 3)
    linear, about_root = mass[first : first + 3] @ qvel, turn @ (mass[first + 3 : first + 6] @ qvel)
    arm = cross_matrix(lever)
    momentum = about_root - arm @ linear
    inertia = turn @ mass[first + 3 : first + 6, first + 3 : first + 6] @ turn.T + total * arm @ arm
    return RotationIndices(total, com, linear / total, momentum, inertia, np.linalg.solve(inertia, momentum))


def integrate_excursion(excursion: Array, spin: Array, seconds: float) -> Array:
    """Excursion (4,) after `seconds` of a spin (3,) in the world: exp(spin t) excursion [Zordan2014] section V-A."""
    return quat_multiply(quat_exp(spin * seconds), excursion)
