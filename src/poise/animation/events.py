"""When a rehearsed body leaves the ground, is highest, and comes down; within a step where that matters."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, remainder, tau

import numpy as np
from numpy.typing import NDArray

from poise.animation.script import Want
from poise.control.poses.sensors import com_velocity
from poise.dynamics import State

CLEAR = 4
"""Steps without contact after which a body, or a part of it, has left the ground: feet that push off touch again."""

Members = NDArray[np.bool_]
"""(nbody,) which links."""


class Events:
    """Follows a rehearsal step by step."""

    def __init__(self, own: Members, links: Sequence[Members | None]) -> None:
        """Of the body whose links are `own`; `links` are those whose touch-down is waited for, any of it if None."""
        self._own, self._links = own, [own if part is None else part & own for part in links]
        self._clear = 0
        self._rises = -inf
        self._off = [0] * len(links)
        self._left = [False] * len(links)
        self._times: dict[str, float] = {}
        self._downs: list[float | None] = [None] * len(links)

    def follow(self, bearing: NDArray[np.int64], state: State) -> None:
        """A step that was just made, in which some body ids bore on something."""
        down = bool(self._own[bearing].any())
        self._clear = 0 if down else self._clear + 1
        if self._clear == CLEAR:
            self._times.setdefault("flight", state.time)
        if "apex" not in self._times:
            self._follow_height(state)
        for k, links in enumerate(self._links):
            bears = bool(links[bearing].any())
            self._off[k] = 0 if bears else self._off[k] + 1
            if not bears:
                self._left[k] = self._left[k] or self._off[k] == CLEAR
            elif self._left[k] and self._downs[k] is None:
                self._downs[k] = state.time

    def _follow_height(self, state: State) -> None:
        rose, self._rises = self._rises, float(com_velocity(state)[2])
        if "flight" in self._times and rose > 0 >= self._rises:
            self._times["apex"] = state.time

    def down(self, k: int) -> bool:
        """Whether what is waited for has come down."""
        return self._downs[k] is not None

    def due(self, k: int, want: Want, state: State) -> bool:
        """Whether the moment of a want has come."""
        when = want.when
        at = self._downs[k] if when.event == "down" else self._times.get(when.event, None)
        at = 0.0 if when.event == "time" else at
        return at is not None and state.time > at + when.time - 0.5 * state.step


class Approach:
    """The last two states before a touch-down, from which the moment within the step and what is read then follow.

    What is read at the end of the step changes by jumps as the moment passes from one step to the next.
    """

    def __init__(self, links: Members, angular: bool) -> None:
        self._links, self._angular = links, angular
        self._gaps = (inf, inf)  # m, the last state first
        self._values = (0.0, 0.0)

    def note(self, state: State, value: float) -> None:
        """What is read in a state."""
        contacts = state.contacts
        between = self._links[contacts.body] != self._links[contacts.other]
        self._gaps = float(contacts.gap[between].min(initial=inf)), self._gaps[0]
        self._values = value, self._values[0]

    @property
    def landing(self) -> float:
        """What would be read at the moment of touch-down."""
        (gap, before), (value, last) = self._gaps, self._values
        share = min(max(gap / (before - gap), 0.0), 1.0) if isfinite(before) and before > gap else 0.0
        way = remainder(value - last, tau) if self._angular else value - last
        return value + share * way
