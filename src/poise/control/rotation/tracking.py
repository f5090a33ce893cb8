"""Force-based pose tracking [Zordan2014] Eq. (6), in the stable form of [Tan2011]."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.dynamics import State
from poise.frozen import Array


class Tracker:
    """Torques towards poses, with gains in proportion to the inertia that each joint moves."""

    def __init__(self, model: mujoco.MjModel, nv: int, damping: Array) -> None:
        self._model, self._nv, self._damping = model, nv, damping

    def torques(self, state: State, poses: Array, stiffness: Array | float, velocity: Array | None = None) -> Array:
        """(P, n) N m of joints, towards each of poses (P, nq); `stiffness` (1/s^2) for all joints or (n,).

        K_p = stiffness M_jj and K_d = 2 sqrt(stiffness) M_jj, both at the end of the step.
        """
        nv, h = self._nv, state.step
        mass = state.mass[:nv, :nv]
        own = np.diag(mass)[6:]
        spring = stiffness * own
        damper = 2.0 * np.sqrt(stiffness) * own
        error, whole = np.zeros((len(poses), nv - 6)), np.zeros(self._model.nv)
        target = np.array(state.qpos)
        for k, pose in enumerate(poses):
            target[7 : len(pose)] = pose[7:]
            mujoco.mj_differentiatePos(self._model, whole, 1.0, state.qpos, target)
            error[k] = whole[6:nv]
        wanted = 0.0 if velocity is None else velocity
        pull = spring * (error - h * state.qvel[6:nv]) + damper * (wanted - state.qvel[6:nv])
        heavy = np.array(mass)
        heavy[np.arange(6, nv), np.arange(6, nv)] += h * (damper + self._damping[6:])
        drive = np.tile(-state.bias[:nv], (len(poses), 1))
        drive[:, 6:] += pull - self._damping[6:] * state.qvel[6:nv]
        acceleration = np.linalg.solve(heavy, drive.T).T
        return np.asarray(pull - h * damper * acceleration[:, 6:])
