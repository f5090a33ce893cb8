"""What can be taken away: a performance as files of the formats that animators use."""

from __future__ import annotations

import tempfile
from pathlib import Path

from poise.errors import PoiseError, unknown
from poise.export import export
from poise.performance import Performance
from poise.reference.archive import spoken_name

TAKEN = ("bvh", "glb", "html", "npz", "csv")
"""Endings; `npz` is the recording itself."""


def download(performance: Performance, form: str, fell_at: float | None, terrain: str) -> tuple[str, bytes]:
    """The name and the content of a file."""
    if form not in TAKEN:
        raise unknown("format", form, TAKEN)
    recording = performance.recording
    if not recording.steps:
        raise PoiseError("nothing has been performed yet")
    recording.meta.update(fell_at=fell_at, terrain=terrain)
    with tempfile.TemporaryDirectory(prefix="poise-studio-") as folder:
        path = Path(folder) / f"performance.{form}"
        if form == "npz":
            recording.save(path)
        else:
            export(recording, path)
        return f"{spoken_name(str(recording.meta['motion']))}.{form}", path.read_bytes()
