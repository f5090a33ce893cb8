"""Bounded rows as a list of distances, one for each finite bound: lower ones of a batch, then its upper ones."""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.optimize.rows import Linearised, joined


def room(here: Linearised) -> Array:
    """(b,) distances to all bounds; negative beyond them."""
    out = []
    for bounded in here.bounded:
        value, low, high = bounded.rows.value, bounded.lower, bounded.upper
        out += [(value - low)[np.isfinite(low)], (high - value)[np.isfinite(high)]]
    return joined(out)


def room_along(here: Linearised, step: Array) -> Array:
    """(b,) how the distances change with a step (n,), to first order."""
    out = []
    for bounded in here.bounded:
        change = bounded.rows.along(step)
        out += [change[np.isfinite(bounded.lower)], -change[np.isfinite(bounded.upper)]]
    return joined(out)


def by_rows(here: Linearised, values: Array) -> list[tuple[Array, Array]]:
    """Values (b,) of bounds at their rows: for each batch those of the lower bounds (B, R) and of the upper."""
    out, start = [], 0
    for bounded in here.bounded:
        pair = []
        for finite in (np.isfinite(bounded.lower), np.isfinite(bounded.upper)):
            part = np.zeros(finite.shape)
            end = start + int(np.count_nonzero(finite))
            part[finite] = values[start:end]
            pair.append(part)
            start = end
        out.append((pair[0], pair[1]))
    return out
