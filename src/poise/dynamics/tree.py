"""One floating tree of links: constant tables for kernels over whole trajectories, steps of its poses, and kinematics.

Spatial vectors (6,) are motions (angular; linear) and forces (moment; force) [Featherstone2008, ch. 2].
"""

from typing import NamedTuple, Protocol

import mujoco
import numpy as np

from poise.arrays import Array, Ints
from poise.kernel import kernel
from poise.rotations import quat_to_matrix

HINGE, BALL, SLIDE = range(3)
"""Kinds of block. A free joint is two blocks: three slides along the world's axes, then a ball."""


class Tree(NamedTuple):
    """Links as in MuJoCo, the world as 0, and blocks of DOFs: hinges, balls, slides of a root; below: near the root."""

    link_parent: Ints  # (L,)
    link_pos: Array  # (L, 3) m, in the parent frame
    link_quat: Array  # (L, 4)
    link_mass: Array  # (L,) kg
    link_com: Array  # (L, 3) m, in the link frame
    link_inertia: Array  # (L, 3, 3) kg m^2 about the centre of mass, along the link's axes
    link_blocks: Ints  # (L, 2) index of the link's first block, and the number of its blocks
    link_block: Ints  # (L,) the last block that moves the link, -1 for the world
    link_dof: Ints  # (L,) the last degree of freedom that moves the link, -1 for the world
    block_kind: Ints  # (B,)
    block_link: Ints  # (B,) link that the block moves
    block_below: Ints  # (B,) preceding block in the chain, -1 at the root
    block_size: Ints  # (B,) number of degrees of freedom
    block_dof: Ints  # (B,) first degree of freedom
    block_qpos: Ints  # (B,) first coordinate
    block_pos: Array  # (B, 3) m, anchor in the link frame
    block_axis: Array  # (B, 3) of a hinge, in the link frame
    block_zero: Array  # (B,) rad, coordinate at which a hinge gives no rotation
    dof_block: Ints  # (nv,) block that the degree of freedom belongs to
    dof_below: Ints  # (nv,) preceding degree of freedom in the chain, -1 at the root
    armature: Array  # (nv,) kg m^2
    damping: Array  # (nv,) N m s
    gravity: Array  # (3,) m/s^2


def link_tree_of(model: mujoco.MjModel) -> Tree:
    """Tables of a model with one free root, hinges and balls."""
    kind, joint = _joint_blocks(model)
    link = model.jnt_bodyid[joint].astype(np.int64)
    size = np.where(kind == HINGE, 1, 3)
    ball_of_root = 3 * ((kind == BALL) & (model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE))
    first_dof = (model.jnt_dofadr[joint] + ball_of_root).astype(np.int64)
    parent = model.body_parentid.astype(np.int64)
    own, last = _link_blocks(link, parent)
    below = np.array([k - 1 if k > own[b, 0] else last[parent[b]] for k, b in enumerate(link)], np.int64)
    last_dof = np.append(first_dof + size - 1, -1)  # of each block; the last entry stands for "no block"
    dof_block = np.repeat(np.arange(len(kind)), size)
    dof_below = np.arange(model.nv) - 1
    dof_below[first_dof] = last_dof[below]
    turn = quat_to_matrix(model.body_iquat)  # from the principal axes of inertia to the links' axes
    inertia = np.ascontiguousarray((turn * model.body_inertia[:, None, :]) @ turn.transpose(0, 2, 1))
    # fmt: off
    return Tree(
        link_parent=parent, link_pos=np.array(model.body_pos), link_quat=np.array(model.body_quat),
        link_mass=np.array(model.body_mass), link_com=np.array(model.body_ipos), link_inertia=inertia,
        link_blocks=own, link_block=last, link_dof=last_dof[last],
        block_kind=kind, block_link=link, block_below=below, block_size=size, block_dof=first_dof,
        block_qpos=(model.jnt_qposadr[joint] + ball_of_root).astype(np.int64),
        block_pos=np.array(model.jnt_pos[joint]), block_axis=np.array(model.jnt_axis[joint]),
        block_zero=np.array(model.qpos0[model.jnt_qposadr[joint]]),
        dof_block=dof_block, dof_below=dof_below, armature=np.array(model.dof_armature),
        damping=np.array(model.dof_damping), gravity=np.array(model.opt.gravity),
    )
    # fmt: on


def _joint_blocks(model: mujoco.MjModel) -> tuple[Ints, Ints]:
    """Kinds (B,) of all blocks, and the joints (B,) that they belong to."""
    kinds = {int(mujoco.mjtJoint.mjJNT_FREE): (SLIDE, BALL), int(mujoco.mjtJoint.mjJNT_BALL): (BALL,)}
    found = [(kind, j) for j in range(model.njnt) for kind in kinds.get(int(model.jnt_type[j]), (HINGE,))]
    kind, joint = np.array(found, np.int64).T
    return np.ascontiguousarray(kind), np.ascontiguousarray(joint)


def _link_blocks(link: Ints, parent: Ints) -> tuple[Ints, Ints]:
    """First block and number of blocks (L, 2) of each link, and the last block (L,) that moves it."""
    own, last = np.zeros((len(parent), 2), np.int64), np.full(len(parent), -1, np.int64)
    for b in range(1, len(parent)):
        blocks = np.flatnonzero(link == b)
        if len(blocks):
            own[b], last[b] = (blocks[0], len(blocks)), blocks[-1]
        else:  # welded
            last[b] = last[parent[b]]
    return own, last


class JointBlocks(Protocol):
    """The joints of a tree in B blocks of DOFs; a `Tree` is one."""

    @property
    def block_kind(self) -> Ints:
        """(B,) kind of each block, as in `Tree`."""

    @property
    def block_size(self) -> Ints:
        """(B,) size of each block, as in `Tree`."""

    @property
    def block_dof(self) -> Ints:
        """(B,) first DOF of each block, as in `Tree`."""

    @property
    def block_qpos(self) -> Ints:
        """(B,) first coordinate of each block, as in `Tree`."""


@kernel
def advance_pose(tree: JointBlocks, pose: Array, velocity: Array, h: float) -> None:
    """Advance a pose (nq,) in place by h seconds of a velocity (nv,)."""
    for k in range(tree.block_kind.shape[0]):
        q, d = tree.block_qpos[k], tree.block_dof[k]
        if tree.block_kind[k] == BALL:
            advance_quat(pose[q : q + 4], velocity[d : d + 3], h)
        else:
            for i in range(tree.block_size[k]):
                pose[q + i] += h * velocity[d + i]


@kernel
def tangent_step(tree: JointBlocks, start: Array, end: Array, out: Array) -> None:
    """Tangent step (nv,) from one pose (nq,) to another, with the smaller rotations."""
    for k in range(tree.block_kind.shape[0]):
        q, d = tree.block_qpos[k], tree.block_dof[k]
        if tree.block_kind[k] == BALL:
            _rotation_between_quats(start[q : q + 4], end[q : q + 4], out[d : d + 3])
        else:
            for i in range(tree.block_size[k]):
                out[d + i] = end[q + i] - start[q + i]


@kernel
def advance_quat(quat: Array, omega: Array, h: float) -> None:
    """Rotate a quaternion in place by h omega, given in its own frame; keeps it normalised."""
    x, y, z = 0.5 * h * omega[0], 0.5 * h * omega[1], 0.5 * h * omega[2]
    half = np.sqrt(x * x + y * y + z * z)
    factor = 1.0 - half * half / 6.0 if half < 1e-4 else np.sin(half) / half
    c, x, y, z = np.cos(half), factor * x, factor * y, factor * z
    a, b, d, e = quat[0], quat[1], quat[2], quat[3]
    quat[0] = a * c - b * x - d * y - e * z
    quat[1] = a * x + b * c + d * z - e * y
    quat[2] = a * y - b * z + d * c + e * x
    quat[3] = a * z + b * y - d * x + e * c
    size = np.sqrt(quat[0] ** 2 + quat[1] ** 2 + quat[2] ** 2 + quat[3] ** 2)
    for i in range(4):
        quat[i] /= size


@kernel
def _rotation_between_quats(a: Array, b: Array, out: Array) -> None:
    """Rotation vector (3,) of a^-1 b, in the frame of a."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]
    z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    sine = np.sqrt(x * x + y * y + z * z)
    sign = -1.0 if w < 0.0 else 1.0
    factor = 2.0 * sign if sine < 1e-9 else 2.0 * sign * np.arctan2(sine, sign * w) / sine
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@kernel
def place_tree_links(tree: Tree, qpos: Array, pos: Array, quat: Array, turn: Array, axes: Array) -> None:
    """Fill positions, quaternions and rotations of the L links, and world motion axes S (nv, 6) about the origin."""
    anchor, part = np.empty(3), np.empty(4)
    pos[0] = 0.0
    _set_identity_rotation(quat[0], turn[0])
    for b in range(1, tree.link_parent.shape[0]):
        parent = tree.link_parent[b]
        transform_point(pos[parent], turn[parent], tree.link_pos[b], pos[b])
        _multiply_quats(quat[parent], tree.link_quat[b], quat[b])
        _rotation_matrix(quat[b], turn[b])
        first, count = tree.link_blocks[b, 0], tree.link_blocks[b, 1]
        for k in range(first, first + count):
            value, own = qpos[tree.block_qpos[k] :], axes[tree.block_dof[k] :]
            if tree.block_kind[k] == SLIDE:
                _place_free_root(value, pos[b], quat[b], turn[b], own)
                continue
            transform_point(pos[b], turn[b], tree.block_pos[k], anchor)
            axis = tree.block_axis[k]
            if tree.block_kind[k] == HINGE:
                half = 0.5 * (value[0] - tree.block_zero[k])
                part[0], sine = np.cos(half), np.sin(half)
                for i in range(3):
                    part[1 + i] = sine * axis[i]
            else:
                part[:] = value[:4]
            _multiply_quats(quat[b], part, quat[b])
            _rotation_matrix(quat[b], turn[b])
            for i in range(3):
                if tree.block_kind[k] == HINGE:  # the rotation leaves its axis unchanged
                    own[0, i] = turn[b, i, 0] * axis[0] + turn[b, i, 1] * axis[1] + turn[b, i, 2] * axis[2]
                else:  # about the link's own three axes
                    own[0, i], own[1, i], own[2, i] = turn[b, i, 0], turn[b, i, 1], turn[b, i, 2]
            for i in range(tree.block_size[k]):
                cross_product(anchor, own[i], own[i, 3:])
            for i in range(3):  # the anchor of the joint does not move
                pos[b, i] = anchor[i]
                for j in range(3):
                    pos[b, i] -= turn[b, i, j] * tree.block_pos[k, j]


@kernel
def transform_point(pos: Array, turn: Array, local: Array, out: Array) -> None:
    """out = pos + turn local."""
    for i in range(3):
        out[i] = pos[i] + turn[i, 0] * local[0] + turn[i, 1] * local[1] + turn[i, 2] * local[2]


@kernel
def _place_free_root(value: Array, pos: Array, quat: Array, turn: Array, axes: Array) -> None:
    """Place a free root at its three coordinates."""
    for i in range(3):
        pos[i] = value[i]
        axes[i] = 0.0
        axes[i, 3 + i] = 1.0
    _set_identity_rotation(quat, turn)


@kernel
def _set_identity_rotation(quat: Array, turn: Array) -> None:
    """Set a quaternion and its matrix to the identity."""
    quat[:] = 0.0
    quat[0] = 1.0
    _rotation_matrix(quat, turn)


@kernel
def _multiply_quats(a: Array, b: Array, out: Array) -> None:
    """Quaternion product a b; `out` may be a or b."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def _rotation_matrix(q: Array, out: Array) -> None:
    """Rotation matrix (3, 3) of a unit quaternion."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def cross_product(a: Array, b: Array, out: Array) -> None:
    """Cross product a x b of vectors (3,)."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def motion_cross(a: Array, b: Array, out: Array) -> None:
    """Spatial cross product a x b of two motions: the rate of b when it moves with a."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[3] = a[1] * b[5] - a[2] * b[4] + a[4] * b[2] - a[5] * b[1]
    out[4] = a[2] * b[3] - a[0] * b[5] + a[5] * b[0] - a[3] * b[2]
    out[5] = a[0] * b[4] - a[1] * b[3] + a[3] * b[1] - a[4] * b[0]


@kernel
def force_cross(a: Array, f: Array, out: Array) -> None:
    """Spatial cross product a x* f of a motion and a force: the rate of f when it moves with a."""
    out[0] = a[1] * f[2] - a[2] * f[1] + a[4] * f[5] - a[5] * f[4]
    out[1] = a[2] * f[0] - a[0] * f[2] + a[5] * f[3] - a[3] * f[5]
    out[2] = a[0] * f[1] - a[1] * f[0] + a[3] * f[4] - a[4] * f[3]
    out[3] = a[1] * f[5] - a[2] * f[4]
    out[4] = a[2] * f[3] - a[0] * f[5]
    out[5] = a[0] * f[4] - a[1] * f[3]


@kernel
def spatial_product(matrix: Array, x: Array, out: Array) -> None:
    """Product of a matrix (6, 6) and a vector (6,)."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += matrix[i, j] * x[j]
        out[i] = total


@kernel
def spatial_power(a: Array, b: Array) -> float:
    """Inner product of a motion and a force, both (6,)."""
    total = 0.0
    for i in range(6):
        total += a[i] * b[i]
    return total


@kernel
def add_spatial(x: Array, out: Array) -> None:
    """Add x (6,) to out."""
    for i in range(6):
        out[i] += x[i]
