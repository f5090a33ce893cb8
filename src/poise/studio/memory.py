"""What takes seconds to find and is asked for again and again, such as whenever the ground is changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from poise.control.nqr.segment import Segment
from poise.control.nqr.steering import segments_of
from poise.control.nqr.weights import Weights
from poise.progress import Say
from poise.reference.cast import Cast, cast
from poise.reference.repertoire import Repertoire

MOST = 8
"""Motions on bodies that are kept."""


class Memory:
    """A visitor's, for as long as he is there."""

    def __init__(self) -> None:
        self._shipped = lru_cache(maxsize=MOST)(_cast_in_silence)
        self._segments: dict[str, Mapping[str, Segment]] = {}

    def __deepcopy__(self, _: dict[int, object]) -> Memory:
        """Itself: copies of a performance look things up in the same one."""
        return self

    def cast(self, motion: str, body: str | None, say: Say, physics: bool, usual: str | None) -> Cast:
        """Who performs what, as `poise.reference.cast.cast` finds it; files are looked at each time."""
        if Path(motion).suffix:
            return cast(motion, body, say, physics, usual)
        say(f"putting {motion} on {body}")
        return self._shipped(motion, body, physics, usual)

    def look_ahead(
        self, repertoire: Repertoire, weights: Weights, cycles: int | None, linear: bool, say: Say
    ) -> Mapping[str, Segment]:
        """What the look-ahead controller finds along the steps of a body; a page has one kind of them for each."""
        body = next(iter(repertoire.values())).clip.body.name
        if body not in self._segments:
            self._segments[body] = segments_of(repertoire, weights, cycles, linear, say)
        return self._segments[body]


def _cast_in_silence(motion: str, body: str | None, physics: bool, usual: str | None) -> Cast:
    return cast(motion, body, physics=physics, usual=usual)
