"""Inverse dynamics of whole trajectories, and its exact derivatives.

Recursive Newton-Euler with all spatial vectors in the world frame about the world's origin: motions are (angular;
linear), forces are (moment; force) [Featherstone2008, ch. 5]. Derivatives follow [Carpentier2018]. A rotation of block
i about S_i moves its whole subtree as one rigid piece, so that for each link j of the subtree

    dv_j = S_i x v_j + xi_i,                xi_i = v_b x S_i
    da_j = S_i x a_j + eta_i + xi_i x v_j,  eta_i = a_b x S_i + v_b x xi_i

with v_b, a_b the velocity and acceleration of the preceding block. The rigid part moves forces and axes alike and
cancels in the torques within the subtree.
"""

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.dynamics.tree import (
    Tree,
    add_spatial,
    cross_product,
    force_cross,
    motion_cross,
    place_tree_links,
    spatial_power,
    spatial_product,
    transform_point,
)
from poise.kernel import kernel


class Bearings(NamedTuple):
    """Balls fixed to links; each takes a force at its lowest point, where it touches level ground."""

    link: Ints  # (C,)
    centre: Array  # (C, 3) m, in the link frame
    radius: Array  # (C,) m; 0 for points


class Inverse(NamedTuple):
    """Forces that a trajectory of T frames requires, with derivatives by pose (`_q`) and velocity (`_v`)."""

    torque: Array  # (T, nv) N m, N: required beyond gravity and the contact forces, at every degree of freedom
    wrench: Array  # (T, 6) N m, N: required for the whole body beyond gravity and contacts, about the world's origin
    momentum: Array  # (T, 6) N m s, N s, about the world's origin
    com: Array  # (T, 3) m
    point: Array  # (T, C, 3) m, centres of the balls in the world
    torque_q: Array  # (T, nv, nv)
    torque_v: Array  # (T, nv, nv)
    mass: Array  # (T, nv, nv) kg m^2: derivative of torque by acceleration
    wrench_q: Array  # (T, 6, nv)
    wrench_v: Array  # (T, 6, nv)
    momentum_q: Array  # (T, 6, nv)
    momentum_v: Array  # (T, 6, nv), also the derivative of wrench by acceleration
    attitude: Array  # (T, C, 4) quaternions of the links of the balls
    spin: Array  # (T, C, 3, nv) rotation Jacobians of the balls' links, in the world frame
    point_q: Array  # (T, C, 3, nv)


def inverse_dynamics(tree: Tree, qpos: Array, qvel: Array, qacc: Array, bearings: Bearings, force: Array) -> Inverse:
    """Inverse dynamics of T states under gravity and forces (T, C, 3) N on `bearings`, without joint damping."""
    frames, nv, c = *qvel.shape, len(bearings.link)
    vectors = ((nv,), (6,), (6,), (3,), (c, 3))
    matrices = (*3 * ((nv, nv),), *4 * ((6, nv),))
    contacts = ((c, 4), (c, 3, nv), (c, 3, nv))
    out = Inverse(*(np.empty((frames, *shape)) for shape in (*vectors, *matrices, *contacts)))
    links, blocks = len(tree.link_parent), len(tree.block_kind)
    of_links = ((links, 3), (links, 4), (links, 3, 3), (nv, 6), (blocks + 1, 6), (blocks + 1, 6), *3 * ((nv, 6),))
    of_forces = ((links, 6, 6), (links, 6, 6), (links, 6), (links, 6), *4 * ((nv, 6),))
    scratch = _SpatialTerms(*(np.zeros(shape) for shape in (*of_links, *of_forces)))
    # Copies with one memory layout, so that the kernel is compiled once.
    plain = [np.array(part, order="C") for part in (qpos, qvel, qacc, force)]
    balls = Bearings(np.array(bearings.link), np.array(bearings.centre, order="C"), np.array(bearings.radius))
    _newton_euler_frames(tree, plain[0], plain[1], plain[2], plain[3], balls, scratch, out)
    return out


class _SpatialTerms(NamedTuple):
    """Intermediate quantities of one frame. The motion of block k has index k + 1; index 0 is the world."""

    pos: Array  # (L, 3)
    quat: Array  # (L, 4)
    turn: Array  # (L, 3, 3)
    axes: Array  # (nv, 6) motion axes S
    vel: Array  # (B + 1, 6)
    acc: Array  # (B + 1, 6), with gravity as an upward acceleration of the world
    xi: Array  # (nv, 6)
    eta: Array  # (nv, 6)
    coriolis: Array  # (nv, 6) (v_b + v) x S
    inertia: Array  # (L, 6, 6) of the subtree of each link
    gyration: Array  # (L, 6, 6) likewise: derivative of force by velocity
    load: Array  # (L, 6) likewise: forces
    carried: Array  # (L, 6) likewise: momenta
    resist: Array  # (nv, 6) derivative of the subtree force by pose, in the moving frame of the subtree
    by_q: Array  # (nv, 6) the same in the world frame
    by_v: Array  # (nv, 6) derivative by velocity
    by_a: Array  # (nv, 6) derivative by acceleration


@kernel
def _newton_euler_frames(
    tree: Tree, qpos: Array, qvel: Array, qacc: Array, force: Array, bearings: Bearings,
    work: _SpatialTerms, out: Inverse,
) -> None:  # fmt: skip
    """Fill `out` frame by frame."""
    work.acc[0, 3:] = -tree.gravity
    for t in range(qpos.shape[0]):
        place_tree_links(tree, qpos[t], work.pos, work.quat, work.turn, work.axes)
        _block_motions(tree, qvel[t], qacc[t], work)
        _link_inertia_forces(tree, work, out.com[t])
        _subtract_contact_forces(bearings, force[t], work, out.point[t], out.attitude[t])
        _sum_over_subtrees(tree, work)
        out.wrench[t], out.momentum[t] = work.load[0], work.carried[0]
        _wrench_derivatives(tree, work, out.momentum_q[t], out.momentum_v[t], out.wrench_q[t], out.wrench_v[t])
        _joint_torques_and_mass(tree, qacc[t], work, out.torque[t], out.mass[t])
        _torque_derivatives(tree, work, out.torque_q[t], out.torque_v[t])
        _contact_derivatives(
            tree, work.axes, bearings, force[t], out.point[t],
            out.torque_q[t], out.wrench_q[t], out.spin[t], out.point_q[t],
        )  # fmt: skip


@kernel
def _block_motions(tree: Tree, qvel: Array, qacc: Array, work: _SpatialTerms) -> None:
    """Velocities and accelerations of all blocks, and xi, eta and coriolis of their axes."""
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
        add_spatial(work.acc[below], acc)
        for d in range(first, first + tree.block_size[k]):
            for j in range(6):
                acc[j] += work.axes[d, j] * qacc[d]
            motion_cross(work.vel[below], work.axes[d], work.xi[d])
            motion_cross(work.acc[below], work.axes[d], work.eta[d])
            motion_cross(work.vel[below], work.xi[d], own)
            add_spatial(own, work.eta[d])
            motion_cross(twice, work.axes[d], work.coriolis[d])


@kernel
def _link_inertia_forces(tree: Tree, work: _SpatialTerms, com: Array) -> None:
    """Inertia, gyration, momentum and force of each link alone, and the centre of mass (3,) of the body."""
    centre, gyroscopic, total = np.empty(3), np.empty(6), tree.link_mass.sum()
    work.inertia[0], work.gyration[0], work.load[0], work.carried[0] = 0.0, 0.0, 0.0, 0.0
    com[:] = 0.0
    for b in range(1, tree.link_parent.shape[0]):
        k = tree.link_block[b] + 1
        mass, inertia, load, momentum = tree.link_mass[b], work.inertia[b], work.load[b], work.carried[b]
        transform_point(work.pos[b], work.turn[b], tree.link_com[b], centre)
        for i in range(3):
            com[i] += mass / total * centre[i]
        _spatial_inertia(mass, tree.link_inertia[b], work.turn[b], centre, inertia)
        spatial_product(inertia, work.vel[k], momentum)
        _gyration_matrix(inertia, work.vel[k], momentum, work.gyration[b])
        spatial_product(inertia, work.acc[k], load)
        force_cross(work.vel[k], momentum, gyroscopic)
        add_spatial(gyroscopic, load)


@kernel
def _spatial_inertia(mass: float, local: Array, turn: Array, centre: Array, out: Array) -> None:
    """Spatial inertia (6, 6) of a link about the world's origin."""
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
def _gyration_matrix(inertia: Array, v: Array, momentum: Array, out: Array) -> None:
    """The matrix B with B x = I (x x v) + x x* (I v) + v x* (I x)."""
    unit, column, force = np.zeros(6), np.empty(6), np.empty(6)
    for j in range(6):
        unit[:] = 0.0
        unit[j] = 1.0
        motion_cross(unit, v, column)
        spatial_product(inertia, column, force)
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
def _sum_over_subtrees(tree: Tree, work: _SpatialTerms) -> None:
    """Sum inertia, gyration, force and momentum over the subtree of each link."""
    for b in range(tree.link_parent.shape[0] - 1, 0, -1):
        p = tree.link_parent[b]
        for i in range(6):
            work.load[p, i] += work.load[b, i]
            work.carried[p, i] += work.carried[b, i]
            for j in range(6):
                work.inertia[p, i, j] += work.inertia[b, i, j]
                work.gyration[p, i, j] += work.gyration[b, i, j]


@kernel
def _wrench_derivatives(
    tree: Tree, work: _SpatialTerms, momentum_q: Array, momentum_v: Array, wrench_q: Array, wrench_v: Array
) -> None:
    """Derivatives (6, nv) of the momentum and wrench of the whole body by pose and velocity."""
    part, momentum = np.empty(6), np.empty(6)
    for i in range(work.axes.shape[0]):
        b = tree.block_link[tree.dof_block[i]]
        inertia, gyration, axis = work.inertia[b], work.gyration[b], work.axes[i]
        spatial_product(inertia, axis, work.by_a[i])
        spatial_product(inertia, work.coriolis[i], work.by_v[i])
        spatial_product(gyration, axis, part)
        add_spatial(part, work.by_v[i])
        spatial_product(inertia, work.eta[i], work.resist[i])
        spatial_product(gyration, work.xi[i], part)
        add_spatial(part, work.resist[i])
        force_cross(axis, work.load[b], work.by_q[i])
        add_spatial(work.resist[i], work.by_q[i])
        spatial_product(inertia, work.xi[i], momentum)
        force_cross(axis, work.carried[b], part)
        for j in range(6):
            momentum_q[j, i] = momentum[j] + part[j]
            momentum_v[j, i] = work.by_a[i, j]
            wrench_q[j, i], wrench_v[j, i] = work.by_q[i, j], work.by_v[i, j]


@kernel
def _joint_torques_and_mass(tree: Tree, qacc: Array, work: _SpatialTerms, torque: Array, mass: Array) -> None:
    """Torques S'F (nv,) and the mass matrix (nv, nv)."""
    mass[:] = 0.0
    for i in range(work.axes.shape[0]):
        load = work.load[tree.block_link[tree.dof_block[i]]]
        torque[i] = spatial_power(work.axes[i], load) + tree.armature[i] * qacc[i]
        mass[i, i] = spatial_power(work.axes[i], work.by_a[i]) + tree.armature[i]
        j = tree.dof_below[i]
        while j >= 0:
            mass[i, j] = mass[j, i] = spatial_power(work.axes[j], work.by_a[i])
            j = tree.dof_below[j]


@kernel
def _torque_derivatives(tree: Tree, work: _SpatialTerms, torque_q: Array, torque_v: Array) -> None:
    """Derivatives (nv, nv) of the torques by pose and velocity; contact forces are taken to rotate with their links."""
    torque_q[:], torque_v[:] = 0.0, 0.0
    row = np.empty(6)
    for i in range(work.axes.shape[0]):
        k = tree.dof_block[i]
        first, gyration = tree.block_dof[k], work.gyration[tree.block_link[k]]
        for j in range(first, first + tree.block_size[k]):
            torque_q[j, i] = spatial_power(work.axes[j], work.resist[i])
            torque_v[j, i] = spatial_power(work.axes[j], work.by_v[i])
        for j in range(6):
            row[j] = 0.0
            for m in range(6):
                row[j] += work.axes[i, m] * gyration[m, j]
        below = tree.dof_below[first]
        while below >= 0:
            torque_q[below, i] = spatial_power(work.axes[below], work.by_q[i])
            torque_v[below, i] = spatial_power(work.axes[below], work.by_v[i])
            torque_q[i, below] = spatial_power(work.by_a[i], work.eta[below]) + spatial_power(row, work.xi[below])
            torque_v[i, below] = spatial_power(work.by_a[i], work.coriolis[below])
            torque_v[i, below] += spatial_power(row, work.axes[below])
            below = tree.dof_below[below]


@kernel
def _subtract_contact_forces(
    bearings: Bearings, force: Array, work: _SpatialTerms, point: Array, attitude: Array
) -> None:
    """Subtract the contact forces from the link forces (L, 6); fill the balls' centres (C, 3) and attitudes (C, 4)."""
    lowest, moment = np.empty(3), np.empty(3)
    for c in range(bearings.link.shape[0]):
        b = bearings.link[c]
        attitude[c] = work.quat[b]
        transform_point(work.pos[b], work.turn[b], bearings.centre[c], point[c])
        lowest[:] = point[c]
        lowest[2] -= bearings.radius[c]
        cross_product(lowest, force[c], moment)
        for j in range(3):
            work.load[b, j] -= moment[j]
            work.load[b, 3 + j] -= force[c, j]


@kernel
def _contact_derivatives(
    tree: Tree, axes: Array, bearings: Bearings, force: Array, point: Array,
    torque_q: Array, wrench_q: Array, spin: Array, point_q: Array,
) -> None:  # fmt: skip
    """Fill the Jacobians of the balls, and correct the derivatives of torque and wrench by pose.

    The derivatives so far rotate contact forces with the links. In fact the forces keep their direction in the world;
    the correction removes the rotation.
    """
    spin[:], point_q[:] = 0.0, 0.0
    arm, back = np.empty(3), np.empty(6)
    for c in range(bearings.link.shape[0]):
        last = tree.link_dof[bearings.link[c]]
        loaded = force[c, 0] != 0.0 or force[c, 1] != 0.0 or force[c, 2] != 0.0
        i = last
        while i >= 0:
            cross_product(axes[i], point[c], arm)
            for j in range(3):
                spin[c, j, i] = axes[i, j]
                point_q[c, j, i] = axes[i, 3 + j] + arm[j]
            if loaded:
                _unrotated_force_wrench(axes[i], point[c], bearings.radius[c], force[c], back)
                for j in range(6):
                    wrench_q[j, i] += back[j]
                other = last
                while other >= 0:
                    torque_q[other, i] += spatial_power(axes[other], back)
                    other = tree.dof_below[other]
            i = tree.dof_below[i]


@kernel
def _unrotated_force_wrench(axis: Array, centre: Array, radius: float, force: Array, out: Array) -> None:
    """Wrench (6,) that removes the rotation about an axis from a contact force and its lever at the ball."""
    cross_product(axis, force, out[3:])
    x, y, z = centre[0], centre[1], centre[2] - radius
    east, north = axis[1] * radius, -axis[0] * radius  # omega x radius z: displacement of the lever
    out[0] = y * out[5] - z * out[4] - north * force[2]
    out[1] = z * out[3] - x * out[5] + east * force[2]
    out[2] = x * out[4] - y * out[3] - east * force[1] + north * force[0]
