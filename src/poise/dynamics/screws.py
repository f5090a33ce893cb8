"""Six-vectors in compiled code: motions (angular; linear) and forces (moment; force) [Featherstone2008, ch. 2]."""

from __future__ import annotations

from typing import Any

from poise.kernel import kernel


@kernel
def cross(a: Any, b: Any, out: Any) -> None:
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
def dot(a: Any, b: Any) -> float:
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
