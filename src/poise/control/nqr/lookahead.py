"""The look-ahead policy: the cost-to-go of deviations from a motion, frame by frame [Muico2009] section 3.

Controls are the joint torques and the contact forces of the motion [Muico2009] Eq. (3), so that the policy knows which
contacts will come and go. The dynamics is linearised around the motion, and the problem

    minimise  sum_k |xi_k|^2_Q + |eta_k|^2_R + |u_k + eta_k|^2_P   with   xi_{k+1} = A_k xi_k + B_k eta_k + d_k

is solved backwards in time [Muico2009] Eqs. (8)-(10). xi and eta are deviations of state and controls from the motion,
u are the motion's controls, d the defects of its dynamics: how far each step misses the next state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.pose_space import PoseSpace, planar_displacement, yaw_quat
from poise.control.nqr.weights import NqrWeights
from poise.dynamics.inverse import Bearings
from poise.dynamics.linearisation import LinearSteps, linearise_steps
from poise.dynamics.tree import link_tree_of
from poise.reference.dynamic import Dynamic
from poise.rotations import quat_to_matrix

CONVERGED = 1e-4  # Relative change of the cost-to-go from one cycle to the next below which the sweeps end
MOST_CYCLES = 40  # Largest number of sweeps over a cycle


@dataclass(frozen=True, eq=False)
class CostToGo:
    """Cost of all that follows a deviation xi, 1/2 xi' S xi + s' xi + constant; the costate is s + S xi, Eq. (9)."""

    matrix: Array  # (n, n) S
    slope: Array  # (n,) s


@dataclass(frozen=True, eq=False)
class PolicyGain:
    """The optimal change eta of the controls in a step with deviation xi: eta = offset + matrix xi."""

    matrix: Array  # (m, n)
    offset: Array  # (m,)


@dataclass(frozen=True, eq=False)
class Policy:
    """The look-ahead policy of a motion of K steps with m controls, in the motion's own frame."""

    motion: Dynamic
    bearings: Bearings  # the motion's contact balls
    velocity: Array  # (K, nv) velocities after each step, with which the step moves the poses
    next_pose: Array  # (K, nq) poses reached with `velocity`, before the root is shifted to keep momentum exact
    defect: Array  # (K, 2 nv) d: how far the step from each state misses the next state
    control: Array  # (K, m) u: joint torques, then contact forces
    used: Mask  # (K, m) controls that act in each step
    costs: tuple[CostToGo, ...]  # K + 1: before each step, and after the last step
    gains: tuple[PolicyGain, ...]  # K: of the controls that are used in each step
    cycles: int  # number of sweeps that were made


def look_ahead(motion: Dynamic, weights: NqrWeights, cycles: int | None = None, then: CostToGo | None = None) -> Policy:
    """The look-ahead policy; a cycle is followed by itself, `cycles` times or to convergence, others by `then`."""
    body, contacts = motion.clip.body, motion.contacts
    links = np.array([body.link_id(link) for link in contacts.links], np.int64)
    centre, radius = np.array(contacts.centre, float).reshape(-1, 3), np.array(contacts.radius, float)
    bearings = Bearings(links, centre, radius)
    qpos, qvel = motion.clip.qpos[:-1], motion.qvel[:-1]
    steps = linearise_steps(link_tree_of(body.model), qpos, qvel, motion.torque, bearings, contacts.force, motion.step)
    control = np.concatenate([motion.torque[:, 6:], contacts.force.reshape(len(steps.velocity), -1)], axis=1)
    used, space = _used_policy_controls(motion), PoseSpace(body)
    missed = space.difference(motion.clip.qpos[1:], steps.qpos)  # zero for motions made at the world's rate
    defect = np.concatenate([missed, steps.qvel - motion.qvel[1:]], axis=1)
    stages = _riccati_stages(motion, weights, steps, defect, control, used)
    end = then or CostToGo(np.diag(weights.state), np.zeros(2 * body.nv))
    costs, gains, count = _riccati_sweeps_to_convergence(motion, stages, end, cycles)
    next_pose = space.moved(qpos, motion.step * steps.velocity)
    return Policy(motion, bearings, steps.velocity, next_pose, defect, control, used, tuple(costs), tuple(gains), count)


def displaced_cost(cost: CostToGo, pose: Array, place: Array) -> CostToGo:
    """The cost-to-go from `pose` (nq,), for a motion that reaches this pose with the heading of the pose `place`."""
    yaw, _ = planar_displacement(pose, place)
    nv = len(cost.slope) // 2
    turn = np.eye(2 * nv)
    turn[:3, :3] = turn[nv : nv + 3, nv : nv + 3] = quat_to_matrix(yaw_quat(-yaw))
    return CostToGo(turn.T @ cost.matrix @ turn, turn.T @ cost.slope)


def _riccati_sweeps_to_convergence(
    motion: Dynamic, stages: "list[RiccatiStage]", end: CostToGo, cycles: int | None
) -> tuple[list[CostToGo], list[PolicyGain], int]:
    """Costs-to-go and gains of a motion, and the number of sweeps over it; only a cycle is swept more than once."""
    count = 0
    while True:
        costs, gains = riccati_sweep(stages, end)
        count += 1
        before, end = end, displaced_cost(costs[0], motion.clip.qpos[0], motion.clip.qpos[-1])
        settled = np.abs(end.matrix - before.matrix).max() < CONVERGED * np.abs(end.matrix).max()
        if not motion.clip.cyclic or (count >= cycles if cycles else settled or count == MOST_CYCLES):
            return costs, gains, count


def _used_policy_controls(motion: Dynamic) -> Mask:
    """(K, m) whether the policy uses a control: all joint torques, and forces of contacts that are down after a step.

    Friction is used only if the contact is down before the step as well. A policy that counts on contact forces which
    the motion does not have falls within seconds.
    """
    contacts = motion.contacts
    k, c = contacts.force.shape[:2]
    on = np.repeat(contacts.down[1:, :, None], 3, axis=2)
    on[..., :2] &= contacts.down[:-1, :, None]
    return np.concatenate([np.ones((k, motion.qvel.shape[1] - 6), bool), on.reshape(k, 3 * c)], axis=1)


def _riccati_stages(
    motion: Dynamic, weights: NqrWeights, steps: LinearSteps, defect: Array, control: Array, used: Mask
) -> "list[RiccatiStage]":
    """The steps of the linear-quadratic problem around the motion."""
    k, nv = steps.velocity.shape
    by_control = np.concatenate([steps.by_torque, steps.by_force.reshape(k, 2 * nv, -1)], axis=2)
    change, size = weights.control_weights(control.shape[1] - (nv - 6))
    down = motion.contacts.down
    before = np.concatenate([(down[-2] if motion.clip.cyclic else down[0])[None], down[:-2]])
    planted = down[:-1] & before  # (K, C); a contact may still slide in the frame in which it lands
    stages = []
    for t, on in enumerate(used):
        cost = np.diag(weights.state)
        jacobian = steps.lever[t, planted[t]].reshape(-1, nv)
        cost[nv:, nv:] += weights.planted * jacobian.T @ jacobian
        a, b = steps.by_state[t], by_control[t][:, on]
        stages.append(RiccatiStage(a, b, defect[t], cost, change[on], size[on], control[t, on]))
    return stages


@dataclass(frozen=True, eq=False)
class RiccatiStage:
    """One step of the linear-quadratic problem, with n states and m controls."""

    by_state: Array  # (n, n) A
    by_control: Array  # (n, m) B
    defect: Array  # (n,) d
    state_cost: Array  # (n, n) Q
    change_cost: Array  # (m,) diagonal of R
    size_cost: Array  # (m,) diagonal of P
    control: Array  # (m,) u of the motion


def riccati_sweep(stages: Sequence[RiccatiStage], end: CostToGo) -> tuple[list[CostToGo], list[PolicyGain]]:
    """Go backwards through K stages. Return K + 1 costs-to-go, before each stage and after the last, and K gains."""
    costs, gains = [end], []
    for stage in reversed(stages):
        before, gain = riccati_step(stage, costs[-1])
        costs.append(before)
        gains.append(gain)
    return costs[::-1], gains[::-1]


def riccati_step(stage: RiccatiStage, later: CostToGo) -> tuple[CostToGo, PolicyGain]:
    """The cost-to-go before a stage and the stage's gain, from the cost-to-go `later` after it [Muico2009] Eq. (10)."""
    a, b, s = stage.by_state, stage.by_control, later.matrix
    ahead = s @ stage.defect + later.slope
    sb = s @ b
    hessian = b.T @ sb
    hessian[np.diag_indices_from(hessian)] += stage.change_cost + stage.size_cost
    right = np.column_stack([sb.T @ a, b.T @ ahead + stage.size_cost * stage.control])
    solution = -cho_solve(cho_factor(hessian, check_finite=False), right, check_finite=False)
    gain = PolicyGain(solution[:, :-1], solution[:, -1])
    closed = a + b @ gain.matrix
    matrix = a.T @ (s @ closed)
    matrix += stage.state_cost
    slope = a.T @ (ahead + sb @ gain.offset)
    return CostToGo(0.5 * (matrix + matrix.T), slope), gain


class LawTables(NamedTuple):
    """Tables of a body: its `Tree`, F features of contact adaptation [Muico2009] Table 3, weights of m controls."""

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
