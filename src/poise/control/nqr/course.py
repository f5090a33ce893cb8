"""What is performed now, and what comes after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from poise.control.nqr.segment import Segment
from poise.frozen import Array


@dataclass(frozen=True, eq=False)
class Stretch:
    """Frames of a motion after which another may follow."""

    segment: Segment
    first: int
    stop: int

    @property
    def poses(self) -> Array:
        """(T, nq) of the whole motion."""
        return self.segment.motion.clip.qpos


def whole(segment: Segment) -> Stretch:
    """A motion from its beginning to its end."""
    return Stretch(segment, 0, segment.policy.steps)


class Course(Protocol):
    """Decides what is performed."""

    @property
    def now(self) -> Stretch:
        """What is performed."""

    def proceed(self, heading: float) -> None:
        """Go on to what comes next, after a stretch that began in this direction of the world, rad."""


class Given:
    """Motions one after the other, the last one again and again."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.now, *self._later = (whole(segment) for segment in segments)

    def proceed(self, heading: float) -> None:  # noqa: ARG002
        """The next one, if there is any."""
        if self._later:
            self.now = self._later.pop(0)
