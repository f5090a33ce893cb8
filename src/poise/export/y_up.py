"""Our axes turned into those of glTF and of our USD files: y up, the figure faces +z, +x is its left."""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.motion.skeleton import Y_UP
from poise.spatial import quat_to_matrix


def y_up_vectors(ours: Array) -> Array:
    """Vectors (..., 3)."""
    return np.asarray(ours @ Y_UP)


def y_up_quats(ours: Array) -> Array:
    """Quaternions (..., 4), in the order x y z w that both formats store."""
    return np.concatenate([y_up_vectors(ours[..., 1:]), ours[..., :1]], axis=-1)


def y_up_matrices(position: Array, rotation: Array) -> Array:
    """Frames (n, 4, 4) for row vectors: the place is the last row, which is how both formats lie in memory."""
    out = np.zeros((len(position), 4, 4))
    out[:, :3, :3] = np.swapaxes(Y_UP.T @ quat_to_matrix(rotation) @ Y_UP, 1, 2)
    out[:, 3, :3], out[:, 3, 3] = y_up_vectors(position), 1.0
    return out
