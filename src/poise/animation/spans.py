"""Spans of time in scripts."""

from __future__ import annotations

from math import inf

from poise.animation.entry import Entry
from poise.control.poses.schedule import Span


def read_span(entry: Entry) -> Span:
    """From when to when something goes: always, unless told."""
    start = entry.number("from", 0.0, 0)
    end = entry.number("until") if "until" in entry else inf
    if not end >= start:
        raise entry.fail(f"ends at {end:g} s, before it begins at {start:g} s", "until")
    return Span(start, end)
