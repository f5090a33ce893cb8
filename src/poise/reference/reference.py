"""The interface of references: motions that a controller tracks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from poise.arrays import Array, Frozen, Mask, brief_repr
from poise.reference.dynamic import Dynamic

Start = Literal["origin", "summit", "thrown"]
"""Where a motion starts: at the origin; at a high place and facing downhill; or in the air, thrown at random."""


@dataclass(frozen=True)
class Target:
    """The state of the reference at one time. Arrays cover the body only, not other objects of the scene."""

    qpos: Array  # (nq,)
    qvel: Array  # (nv,)
    down: Mask | None = None  # (P,) whether each contact part is in contact; None if unknown
    torque: Array | None = None  # (nv,) N m that produce the motion; None unless the motion obeys physics
    force: Array | None = None  # (C, 3) N on the C contacts, world frame; None unless the motion obeys physics

    __repr__ = brief_repr


class Reference(Protocol):
    """A motion that a controller tracks."""

    @property
    def name(self) -> str:
        """Name of the motion, for messages and recordings."""

    @property
    def start(self) -> Start:
        """Where on the terrain the motion starts."""

    @property
    def duration(self) -> float | None:
        """Duration (s); None if the motion has no end."""

    @property
    def begin(self) -> float:
        """Time (s) within the motion that corresponds to time 0 of the reference."""

    @property
    def motions(self) -> Mapping[str, Dynamic]:
        """The motions of this reference that obey physics, by name; the initial motion comes first. May be empty."""

    def at(self, time: float) -> Target:
        """The target that the controller should reach at a time (s)."""


def edition_of(reference: Reference) -> int:
    """Number of edits made to a reference since its creation; 0 for references that cannot be edited."""
    return int(getattr(reference, "edition", 0))


@dataclass(frozen=True)
class Still:
    """A reference that is one constant pose. Its velocity is `first_qvel` at time 0, and zero afterwards."""

    name: str
    qpos: Array  # (nq,)
    first_qvel: Array  # (nv,)
    start: Start = "origin"
    duration: float | None = None
    begin: float = 0.0
    motions: Mapping[str, Dynamic] = field(default_factory=Frozen)

    def at(self, time: float) -> Target:
        """The constant pose, with velocity `first_qvel` at time 0 and zero velocity at other times (s)."""
        return Target(self.qpos, self.first_qvel if time == 0 else self._rest)

    @cached_property
    def _rest(self) -> Array:
        return np.zeros_like(self.first_qvel)

    __repr__ = brief_repr
