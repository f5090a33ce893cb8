"""What poses along a line weigh, so to say: inertia, reach from the feet, and the turn that moving between them gives.

Moving limbs in flight turn the root the other way, by an angle that depends on the poses alone and not on how fast they
are passed: H = I w + h, so that the root's turn is the integral of H / I over time, less that of h / I along the line.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.dynamics.rotation_indices import rotation_of
from poise.dynamics.terms import Terms


@dataclass(frozen=True, eq=False)
class PoseLine:
    """Poses and what matters of them in the plane of a flip: about y, the body's left."""

    qpos: Array  # (T, nq)
    inertia: Array  # (T,) kg m^2 about the centre of mass
    height: Array  # (T,) m of the centre of mass above flat soles
    ahead: Array  # (T,) m of the centre of mass before the ankles, the soles flat
    tilt: Array  # (T,) rad of the pelvis, the soles flat
    moves: Array  # (T, n) rad of joints, from the pose before
    swing: Array  # (T,) rad that the root has turned back when limbs have come from the first pose to here


def pose_line(body: Body, qpos: Array) -> PoseLine:
    """Of poses (T, nq) in a row."""
    model, terms = body.model, Terms(body.model)
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
        found = rotation_of(terms.mass, moved, terms.data)
        inertia[k] = found.inertia[1, 1]
        swing[k] = swing[k - 1] + found.angular_momentum[1] / found.inertia[1, 1] if k else 0.0
        turn = terms.data.xmat[feet[0]].reshape(3, 3)
        leg = turn.T @ (found.com - np.mean(terms.data.xpos[feet], axis=0))
        height[k], ahead[k] = leg[2] + sole, leg[0]
        tilt[k] = -np.arctan2(turn[0, 2], turn[2, 2])
    return PoseLine(qpos, inertia, height, ahead, tilt, moves, swing)
