"""Edits while a motion is being performed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from poise.body.body import Body
from poise.edit.take import Edit, take_of
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference, Start, Target


class Live:
    """A reference that takes edits at any time: whoever asks `at` next sees them, eased in without a jump."""

    def __init__(self, reference: Reference, body: Body, rate: float | None = None) -> None:
        """`rate` (frames per second) at which edits look at the motion; without one, that of its clip."""
        self._body, self._rate = body, rate
        self._now: Reference = reference
        self.events: list[dict[str, Any]] = []  # what was edited when, for a recording

    @property
    def name(self) -> str:
        """That of the motion."""
        return self._now.name

    @property
    def start(self) -> Start:
        """Where it starts."""
        return self._now.start

    @property
    def duration(self) -> float | None:
        """How long it lasts with the edits made so far, s."""
        return self._now.duration

    @property
    def begin(self) -> float:
        """How far into the motion it begins, s."""
        return self._now.begin

    @property
    def motions(self) -> Mapping[str, Dynamic]:
        """What it is made of."""
        return self._now.motions

    @property
    def edition(self) -> int:
        """How often it was edited."""
        return len(self.events)

    def at(self, time: float) -> Target:
        """What is wanted at a time, s."""
        return self._now.at(time)

    def edit(self, edit: Edit, now: float) -> dict[str, Any]:
        """Apply an edit from `now` (s) on; nothing before it changes. Tells what happened, for a recording."""
        late = replace(edit, span=edit.span.since(now))  # type: ignore[type-var]
        self._now = late.on(take_of(self._now, self._body, self._rate))
        self.events.append({"time": float(now), "kind": "edit", "text": str(edit)})
        return self.events[-1]
