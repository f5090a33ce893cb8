"""Linear and angular momentum of floating trees, and root velocities that keep them exact.

Angular momentum is about the tree's centre of mass, in the world frame. The rows of the mass matrix that belong
to a free root give both: ``(M v)[0:3] = P`` and, in the root's frame, ``(M v)[3:6] = R'(H + (com - p) x P)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def momentum(root_momentum: Any, rotation: Any, lever: Any) -> Any:
    """(P, H) from generalised momentum of a free root; lever = com - root position, rotation root to world."""
    out = np.empty(6)
    px, py, pz = root_momentum[0], root_momentum[1], root_momentum[2]
    out[0], out[1], out[2] = px, py, pz
    for i in range(3):
        out[3 + i] = (
            rotation[3 * i] * root_momentum[3]
            + rotation[3 * i + 1] * root_momentum[4]
            + rotation[3 * i + 2] * root_momentum[5]
        )
    out[3] -= lever[1] * pz - lever[2] * py
    out[4] -= lever[2] * px - lever[0] * pz
    out[5] -= lever[0] * py - lever[1] * px
    return out


@kernel
def momentum_after(
    mass: Any,
    velocity: Any,
    impulse: Any,
    h: float,
    gravity: Any,
    tree_dof: Any,
    tree_end: Any,
    tree_body: Any,
    tree_mass: Any,
    xpos: Any,
    xmat: Any,
    subtree_com: Any,
    out: Any,
) -> None:
    """Momentum (trees, 6) and target centre of mass (trees, 3) after a step, in out (trees, 9).

    ``impulse`` (nv,) is the generalised impulse of contacts, pushes and stabilisers; gravity is added here.
    """
    total = np.empty(6)
    for t in range(tree_dof.shape[0]):
        first, body = tree_dof[t], tree_body[t]
        for i in range(6):
            value = impulse[first + i]
            for j in range(first, tree_end[t]):
                value += mass[first + i, j] * velocity[j]
            total[i] = value
        lever = subtree_com[body] - xpos[body]
        after = momentum(total, xmat[body], lever)
        for i in range(3):
            after[i] += h * tree_mass[t] * gravity[i]
            out[t, i] = after[i]
            out[t, 3 + i] = after[3 + i]
            out[t, 6 + i] = subtree_com[body, i] + h * after[i] / tree_mass[t]


@kernel
def restore_momentum(
    mass: Any,
    velocity: Any,
    wanted: Any,
    tree_dof: Any,
    tree_end: Any,
    tree_body: Any,
    xpos: Any,
    xmat: Any,
    subtree_com: Any,
) -> None:
    """Set the six root velocities of each tree so that its momentum at the new pose is the wanted one."""
    a = np.empty((6, 6))
    x = np.empty(6)
    for t in range(tree_dof.shape[0]):
        first, body = tree_dof[t], tree_body[t]
        lever = subtree_com[body] - xpos[body]
        p = wanted[t, :3]
        about = np.empty(3)
        about[0] = wanted[t, 3] + lever[1] * p[2] - lever[2] * p[1]
        about[1] = wanted[t, 4] + lever[2] * p[0] - lever[0] * p[2]
        about[2] = wanted[t, 5] + lever[0] * p[1] - lever[1] * p[0]
        for i in range(3):
            x[i] = p[i]
            rotation = xmat[body]
            x[3 + i] = rotation[i] * about[0] + rotation[3 + i] * about[1] + rotation[6 + i] * about[2]
        for i in range(6):
            for j in range(first + 6, tree_end[t]):
                x[i] -= mass[first + i, j] * velocity[j]
            for j in range(6):
                a[i, j] = mass[first + i, first + j]
        # Cholesky of the 6 x 6 composite inertia, in place.
        for j in range(6):
            for k in range(j):
                a[j, j] -= a[j, k] * a[j, k]
            a[j, j] = np.sqrt(a[j, j])
            for i in range(j + 1, 6):
                for k in range(j):
                    a[i, j] -= a[i, k] * a[j, k]
                a[i, j] /= a[j, j]
        for i in range(6):
            for k in range(i):
                x[i] -= a[i, k] * x[k]
            x[i] /= a[i, i]
        for i in range(5, -1, -1):
            for k in range(i + 1, 6):
                x[i] -= a[k, i] * x[k]
            x[i] /= a[i, i]
            velocity[first + i] = x[i]
