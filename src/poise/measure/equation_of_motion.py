"""Every joint's equation of motion, and poses that follow from velocities.

In a step of duration h, all joints together obey ``M (v+ - v) / h + bias = torque + external + contacts + limits -
damping v+`` at the pose of its start, and ``q+ = q (+) h v+``. The momentum of a free root is judged exactly elsewhere.
Its recorded velocity has the right momentum at the end of the step, but does not satisfy this equation. The equation
is therefore evaluated with the root velocities that solve the root's six rows; the rest in the joints' rows is error.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array
from poise.measure.replay import Replay


@dataclass(frozen=True)
class MotionErrors:
    """Errors of each step; zero on DOFs that are not judged."""

    force: Array  # (T, nv) N m, by which a joint's equation of motion is not satisfied
    pose: Array  # (T, nv) rad, by which a joint or a root's orientation is not where its velocity takes it

    @classmethod
    def of(cls, replay: Replay, limit_impulse: Array) -> "MotionErrors":
        """Errors of a recording with impulses of joint limits (T, nv) N m s."""
        r, model = replay.recording, replay.recording.model
        given = r.torque + r.external + replay.contact_forces + limit_impulse / r.step
        error = replay.inertial_force + model.dof_damping * r.qvel[1:] - given
        velocity = r.qvel[1:].copy()
        linear = np.zeros(model.nv, bool)
        for root in replay.roots:
            first = int(model.body_dofadr[root])
            rows = slice(first, first + 6)
            linear[first : first + 3] = True
            own = model.body_rootid[model.dof_bodyid] == root
            shift = np.linalg.solve(replay.root_inertia[:, rows], error[:, rows, None])  # (T, 6, 1)
            error[:, own] -= (replay.root_inertia[:, own] @ shift)[..., 0]
            velocity[:, rows] -= r.step * shift[..., 0]
        pose, moved = np.zeros_like(velocity), np.zeros(model.nq)
        for k in range(r.steps):
            moved[:] = r.qpos[k]
            mujoco.mj_integratePos(model, moved, velocity[k], r.step)
            mujoco.mj_differentiatePos(model, pose[k], 1.0, moved, r.qpos[k + 1])
        free, ball = mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL
        for joint in np.flatnonzero(np.isin(model.jnt_type, (free, ball))):
            offset = 3 if model.jnt_type[joint] == free else 0  # of the quaternion
            dof, first = int(model.jnt_dofadr[joint]) + offset, int(model.jnt_qposadr[joint]) + offset
            length = np.linalg.norm(r.qpos[:, first : first + 4], axis=1)
            pose[:, dof] += np.maximum(np.abs(length[:-1] - 1.0), np.abs(length[1:] - 1.0))
        pose[:, linear] = 0.0  # the centre of mass moves with its momentum, which is judged elsewhere
        return cls(error, pose)
