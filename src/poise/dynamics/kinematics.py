"""Forward kinematics and spatial-vector algebra, in compiled code.

Spatial vectors (6,) are motions (angular; linear) and forces (moment; force) [Featherstone2008, ch. 2].
"""

import numpy as np

from poise.arrays import Array
from poise.dynamics.tree import HINGE, SLIDE, Tree
from poise.kernel import kernel


@kernel
def place_tree_links(tree: Tree, qpos: Array, pos: Array, quat: Array, turn: Array, axes: Array) -> None:
    """Fill positions, quaternions and rotations of the L links, and world motion axes S (nv, 6) about the origin."""
    anchor, part = np.empty(3), np.empty(4)
    pos[0] = 0.0
    _set_identity_rotation(quat[0], turn[0])
    for b in range(1, tree.link_parent.shape[0]):
        parent = tree.link_parent[b]
        transform_point(pos[parent], turn[parent], tree.link_pos[b], pos[b])
        _multiply_quats(quat[parent], tree.link_quat[b], quat[b])
        _rotation_matrix(quat[b], turn[b])
        first, count = tree.link_blocks[b, 0], tree.link_blocks[b, 1]
        for k in range(first, first + count):
            value, own = qpos[tree.block_qpos[k] :], axes[tree.block_dof[k] :]
            if tree.block_kind[k] == SLIDE:
                _place_free_root(value, pos[b], quat[b], turn[b], own)
                continue
            transform_point(pos[b], turn[b], tree.block_pos[k], anchor)
            if tree.block_kind[k] == HINGE:
                _axis_angle_quat(tree.block_axis[k], value[0] - tree.block_zero[k], part)
            else:
                part[:] = value[:4]
            _multiply_quats(quat[b], part, quat[b])
            _rotation_matrix(quat[b], turn[b])
            if tree.block_kind[k] == HINGE:  # the rotation leaves its axis unchanged
                _hinge_motion_axis(anchor, turn[b], tree.block_axis[k], own[0])
            else:
                for i in range(3):
                    _ball_motion_axis(anchor, turn[b], i, own[i])
            for i in range(3):  # the anchor of the joint does not move
                pos[b, i] = anchor[i]
                for j in range(3):
                    pos[b, i] -= turn[b, i, j] * tree.block_pos[k, j]


@kernel
def transform_point(pos: Array, turn: Array, local: Array, out: Array) -> None:
    """out = pos + turn local."""
    for i in range(3):
        out[i] = pos[i] + turn[i, 0] * local[0] + turn[i, 1] * local[1] + turn[i, 2] * local[2]


@kernel
def _place_free_root(value: Array, pos: Array, quat: Array, turn: Array, axes: Array) -> None:
    """Place a free root at its three coordinates."""
    for i in range(3):
        pos[i] = value[i]
        axes[i] = 0.0
        axes[i, 3 + i] = 1.0
    _set_identity_rotation(quat, turn)


@kernel
def _set_identity_rotation(quat: Array, turn: Array) -> None:
    """Set a quaternion and its matrix to the identity."""
    quat[:] = 0.0
    quat[0] = 1.0
    _rotation_matrix(quat, turn)


@kernel
def _axis_angle_quat(axis: Array, angle: float, out: Array) -> None:
    """Quaternion of a rotation by an angle (rad) about a unit axis."""
    sine = np.sin(0.5 * angle)
    out[0] = np.cos(0.5 * angle)
    for i in range(3):
        out[1 + i] = sine * axis[i]


@kernel
def _hinge_motion_axis(anchor: Array, turn: Array, axis: Array, out: Array) -> None:
    """Motion axis (6,) of a rotation about an axis, given in the link frame, through an anchor."""
    for i in range(3):
        out[i] = turn[i, 0] * axis[0] + turn[i, 1] * axis[1] + turn[i, 2] * axis[2]
    cross_product(anchor, out, out[3:])


@kernel
def _ball_motion_axis(anchor: Array, turn: Array, which: int, out: Array) -> None:
    """Motion axis (6,) of a rotation about one of a link's own three axes through an anchor."""
    for i in range(3):
        out[i] = turn[i, which]
    cross_product(anchor, out, out[3:])


@kernel
def _multiply_quats(a: Array, b: Array, out: Array) -> None:
    """Quaternion product a b; `out` may be a or b."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def _rotation_matrix(q: Array, out: Array) -> None:
    """Rotation matrix (3, 3) of a unit quaternion."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def cross_product(a: Array, b: Array, out: Array) -> None:
    """Cross product a x b of vectors (3,)."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def motion_cross(a: Array, b: Array, out: Array) -> None:
    """Spatial cross product a x b of two motions: the rate of b when it moves with a."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[3] = a[1] * b[5] - a[2] * b[4] + a[4] * b[2] - a[5] * b[1]
    out[4] = a[2] * b[3] - a[0] * b[5] + a[5] * b[0] - a[3] * b[2]
    out[5] = a[0] * b[4] - a[1] * b[3] + a[3] * b[1] - a[4] * b[0]


@kernel
def force_cross(a: Array, f: Array, out: Array) -> None:
    """Spatial cross product a x* f of a motion and a force: the rate of f when it moves with a."""
    out[0] = a[1] * f[2] - a[2] * f[1] + a[4] * f[5] - a[5] * f[4]
    out[1] = a[2] * f[0] - a[0] * f[2] + a[5] * f[3] - a[3] * f[5]
    out[2] = a[0] * f[1] - a[1] * f[0] + a[3] * f[4] - a[4] * f[3]
    out[3] = a[1] * f[5] - a[2] * f[4]
    out[4] = a[2] * f[3] - a[0] * f[5]
    out[5] = a[0] * f[4] - a[1] * f[3]


@kernel
def spatial_product(matrix: Array, x: Array, out: Array) -> None:
    """Product of a matrix (6, 6) and a vector (6,)."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += matrix[i, j] * x[j]
        out[i] = total


@kernel
def spatial_power(a: Array, b: Array) -> float:
    """Inner product of a motion and a force, both (6,)."""
    total = 0.0
    for i in range(6):
        total += a[i] * b[i]
    return total


@kernel
def add_spatial(x: Array, out: Array) -> None:
    """Add x (6,) to out."""
    for i in range(6):
        out[i] += x[i]
