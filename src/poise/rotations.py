"""Rotations as quaternions, matrices, rotation vectors and Euler angles.

Quaternions are unit, ordered w x y z, and active: `quat_rotate(q, v)` maps a vector from the rotated frame to the
frame in which q is expressed. A rotation vector is axis times angle, in radians. "..." stands for any leading axes, so
that a clip of T frames and J joints takes one call.
"""

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Mask

_AXES = {"X": 0, "Y": 1, "Z": 2}
_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
_MIRROR_POLAR = np.array([1.0, -1.0, 1.0])  # positions, velocities, forces
_MIRROR_AXIAL = np.array([-1.0, 1.0, -1.0])  # rotation vectors, angular velocities, torques
_TINY = 1e-8  # rad; below it sin(x)/x is 1 to machine precision
_SMALL = 1e-3  # rad; below it two terms of a series are exact to rounding


def quat_multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Quaternion product a b (..., 4): the rotation b followed by the rotation a."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def quat_conjugate(q: ArrayLike) -> Array:
    """The inverse rotation: (..., 4)."""
    return np.asarray(np.asarray(q, float) * _CONJUGATE)


def quat_normalize(q: ArrayLike) -> Array:
    """The unit quaternion nearest to q: (..., 4)."""
    q = np.asarray(q, float)
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def quat_rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors v (..., 3) rotated by q (..., 4)."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    a, b, c = v[..., 0], v[..., 1], v[..., 2]
    s, t, u = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    out = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), 3))
    out[..., 0] = a + w * s + y * u - z * t
    out[..., 1] = b + w * t + z * s - x * u
    out[..., 2] = c + w * u + x * t - y * s
    return out


def quat_to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) of q (..., 4); their columns are the rotated axes."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def matrix_to_quat(matrix: ArrayLike) -> Array:
    """Quaternions (..., 4) of rotation matrices (..., 3, 3), with w >= 0.

    The outer product q q' is linear in the matrix. Its row with the largest diagonal entry is the best conditioned.
    """
    m = np.asarray(matrix, float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    rows = [
        [1 + xx + yy + zz, wx, wy, wz],
        [wx, 1 + xx - yy - zz, xy, xz],
        [wy, xy, 1 - xx + yy - zz, yz],
        [wz, xz, yz, 1 - xx - yy + zz],
    ]
    outer = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    return quat_normalize(np.where(q[..., :1] < 0, -q, q))


def quat_log(q: ArrayLike) -> Array:
    """The shortest rotation vector (..., 3) of q (..., 4), of length at most pi."""
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0, -q, q)
    vector = q[..., 1:]
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    small = sine < _TINY
    ratio = 2.0 * np.arctan2(sine, q[..., :1]) / np.where(small, 1.0, sine)
    return np.asarray(vector * np.where(small, 2.0, ratio))


def quat_exp(rotation_vector: ArrayLike) -> Array:
    """The quaternion (..., 4) of a rotation vector (..., 3)."""
    r = np.asarray(rotation_vector, float)
    angle = np.linalg.norm(r, axis=-1, keepdims=True)
    small = angle < _TINY
    scale = np.where(small, 0.5, np.sin(angle / 2) / np.where(small, 1.0, angle))
    return np.concatenate([np.cos(angle / 2), scale * r], axis=-1)


def cross(a: Array, b: Array) -> Array:
    """Cross product (3,) of two single vectors (3,), about twenty times as fast as np.cross."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def cross_matrix(v: ArrayLike) -> Array:
    """Skew-symmetric matrices (..., 3, 3) of vectors v (..., 3): matrix @ u is the cross product v x u."""
    v = np.asarray(v, float)
    out = np.zeros((*v.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


def right_jacobian(rotation_vector: ArrayLike) -> Array:
    """Right Jacobian (..., 3, 3): maps a small change of r to a small rotation in the rotated frame [Sola2018] (143).

    Jr(r) = 1 - (1 - cos t)/t^2 [r] + (t - sin t)/t^3 [r]^2, t = |r|.
    """
    cross, square, small, safe = _rotation_terms(rotation_vector)
    first = np.where(small, 0.5 - square / 24.0, (1.0 - np.cos(safe)) / safe**2)
    second = np.where(small, 1.0 / 6.0 - square / 120.0, (safe - np.sin(safe)) / safe**3)
    return np.asarray(np.eye(3) - first * cross + second * (cross @ cross))


def inverse_right_jacobian(rotation_vector: ArrayLike) -> Array:
    """Inverse right Jacobian (..., 3, 3): maps a small rotation in the rotated frame to a change of r [Sola2018] (144).

    Jr^-1(r) = 1 + [r]/2 + (1/t^2 - cot(t/2)/(2 t)) [r]^2, t = |r|.
    """
    cross, square, small, safe = _rotation_terms(rotation_vector)
    factor = np.where(small, 1.0 / 12.0 + square / 720.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(0.5 * safe)))
    return np.asarray(np.eye(3) + 0.5 * cross + factor * (cross @ cross))


def _rotation_terms(rotation_vector: ArrayLike) -> tuple[Array, Array, Mask, Array]:
    """[r] (..., 3, 3); and (..., 1, 1): t^2, whether t is small, t or 1 if it is small."""
    r = np.asarray(rotation_vector, float)
    square = np.sum(r * r, axis=-1)[..., None, None]
    small = np.sqrt(square) < _SMALL
    return cross_matrix(r), square, small, np.where(small, 1.0, np.sqrt(square))


def quat_from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """The rotation (..., 4) by `angle` (rad) about `axis` (..., 3) of any length."""
    axis = np.asarray(axis, float)
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return quat_exp(unit * np.asarray(angle, float)[..., None])


def yaw_of(q: ArrayLike) -> Array:
    """The heading (...) of q, in radians: the angle of the rotation about z that remains when the tilt is removed."""
    q = np.asarray(q, float)
    return np.asarray(2.0 * np.arctan2(q[..., 3], q[..., 0]) + np.pi) % (2 * np.pi) - np.pi


def quat_between(a: ArrayLike, b: ArrayLike) -> Array:
    """The shortest rotation (..., 4) from direction a to direction b, both (..., 3) of any length."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    a, b = np.broadcast_arrays(a, b)
    cosine = np.sum(a * b, axis=-1, keepdims=True)
    smallest = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    opposite = np.concatenate([np.zeros_like(cosine), np.cross(a, smallest)], axis=-1)  # 180 degrees about a normal
    direct = np.concatenate([1.0 + cosine, np.cross(a, b)], axis=-1)
    return quat_normalize(np.where(cosine < -1 + 1e-12, opposite, direct))


def slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Array:
    """The rotation (..., 4) at the fraction `share` (...) of the shortest path from a to b."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    path = quat_log(quat_multiply(quat_conjugate(a), b))
    return quat_multiply(a, quat_exp(path * np.asarray(share, float)[..., None]))


def continuous_quat(q: ArrayLike) -> Array:
    """Quaternions (frames, ..., 4) with the sign, q or -q, that is nearer to the quaternion of the frame before."""
    q = np.asarray(q, float)
    flips = np.sum(q[1:] * q[:-1], axis=-1, keepdims=True) < 0
    signs = np.cumprod(np.where(flips, -1.0, 1.0), axis=0)
    return np.concatenate([q[:1], signs * q[1:]])


def mirror_vector(v: ArrayLike) -> Array:
    """Positions, velocities or forces (..., 3) reflected across the x-z plane."""
    return np.asarray(np.asarray(v, float) * _MIRROR_POLAR)


def mirror_axial(v: ArrayLike) -> Array:
    """Rotation vectors, angular velocities or torques (..., 3) reflected across the x-z plane."""
    return np.asarray(np.asarray(v, float) * _MIRROR_AXIAL)


def euler_to_quat(angles: ArrayLike, order: str) -> Array:
    """Quaternions (..., 4) of intrinsic Euler angles (..., len(order)) in radians, as in BVH channels.

    "ZXY" rotates about z, then about the new x, then about the newest y: R = Rz Rx Ry.
    """
    half = np.moveaxis(np.asarray(angles, float), -1, 0) / 2
    zero = np.zeros(half.shape[1:])
    q = [zero + 1.0, zero, zero, zero]
    for axis, cosine, sine in zip(_euler_axis_indices(order), np.cos(half), np.sin(half), strict=True):
        about, after, last = 1 + axis, 1 + (axis + 1) % 3, 1 + (axis + 2) % 3
        q[0], q[about] = cosine * q[0] - sine * q[about], cosine * q[about] + sine * q[0]
        q[after], q[last] = cosine * q[after] + sine * q[last], cosine * q[last] - sine * q[after]
    return np.stack(q, axis=-1)


def matrix_to_euler(matrix: ArrayLike, order: str) -> Array:
    """Intrinsic Euler angles (..., 3) in radians about three axes, such as "ZXY" or "ZXZ".

    The middle angle lies in [-pi/2, pi/2] for three different axes, in [0, pi] if the last axis repeats the first.
    In gimbal lock (outer axes parallel) the outer angles are not unique; the last is set to 0.
    """
    i, j, k, sign, repeated = _euler_axes(order)
    m = np.asarray(matrix, float)
    if repeated:
        across = np.hypot(m[..., i, j], m[..., i, k])
        middle = np.arctan2(across, m[..., i, i])
        first, last = np.arctan2(m[..., j, i], -sign * m[..., k, i]), np.arctan2(m[..., i, j], sign * m[..., i, k])
    else:
        across = np.hypot(m[..., i, i], m[..., i, j])
        middle = np.arctan2(sign * m[..., i, k], across)
        first, last = np.arctan2(-sign * m[..., j, k], m[..., k, k]), np.arctan2(-sign * m[..., i, j], m[..., i, i])
    locked = across < _TINY
    first = np.where(locked, np.arctan2(sign * m[..., k, j], m[..., j, j]), first)
    return np.stack([first, middle, np.where(locked, 0.0, last)], axis=-1)


def continuous_euler(angles: ArrayLike, order: str) -> Array:
    """Angles (frames, ..., 3) of `matrix_to_euler`; each frame gets the equivalent angles nearest to the frame before.

    (a, b, c) and (a + pi, pi - b, c + pi) are the same rotation, as are angles that differ by multiples of 2 pi. For a
    repeated axis ("ZXZ") it is (a + pi, -b, c + pi). In gimbal lock both outer angles take half of the change.
    """
    *_, sign, repeated = _euler_axes(order)
    out = np.array(angles, float)
    across, along = (np.sin, np.cos) if repeated else (np.cos, np.sin)
    locked = np.abs(across(out[..., 1])) < _TINY  # (frames, ...)
    sense = np.sign(along(out[..., 1])) * (1.0 if repeated else sign)  # in lock only first + sense * last is defined
    for k in range(1, len(out)):
        before, here = out[k - 1], out[k]
        flipped = -here[..., 1] if repeated else np.pi - here[..., 1]
        other = np.stack([here[..., 0] + np.pi, flipped, here[..., 2] + np.pi], axis=-1)
        both = np.stack([here, other])
        both -= 2 * np.pi * np.round((both - before) / (2 * np.pi))
        far = np.abs(both - before).sum(axis=-1)
        here = np.where((far[0] <= far[1])[..., None], both[0], both[1])
        if locked[k].any():
            change = here[..., 0] - before[..., 0] + sense[k] * (here[..., 2] - before[..., 2])
            change -= 2 * np.pi * np.round(change / (2 * np.pi))
            shared = before[..., [0, 2]] + np.stack([change, sense[k] * change], axis=-1) / 2
            here[..., [0, 2]] = np.where(locked[k][..., None], shared, here[..., [0, 2]])
        out[k] = here
    return out


def _euler_axes(order: str) -> tuple[int, int, int, float, bool]:
    """Indices of the first, the second and the remaining axis, their handedness (1: right), whether first = last."""
    axes = _euler_axis_indices(order)
    if len(axes) != 3 or axes[1] in (axes[0], axes[2]):
        raise ValueError(f"order '{order}' must name three axes, each different from the one before")
    i, j, last = axes
    return i, j, 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0, last == i


def _euler_axis_indices(order: str) -> list[int]:
    try:
        return [_AXES[letter] for letter in order.upper()]
    except KeyError:
        raise ValueError(f"order '{order}' may hold only the letters X, Y and Z") from None
