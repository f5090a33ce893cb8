"""Sequences of poses, one per step, with the quantities that the planner and the controllers need.

Limbs that move in flight turn the root the other way. The angular momentum is H = I w + h: w is the angular velocity of
the root, h the angular momentum of the limbs relative to the root. So the root turns by the integral of H / I over time
less the integral of h / I. The second integral depends only on the poses, not on how fast they are passed.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.dynamics.mechanism import DynamicsTerms
from poise.dynamics.rotation_indices import whole_body_rotation
from poise.library.behaviours.behaviour import BehaviourReference


@dataclass(frozen=True, eq=False)
class PoseLine:
    """Poses one step apart and their quantities in the sagittal plane; rotations are about y, the body's left."""

    qpos: Array  # (T, nq)
    inertia: Array  # (T,) kg m^2 about the centre of mass
    height: Array  # (T,) m of the centre of mass above the soles, the soles flat
    ahead: Array  # (T,) m of the centre of mass in front of the ankles, the soles flat
    tilt: Array  # (T,) rad: pitch of the pelvis, the soles flat
    moves: Array  # (T, n) rad: joint displacement from the previous pose
    swing: Array  # (T,) rad: angle that the limbs' motion since the first pose subtracts from the turn of the root

    @property
    def last(self) -> int:
        """Index of the last pose."""
        return len(self.qpos) - 1

    def pose_at(self, k: int, step: float) -> tuple[Array, Array]:
        """Pose k (nq,), and joint velocities (n,) rad/s from pose k - 1 in a `step` (s); after the end, at rest."""
        velocity = self.moves[k] / step if k <= self.last else np.zeros(self.moves.shape[1])
        return self.qpos[min(k, self.last)], velocity

    def inertia_from(self, first: int, count: int) -> Array:
        """(count,) kg m^2: inertias of the poses from index `first` on. Past the last pose, its inertia is repeated."""
        return np.asarray(self.inertia[np.minimum(np.arange(first, first + count), self.last)])


def sample_pose_line(
    staged: BehaviourReference, start: float, stop: float, step: float, seconds: float | None = None
) -> PoseLine:
    """Poses of a behaviour from `start` to `stop` (s), one per `step` (s); stretched to last `seconds`, if given."""
    count = max(2, round((stop - start if seconds is None else seconds) / step) + 1)
    return pose_line(staged.body, staged.line(np.linspace(start, stop, count)))


def pose_line(body: Body, qpos: Array) -> PoseLine:
    """The line of successive poses (T, nq), with the quantities of each pose."""
    model, terms = body.model, DynamicsTerms(body.model)
    feet = [body.link_id(foot.link) for foot in body.feet]
    sole = -min(float(foot.points[:, 2].min()) for foot in body.feet)  # m below the ankle
    inertia, height, ahead, tilt, swing = (np.zeros(len(qpos)) for _ in range(5))
    moved, moves = np.zeros(body.nv), np.zeros((len(qpos), body.nv - 6))
    for k, pose in enumerate(qpos):
        if k:
            mujoco.mj_differentiatePos(model, moved, 1.0, qpos[k - 1], pose)
            moved[:6] = 0.0
            moves[k] = moved[6:]
        upright = np.array(pose)
        upright[3:7] = 1.0, 0.0, 0.0, 0.0
        terms.evaluate(upright, moved)
        found = whole_body_rotation(terms.mass, moved, terms.data)
        inertia[k] = found.inertia[1, 1]
        swing[k] = swing[k - 1] + found.angular_momentum[1] / found.inertia[1, 1] if k else 0.0
        foot_in_root = terms.data.xmat[feet[0]].reshape(3, 3)
        leg = foot_in_root.T @ (found.com - np.mean(terms.data.xpos[feet], axis=0))
        height[k], ahead[k] = leg[2] + sole, leg[0]
        tilt[k] = -np.arctan2(foot_in_root[0, 2], foot_in_root[2, 2])
    return PoseLine(qpos, inertia, height, ahead, tilt, moves, swing)
