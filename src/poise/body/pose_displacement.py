"""Rigid displacement of poses and motions: rotation about the vertical, then translation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate, yaw_of


def yaw_quat(yaw: float) -> Array:
    """The quaternion (4,) of a rotation by `yaw` rad about the vertical; positive is to the left."""
    return np.array([math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw)])


def displace_poses(qpos: Array, turn: Array, way: Array) -> Array:
    """Poses (..., nq) rotated by `turn` (4,) about the vertical through the origin, then translated by `way` (3,) m.

    The quaternion product is written out, because this runs at every step.
    """
    c, s = float(turn[0]), float(turn[3])  # cosine and sine of half the angle
    cos, sin = c * c - s * s, 2.0 * c * s
    ahead, left, up = way.tolist()
    out = np.array(qpos)
    from_, into = qpos.T[:7], out.T
    x, y, z, a, b, d, e = from_.tolist() if qpos.ndim == 1 else from_  # zero-dimensional arrays are slow
    into[0], into[1], into[2] = cos * x - sin * y + ahead, sin * x + cos * y + left, z + up
    into[3], into[4], into[5], into[6] = c * a - s * e, c * b - s * d, c * d + s * b, c * e + s * a
    return out


def planar_displacement(first: Array, last: Array) -> tuple[float, Array]:
    """Yaw (rad) and horizontal translation (3,) m that move pose `first` (nq,) to the place and heading of `last`."""
    yaw = float(yaw_of(quat_multiply(last[3:7], quat_conjugate(first[3:7]))))
    return yaw, (last[:3] - quat_rotate(yaw_quat(yaw), first[:3])) * [1.0, 1.0, 0.0]


@dataclass(frozen=True, eq=False)
class PoseDisplacement:
    """Displacement of a motion: rotation by `yaw` rad about the z axis, then translation by `way` (3,) m."""

    yaw: float
    way: Array

    @classmethod
    def between(cls, first: Array, last: Array) -> PoseDisplacement:
        """The displacement that moves pose `first` (nq,) to the heading, place and height of pose `last`."""
        yaw, way = planar_displacement(first, last)
        return cls(yaw, way + [0.0, 0.0, last[2] - first[2]])

    def pose(self, qpos: Array) -> Array:
        """Poses (..., nq) after the displacement."""
        return displace_poses(qpos, self._turn, self.way)

    @cached_property
    def _turn(self) -> Array:
        return yaw_quat(self.yaw)

    def velocity(self, qvel: Array) -> Array:
        """Velocities (..., nv) after the displacement: only the root's linear velocity is rotated."""
        out = np.array(qvel)
        out[..., :3] = self.vector(qvel[..., :3])
        return out

    def vector(self, v: Array) -> Array:
        """Forces or directions (..., 3) after the rotation by `yaw`."""
        out, cos, sin = np.array(v), math.cos(self.yaw), math.sin(self.yaw)
        out[..., 0], out[..., 1] = cos * v[..., 0] - sin * v[..., 1], sin * v[..., 0] + cos * v[..., 1]
        return out

    def then(self, yaw: float, way: Array) -> PoseDisplacement:
        """This displacement followed by `yaw` (rad) and a translation `way` (3,) m, given in the displaced frame."""
        return PoseDisplacement(self.yaw + yaw, self.way + self.vector(way))

    def shifted(self, way: Array) -> PoseDisplacement:
        """This displacement followed by a translation `way` (3,) m in the world."""
        return PoseDisplacement(self.yaw, self.way + way)
