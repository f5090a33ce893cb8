"""Poses of a body: rigid displacement, steps, differences and joint limits of many poses at once.

Limits bound hinge angles and the rotation vectors r of balls. Steps within limits use these coordinates, the chart.
A change dr of a ball's rotation vector rotates the ball by Jr(r) dr in its own frame, with the right Jacobian Jr
[Sola2018].
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import make_interp_spline

from poise.arrays import Array, Mask
from poise.body.body import Body
from poise.rotations import (
    continuous_quat,
    quat_conjugate,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalize,
    quat_rotate,
    right_jacobian,
    yaw_of,
)


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
    def between(cls, first: Array, last: Array) -> "PoseDisplacement":
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

    def then(self, yaw: float, way: Array) -> "PoseDisplacement":
        """This displacement followed by `yaw` (rad) and a translation `way` (3,) m, given in the displaced frame."""
        return PoseDisplacement(self.yaw + yaw, self.way + self.vector(way))

    def shifted(self, way: Array) -> "PoseDisplacement":
        """This displacement followed by a translation `way` (3,) m in the world."""
        return PoseDisplacement(self.yaw, self.way + way)


_TOUCH = 1e-9  # rad: a coordinate this near to a limit counts as at the limit


class PoseSpace:
    """Poses (T, nq) of a body and their tangent vectors (T, nv), in MuJoCo's layout."""

    def __init__(self, body: Body) -> None:
        round_joints = [j for j in body.joints if j.kind != "hinge"]  # the free root first
        self._quats = np.array([j.qpos[-4:] for j in round_joints], np.int64)  # (1 + K, 4)
        self.turns = np.array([j.dofs[-3:] for j in round_joints], np.int64)  # (1 + K, 3) their degrees of freedom
        self._ball_quats, self.balls = self._quats[1:], self.turns[1:]
        hinges = [j for j in body.joints if j.kind == "hinge"]
        self._hinge_values = np.array([a for j in hinges for a in j.qpos], np.int64)
        self.hinges = np.array([a for j in hinges for a in j.dofs], np.int64)  # degrees of freedom
        self._values = np.concatenate([np.arange(3), self._hinge_values])
        self.slides = np.concatenate([np.arange(3), self.hinges])  # degrees of freedom whose coordinates add
        self._lower, self._upper = body.lower, body.upper
        low, high = np.maximum(body.lower, -np.pi), np.minimum(body.upper, np.pi)
        self._middle = 0.5 * (low + high)[self.balls]  # (K, 3)

    def moved(self, qpos: Array, step: Array) -> Array:
        """Poses (T, nq) after tangent steps (T, nv)."""
        out = np.array(qpos)
        out[:, self._values] += step[:, self.slides]
        out[:, self._quats] = quat_normalize(quat_multiply(qpos[:, self._quats], quat_exp(step[:, self.turns])))
        return out

    def difference(self, start: Array, end: Array) -> Array:
        """Shortest tangent steps (T, nv) from poses `start` to poses `end`."""
        out = np.empty((len(end), len(self._lower)))
        out[:, self.slides] = end[:, self._values] - start[:, self._values]
        out[:, self.turns] = quat_log(quat_multiply(quat_conjugate(start[:, self._quats]), end[:, self._quats]))
        return out

    def smooth(self, qpos: Array, frames: Array) -> Array:
        """Poses (S, nq) at fractional frames (S,), by cubic splines: velocities that jump would shake a body."""
        curves = make_interp_spline(np.arange(len(qpos)), self.continuous(qpos), k=min(3, len(qpos) - 1))
        return self.normalized(np.asarray(curves(frames)))

    def normalized(self, qpos: Array) -> Array:
        """The same poses (T, nq), with unit quaternions."""
        out = np.array(qpos)
        out[:, self._quats] = quat_normalize(qpos[:, self._quats])
        return out

    def continuous(self, qpos: Array) -> Array:
        """The same poses (T, nq); each quaternion has the sign that is nearer to the quaternion of the frame before."""
        out = np.array(qpos)
        out[:, self._quats] = continuous_quat(qpos[:, self._quats])
        return out

    def angles(self, qpos: Array) -> Array:
        """Hinge angles and rotation vectors (T, nv) rad, the coordinates of the chart; 0 on the root."""
        out = np.zeros((len(qpos), len(self._lower)))
        out[:, self.hinges] = qpos[:, self._hinge_values]
        out[:, self.balls] = self._ball_rotation_vectors(qpos)
        return out

    def clamped(self, qpos: Array) -> Array:
        """Poses (T, nq) with each hinge angle and rotation vector moved to the nearest value within its limits."""
        return self._with_angles(qpos, self.angles(qpos))

    def charts(self, qpos: Array) -> Array:
        """Jacobians (T, nv, nv) of tangent steps with respect to steps in the chart."""
        out = np.zeros((len(qpos), *2 * self._lower.shape))
        every = np.arange(len(self._lower))
        out[:, every, every] = 1.0
        if len(self._ball_quats):
            out[:, self.balls[:, :, None], self.balls[:, None, :]] = right_jacobian(self._ball_rotation_vectors(qpos))
        return out

    def held(self, qpos: Array, push: Array) -> Mask:
        """Mask (T, nv) of coordinates at a limit that a step `push` (T, nv) in the chart would exceed."""
        angles = self.angles(qpos)
        high, low = angles >= self._upper - _TOUCH, angles <= self._lower + _TOUCH
        return np.asarray((high & (push > 0)) | (low & (push < 0)))

    def moved_within(self, qpos: Array, step: Array) -> Array:
        """Poses (T, nq) after steps (T, nv) in the chart, clipped to the limits."""
        out = self._with_angles(qpos, self.angles(qpos) + step)
        out[:, :3] += step[:, :3]
        out[:, 3:7] = quat_normalize(quat_multiply(qpos[:, 3:7], quat_exp(step[:, 3:6])))
        return out

    def _with_angles(self, qpos: Array, angles: Array) -> Array:
        """Poses (T, nq) with the given hinge angles and rotation vectors (T, nv), clipped to the limits."""
        out, within = np.array(qpos), np.clip(angles, self._lower, self._upper)
        out[:, self._hinge_values] = within[:, self.hinges]
        out[:, self._ball_quats] = quat_exp(within[:, self.balls])
        return out

    def _ball_rotation_vectors(self, qpos: Array) -> Array:
        """Rotation vectors (T, K, 3) of K balls; of two for a rotation, the one nearer to the middle of the limits."""
        short = quat_log(qpos[:, self._ball_quats])
        angle = np.linalg.norm(short, axis=-1, keepdims=True)
        if not np.any(angle > 1.0):
            return short
        long = short * (1.0 - 2.0 * np.pi / np.maximum(angle, 1.0))
        near, far = (np.sum((r - self._middle) ** 2, axis=-1, keepdims=True) for r in (short, long))
        return np.where((angle > 1.0) & (far < near), long, short)
