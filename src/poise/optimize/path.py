"""Differences of poses along a trajectory, and how they change with the poses."""

from __future__ import annotations

import numpy as np

from poise.body import Body
from poise.optimize.rows import Array
from poise.spatial import quat_conjugate, quat_exp, quat_log, quat_multiply, quat_normalize


class PosePath:
    """Tangent arithmetic on many poses of a body at once."""

    def __init__(self, body: Body) -> None:
        turning = [joint for joint in body.joints if joint.kind != "hinge"]  # the free root first
        self._quats = np.array([joint.qpos[-4:] for joint in turning], np.int64)  # (K, 4)
        self.turns = np.array([joint.dofs[-3:] for joint in turning], np.int64)  # (K, 3)
        hinges = [joint for joint in body.joints if joint.kind == "hinge"]
        self._values = np.array([0, 1, 2, *(q for joint in hinges for q in joint.qpos)], np.int64)
        self._slides = np.array([0, 1, 2, *(d for joint in hinges for d in joint.dofs)], np.int64)
        self._nv = body.nv
        low, high = np.maximum(body.lower, -np.pi), np.minimum(body.upper, np.pi)
        self._middle = 0.5 * (low + high)[self.turns[1:]]  # (K - 1, 3) rad

    def moved(self, qpos: Array, step: Array) -> Array:
        """Poses (T, nq) a tangent step (T, nv) further."""
        out = np.array(qpos)
        out[:, self._values] += step[:, self._slides]
        out[:, self._quats] = quat_normalize(quat_multiply(qpos[:, self._quats], quat_exp(step[:, self.turns])))
        return out

    def difference(self, start: Array, end: Array) -> tuple[Array, Array, Array]:
        """The way (T, nv) from `start` to `end`, and its derivatives (T, nv, nv) by the tangents of both."""
        way = np.empty((len(end), self._nv))
        way[:, self._slides] = end[:, self._values] - start[:, self._values]
        turn = quat_log(quat_multiply(quat_conjugate(start[:, self._quats]), end[:, self._quats]))  # (T, K, 3)
        way[:, self.turns] = turn
        by_start, by_end = np.zeros((2, len(end), self._nv, self._nv))
        by_start[:, self._slides, self._slides] = -1.0
        by_end[:, self._slides, self._slides] = 1.0
        rows, columns = self.turns[:, :, None], self.turns[:, None, :]
        by_start[:, rows, columns] = -inverse_right_jacobian(-turn)
        by_end[:, rows, columns] = inverse_right_jacobian(turn)
        return way, by_start, by_end

    def angles(self, qpos: Array) -> tuple[Array, Array]:
        """What joint limits bound (T, nv), 0 on the root, and its derivative (T, nv, nv)."""
        out, slope = np.zeros((len(qpos), self._nv)), np.zeros((len(qpos), self._nv, self._nv))
        hinges, values = self._slides[3:], self._values[3:]
        out[:, hinges] = qpos[:, values]
        slope[:, hinges, hinges] = 1.0
        turn = self._vectors(qpos)
        out[:, self.turns[1:]] = turn
        rows, columns = self.turns[1:, :, None], self.turns[1:, None, :]
        slope[:, rows, columns] = inverse_right_jacobian(turn)
        return out, slope

    def _vectors(self, qpos: Array) -> Array:
        """(T, K - 1, 3) of the two rotation vectors of each ball the one nearer to the middle of its limits."""
        short = quat_log(qpos[:, self._quats[1:]])
        angle = np.linalg.norm(short, axis=-1, keepdims=True)
        long = short * (1.0 - 2.0 * np.pi / np.maximum(angle, 1.0))
        near, far = (np.sum((r - self._middle) ** 2, axis=-1, keepdims=True) for r in (short, long))
        return np.where((angle > 1.0) & (far < near), long, short)


def cross_matrix(r: Array) -> Array:
    """(..., 3, 3) with matrix @ x = r x x."""
    x, y, z = (r[..., i] for i in range(3))
    zero = np.zeros_like(x)
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*r.shape, 3)


def inverse_right_jacobian(r: Array) -> Array:
    """(..., 3, 3) how a rotation vector r changes when its rotation turns further in its own frame [Sola2018] (144)."""
    square = np.sum(r * r, axis=-1)[..., None, None]
    angle = np.sqrt(square)
    small = angle < 1e-3
    safe = np.where(small, 1.0, angle)
    factor = np.where(small, 1.0 / 12.0 + square / 720.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(0.5 * safe)))
    cross = cross_matrix(r)
    return np.asarray(np.eye(3) + 0.5 * cross + factor * (cross @ cross))
