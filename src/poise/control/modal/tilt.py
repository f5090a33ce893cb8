"""How friction cones stand: upright on level ground, and with their axes along the normal where it slopes."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.control.controller import Ground
from poise.frozen import Array
from poise.kernel import kernel

APART = 0.01
"""m to each side, over which the ground's slope is looked at; the lesser of both: the edge of a step is no slope."""

AROUND = APART * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


def cone_axes(ground: Ground | None, point: Array) -> Array:
    """(C, 3, 3) axes in columns of the cones at points (C, 3) m: two along the ground and its normal; none is level."""
    count = len(point)
    level = np.broadcast_to(np.eye(3), (count, 3, 3))
    if ground is None:
        return level
    x, y = (point[:, :2] + AROUND[:, None]).reshape(-1, 2).T
    high = np.asarray(ground.heights(x, y)).reshape(5, count)
    ahead, behind = (high[1:3] - high[0]) / APART, (high[0] - high[3:]) / APART
    rise = np.where(np.abs(ahead) < np.abs(behind), ahead, behind)  # (2, C) along x and y
    if not rise.any():
        return level
    normal = np.stack([-rise[0], -rise[1], np.ones(count)], axis=1)
    along = np.stack([np.ones(count), np.zeros(count), rise[0]], axis=1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.stack([along, np.cross(normal, along), normal], axis=2)


@kernel
def tell_along(axes: Any, rows: Any) -> None:
    """Tell rows (n, 3), in place, along axes (3, 3) instead of the world's."""
    for i in range(rows.shape[0]):
        x, y, z = rows[i]
        for j in range(3):
            rows[i, j] = x * axes[0, j] + y * axes[1, j] + z * axes[2, j]
