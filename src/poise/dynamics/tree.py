"""The constant numbers of one floating tree of links, as kernels of whole trajectories need them."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

HINGE, BALL, SLIDE = range(3)
"""Kinds of block. A free joint is two: three slides along the world's axes, then a ball."""


class Tree(NamedTuple):
    """Links, numbered as in MuJoCo with the world as 0, and the blocks of degrees of freedom that move them.

    A block is what turns or shifts at once: a hinge, a ball, or the three translations of a free joint.
    """

    link_parent: Ints  # (L,)
    link_pos: Array  # (L, 3) m, in the parent
    link_quat: Array  # (L, 4)
    link_mass: Array  # (L,) kg
    link_com: Array  # (L, 3) m, in the link
    link_inertia: Array  # (L, 9) kg m^2 about the centre of mass, along the link's axes
    link_blocks: Ints  # (L, 2) its first block, and how many it has
    block_kind: Ints  # (B,)
    block_dof: Ints  # (B,) its first degree of freedom
    block_qpos: Ints  # (B,) its first coordinate
    block_pos: Array  # (B, 3) m, in the link
    block_axis: Array  # (B, 3) of a hinge, in the link
    block_zero: Array  # (B,) rad, coordinate of a hinge at which it does not turn
    block_above: Ints  # (B,) the block before it in its chain, -1 at the root
    block_link: Ints  # (B,)
    link_block: Ints  # (L,) the last block that moves it, -1 for the world
    armature: Array  # (nv,) kg m^2
    damping: Array  # (nv,) N m s
    gravity: Array  # (3,) m/s^2


def tree_of(model: mujoco.MjModel) -> Tree:
    """The tables of a model with one free root, hinges and balls."""
    kinds, links, joints = [], [], []
    for joint in range(model.njnt):
        kind = model.jnt_type[joint]
        free = kind == mujoco.mjtJoint.mjJNT_FREE
        own = [SLIDE, BALL] if free else [BALL] if kind == mujoco.mjtJoint.mjJNT_BALL else [HINGE]
        for block in own:
            kinds.append(block)
            links.append(int(model.jnt_bodyid[joint]))
            joints.append(joint)
    kind, link, joint = np.array(kinds, np.int64), np.array(links, np.int64), np.array(joints, np.int64)
    turning = (kind == BALL) & (model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE)
    count = np.array([np.count_nonzero(link == b) for b in range(model.nbody)])
    first = np.array([np.flatnonzero(link == b)[0] if n else 0 for b, n in enumerate(count)])
    parent = model.body_parentid.astype(np.int64)
    last = np.full(model.nbody, -1, np.int64)
    for b in range(1, model.nbody):
        last[b] = first[b] + count[b] - 1 if count[b] else last[parent[b]]
    above = np.array([k - 1 if k > first[b] else last[parent[b]] for k, b in enumerate(link)], np.int64)
    return Tree(
        parent,
        np.array(model.body_pos),
        np.array(model.body_quat),
        np.array(model.body_mass),
        np.array(model.body_ipos),
        _inertias(model),
        np.stack([first, count], axis=1).astype(np.int64),
        kind,
        (model.jnt_dofadr[joint] + 3 * turning).astype(np.int64),
        (model.jnt_qposadr[joint] + 3 * turning).astype(np.int64),
        np.array(model.jnt_pos[joint]),
        np.array(model.jnt_axis[joint]),
        np.array(model.qpos0[model.jnt_qposadr[joint]]),
        above,
        link,
        last,
        np.array(model.dof_armature),
        np.array(model.dof_damping),
        np.array(model.opt.gravity),
    )


def _inertias(model: mujoco.MjModel) -> Array:
    """(L, 9) kg m^2: principal inertias turned along the links' own axes."""
    out = np.zeros((model.nbody, 9))
    for b in range(model.nbody):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[b])
        matrix = turn.reshape(3, 3)
        out[b] = (matrix @ np.diag(model.body_inertia[b]) @ matrix.T).ravel()
    return out
