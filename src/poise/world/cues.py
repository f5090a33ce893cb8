"""Cues: what happens to a world at given times of a performance, such as a grip made or released."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poise.errors import PoiseError

if TYPE_CHECKING:
    from poise.world.world import World


@dataclass(frozen=True)
class Cue:
    """Something to do to the world before the step that begins at or after a time."""

    time: float  # s
    name: str  # for the recording's events
    do: Callable[[World], object]  # an event that it returns, a mapping, goes into the recording instead of the name

    def __post_init__(self) -> None:
        if not 0 <= self.time < math.inf:
            raise PoiseError(f"cue '{self.name}' at {self.time} s: the time must be finite and at least 0")
