"""Left alone, and pushed to four sides: what settings are tried on."""

from __future__ import annotations

from collections.abc import Iterator

from poise.study.modal.case import performer
from poise.study.modal.push import blows_for, push_to
from poise.study.study import Row, Scope
from poise.study.trial import Trial

PUSH = 100.0
"""N, as long as in `modal-push`."""
SIDES = (0, 90, 180, 270)
"""Degrees: forward, then to the left."""


def shaken(motion: str, scope: Scope) -> Iterator[tuple[Row, Trial]]:
    """Trials of a motion from each seed, with their labels: one left alone, and one pushed to each side."""
    for seed in range(scope.seeds):
        for way in (None, *SIDES):
            pushes = () if way is None else (push_to(way, PUSH, blows_for(motion).frames),)
            trial = Trial(motion, performer(motion), seconds=scope.seconds, seed=seed, pushes=pushes)
            yield {"pushed": way is not None, "direction": way}, trial
