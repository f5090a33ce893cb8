"""Small products of vectors, quaternions and matrices in kernels, where NumPy's calls cost more than the sums."""

import math

import numpy as np

from poise.arrays import Array
from poise.kernel import kernel


@kernel
def mat_product(a: Array, b: Array) -> Array:
    """Product (3, 3) of two matrices (3, 3)."""
    out = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return out


@kernel
def rotated(turn: Array, way: Array) -> Array:
    """Vector (3,) multiplied by a matrix (3, 3)."""
    out = np.empty(3)
    for i in range(3):
        out[i] = turn[i, 0] * way[0] + turn[i, 1] * way[1] + turn[i, 2] * way[2]
    return out


@kernel
def transpose_product(frame: Array, turn: Array) -> Array:
    """Product (3, 3) of the transpose of `frame` with `turn`: the rotation `turn` expressed in `frame`."""
    out = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = frame[0, i] * turn[0, j] + frame[1, i] * turn[1, j] + frame[2, i] * turn[2, j]
    return out


@kernel
def dot3(a: Array | tuple[float, float, float], b: Array | tuple[float, float, float]) -> float:
    """Dot product of two vectors (3,)."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@kernel
def quat_matrix(q: Array) -> Array:
    """Rotation matrix (3, 3) of a unit quaternion (4,)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out = np.empty((3, 3))
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return out


@kernel
def quat_product(a: Array, b: Array) -> Array:
    """Quaternion product (4,): the rotation b followed by a."""
    out = np.empty(4)
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    return out


@kernel
def yaw_quat(yaw: float) -> Array:
    """Quaternion (4,) of a rotation about the vertical by `yaw` (rad, to the left)."""
    out = np.zeros(4)
    out[0], out[3] = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return out


@kernel
def unit_quat(q: Array) -> Array:
    """Quaternion (4,) normalised to length 1."""
    return q / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])


@kernel
def axis_angle_matrix(axis: Array, angle: float) -> Array:
    """Rotation matrix (3, 3) about a unit axis (3,) by an angle (rad)."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    out = np.empty((3, 3))
    out[0, 0], out[0, 1], out[0, 2] = c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s
    out[1, 0], out[1, 1], out[1, 2] = x * y * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s
    out[2, 0], out[2, 1], out[2, 2] = x * z * (1 - c) - y * s, y * z * (1 - c) + x * s, c + z * z * (1 - c)
    return out


@kernel
def yaw_rotated(yaw: float, ways: Array) -> Array:
    """Vectors (K, 3) rotated about the vertical by `yaw` (rad, to the left)."""
    c, s = math.cos(yaw), math.sin(yaw)
    out = np.empty(ways.shape)
    for k in range(ways.shape[0]):
        out[k, 0], out[k, 1] = c * ways[k, 0] - s * ways[k, 1], s * ways[k, 0] + c * ways[k, 1]
        out[k, 2] = ways[k, 2]
    return out
