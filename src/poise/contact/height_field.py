"""Contacts with height fields, which are prisms to MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel

UPWARD = 0.5
"""Least upward part of the normal of a height field's surface; less belongs to the sides of MuJoCo's prisms."""


@kernel
def thin_out(position: Any, frame: Any, distance: Any, geom: Any, uneven: Any, spacing: float) -> Any:
    """Indices of contacts without the surplus of height fields, for which ``uneven`` (ngeom,) is 1.

    A height field gives a contact for every triangle near a limb: those of one limb are kept at least ``spacing``
    apart, the deepest first. It also gives contacts with the inner walls between its triangles, which are none.
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
