"""The interface of references: motions that a controller tracks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Frozen, brief_repr
from poise.reference.dynamic import Dynamic

Start = Literal["origin", "summit"]
"""Where on a terrain a motion starts: at the origin, or at a high place facing downhill."""


@dataclass(frozen=True)
class Target:
    """The reference state at a time, in the layout of the body alone."""

    qpos: Array  # (nq,)
    qvel: Array  # (nv,)
    down: NDArray[np.bool_] | None = None  # (P,) whether each contact part is in contact; None if unknown
    torque: Array | None = None  # (nv,) N m that produce the motion; None unless it obeys physics
    force: Array | None = None  # (C, 3) N in the world frame, on the motion's contacts; None unless it obeys physics

    __repr__ = brief_repr


class Reference(Protocol):
    """A motion that a controller tracks."""

    @property
    def name(self) -> str:
        """Name for messages and recordings."""

    @property
    def start(self) -> Start:
        """Where on the terrain it starts."""

    @property
    def duration(self) -> float | None:
        """Duration (s); None if it has no end of its own."""

    @property
    def begin(self) -> float:
        """Time (s) into the motion at which it begins."""

    @property
    def motions(self) -> Mapping[str, Dynamic]:
        """Its motions that obey physics, by name, the one it begins with first; empty if there are none."""

    def at(self, time: float) -> Target:
        """The target at a time (s)."""


def edition_of(reference: Reference) -> int:
    """Number of edits made to a reference since its creation; 0 for references that cannot be edited."""
    return int(getattr(reference, "edition", 0))


@dataclass(frozen=True)
class Still:
    """A constant pose; the velocity applies to time 0 only."""

    name: str
    qpos: Array  # (nq,)
    first_qvel: Array  # (nv,)
    start: Start = "origin"
    duration: float | None = None
    begin: float = 0.0
    motions: Mapping[str, Dynamic] = field(default_factory=Frozen)

    def at(self, time: float) -> Target:
        """The pose, with the initial velocity at time zero."""
        return Target(self.qpos, self.first_qvel if time == 0 else self._rest)

    @cached_property
    def _rest(self) -> Array:
        return np.zeros_like(self.first_qvel)

    __repr__ = brief_repr
