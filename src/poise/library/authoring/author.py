"""Turn a motion source file into poses and supports of a humanoid body."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from poise.body.body import Body
from poise.errors import unknown
from poise.library.authoring.gait import gait_sketch
from poise.library.authoring.gait_change import change_sketch, pace_sketch
from poise.library.authoring.keyed import keyed
from poise.library.authoring.source import MotionSource, read_source
from poise.library.authoring.turn import turn_sketch
from poise.reference.supports import Sketch

KINDS: dict[str, Callable[[MotionSource, Body], Sketch]] = {
    "change": change_sketch,
    "gait": gait_sketch,
    "keyed": keyed,
    "pace": pace_sketch,
    "turn": turn_sketch,
}
"""The function that builds the sketch for each kind of source."""


def author(name_or_path: str | Path, body: Body) -> Sketch:
    """Build the motion of a shipped source or a user's own file (.toml) for a humanoid body."""
    source = read_source(name_or_path)
    if source.kind not in KINDS:
        raise unknown(f"kind of motion in {source.path.name}", source.kind, KINDS)
    return KINDS[source.kind](source, body)
