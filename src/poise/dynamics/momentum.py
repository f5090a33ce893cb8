"""Positions and root velocities at the end of a step, with momentum kept exact.

Angular momentum is about a tree's centre of mass, in the world frame. The rows of the mass matrix that belong to a
free root give both momenta: ``(M v)[0:3] = P`` and, in the root's frame, ``(M v)[3:6] = R'(H + (com - p) x P)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.tree import turn
from poise.dynamics.workspace import (
    AFTER,
    BALL_JOINT,
    BODY_TREE,
    CONSTRAINT,
    EXTERNAL,
    FREE_JOINT,
    GEOM_BODY,
    GEOM_XPOS,
    GRAVITY,
    JOINT_BODY,
    JOINT_DOF,
    JOINT_QPOS,
    JOINT_TYPE,
    MASS,
    MOMENTUM,
    QPOS,
    QVEL,
    SETTINGS,
    SITE_BODY,
    SITE_XPOS,
    STEP,
    SUBTREE_COM,
    TREE_BODY,
    TREE_DOF,
    TREE_END,
    TREE_MASS,
    TREE_QPOS,
    VELOCITY,
    XANCHOR,
    XIPOS,
    XMAT,
    XPOS,
)
from poise.kernel import floats, floats2, ints, kernel


@kernel
def _cross(a: Any, b: Any, sign: float, out: Any) -> None:
    """Add sign a x b to out."""
    out[0] += sign * (a[1] * b[2] - a[2] * b[1])
    out[1] += sign * (a[2] * b[0] - a[0] * b[2])
    out[2] += sign * (a[0] * b[1] - a[1] * b[0])


@kernel
def integrate(table: Any) -> None:
    """The wanted momenta and centres of mass after the step (AFTER), and the pose q (+) h v+."""
    h = floats(table, SETTINGS)[STEP]
    gravity = floats(table, GRAVITY)
    constraint, external = floats(table, CONSTRAINT), floats(table, EXTERNAL)
    momentum = floats(table, MOMENTUM)
    tree_dof, tree_body, tree_mass = ints(table, TREE_DOF), ints(table, TREE_BODY), floats(table, TREE_MASS)
    xpos, xmat, com = floats2(table, XPOS), floats2(table, XMAT), floats2(table, SUBTREE_COM)
    after = floats2(table, AFTER)
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
        _cross(lever, after[t, :3], -1.0, after[t, 3:6])
        for i in range(3):
            after[t, i] += h * mass * gravity[i]
            after[t, 6 + i] = com[body, i] + h * after[t, i] / mass

    qpos, velocity = floats(table, QPOS), floats(table, VELOCITY)
    kind, coordinate, dof = ints(table, JOINT_TYPE), ints(table, JOINT_QPOS), ints(table, JOINT_DOF)
    for j in range(kind.shape[0]):
        q, d = coordinate[j], dof[j]
        if kind[j] == FREE_JOINT:
            for i in range(3):
                qpos[q + i] += h * velocity[d + i]
            turn(qpos[q + 3 : q + 7], velocity[d + 3 : d + 6], h)
        elif kind[j] == BALL_JOINT:
            turn(qpos[q : q + 4], velocity[d : d + 3], h)
        else:
            qpos[q] += h * velocity[d]


@kernel
def _shift(points: Any, shift: Any) -> None:
    for i in range(3):
        points[i] += shift[i]


@kernel
def restore_momentum(table: Any) -> None:
    """Shift each tree to its wanted centre of mass and set its six root velocities to have the wanted momenta.

    Expects kinematics and mass matrix at the new pose; neither Jacobians nor the mass matrix notice the shift.
    """
    after = floats2(table, AFTER)
    tree_body, tree_dof, tree_end = ints(table, TREE_BODY), ints(table, TREE_DOF), ints(table, TREE_END)
    tree_qpos, body_tree = ints(table, TREE_QPOS), ints(table, BODY_TREE)
    com, xpos, xmat = floats2(table, SUBTREE_COM), floats2(table, XPOS), floats2(table, XMAT)
    qpos, qvel, velocity, mass = floats(table, QPOS), floats(table, QVEL), floats(table, VELOCITY), floats2(table, MASS)
    trees = tree_body.shape[0]
    shift = np.empty((trees, 3))
    for t in range(trees):
        for i in range(3):
            shift[t, i] = after[t, 6 + i] - com[tree_body[t], i]
            qpos[tree_qpos[t] + i] += shift[t, i]
    xipos = floats2(table, XIPOS)
    for b in range(body_tree.shape[0]):
        if body_tree[b] >= 0:
            _shift(xpos[b], shift[body_tree[b]])
            _shift(xipos[b], shift[body_tree[b]])
            _shift(com[b], shift[body_tree[b]])
    carried = ((GEOM_XPOS, GEOM_BODY), (SITE_XPOS, SITE_BODY), (XANCHOR, JOINT_BODY))
    for where, whose in carried:
        points, owner = floats2(table, where), ints(table, whose)
        for k in range(owner.shape[0]):
            t = body_tree[owner[k]]
            if t >= 0:
                _shift(points[k], shift[t])

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
        _cross(lever, after[t, :3], 1.0, about)
        for i in range(3):
            x[i] = after[t, i]
            x[3 + i] = xmat[body, i] * about[0] + xmat[body, 3 + i] * about[1] + xmat[body, 6 + i] * about[2]
        for i in range(6):
            for j in range(first + 6, tree_end[t]):
                x[i] -= mass[first + i, j] * qvel[j]
            for j in range(6):
                a[i, j] = mass[first + i, first + j]
        _solve_positive(a, x)
        for i in range(6):
            qvel[first + i] = x[i]


@kernel
def _solve_positive(a: Any, x: Any) -> None:
    """Overwrite x with a^-1 x by Cholesky; a is positive definite and is overwritten."""
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
