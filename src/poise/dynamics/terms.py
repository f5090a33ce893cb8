"""Terms of the equations of motion at a state, computed by MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.arrays import Array


class Terms:
    """Mass matrix and bias of a model at the pose and velocity set last.

    ``M(q) dv/dt + bias(q, v) = forces``; gravity is part of the bias. Kinematics, Jacobian axes and contact
    candidates are in ``data``.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.mass: Array = np.zeros((model.nv, model.nv))
        self.bias: Array = np.zeros(model.nv)

    def set_pose(self) -> None:
        """Update kinematics for the pose in ``data.qpos``; `set_mass` updates the mass matrix."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def set_mass(self) -> None:
        """Update the dense mass matrix for the pose."""
        mujoco.mj_makeM(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, self.mass)

    def set_velocity(self) -> None:
        """Update spatial velocities and the bias for ``data.qvel``."""
        mujoco.mj_comVel(self.model, self.data)
        mujoco.mj_rne(self.model, self.data, 0, self.bias)

    def evaluate(self, qpos: Array, qvel: Array) -> None:
        """Update everything for (qpos, qvel)."""
        self.data.qpos[:] = qpos
        self.data.qvel[:] = qvel
        self.set_pose()
        self.set_mass()
        self.set_velocity()
