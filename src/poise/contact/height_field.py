"""Contacts with height fields, which MuJoCo collides as prisms."""

import numpy as np

from poise.arrays import Array, Ints
from poise.dynamics.workspace import Pairs
from poise.kernel import kernel

UPWARD = 0.5
"""Least z of the normal of a height field's surface; a smaller one belongs to a side of one of MuJoCo's prisms."""


@kernel
def thin_height_field_contacts(
    position: Array, frame: Array, distance: Array, geom: Pairs, uneven: Ints, spacing: float
) -> Ints:
    """Indices of the contacts to keep: all but the redundant ones with height fields.

    `uneven` (ngeom,) is 1 for height fields. MuJoCo reports a contact for every triangle near a limb: contacts of one
    geom are kept at least `spacing` m apart, the deepest first. Contacts with the inner walls between triangles are
    spurious and are dropped.
    """
    order = np.argsort(distance, kind="mergesort")
    kept = np.empty(order.shape[0], np.int64)
    count = 0
    for c in order:
        dropped = False
        if uneven[geom[c, 0]] == 1:
            dropped = frame[c, 2] < UPWARD
            for k in kept[:count]:
                if geom[k, 0] == geom[c, 0] and geom[k, 1] == geom[c, 1]:
                    square = 0.0
                    for i in range(3):
                        square += (position[k, i] - position[c, i]) ** 2
                    dropped = dropped or square < spacing * spacing
        if not dropped:
            kept[count] = c
            count += 1
    return np.sort(kept[:count])
