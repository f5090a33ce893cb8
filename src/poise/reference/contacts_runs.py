"""Runs of frames: stretches in which something holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.frozen import Array

Mask = NDArray[np.bool_]


def runs(holds: Mask) -> list[tuple[int, int]]:
    """(start, stop) of the stretches in which it holds, in order."""
    padded = np.concatenate([[False], holds, [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def hysteresis(value: Array, enter: float, leave: float) -> Mask:
    """Stretches below `leave` that come below `enter` somewhere."""
    out = np.zeros(len(value), bool)
    for start, stop in runs(value < leave):
        out[start:stop] = bool(np.any(value[start:stop] < enter))
    return out


def without_short(holds: Mask, gap: int, stretch: int) -> Mask:
    """Gaps shorter than `gap` frames filled, then stretches shorter than `stretch` dropped; not at the ends."""
    out = np.array(holds)
    for start, stop in runs(~out):
        if stop - start < gap and start > 0 and stop < len(out):
            out[start:stop] = True
    for start, stop in runs(out):
        if stop - start < stretch and start > 0 and stop < len(out):
            out[start:stop] = False
    return out
