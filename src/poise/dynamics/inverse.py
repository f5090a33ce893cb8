"""Inverse dynamics of whole trajectories, and its exact derivatives.

Recursive Newton-Euler with all vectors in the world frame about the world's origin: motions are (angular; linear),
forces are (moment; force) [Featherstone2008, ch. 5]. Derivatives follow [Carpentier2018]. A turn of block i by S_i
carries all above it as one rigid piece, so that for each link j above

    dv_j = S_i x v_j + xi_i,                xi_i = v_b x S_i
    da_j = S_i x a_j + eta_i + xi_i x v_j,  eta_i = a_b x S_i + v_b x xi_i

with v_b, a_b the motion of what is below the block. The rigid part moves forces and axes alike and drops out of
torques within the piece.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.dynamics.kinematics import add, carry, cross_into, force_cross, motion_cross, place_links, power_of, times
from poise.dynamics.tree import Tree
from poise.kernel import kernel

# What forces on balls that touch the ground add to inverse dynamics, in compiled code.


@kernel
def bear(bearings: Any, force: Any, pos: Any, quat: Any, turn: Any, load: Any, point: Any, attitude: Any) -> None:
    """Take what the balls bear from the loads (L, 6) of their links; centres (C, 3) m and attitudes (C, 4)."""
    lowest, moment = np.empty(3), np.empty(3)
    for c in range(bearings.link.shape[0]):
        b = bearings.link[c]
        attitude[c] = quat[b]
        carry(pos[b], turn[b], bearings.centre[c], point[c])
        lowest[:] = point[c]
        lowest[2] -= bearings.radius[c]
        cross_into(lowest, force[c], moment)
        for j in range(3):
            load[b, j] -= moment[j]
            load[b, 3 + j] -= force[c, j]


@kernel
def add_contact_slopes(
    tree: Any, axes: Any, bearings: Any, force: Any, point: Any,
    torque_q: Any, wrench_q: Any, spin: Any, point_q: Any,
) -> None:  # fmt: skip
    """How links of balls turn and centres move with the pose; and forces, which do not turn with the links.

    The slopes so far have carried forces along with the links: what was turned is turned back.
    """
    spin[:], point_q[:] = 0.0, 0.0
    arm, back = np.empty(3), np.empty(6)
    for c in range(bearings.link.shape[0]):
        last = tree.link_dof[bearings.link[c]]
        loaded = force[c, 0] != 0.0 or force[c, 1] != 0.0 or force[c, 2] != 0.0
        i = last
        while i >= 0:
            cross_into(axes[i], point[c], arm)
            for j in range(3):
                spin[c, j, i] = axes[i, j]
                point_q[c, j, i] = axes[i, 3 + j] + arm[j]
            if loaded:
                _turned_back(axes[i], point[c], bearings.radius[c], force[c], back)
                for j in range(6):
                    wrench_q[j, i] += back[j]
                other = last
                while other >= 0:
                    torque_q[other, i] += power_of(axes[other], back)
                    other = tree.dof_below[other]
            i = tree.dof_below[i]


@kernel
def _turned_back(axis: Any, centre: Any, radius: float, force: Any, out: Any) -> None:
    """(6,) the force, and the lever from the ball's centre to the ground, that a motion has turned too much."""
    cross_into(axis, force, out[3:])
    x, y, z = centre[0], centre[1], centre[2] - radius
    east, north = axis[1] * radius, -axis[0] * radius  # omega x radius z: how far the lever came
    out[0] = y * out[5] - z * out[4] - north * force[2]
    out[1] = z * out[3] - x * out[5] + east * force[2]
    out[2] = x * out[4] - y * out[3] - east * force[1] + north * force[0]


class Bearings(NamedTuple):
    """Balls of links that forces act on, where they touch level ground below their centres."""

    link: Ints  # (C,)
    centre: Array  # (C, 3) m, in the link
    radius: Array  # (C,) m; 0 for points


class Inverse(NamedTuple):
    """What a trajectory of T frames needs, and how this changes with pose `_q` and velocity `_v`."""

    torque: Array  # (T, nv) N m, N: missing for the motion, at every degree of freedom
    wrench: Array  # (T, 6) N m, N: missing for the whole body, about the world's origin
    momentum: Array  # (T, 6) N m s, N s, about the world's origin
    com: Array  # (T, 3) m
    point: Array  # (T, C, 3) m, centres of the balls
    torque_q: Array  # (T, nv, nv)
    torque_v: Array  # (T, nv, nv)
    mass: Array  # (T, nv, nv) kg m^2: torque by acceleration
    wrench_q: Array  # (T, 6, nv)
    wrench_v: Array  # (T, 6, nv)
    momentum_q: Array  # (T, 6, nv)
    momentum_v: Array  # (T, 6, nv), also wrench by acceleration
    attitude: Array  # (T, C, 4) of the links of the balls
    spin: Array  # (T, C, 3, nv) rad: how these links turn with the pose, in the world
    point_q: Array  # (T, C, 3, nv)


class _Scratch(NamedTuple):
    """Of one frame. The motion of block k is at k + 1; the world's comes first."""

    pos: Array  # (L, 3)
    quat: Array  # (L, 4)
    turn: Array  # (L, 3, 3)
    axes: Array  # (nv, 6) motions S
    vel: Array  # (B + 1, 6)
    acc: Array  # (B + 1, 6), with gravity as an acceleration upwards
    xi: Array  # (nv, 6)
    eta: Array  # (nv, 6)
    coriolis: Array  # (nv, 6) (v_b + v) x S
    inertia: Array  # (L, 6, 6) of a link and all above
    gyration: Array  # (L, 6, 6) likewise: force by velocity
    load: Array  # (L, 6) likewise: forces
    carried: Array  # (L, 6) likewise: momenta
    resist: Array  # (nv, 6) forces of all above when a block turns, as they are carried along
    by_q: Array  # (nv, 6) the same in the world
    by_v: Array  # (nv, 6)
    by_a: Array  # (nv, 6)


def inverse_dynamics(tree: Tree, qpos: Array, qvel: Array, qacc: Array, bearings: Bearings, force: Array) -> Inverse:
    """Of poses (T, nq), velocities and accelerations (T, nv) under gravity, and forces (T, C, 3) N on balls.

    Joint damping is left to the caller, who knows the velocity it acts on.
    """
    frames, nv, c = *qvel.shape, len(bearings.link)
    vectors = ((nv,), (6,), (6,), (3,), (c, 3))
    matrices = (*3 * ((nv, nv),), *4 * ((6, nv),))
    contacts = ((c, 4), (c, 3, nv), (c, 3, nv))
    out = Inverse(*(np.empty((frames, *shape)) for shape in (*vectors, *matrices, *contacts)))
    links, blocks = len(tree.link_parent), len(tree.block_kind)
    of_links = ((links, 3), (links, 4), (links, 3, 3), (nv, 6), (blocks + 1, 6), (blocks + 1, 6), *3 * ((nv, 6),))
    of_forces = ((links, 6, 6), (links, 6, 6), (links, 6), (links, 6), *4 * ((nv, 6),))
    scratch = _Scratch(*(np.zeros(shape) for shape in (*of_links, *of_forces)))
    plain = [np.array(part, order="C") for part in (qpos, qvel, qacc, force)]  # of one type, so compiled but once
    balls = Bearings(np.array(bearings.link), np.array(bearings.centre, order="C"), np.array(bearings.radius))
    _frames(tree, plain[0], plain[1], plain[2], plain[3], balls, scratch, out)
    return out


@kernel
def _frames(tree: Any, qpos: Any, qvel: Any, qacc: Any, force: Any, bearings: Any, work: Any, out: Any) -> None:
    work.acc[0, 3:] = -tree.gravity
    for t in range(qpos.shape[0]):
        place_links(tree, qpos[t], work.pos, work.quat, work.turn, work.axes)
        _move_blocks(tree, qvel[t], qacc[t], work)
        _load_links(tree, work, out.com[t])
        bear(bearings, force[t], work.pos, work.quat, work.turn, work.load, out.point[t], out.attitude[t])
        _gather(tree, work)
        out.wrench[t], out.momentum[t] = work.load[0], work.carried[0]
        _body_slopes(tree, work, out.momentum_q[t], out.momentum_v[t], out.wrench_q[t], out.wrench_v[t])
        _joint_torques(tree, qacc[t], work, out.torque[t], out.mass[t])
        _joint_slopes(tree, work, out.torque_q[t], out.torque_v[t])
        add_contact_slopes(
            tree, work.axes, bearings, force[t], out.point[t],
            out.torque_q[t], out.wrench_q[t], out.spin[t], out.point_q[t],
        )  # fmt: skip


@kernel
def _move_blocks(tree: Any, qvel: Any, qacc: Any, work: Any) -> None:
    """Velocities and accelerations of all blocks, and how they change with the blocks below."""
    own, twice = np.empty(6), np.empty(6)
    for k in range(tree.block_kind.shape[0]):
        below, first = tree.block_below[k] + 1, tree.block_dof[k]
        vel, acc = work.vel[k + 1], work.acc[k + 1]
        own[:] = 0.0
        for d in range(first, first + tree.block_size[k]):
            for j in range(6):
                own[j] += work.axes[d, j] * qvel[d]
        for j in range(6):
            vel[j] = work.vel[below, j] + own[j]
            twice[j] = work.vel[below, j] + vel[j]
        motion_cross(vel, own, acc)
        add(work.acc[below], acc)
        for d in range(first, first + tree.block_size[k]):
            for j in range(6):
                acc[j] += work.axes[d, j] * qacc[d]
            motion_cross(work.vel[below], work.axes[d], work.xi[d])
            motion_cross(work.acc[below], work.axes[d], work.eta[d])
            motion_cross(work.vel[below], work.xi[d], own)
            add(own, work.eta[d])
            motion_cross(twice, work.axes[d], work.coriolis[d])


@kernel
def _load_links(tree: Any, work: Any, com: Any) -> None:
    """Inertia, momentum and force of each link alone, and the centre of mass of all."""
    centre, gyroscopic, total = np.empty(3), np.empty(6), tree.link_mass.sum()
    work.inertia[0], work.gyration[0], work.load[0], work.carried[0] = 0.0, 0.0, 0.0, 0.0
    com[:] = 0.0
    for b in range(1, tree.link_parent.shape[0]):
        k = tree.link_block[b] + 1
        mass, inertia, load, momentum = tree.link_mass[b], work.inertia[b], work.load[b], work.carried[b]
        carry(work.pos[b], work.turn[b], tree.link_com[b], centre)
        for i in range(3):
            com[i] += mass / total * centre[i]
        _inertia(mass, tree.link_inertia[b], work.turn[b], centre, inertia)
        times(inertia, work.vel[k], momentum)
        _gyration(inertia, work.vel[k], momentum, work.gyration[b])
        times(inertia, work.acc[k], load)
        force_cross(work.vel[k], momentum, gyroscopic)
        add(gyroscopic, load)


@kernel
def _inertia(mass: float, local: Any, turn: Any, centre: Any, out: Any) -> None:
    """(6, 6) of a link about the world's origin."""
    for i in range(3):
        for j in range(3):
            value = 0.0
            for k in range(3):
                for m in range(3):
                    value += turn[i, k] * local[k, m] * turn[j, m]
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
    """The matrix B with B x = I (x x v) + x x* (I v) + v x* (I x)."""
    unit, column, force = np.zeros(6), np.empty(6), np.empty(6)
    for j in range(6):
        unit[:] = 0.0
        unit[j] = 1.0
        motion_cross(unit, v, column)
        times(inertia, column, force)
        for i in range(6):
            out[i, j] = force[i]
            column[i] = inertia[i, j]
        force_cross(unit, momentum, force)
        for i in range(6):
            out[i, j] += force[i]
        force_cross(v, column, force)
        for i in range(6):
            out[i, j] += force[i]


@kernel
def _gather(tree: Any, work: Any) -> None:
    """Add what is of links to those below."""
    for b in range(tree.link_parent.shape[0] - 1, 0, -1):
        p = tree.link_parent[b]
        for i in range(6):
            work.load[p, i] += work.load[b, i]
            work.carried[p, i] += work.carried[b, i]
            for j in range(6):
                work.inertia[p, i, j] += work.inertia[b, i, j]
                work.gyration[p, i, j] += work.gyration[b, i, j]


@kernel
def _body_slopes(tree: Any, work: Any, momentum_q: Any, momentum_v: Any, wrench_q: Any, wrench_v: Any) -> None:
    """How momentum and wrench of the whole change with each degree of freedom."""
    part, momentum = np.empty(6), np.empty(6)
    for i in range(work.axes.shape[0]):
        b = tree.block_link[tree.dof_block[i]]
        inertia, gyration, axis = work.inertia[b], work.gyration[b], work.axes[i]
        times(inertia, axis, work.by_a[i])
        times(inertia, work.coriolis[i], work.by_v[i])
        times(gyration, axis, part)
        add(part, work.by_v[i])
        times(inertia, work.eta[i], work.resist[i])
        times(gyration, work.xi[i], part)
        add(part, work.resist[i])
        force_cross(axis, work.load[b], work.by_q[i])
        add(work.resist[i], work.by_q[i])
        times(inertia, work.xi[i], momentum)
        force_cross(axis, work.carried[b], part)
        for j in range(6):
            momentum_q[j, i] = momentum[j] + part[j]
            momentum_v[j, i] = work.by_a[i, j]
            wrench_q[j, i], wrench_v[j, i] = work.by_q[i, j], work.by_v[i, j]


@kernel
def _joint_torques(tree: Any, qacc: Any, work: Any, torque: Any, mass: Any) -> None:
    """Torques S'F, and the mass matrix."""
    mass[:] = 0.0
    for i in range(work.axes.shape[0]):
        torque[i] = power_of(work.axes[i], work.load[tree.block_link[tree.dof_block[i]]]) + tree.armature[i] * qacc[i]
        mass[i, i] = power_of(work.axes[i], work.by_a[i]) + tree.armature[i]
        j = tree.dof_below[i]
        while j >= 0:
            mass[i, j] = mass[j, i] = power_of(work.axes[j], work.by_a[i])
            j = tree.dof_below[j]


@kernel
def _joint_slopes(tree: Any, work: Any, torque_q: Any, torque_v: Any) -> None:
    """How torques change with poses and velocities."""
    torque_q[:], torque_v[:] = 0.0, 0.0
    row = np.empty(6)
    for i in range(work.axes.shape[0]):
        k = tree.dof_block[i]
        first, gyration = tree.block_dof[k], work.gyration[tree.block_link[k]]
        for j in range(first, first + tree.block_size[k]):
            torque_q[j, i] = power_of(work.axes[j], work.resist[i])
            torque_v[j, i] = power_of(work.axes[j], work.by_v[i])
        for j in range(6):
            row[j] = 0.0
            for m in range(6):
                row[j] += work.axes[i, m] * gyration[m, j]
        below = tree.dof_below[first]
        while below >= 0:
            torque_q[below, i] = power_of(work.axes[below], work.by_q[i])
            torque_v[below, i] = power_of(work.axes[below], work.by_v[i])
            torque_q[i, below] = power_of(work.by_a[i], work.eta[below]) + power_of(row, work.xi[below])
            torque_v[i, below] = power_of(work.by_a[i], work.coriolis[below]) + power_of(row, work.axes[below])
            below = tree.dof_below[below]
