"""Inverse dynamics of whole trajectories, and its exact derivatives.

Recursive Newton-Euler with all vectors in the world frame about the world's origin: motions are (angular; linear),
forces are (moment; force). Derivatives follow [Carpentier2018]. A turn of block i by S_i carries all above it as one rigid
piece, so that for each link j above

    dv_j = S_i x v_j + xi_i,                xi_i = v_p x S_i
    da_j = S_i x a_j + eta_i + xi_i x v_j,  eta_i = a_p x S_i + v_p x xi_i

with v_p, a_p the motion of what is below the block. The rigid part moves forces and axes alike and drops out of
torques within the piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.tree import BALL, HINGE, SLIDE
from poise.kernel import kernel


@kernel
def _cross(a: Any, b: Any, out: Any) -> None:
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def _motion_cross(a: Any, b: Any, out: Any) -> None:
    """a x b of two motions."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[3] = a[1] * b[5] - a[2] * b[4] + a[4] * b[2] - a[5] * b[1]
    out[4] = a[2] * b[3] - a[0] * b[5] + a[5] * b[0] - a[3] * b[2]
    out[5] = a[0] * b[4] - a[1] * b[3] + a[3] * b[1] - a[4] * b[0]


@kernel
def _force_cross(a: Any, f: Any, out: Any) -> None:
    """a x* f of a motion and a force."""
    out[0] = a[1] * f[2] - a[2] * f[1] + a[4] * f[5] - a[5] * f[4]
    out[1] = a[2] * f[0] - a[0] * f[2] + a[5] * f[3] - a[3] * f[5]
    out[2] = a[0] * f[1] - a[1] * f[0] + a[3] * f[4] - a[4] * f[3]
    out[3] = a[1] * f[5] - a[2] * f[4]
    out[4] = a[2] * f[3] - a[0] * f[5]
    out[5] = a[0] * f[4] - a[1] * f[3]


@kernel
def _times(matrix: Any, x: Any, out: Any) -> None:
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += matrix[i, j] * x[j]
        out[i] = total


@kernel
def _dot(a: Any, b: Any) -> float:
    total = 0.0
    for i in range(6):
        total += a[i] * b[i]
    return total


@kernel
def _quat_times(a: Any, b: Any, out: Any) -> None:
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def _matrix(q: Any, out: Any) -> None:
    """(3, 3) of a unit quaternion."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def _carry(pos: Any, turn: Any, local: Any, out: Any) -> None:
    """out = pos + turn local."""
    for i in range(3):
        out[i] = pos[i] + turn[i, 0] * local[0] + turn[i, 1] * local[1] + turn[i, 2] * local[2]


@kernel
def place_links(tree: Any, qpos: Any, pos: Any, quat: Any, turn: Any, axes: Any) -> None:
    """Places (L, 3), (L, 4), (L, 3, 3) of the links of one pose, and the motions S (nv, 6) of its degrees of freedom."""
    pos[0], quat[0] = 0.0, 0.0
    quat[0, 0] = 1.0
    _matrix(quat[0], turn[0])
    anchor, line, part = np.empty(3), np.empty(3), np.empty(4)
    for b in range(1, tree.link_parent.shape[0]):
        p = tree.link_parent[b]
        _carry(pos[p], turn[p], tree.link_pos[b], pos[b])
        _quat_times(quat[p], tree.link_quat[b], quat[b])
        _matrix(quat[b], turn[b])
        first, count = tree.link_blocks[b, 0], tree.link_blocks[b, 1]
        for k in range(first, first + count):
            d, c = tree.block_dof[k], tree.block_qpos[k]
            if tree.block_kind[k] == SLIDE:
                for i in range(3):
                    pos[b, i] = qpos[c + i]
                    for j in range(6):
                        axes[d + i, j] = 1.0 if j == 3 + i else 0.0
                quat[b] = 0.0
                quat[b, 0] = 1.0
                _matrix(quat[b], turn[b])
                continue
            _carry(pos[b], turn[b], tree.block_pos[k], anchor)
            if tree.block_kind[k] == HINGE:
                for i in range(3):
                    line[i] = 0.0
                    for j in range(3):
                        line[i] += turn[b, i, j] * tree.block_axis[k, j]
                _axis(anchor, line, axes[d])
                half = 0.5 * (qpos[c] - tree.block_zero[k])
                part[0] = np.cos(half)
                for i in range(3):
                    part[1 + i] = np.sin(half) * tree.block_axis[k, i]
            else:
                for i in range(4):
                    part[i] = qpos[c + i]
            _quat_times(quat[b], part, quat[b])
            _matrix(quat[b], turn[b])
            if tree.block_kind[k] == BALL:
                for j in range(3):
                    for i in range(3):
                        line[i] = turn[b, i, j]
                    _axis(anchor, line, axes[d + j])
            for i in range(3):  # the joint stays where it is
                pos[b, i] = anchor[i]
                for j in range(3):
                    pos[b, i] -= turn[b, i, j] * tree.block_pos[k, j]


@kernel
def _axis(anchor: Any, line: Any, out: Any) -> None:
    """The motion of turning about a line through an anchor."""
    for i in range(3):
        out[i] = line[i]
    _cross(anchor, line, out[3:])


@kernel
def _inertia(tree: Any, b: int, turn: Any, centre: Any, out: Any) -> None:
    """(6, 6) of a link about the world's origin."""
    mass = tree.link_mass[b]
    for i in range(3):
        for j in range(3):
            value = 0.0
            for k in range(3):
                for m in range(3):
                    value += turn[i, k] * tree.link_inertia[b, 3 * k + m] * turn[j, m]
            out[i, j] = value - mass * centre[i] * centre[j]
            out[3 + i, 3 + j] = mass if i == j else 0.0
    square = centre[0] ** 2 + centre[1] ** 2 + centre[2] ** 2
    for i in range(3):
        out[i, i] += mass * square
        out[i, 3 + i] = out[3 + i, i] = 0.0
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[i, 3 + j] = out[3 + j, i] = -mass * centre[k]
        out[j, 3 + i] = out[3 + i, j] = mass * centre[k]


@kernel
def _gyration(inertia: Any, v: Any, momentum: Any, out: Any) -> None:
    """Add the matrix B with B x = I (x x v) + x x* (I v) + v x* (I x)."""
    unit, column, force = np.zeros(6), np.empty(6), np.empty(6)
    for j in range(6):
        unit[:] = 0.0
        unit[j] = 1.0
        _motion_cross(unit, v, column)
        _times(inertia, column, force)
        for i in range(6):
            out[i, j] += force[i]
        _force_cross(unit, momentum, force)
        for i in range(6):
            out[i, j] += force[i]
        for i in range(6):
            column[i] = inertia[i, j]
        _force_cross(v, column, force)
        for i in range(6):
            out[i, j] += force[i]


@kernel
def invert(
    tree: Any, qpos: Any, qvel: Any, qacc: Any, link: Any, centre: Any, radius: Any, force: Any,
    torque: Any, wrench: Any, momentum: Any, com: Any, point: Any,
    torque_q: Any, torque_v: Any, mass: Any, wrench_q: Any, wrench_v: Any, momentum_q: Any, momentum_v: Any,
    attitude: Any, spin: Any, point_q: Any,
) -> None:  # fmt: skip
    """Torques, total wrench, momentum, centre of mass and contact points of trajectories, and their derivatives.

    Given poses (T, nq), velocities and accelerations (T, nv), and forces (T, C, 3) on balls of `radius` (C,) about points
    `centre` (C, 3) of links (C,), that touch the ground below their centres.

    torque (T, nv): S'F, what is missing for this motion; wrench (T, 6): F of the whole, less gravity and the contacts;
    momentum (T, 6) about the origin; com (T, 3); point (T, C, 3): the balls' centres. Derivatives by pose `_q`, by velocity `_v`, by
    acceleration: mass (T, nv, nv) and, as d wrench = momentum_v, (T, 6, nv). attitude (T, C, 4), spin (T, C, 3, nv),
    point_q (T, C, 3, nv): how the links of the balls are turned, how they turn, and how the centres move.
    """  # fmt: skip
    links, blocks, nv = tree.link_parent.shape[0], tree.block_kind.shape[0], qvel.shape[1]
    pos, quat, turn = np.empty((links, 3)), np.empty((links, 4)), np.empty((links, 3, 3))
    axes = np.empty((nv, 6))
    vel, acc = np.zeros((blocks + 1, 6)), np.zeros((blocks + 1, 6))  # of block k at k + 1; the world's first
    inertia, gyration = np.empty((links, 6, 6)), np.empty((links, 6, 6))
    load, carried = np.empty((links, 6)), np.empty((links, 6))  # forces and momenta of all above
    own = np.empty(6)
    size = np.where(tree.block_kind == HINGE, 1, 3)
    block_of = np.empty(nv, np.int64)
    for k in range(blocks):
        for d in range(tree.block_dof[k], tree.block_dof[k] + size[k]):
            block_of[d] = k
    xi, eta, coriolis = np.empty((nv, 6)), np.empty((nv, 6)), np.empty((nv, 6))
    left, right, hand = np.empty(6), np.empty(6), np.empty(3)
    total = tree.link_mass.sum()
    for t in range(qpos.shape[0]):
        place_links(tree, qpos[t], pos, quat, turn, axes)
        acc[0, 3:] = -tree.gravity
        for k in range(blocks):
            above, d = tree.block_above[k] + 1, tree.block_dof[k]
            own[:] = 0.0
            for i in range(size[k]):
                for j in range(6):
                    own[j] += axes[d + i, j] * qvel[t, d + i]
            for j in range(6):
                vel[k + 1, j] = vel[above, j] + own[j]
            _motion_cross(vel[k + 1], own, acc[k + 1])
            for j in range(6):
                acc[k + 1, j] += acc[above, j]
                for i in range(size[k]):
                    acc[k + 1, j] += axes[d + i, j] * qacc[t, d + i]
            for i in range(d, d + size[k]):
                _motion_cross(vel[above], axes[i], xi[i])
                _motion_cross(acc[above], axes[i], eta[i])
                _motion_cross(vel[above], xi[i], own)
                for j in range(6):
                    eta[i, j] += own[j]
                    left[j] = vel[above, j] + vel[k + 1, j]
                _motion_cross(left, axes[i], coriolis[i])
        inertia[0], gyration[0], load[0], carried[0] = 0.0, 0.0, 0.0, 0.0
        com[t] = 0.0
        for b in range(1, links):
            k = tree.link_block[b] + 1
            _carry(pos[b], turn[b], tree.link_com[b], hand)
            for i in range(3):
                com[t, i] += tree.link_mass[b] / total * hand[i]
            _inertia(tree, b, turn[b], hand, inertia[b])
            _times(inertia[b], vel[k], carried[b])
            gyration[b] = 0.0
            _gyration(inertia[b], vel[k], carried[b], gyration[b])
            _times(inertia[b], acc[k], load[b])
            _force_cross(vel[k], carried[b], own)
            for j in range(6):
                load[b, j] += own[j]
        for c in range(link.shape[0]):
            b = link[c]
            attitude[t, c] = quat[b]
            _carry(pos[b], turn[b], centre[c], point[t, c])
            hand[:] = point[t, c]
            hand[2] -= radius[c]
            _cross(hand, force[t, c], own)
            for j in range(3):
                load[b, j] -= own[j]
                load[b, 3 + j] -= force[t, c, j]
        for b in range(links - 1, 0, -1):
            p = tree.link_parent[b]
            for i in range(6):
                load[p, i] += load[b, i]
                carried[p, i] += carried[b, i]
                for j in range(6):
                    inertia[p, i, j] += inertia[b, i, j]
                    gyration[p, i, j] += gyration[b, i, j]
        wrench[t], momentum[t] = load[0], carried[0]

        torque_q[t], torque_v[t], mass[t] = 0.0, 0.0, 0.0
        for i in range(nv):
            k = block_of[i]
            b = tree.block_link[k]
            torque[t, i] = _dot(axes[i], load[b])
            _times(inertia[b], axes[i], own)
            momentum_v[t, :, i] = own
            _times(inertia[b], coriolis[i], left)
            _times(gyration[b], axes[i], right)
            for j in range(6):
                wrench_v[t, j, i] = left[j] + right[j]
            _times(inertia[b], xi[i], left)
            _force_cross(axes[i], carried[b], right)
            for j in range(6):
                momentum_q[t, j, i] = left[j] + right[j]
            _times(inertia[b], eta[i], left)
            _times(gyration[b], xi[i], right)
            for j in range(6):
                left[j] += right[j]
            for j in range(tree.block_dof[k], tree.block_dof[k] + size[k]):
                torque_q[t, j, i] = _dot(axes[j], left)
            _force_cross(axes[i], load[b], right)
            for j in range(6):
                left[j] += right[j]
                wrench_q[t, j, i] = left[j]
            for j in range(6):
                right[j] = wrench_v[t, j, i]
            for j in range(tree.block_dof[k], tree.block_dof[k] + size[k]):
                torque_v[t, j, i] = _dot(axes[j], right)
                mass[t, j, i] = _dot(axes[j], own)
            above = tree.block_above[k]
            while above >= 0:
                for j in range(tree.block_dof[above], tree.block_dof[above] + size[above]):
                    torque_q[t, j, i] = _dot(axes[j], left)
                    torque_v[t, j, i] = _dot(axes[j], right)
                    mass[t, j, i] = mass[t, i, j] = _dot(axes[j], own)
                above = tree.block_above[above]
            # Torques of this degree of freedom when what is below moves: rows instead of columns.
            for j in range(6):
                left[j], right[j] = 0.0, 0.0
                for m in range(6):
                    left[j] += axes[i, m] * inertia[b, m, j]
                    right[j] += axes[i, m] * gyration[b, m, j]
            above = tree.block_above[k]
            while above >= 0:
                for j in range(tree.block_dof[above], tree.block_dof[above] + size[above]):
                    torque_q[t, i, j] = _dot(left, eta[j]) + _dot(right, xi[j])
                    torque_v[t, i, j] = _dot(right, axes[j]) + _dot(left, coriolis[j])
                above = tree.block_above[above]
        for i in range(nv):
            mass[t, i, i] += tree.armature[i]
            torque[t, i] += tree.armature[i] * qacc[t, i]
        for c in range(link.shape[0]):
            _contact(tree, axes, size, link[c], point[t, c], radius[c], force[t, c], torque_q[t], wrench_q[t], spin[t, c], point_q[t, c])


@kernel
def _contact(
    tree: Any, axes: Any, size: Any, link: int, place: Any, radius: float, force: Any,
    torque_q: Any, wrench_q: Any, spin: Any, point_q: Any,
) -> None:  # fmt: skip
    """A force stays as it is in the world when links turn: what the rigid piece turned too much is turned back."""
    spin[:] = 0.0
    point_q[:] = 0.0
    foot, arm, back, shift, moment = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    foot[:] = place
    foot[2] -= radius
    loaded = force[0] != 0.0 or force[1] != 0.0 or force[2] != 0.0
    k = tree.link_block[link]
    while k >= 0:
        for i in range(tree.block_dof[k], tree.block_dof[k] + size[k]):
            _cross(axes[i, :3], place, arm)
            for j in range(3):
                spin[j, i] = axes[i, j]
                point_q[j, i] = axes[i, 3 + j] + arm[j]
            if not loaded:
                continue
            _cross(axes[i, :3], force, back)
            shift[0], shift[1], shift[2] = axes[i, 1] * radius, -axes[i, 0] * radius, 0.0  # omega x r z
            _cross(shift, force, moment)
            _cross(foot, back, arm)
            for j in range(3):
                arm[j] -= moment[j]
                wrench_q[j, i] += arm[j]
                wrench_q[3 + j, i] += back[j]
            m = tree.link_block[link]
            while m >= 0:
                for j in range(tree.block_dof[m], tree.block_dof[m] + size[m]):
                    for a in range(3):
                        torque_q[j, i] += axes[j, a] * arm[a] + axes[j, 3 + a] * back[a]
                m = tree.block_above[m]
        k = tree.block_above[k]
