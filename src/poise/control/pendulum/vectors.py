"""Turns of a few numbers in compiled code, where a call of NumPy or BLAS would cost more than the sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def product(a: Any, b: Any) -> Any:
    """(3, 3) times (3, 3)."""
    out = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return out


@kernel
def rotated(turn: Any, way: Any) -> Any:
    """(3,) a vector turned by (3, 3)."""
    out = np.empty(3)
    for i in range(3):
        out[i] = turn[i, 0] * way[0] + turn[i, 1] * way[1] + turn[i, 2] * way[2]
    return out


@kernel
def seen_from(frame: Any, turn: Any) -> Any:
    """(3, 3) what a turn is in a frame: the frame's inverse, after it."""
    out = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = frame[0, i] * turn[0, j] + frame[1, i] * turn[1, j] + frame[2, i] * turn[2, j]
    return out


@kernel
def dot3(a: Any, b: Any) -> float:
    """Of two vectors (3,)."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@kernel
def matrix(q: Any) -> Any:
    """(3, 3) of a unit quaternion."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out = np.empty((3, 3))
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return out


@kernel
def after(a: Any, b: Any) -> Any:
    """(4,) the turn b, then the turn a."""
    out = np.empty(4)
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    return out


@kernel
def to_left(yaw: float) -> Any:
    """(4,) the turn about the vertical."""
    out = np.zeros(4)
    out[0], out[3] = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return out


@kernel
def unit(q: Any) -> Any:
    """(4,) of the length of 1."""
    return q / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])


@kernel
def about(axis: Any, angle: float) -> Any:
    """(3, 3) the turn about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    out = np.empty((3, 3))
    out[0, 0], out[0, 1], out[0, 2] = c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s
    out[1, 0], out[1, 1], out[1, 2] = x * y * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s
    out[2, 0], out[2, 1], out[2, 2] = x * z * (1 - c) - y * s, y * z * (1 - c) + x * s, c + z * z * (1 - c)
    return out


@kernel
def headed(yaw: float, ways: Any) -> Any:
    """(K, 3) directions turned to the left."""
    c, s = math.cos(yaw), math.sin(yaw)
    out = np.empty(ways.shape)
    for k in range(ways.shape[0]):
        out[k, 0], out[k, 1] = c * ways[k, 0] - s * ways[k, 1], s * ways[k, 0] + c * ways[k, 1]
        out[k, 2] = ways[k, 2]
    return out
