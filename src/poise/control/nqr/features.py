"""Jacobians of points of the body, seen from the frame of a motion, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def turn_rows(matrix: Any, cos: float, sin: float) -> None:
    """Turn the first two rows as the components of a vector."""
    for j in range(matrix.shape[1]):
        x, y = matrix[0, j], matrix[1, j]
        matrix[0, j], matrix[1, j] = cos * x - sin * y, sin * x + cos * y


@kernel
def turn_columns(matrix: Any, cos: float, sin: float) -> None:
    """Turn the first two columns as the components of a vector."""
    for i in range(matrix.shape[0]):
        x, y = matrix[i, 0], matrix[i, 1]
        matrix[i, 0], matrix[i, 1] = cos * x - sin * y, sin * x + cos * y


@kernel
def place(now: Any, link: int, local: Any, out: Any) -> None:
    """A point of a link (3,) m in the world."""
    for i in range(3):
        out[i] = now.xpos[link, i]
        for j in range(3):
            out[i] += now.xmat[link, 3 * i + j] * local[j]


@kernel
def point_rows(figure: Any, now: Any, link: int, point: Any, out: Any) -> None:
    """(3, nv) Jacobian of a world point of a link."""
    out[:] = 0.0
    x, y, z = point[0] - now.com[0], point[1] - now.com[1], point[2] - now.com[2]
    i = figure.link_dof[link]
    while i >= 0:
        axis = now.cdof[i]
        out[0, i] = axis[3] + axis[1] * z - axis[2] * y
        out[1, i] = axis[4] + axis[2] * x - axis[0] * z
        out[2, i] = axis[5] + axis[0] * y - axis[1] * x
        i = figure.dof_below[i]


@kernel
def feature_rows(figure: Any, now: Any, view: Any, nv: int) -> Any:
    """(3 F, nv) Jacobians of the features that are points of links."""
    f = figure.feature_link.shape[0]
    out, point = np.empty((3 * f, nv)), np.empty(3)
    for k in range(f):
        rows = out[3 * k : 3 * k + 3]
        place(now, figure.feature_link[k], figure.feature_point[k], point)
        point_rows(figure, now, figure.feature_link[k], point, rows)
        turn_rows(rows, view.cos, -view.sin)
        turn_columns(rows, view.cos, -view.sin)
    return out


@kernel
def felt(figure: Any, rows: Any, columns: Any) -> Any:
    """(3 F + nv - 6, r) what velocities (nv, r) are for the features, points of links and then joints, in their
    weights: the square of its length is what they cost."""
    f, (nv, r) = rows.shape[0], columns.shape
    out = np.zeros((f + nv - 6, r))
    for k in range(f):
        for i in range(nv):
            value = figure.feature_root[k] * rows[k, i]
            if value != 0.0:
                for j in range(r):
                    out[k, j] += value * columns[i, j]
    for k in range(f, f + nv - 6):
        for j in range(r):
            out[k, j] = figure.feature_root[k] * columns[k - f + 6, j]
    return out
