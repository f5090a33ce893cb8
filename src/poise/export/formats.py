"""The formats a recording can be written in, by file ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from poise.errors import PoiseError, unknown
from poise.export.bvh import write_bvh
from poise.export.page import write_page
from poise.export.strip import write_strip
from poise.export.table import write_csv
from poise.world.recording import Recording

FORMATS: dict[str, tuple[Callable[[Recording, Path], Path], str]] = {
    "bvh": (write_bvh, "motion of the performer, for animation tools"),
    "csv": (write_csv, "coordinates, velocities and torques as a table"),
    "html": (write_page, "3D playback in one self-contained page"),
    "png": (write_strip, "a strip of pictures"),
}
"""Ending: (writer, what it is)."""


def export(recording: Recording, path: str | Path) -> Path:
    """Write a recording in the format that the file's ending says."""
    path = Path(path)
    ending = path.suffix.lstrip(".").lower()
    if not ending:
        raise PoiseError(f"{path}: the ending says the format, one of {', '.join(FORMATS)}")
    if ending not in FORMATS:
        raise unknown("format", ending, FORMATS)
    return FORMATS[ending][0](recording, path)
