"""Where the links of a pose are, and the motions of its degrees of freedom, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.tree import HINGE, SLIDE
from poise.kernel import kernel

# Six-vectors in compiled code: motions (angular; linear) and forces (moment; force) [Featherstone2008, ch. 2].


@kernel
def cross_into(a: Any, b: Any, out: Any) -> None:
    """a x b of vectors (3,)."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def motion_cross(a: Any, b: Any, out: Any) -> None:
    """a x b of two motions: how b changes when it is carried along by a."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[3] = a[1] * b[5] - a[2] * b[4] + a[4] * b[2] - a[5] * b[1]
    out[4] = a[2] * b[3] - a[0] * b[5] + a[5] * b[0] - a[3] * b[2]
    out[5] = a[0] * b[4] - a[1] * b[3] + a[3] * b[1] - a[4] * b[0]


@kernel
def force_cross(a: Any, f: Any, out: Any) -> None:
    """a x* f of a motion and a force: how f changes when it is carried along by a."""
    out[0] = a[1] * f[2] - a[2] * f[1] + a[4] * f[5] - a[5] * f[4]
    out[1] = a[2] * f[0] - a[0] * f[2] + a[5] * f[3] - a[3] * f[5]
    out[2] = a[0] * f[1] - a[1] * f[0] + a[3] * f[4] - a[4] * f[3]
    out[3] = a[1] * f[5] - a[2] * f[4]
    out[4] = a[2] * f[3] - a[0] * f[5]
    out[5] = a[0] * f[4] - a[1] * f[3]


@kernel
def times(matrix: Any, x: Any, out: Any) -> None:
    """(6, 6) times (6,)."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += matrix[i, j] * x[j]
        out[i] = total


@kernel
def power_of(a: Any, b: Any) -> float:
    """The power of a force along a motion."""
    total = 0.0
    for i in range(6):
        total += a[i] * b[i]
    return total


@kernel
def add(x: Any, out: Any) -> None:
    """Add (6,) to (6,)."""
    for i in range(6):
        out[i] += x[i]


@kernel
def place_links(tree: Any, qpos: Any, pos: Any, quat: Any, turn: Any, axes: Any) -> None:
    """Places (L, 3) m, (L, 4), (L, 3, 3) of the links of one pose, and the motions S (nv, 6) of its freedoms.

    Motions are (angular; linear), about the world's origin and along the world's axes.
    """
    anchor, part = np.empty(3), np.empty(4)
    pos[0] = 0.0
    _level(quat[0], turn[0])
    for b in range(1, tree.link_parent.shape[0]):
        parent = tree.link_parent[b]
        carry(pos[parent], turn[parent], tree.link_pos[b], pos[b])
        _quat_times(quat[parent], tree.link_quat[b], quat[b])
        _matrix(quat[b], turn[b])
        first, count = tree.link_blocks[b, 0], tree.link_blocks[b, 1]
        for k in range(first, first + count):
            value, own = qpos[tree.block_qpos[k] :], axes[tree.block_dof[k] :]
            if tree.block_kind[k] == SLIDE:
                _slide(value, pos[b], quat[b], turn[b], own)
                continue
            carry(pos[b], turn[b], tree.block_pos[k], anchor)
            if tree.block_kind[k] == HINGE:
                _half_turn(tree.block_axis[k], value[0] - tree.block_zero[k], part)
            else:
                part[:] = value[:4]
            _quat_times(quat[b], part, quat[b])
            _matrix(quat[b], turn[b])
            if tree.block_kind[k] == HINGE:  # its axis turns into itself
                _line(anchor, turn[b], tree.block_axis[k], own[0])
            else:
                for i in range(3):
                    _column(anchor, turn[b], i, own[i])
            for i in range(3):  # the joint stays where it is
                pos[b, i] = anchor[i]
                for j in range(3):
                    pos[b, i] -= turn[b, i, j] * tree.block_pos[k, j]


@kernel
def carry(pos: Any, turn: Any, local: Any, out: Any) -> None:
    """out = pos + turn local."""
    for i in range(3):
        out[i] = pos[i] + turn[i, 0] * local[0] + turn[i, 1] * local[1] + turn[i, 2] * local[2]


@kernel
def _slide(value: Any, pos: Any, quat: Any, turn: Any, axes: Any) -> None:
    """A free root is where its coordinates say."""
    for i in range(3):
        pos[i] = value[i]
        axes[i] = 0.0
        axes[i, 3 + i] = 1.0
    _level(quat, turn)


@kernel
def _level(quat: Any, turn: Any) -> None:
    """Not turned."""
    quat[:] = 0.0
    quat[0] = 1.0
    _matrix(quat, turn)


@kernel
def _half_turn(axis: Any, angle: float, out: Any) -> None:
    """The quaternion that turns by an angle (rad) about a unit axis."""
    sine = np.sin(0.5 * angle)
    out[0] = np.cos(0.5 * angle)
    for i in range(3):
        out[1 + i] = sine * axis[i]


@kernel
def _line(anchor: Any, turn: Any, axis: Any, out: Any) -> None:
    """The motion of turning about an axis of a link through an anchor."""
    for i in range(3):
        out[i] = turn[i, 0] * axis[0] + turn[i, 1] * axis[1] + turn[i, 2] * axis[2]
    cross_into(anchor, out, out[3:])


@kernel
def _column(anchor: Any, turn: Any, which: int, out: Any) -> None:
    """The motion of turning about one of the own axes of a link through an anchor."""
    for i in range(3):
        out[i] = turn[i, which]
    cross_into(anchor, out, out[3:])


@kernel
def _quat_times(a: Any, b: Any, out: Any) -> None:
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def _matrix(q: Any, out: Any) -> None:
    """(3, 3) of a unit quaternion."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
