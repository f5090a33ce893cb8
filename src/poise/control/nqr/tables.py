"""Tables that the control law reads at each step: a policy and a body, as arrays for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.control.nqr.lookahead import Policy
from poise.control.nqr.weights import NqrWeights
from poise.dynamics.tree import link_tree_of


class LawTables(NamedTuple):
    """Of a body: fields of its `Tree`, F features of contact adaptation [Muico2009] Table 3, weights of m controls."""

    link_dof: Ints  # (L,)
    block_kind: Ints  # (B,)
    block_size: Ints  # (B,)
    block_dof: Ints  # (B,)
    block_qpos: Ints  # (B,)
    dof_below: Ints  # (nv,)
    damping: Array  # (nv,) N m s
    feature_link: Ints  # (F,) links with an acceleration feature: the torso, the shoulders
    feature_point: Array  # (F, 3) m in the link
    feature_root: Array  # (3 F + nv - 6,) square roots of W, of the feature points and of the joints
    change: Array  # (m,) diagonal of R
    size: Array  # (m,) diagonal of P
    effort: float  # W_m, weight of torque changes in the contact adaptation; infinite for no adaptation


class PolicyTables(NamedTuple):
    """A policy of K steps with m controls and C contact balls; `velocity`, `next_pose` and `control` as in `Policy`.

    The cost-to-go after a step that ends with the velocity w is quadratic in w. With H = (h; 1) for a step of h
    seconds, its matrix is H'SH, its slope is H'S x + H'(S d + s). Here x is the deviation from the state to which
    the motion's own step leads, and d is the defect of the motion's own step.
    """

    qpos: Array  # (K, nq)
    qvel: Array  # (K, nv)
    velocity: Array  # (K, nv)
    next_pose: Array  # (K, nq)
    control: Array  # (K, m)
    used: Ints  # (K, m) indices of the controls that are used, then -1
    ball_link: Ints  # (C,)
    ball_centre: Array  # (C, 3) m
    ball_radius: Array  # (C,) m
    matrix: Array  # (K, nv, nv) H'SH
    pull: Array  # (K, nv, 2 nv) H'S
    slope: Array  # (K, nv) H'(S d + s)
    gain: Array  # (K, m, 2 nv) of the linear law, zero for controls that are not used
    offset: Array  # (K, m) of the linear law, zero for controls that are not used


def law_tables(body: Body, weights: NqrWeights, forces: int, gamma: float) -> LawTables:
    """Tables of a body, for `forces` components of contact forces and W_m = effort / `gamma` [Muico2009] Eq. (17)."""
    links = [body.trunk, *(joint.link for joint in body.joints if joint.name.endswith("_shoulder"))]
    points = np.zeros((len(links), 3))
    points[0] = body.model.body_ipos[body.link_id(links[0])]
    roots = np.sqrt(np.concatenate([weights.torso, *(weights.shoulder for _ in links[1:]), weights.joints]))
    effort = weights.effort / gamma if gamma else np.inf
    change, size = weights.control_weights(forces)
    ids = np.array([body.link_id(link) for link in links], np.int64)
    tree: Any = {name: table for name, table in link_tree_of(body.model)._asdict().items() if name in LawTables._fields}
    return LawTables(
        **tree, feature_link=ids, feature_point=points, feature_root=roots, change=change, size=size, effort=effort
    )


def policy_tables(policy: Policy, linear: bool) -> PolicyTables:
    """Tables of a policy; the tables of the linear law are filled only if `linear`."""
    k, nv = policy.velocity.shape
    m = policy.control.shape[1]
    motion, step = policy.motion, policy.motion.step
    later = np.array([cost.matrix for cost in policy.costs[1:]])
    slope = np.array([cost.slope for cost in policy.costs[1:]])
    slope += np.einsum("kij,kj->ki", later, policy.defect)
    pull = step * later[:, :nv] + later[:, nv:]
    used = np.full((k, m), -1, np.int64)
    gain, offset = np.zeros((k if linear else 1, m, 2 * nv)), np.zeros((k if linear else 1, m))
    for t, on in enumerate(policy.used):
        used[t, : on.sum()] = np.flatnonzero(on)
        if linear:
            gain[t, on], offset[t, on] = policy.gains[t].matrix, policy.gains[t].offset
    states = (motion.clip.qpos[:-1], motion.qvel[:-1], policy.velocity, policy.next_pose, policy.control)
    qpos, qvel, velocity, next_pose, control = (np.array(table) for table in states)
    matrix = np.ascontiguousarray(step * pull[:, :, :nv] + pull[:, :, nv:])
    cost = (matrix, np.ascontiguousarray(pull), step * slope[:, :nv] + slope[:, nv:])
    return PolicyTables(qpos, qvel, velocity, next_pose, control, used, *policy.bearings, *cost, gain, offset)
