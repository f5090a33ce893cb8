"""Rotation indices of a whole motion, simulated or captured [Zordan2014]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from poise.dynamics.rotation import Rotation, rotation_of, turned_on
from poise.dynamics.terms import Terms
from poise.frozen import Array
from poise.reference.bodyclip import BodyClip
from poise.spatial import quat_conjugate, quat_multiply, quat_rotate
from poise.world.recording import Recording

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Rotations:
    """How a body turned, about its centre of mass and in the world frame."""

    time: Array  # (T,) s
    angular_momentum: Array  # (T, 3) kg m^2/s
    inertia: Array  # (T, 3, 3) kg m^2
    spin: Array  # (T, 3) rad/s
    root: Array  # (T, 4) orientation of the root
    excursion: Array  # (T, 4) since the beginning: the spin integrated on the rotation group

    @cached_property
    def axis(self) -> Array:
        """(3,) about which it turned most: the main direction of the spin, along the net turn."""
        _, vectors = np.linalg.eigh(self.spin.T @ self.spin)
        main = vectors[:, -1]
        return np.asarray(main * np.copysign(1.0, self.spin.sum(axis=0) @ main))

    @cached_property
    def turns(self) -> float:
        """Whole turns and parts of one about the axis."""
        about = self.spin @ self.axis
        return float(np.sum(0.5 * (about[1:] + about[:-1]) * np.diff(self.time)) / (2 * np.pi))

    @cached_property
    def root_turn(self) -> Array:
        """(T, 4) of the root since the beginning."""
        return quat_multiply(self.root, quat_conjugate(self.root[0]))

    def off_axis(self, turn: Array) -> Array:
        """(T,) rad by which turns (T, 4) tilt the axis: zero where they go about it only."""
        cosine = np.clip(quat_rotate(turn, self.axis) @ self.axis, -1.0, 1.0)
        return np.asarray(np.arccos(cosine))


def rotations_of_recording(recording: Recording) -> Rotations:
    """Of the character of a recording, the one that comes first."""
    return _rotations(recording.model, recording.time, recording.qpos, recording.qvel)


def rotations_of_clip(clip: BodyClip) -> Rotations:
    """Of a body's clip; velocities by differences."""
    return _rotations(clip.body.model, np.arange(clip.frames) / clip.rate, clip.qpos, clip.qvel)


def _rotations(model: mujoco.MjModel, time: Array, qpos: Array, qvel: Array) -> Rotations:
    terms = Terms(model)
    first = int(np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)[0])
    root, dof, place = int(model.jnt_bodyid[first]), int(model.jnt_dofadr[first]), int(model.jnt_qposadr[first])
    found: list[Rotation] = []
    for pose, velocity in zip(qpos, qvel, strict=True):
        terms.evaluate(pose, velocity)
        found.append(rotation_of(terms.mass, velocity, terms.data, root, dof))
    spin = np.array([each.spin for each in found])
    excursion = np.tile(IDENTITY, (len(time), 1))
    for k in range(len(time) - 1):
        excursion[k + 1] = turned_on(excursion[k], 0.5 * (spin[k] + spin[k + 1]), time[k + 1] - time[k])
    return Rotations(
        np.asarray(time, float),
        np.array([each.angular_momentum for each in found]),
        np.array([each.inertia for each in found]),
        spin,
        np.array(qpos[:, place + 3 : place + 7]),
        excursion,
    )
