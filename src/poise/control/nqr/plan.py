"""What the control law reads at each step: the policy and the body, as arrays for compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.control.nqr.lookahead import Policy
from poise.control.nqr.weights import Weights
from poise.dynamics.tree import tree_of


class BodyTables(NamedTuple):
    """The body as far as the law reads its `Tree`, its features [Muico2009] Table 3, and its weights."""

    link_dof: Ints  # (L,)
    block_kind: Ints  # (B,)
    block_size: Ints  # (B,)
    block_dof: Ints  # (B,)
    block_qpos: Ints  # (B,)
    dof_below: Ints  # (nv,)
    damping: Array  # (nv,) N m s
    feature_link: Ints  # (F,) links whose acceleration matters: the torso, the shoulders
    feature_point: Array  # (F, 3) m in the link
    feature_root: Array  # (3 F + nv - 6,) square roots of W, of these and of the joints
    change: Array  # (m,) R
    size: Array  # (m,) P
    effort: float  # W_m


class PolicyTables(NamedTuple):
    """A policy of K steps. With H = (h; 1), what remains to be paid after a step that ends with the velocity w is
    quadratic in w: its matrix is H'SH, its slope H'S x + H'(S d + s) for a deviation x from where the motion's own
    step leads, which misses its next state by d."""

    qpos: Array  # (K, nq)
    qvel: Array  # (K, nv)
    velocity: Array  # (K, nv)
    ahead: Array  # (K, nq)
    control: Array  # (K, m)
    used: Ints  # (K, m) which controls there are, then -1
    ball_link: Ints  # (C,)
    ball_centre: Array  # (C, 3) m
    ball_radius: Array  # (C,) m
    matrix: Array  # (K, nv, nv) H'SH
    pull: Array  # (K, nv, 2 nv) H'S
    slope: Array  # (K, nv) H'(S d + s)
    gain: Array  # (K, m, 2 nv) of the linear law, zero for controls there are not
    offset: Array  # (K, m) likewise


def body_tables(body: Body, weights: Weights, forces: int, gamma: float) -> BodyTables:
    """A body, with this many components of contact forces."""
    links = [body.trunk, *(joint.link for joint in body.joints if joint.name.endswith("_shoulder"))]
    points = np.zeros((len(links), 3))
    points[0] = body.model.body_ipos[body.link_id(links[0])]
    tree, (change, size) = tree_of(body.model), weights.controls(forces)
    return BodyTables(
        tree.link_dof,
        tree.block_kind,
        tree.block_size,
        tree.block_dof,
        tree.block_qpos,
        tree.dof_below,
        tree.damping,
        np.array([body.link_id(link) for link in links], np.int64),
        points,
        np.sqrt(np.concatenate([weights.torso, *(weights.shoulder for _ in links[1:]), weights.joints])),
        change,
        size,
        weights.effort / gamma if gamma else np.inf,
    )


def plan_of(policy: Policy, linear: bool) -> PolicyTables:
    """A policy as arrays; the gains of the linear law only if it is asked for."""
    k, nv = policy.velocity.shape
    m = policy.control.shape[1]
    step = policy.motion.step
    later = np.array([future.matrix for future in policy.futures[1:]])
    slope = np.array([future.slope for future in policy.futures[1:]])
    slope += np.einsum("kij,kj->ki", later, policy.defect)
    pull = step * later[:, :nv] + later[:, nv:]
    used = np.full((k, m), -1, np.int64)
    gain, offset = np.zeros((k if linear else 1, m, 2 * nv)), np.zeros((k if linear else 1, m))
    for t, on in enumerate(policy.used):
        used[t, : on.sum()] = np.flatnonzero(on)
        if linear:
            gain[t, on], offset[t, on] = policy.gains[t].matrix, policy.gains[t].offset
    motion = policy.motion
    return PolicyTables(
        np.array(motion.clip.qpos[:-1]),
        np.array(motion.qvel[:-1]),
        np.array(policy.velocity),
        np.array(policy.ahead),
        np.array(policy.control),
        used,
        *policy.bearings,
        np.ascontiguousarray(step * pull[:, :, :nv] + pull[:, :, nv:]),
        np.ascontiguousarray(pull),
        step * slope[:, :nv] + slope[:, nv:],
        gain,
        offset,
    )
