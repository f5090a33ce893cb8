"""What changes while a motion is performed: gains, and whether anything stabilises the root."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from poise.control.poses.rig import Rig
from poise.frozen import Array


@dataclass(frozen=True)
class Span:
    """From when to when, s."""

    start: float = 0.0
    end: float = math.inf

    def __contains__(self, time: float) -> bool:
        """Whether a time lies in it."""
        return self.start - 1e-9 <= time < self.end - 1e-9


@dataclass(frozen=True, eq=False)
class Strengthening:
    """Other gains for a while, as multiples of the rig's."""

    when: Span
    dofs: tuple[int, ...]
    stiffness: float = 1.0
    damping: float = 1.0


class Gains:
    """A rig in time."""

    def __init__(self, rig: Rig, changes: tuple[Strengthening, ...] = ()) -> None:
        self._rig, self._changes = rig, changes
        edges = {0.0, *(change.when.start for change in changes), *(change.when.end for change in changes)}
        self._edges = sorted(float(edge) for edge in edges if math.isfinite(edge))
        self._rows = [self._during(edge) for edge in self._edges]

    def at(self, time: float) -> tuple[Array, Array]:
        """(nv,) stiffness and damping."""
        return self._rows[max(bisect_right(self._edges, time + 1e-9) - 1, 0)]

    def _during(self, time: float) -> tuple[Array, Array]:
        stiffness, damping = np.array(self._rig.stiffness), np.array(self._rig.damping)
        for change in self._changes:
            if time in change.when:
                stiffness[list(change.dofs)] *= change.stiffness
                damping[list(change.dofs)] *= change.damping
        return stiffness, damping
