"""The look-ahead policy: what a deviation from a motion will cost, for each of its frames [Muico2009] section 3.

Joint torques and the contact forces of the motion are controls alike, so that the policy knows which contacts will
come and go. A cycle is looked at again and again from its end, until what it costs no longer changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from poise.arrays import Array
from poise.body.carriage import advance, heading
from poise.body.pose_space import PoseSpace
from poise.control.nqr.weights import Weights
from poise.dynamics.inverse import Bearings
from poise.dynamics.linearisation import LinearSteps, stepping
from poise.dynamics.tree import tree_of
from poise.reference.dynamic import Dynamic
from poise.rotations import quat_to_matrix

# Linear dynamics and quadratic costs, solved backwards in time.
#
# minimise  sum_k |x_k|^2_Q + |u_k|^2_R + |u_k + c_k|^2_P   with   x_{k+1} = A_k x_k + B_k u_k + d_k
#
# x and u are deviations from a motion, c its controls, d the defects of its dynamics. What is still to be paid from a
# state on is half of x'S x + 2 s'x, up to a constant [Muico2009] Eq. (8)-(10).


@dataclass(frozen=True, eq=False)
class RiccatiStage:
    """One step of the problem."""

    by_state: Array  # (n, n) A
    by_control: Array  # (n, m) B
    defect: Array  # (n,) d
    state_cost: Array  # (n, n) Q
    change_cost: Array  # (m,) diagonal of R
    size_cost: Array  # (m,) diagonal of P
    control: Array  # (m,) c


@dataclass(frozen=True, eq=False)
class Future:
    """What remains to be paid, as a function of the state: its slope is s + S x."""

    matrix: Array  # (n, n) S
    slope: Array  # (n,) s


@dataclass(frozen=True, eq=False)
class Gain:
    """The best control of a stage, u = offset + matrix x."""

    matrix: Array  # (m, n)
    offset: Array  # (m,)


def step_back(stage: RiccatiStage, later: Future) -> tuple[Future, Gain]:
    """What remains to be paid before a stage, and its best control [Muico2009] Eq. (10)."""
    a, b, s = stage.by_state, stage.by_control, later.matrix
    ahead = s @ stage.defect + later.slope
    sb = s @ b
    effort = b.T @ sb
    effort[np.diag_indices_from(effort)] += stage.change_cost + stage.size_cost
    wish = np.column_stack([sb.T @ a, b.T @ ahead + stage.size_cost * stage.control])
    answer = -cho_solve(cho_factor(effort, check_finite=False), wish, check_finite=False)
    gain = Gain(answer[:, :-1], answer[:, -1])
    closed = a + b @ gain.matrix
    matrix = a.T @ (s @ closed)
    matrix += stage.state_cost
    slope = a.T @ (ahead + sb @ gain.offset)
    return Future(0.5 * (matrix + matrix.T), slope), gain


def look_back(stages: Sequence[RiccatiStage], end: Future) -> tuple[list[Future], list[Gain]]:
    """Futures before each stage and after the last (K + 1), and gains (K)."""
    futures, gains = [end], []
    for stage in reversed(stages):
        before, gain = step_back(stage, futures[-1])
        futures.append(before)
        gains.append(gain)
    return futures[::-1], gains[::-1]


CONVERGED = 1e-4
"""Relative change of the costs from one cycle to the next that is none."""
MOST_CYCLES = 40


@dataclass(frozen=True, eq=False)
class Policy:
    """A motion of K steps and what deviations from it cost, in the frame that the motion was made in."""

    motion: Dynamic
    bearings: Bearings  # its contacts
    velocity: Array  # (K, nv) at which poses move on
    ahead: Array  # (K, nq) poses that they reach so, before the root is shifted
    defect: Array  # (K, 2 nv) how far the step from each state misses the next
    control: Array  # (K, m) torques of joints, then forces of contacts
    used: NDArray[np.bool_]  # (K, m) which of these there are
    futures: tuple[Future, ...]  # (K + 1)
    gains: tuple[Gain, ...]  # (K) of the controls there are
    cycles: int  # that were looked at

    @property
    def steps(self) -> int:
        """K."""
        return len(self.velocity)


def look_ahead(motion: Dynamic, weights: Weights, cycles: int | None = None, then: Future | None = None) -> Policy:
    """The policy of a motion.

    A cycle is followed by itself, `cycles` times or until nothing changes. Any other motion is followed by `then`, the
    future of what comes next as seen from its end.
    """
    body, contacts = motion.clip.body, motion.contacts
    bearings = Bearings(
        np.array([body.link_id(link) for link in contacts.links], np.int64),
        np.array(contacts.centre, float).reshape(-1, 3),
        np.array(contacts.radius, float),
    )
    qpos, qvel = motion.clip.qpos[:-1], motion.qvel[:-1]
    steps = stepping(tree_of(body.model), qpos, qvel, motion.torque, bearings, contacts.force, motion.step)
    control = np.concatenate([motion.torque[:, 6:], contacts.force.reshape(len(steps.velocity), -1)], axis=1)
    used, defect = _used(motion), _defects(motion, steps)
    stages = _stages(motion, weights, steps, defect, control, used)
    end = then or Future(np.diag(weights.state), np.zeros(2 * body.nv))
    futures, gains, count = _look_back_on(motion, stages, end, cycles)
    ahead = PoseSpace(body).moved(qpos, motion.step * steps.velocity)
    return Policy(motion, bearings, steps.velocity, ahead, defect, control, used, tuple(futures), tuple(gains), count)


def _look_back_on(
    motion: Dynamic, stages: list[RiccatiStage], end: Future, cycles: int | None
) -> tuple[list[Future], list[Gain], int]:
    """Futures and gains of a motion, and how many cycles were looked at."""
    count = 0
    while True:
        futures, gains = look_back(stages, end)
        count += 1
        before, end = end, carried_future(futures[0], motion.clip.qpos[0], motion.clip.qpos[-1])
        settled = np.abs(end.matrix - before.matrix).max() < CONVERGED * np.abs(end.matrix).max()
        if not motion.clip.cyclic or (count >= cycles if cycles else settled or count == MOST_CYCLES):
            return futures, gains, count


def carried_future(future: Future, pose: Array, place: Array) -> Future:
    """A future that begins in a pose, for another motion that reaches that pose turned to where `place` is."""
    yaw, _ = advance(pose, place)
    nv = len(future.slope) // 2
    turn = np.eye(2 * nv)
    turn[:3, :3] = turn[nv : nv + 3, nv : nv + 3] = quat_to_matrix(heading(-yaw))
    return Future(turn.T @ future.matrix @ turn, turn.T @ future.slope)


def _used(motion: Dynamic) -> NDArray[np.bool_]:
    """(K, m) all joint torques; contacts down at the end of a step, whose friction needs them down at its start too.

    Forces at contacts that the motion does not have would be a promise that is not kept: it falls within seconds.
    """
    contacts = motion.contacts
    k, c = contacts.force.shape[:2]
    on = np.repeat(contacts.down[1:, :, None], 3, axis=2)
    on[..., :2] &= contacts.down[:-1, :, None]
    return np.concatenate([np.ones((k, motion.qvel.shape[1] - 6), bool), on.reshape(k, 3 * c)], axis=1)


def _stages(
    motion: Dynamic, weights: Weights, steps: LinearSteps, defect: Array, control: Array, used: NDArray[np.bool_]
) -> list[RiccatiStage]:
    """The linear problem around the motion, step by step."""
    k, nv = steps.velocity.shape
    by_control = np.concatenate([steps.by_torque, steps.by_force.reshape(k, 2 * nv, -1)], axis=2)
    change, size = weights.controls(control.shape[1] - (nv - 6))
    planted = _planted(motion)
    stages = []
    for t, on in enumerate(used):
        cost = np.diag(weights.state)
        lever = steps.lever[t, planted[t]].reshape(-1, nv)
        cost[nv:, nv:] += weights.planted * lever.T @ lever
        stages.append(
            RiccatiStage(steps.by_state[t], by_control[t][:, on], defect[t], cost, change[on], size[on], control[t, on])
        )
    return stages


def _planted(motion: Dynamic) -> NDArray[np.bool_]:
    """(K, C) contacts that stay where they are: down in the state before, too, since landing does not stop a slide."""
    down = motion.contacts.down
    before = down[-2] if motion.clip.cyclic else down[0]
    return np.asarray(down[:-1] & np.concatenate([before[None], down[:-2]]))


def _defects(motion: Dynamic, steps: LinearSteps) -> Array:
    """(K, 2 nv) how far the step from each state misses the next: nothing, for motions made at the world's rate."""
    space = PoseSpace(motion.clip.body)
    pose = space.difference(motion.clip.qpos[1:], steps.qpos)
    return np.concatenate([pose, steps.qvel - motion.qvel[1:]], axis=1)
