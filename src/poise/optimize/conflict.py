"""Which constraint cannot be kept, and when, for people."""

from __future__ import annotations

import numpy as np

from poise.optimize.layout import Layout
from poise.optimize.rows import Linearised, Rows, violations


def conflict(here: Linearised, layout: Layout, step: float) -> str:
    """What is violated most: ``left_foot_heel_0: stands on the ground at 0.42 s cannot be kept (off by 3.1 cm)``."""
    found = [(float(excess.max()), rows, excess) for rows, excess in violations(here) if excess.size]
    size, rows, excess = max(found, key=lambda item: item[0])
    block, row = (int(k) for k in np.unravel_index(int(excess.argmax()), excess.shape))
    whose = "" if rows.whose is None else f"{np.broadcast_to(rows.whose, excess.shape)[block, row]}: "
    off = f"{size:.2g} {rows.unit}".rstrip()
    return f"{whose}{rows.name} at {_when(rows, block, layout, step):.2f} s cannot be kept (off by {off})"


def _when(rows: Rows, block: int, layout: Layout, step: float) -> float:
    """s: of the last frame whose pose or velocity a block is about, counted from frame 1."""
    first = rows.columns[block].max()
    frame = int(np.searchsorted(layout.pose[:, 0], first, side="right")) - 1
    return max(frame - 1, 0) * step
