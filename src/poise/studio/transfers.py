"""Files that a visitor brings: bounded, looked over before they are read, and kept only as long as he is there."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np

from poise.errors import PoiseError, unknown
from poise.export.formats import export
from poise.performance.run import Performance
from poise.reference.archive import spoken_name

# What can be taken away: a performance as files of the formats that animators use.

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


LARGEST = 20 * 2**20
"""Bytes: ten minutes of a figure with fingers at 120 frames a second."""
LONGEST_LINE = 200_000
"""Bytes: more numbers than 400 joints have."""
MOST_JOINTS, MOST_FRAMES, MOST_NUMBERS = 400, 150_000, 3_000_000
"""Ten minutes, after which the tape is full, are 144,000 frames at 240 a second."""
LARGEST_SCRIPT = 150_000
"""Bytes of a script."""
ENDINGS = (".bvh", ".toml")

_JOINT = re.compile(rb"\b(?:ROOT|JOINT)\b", re.IGNORECASE)
_ABSURD = re.compile(rb"[eE]\+?[1-9]\d{2,}|\d{40}")
"""Numbers that no motion has, though each takes long to be told from one that it has."""
_FRAMES = re.compile(rb"\bFrames\s*:\s*(\d+)", re.IGNORECASE)


def check_upload(name: str, size: int) -> None:
    """Refuse a file by its name and size, before it comes."""
    if not name.lower().endswith(ENDINGS):
        raise PoiseError(f"{shown_name(name)}: only motions as BVH files and scripts as TOML files can be opened here")
    most = LARGEST if name.lower().endswith(".bvh") else LARGEST_SCRIPT
    if not 0 < size <= most:
        told = "is empty" if size <= 0 else f"is larger than {max(1, most >> 20)} MB"
        raise PoiseError(f"{shown_name(name)} {told}")


def check_content(name: str, content: bytes) -> None:
    """Refuse what would take long to find out is no motion of a figure."""
    check_upload(name, len(content))
    if b"\0" in content:
        raise PoiseError(f"{shown_name(name)} is not text")
    if not name.lower().endswith(".bvh"):
        return
    joints, hierarchy = 0, content.rpartition(b"MOTION")[0] or content
    for _ in _JOINT.finditer(hierarchy):
        joints += 1
        if joints > MOST_JOINTS:
            raise PoiseError(f"{shown_name(name)} has more than {MOST_JOINTS} joints: that is no figure")
    _refuse_endless_lines(name, content)
    absurd = _ABSURD.search(content)
    if absurd:
        line = 1 + content.count(b"\n", 0, absurd.start())
        raise PoiseError(f"{shown_name(name)}, line {line}: a number that no motion has")
    frames = _FRAMES.search(content)
    if frames and len(frames[1]) <= 12:
        count = int(frames[1])
        if count > MOST_FRAMES or count * 3 * (joints + 1) > MOST_NUMBERS:
            raise PoiseError(f"{shown_name(name)} announces {count} frames of {joints} joints: too many")


def _refuse_endless_lines(name: str, content: bytes) -> None:
    text = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero((text == ord("\n")) | (text == ord("\r")))
    lengths = np.diff(ends, prepend=-1, append=len(text))
    if lengths.max() > LONGEST_LINE:
        raise PoiseError(f"{shown_name(name)}, line {1 + lengths.argmax()}: more numbers than any figure has")


def keep(folder: Path, name: str, content: bytes) -> Path:
    """Put a file into a folder under a name that is no path; it may replace one of the same name."""
    check_content(name, content)
    path = folder / shown_name(name)
    path.write_bytes(content)
    return path


def shown_name(name: str) -> str:
    """What is left of a name that is harmless: no folders, nothing odd, not too long."""
    plain = re.sub(r"[^\w .\-]", "_", re.split(r"[/\\]", name)[-1]).strip(". ")
    stem, _, ending = plain.rpartition(".")
    return f"{stem[:60]}.{ending[:8]}" if stem else plain[:60] or "file"
