"""What a controller tracks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Frozen
from poise.reference.dynamic import Dynamic

Start = Literal["origin", "summit"]
"""Where on a terrain a motion starts: at its origin, or at a high place facing down."""


@dataclass(frozen=True)
class Target:
    """The wanted state at a time, in the layout of the body alone."""

    qpos: Array  # (nq,)
    qvel: Array  # (nv,)
    down: NDArray[np.bool_] | None = None  # (P,) which contact parts bear; None if nothing is known
    torque: Array | None = None  # (nv,) N m that bring the motion about; None if it was not made to obey physics
    force: Array | None = None  # (C, 3) N in the world, on the contacts of the motion; None likewise


class Reference(Protocol):
    """A motion to be tracked."""

    @property
    def name(self) -> str:
        """Its name, for messages and recordings."""

    @property
    def start(self) -> Start:
        """Where it starts."""

    @property
    def duration(self) -> float | None:
        """How long it lasts, s; None if it has no end of its own."""

    @property
    def begin(self) -> float:
        """How far into the motion it begins, s."""

    @property
    def motions(self) -> Mapping[str, Dynamic]:
        """What it is made of, by name, as torques and contacts bring it about: first what it begins with; or none."""

    def at(self, time: float) -> Target:
        """What is wanted at a time, s."""


def edition_of(reference: Reference) -> int:
    """How often a reference was edited since it was made: one that takes no edits, never."""
    return int(getattr(reference, "edition", 0))


@dataclass(frozen=True)
class Still:
    """A pose held for ever; the velocity is that of the first moment only."""

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
