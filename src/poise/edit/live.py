"""Edits of a motion while it is performed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from poise.body.body import Body
from poise.edit.take import Edit, take_of
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference, Start, Target


class Live:
    """A reference that accepts edits at any time. Each edit is eased in from the time at which it is made."""

    def __init__(self, reference: Reference, body: Body, rate: float | None = None) -> None:
        """`rate`: frames per second at which edits sample the motion; by default the rate of the motion's clip."""
        self._body, self._rate = body, rate
        self._now: Reference = reference
        self.events: list[dict[str, Any]] = []  # edits made so far, for the recording

    @property
    def name(self) -> str:
        """Name of the motion."""
        return self._now.name

    @property
    def start(self) -> Start:
        """Where on the terrain the motion starts."""
        return self._now.start

    @property
    def duration(self) -> float | None:
        """Duration (s) with the edits made so far."""
        return self._now.duration

    @property
    def begin(self) -> float:
        """Time (s) within the motion that corresponds to time 0 of the reference."""
        return self._now.begin

    @property
    def motions(self) -> Mapping[str, Dynamic]:
        """The motions of this reference that obey physics, by name; empty after an edit."""
        return self._now.motions

    @property
    def edition(self) -> int:
        """Number of edits made so far."""
        return len(self.events)

    def at(self, time: float) -> Target:
        """The target of the edited motion at a time (s)."""
        return self._now.at(time)

    def edit(self, edit: Edit, now: float) -> dict[str, Any]:
        """Apply an edit from the time `now` (s) on. Appends an event for the recording to `events` and returns it."""
        late = replace(edit, span=edit.span.since(now))  # type: ignore[type-var]
        self._now = late.on(take_of(self._now, self._body, self._rate))
        self.events.append({"time": float(now), "kind": "edit", "text": str(edit)})
        return self.events[-1]

    def __repr__(self) -> str:
        return f"Live({self._now!r}, {self.edition} edits)"
