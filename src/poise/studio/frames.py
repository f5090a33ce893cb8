"""Binary messages for the page: single frames of a performance, and whole motions.

A frame is little-endian: kind and epoch (u4), time (f8), then f4 numbers: centre of mass (3); poses of the moving
bodies (7 each: position, quaternion w x y z); the same of the reference; angles of the performer's degrees of freedom,
those of the reference, torques; and for each contact force the index of the moving body, its point and the force.
"""

import json

import mujoco
import numpy as np

from poise.arrays import Array
from poise.export.look import performer_centre
from poise.export.page import body_poses, moving_bodies
from poise.performance.run import Run
from poise.reference.key_poses import straight_pose
from poise.studio.wire import FRAME, TRACK
from poise.world.result import StepResult

RATE = 60.0  # Maximum frame rate (1/s) of a track


class Framer:
    """Encodes states of a run's world as frame messages."""

    def __init__(self, run: Run) -> None:
        self._run = run
        model = run.world.model
        self._moving = moving_bodies(model)
        self._index = np.full(model.nbody, -1.0)
        self._index[self._moving] = np.arange(len(self._moving))
        # the model of the initial ground: those of later grounds differ in shapes
        self._model, self._ghost = model, mujoco.MjData(model)
        self._dofs = run.world.scene.dofs(0)
        self._straight = np.array(model.qpos0)
        self._straight[run.world.scene.coordinates(0)] = straight_pose(run.world.scene.body)
        self._angles = np.zeros(model.nv)

    def frame(self, epoch: int, ghost: Array, result: StepResult | None) -> bytes:
        """The frame message of the present state; `result` is that of the step that led to it."""
        world, moving = self._run.world, self._moving
        data, model = world.terms.data, world.model
        self._ghost.qpos[:] = ghost
        mujoco.mj_kinematics(self._model, self._ghost)
        torque = np.zeros(model.nv) if result is None else result.torque
        parts = [
            performer_centre(model, data),
            np.hstack([data.xpos[moving], data.xquat[moving]]).ravel(),
            np.hstack([self._ghost.xpos[moving], self._ghost.xquat[moving]]).ravel(),
            self._coordinates(world.qpos),
            self._coordinates(ghost),
            torque[self._dofs],
            np.zeros(0) if result is None else self._forces(result),
        ]
        head = np.array([FRAME, epoch], "<u4").tobytes() + np.array([world.time], "<f8").tobytes()
        return head + np.concatenate(parts).astype("<f4").tobytes()

    def _coordinates(self, qpos: Array) -> Array:
        """Angles and rotation vectors of the performer's joints; the first three are the position of its root."""
        mujoco.mj_differentiatePos(self._run.world.model, self._angles, 1.0, self._straight, qpos)
        out = self._angles[self._dofs].copy()
        out[:3] = qpos[self._run.world.scene.coordinates(0)][:3]
        return out

    def _forces(self, result: StepResult) -> Array:
        used = np.flatnonzero(result.impulse.any(axis=1))
        force = np.einsum("cij,ci->cj", result.frame[used], result.impulse[used]) / self._run.world.settings.step
        body = self._index[result.body[used]]
        rows = np.hstack([body[:, None], result.point[used], force])
        if result.grips:
            held = self._index[[grip.body for grip in result.grips]]
            pull = result.grip_impulse / self._run.world.settings.step
            rows = np.vstack([rows, np.hstack([held[:, None], result.grip_point, pull])])
        return np.asarray(rows.ravel())


def track_bytes(name: str, model: mujoco.MjModel, step: float, qpos: Array) -> bytes:
    """The track message of poses (T, nq) with a time step (s), as positions and quaternions of the moving bodies."""
    stride = max(1, round(1 / (RATE * step)))
    poses = body_poses(model, qpos[::stride])
    head = json.dumps({"name": name, "step": stride * step, "frames": len(poses)}).encode()
    head += b" " * (-len(head) % 4)  # aligns the numbers that follow
    return np.array([TRACK, len(head)], "<u4").tobytes() + head + poses.astype("<f4").tobytes()
