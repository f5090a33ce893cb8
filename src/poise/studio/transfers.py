"""Files to and from a page: downloads of a performance, and uploads, which are checked before they are read."""

import re
import tempfile
from pathlib import Path

import numpy as np

from poise.errors import PoiseError, known_name
from poise.export.formats import export
from poise.files import write_file
from poise.performance.performance import Performance
from poise.reference.archive import motion_display_name

FORMATS = ("bvh", "glb", "html", "npz", "csv")  # Download formats; `npz` is the recording itself
LARGEST = 20 * 2**20
"""Maximum size (bytes) of a motion file: ten minutes of a skeleton with fingers at 120 frames per second."""
LONGEST_LINE = 200_000  # Maximum length (bytes) of a line: more than the numbers of 400 joints
MOST_JOINTS, MOST_FRAMES, MOST_NUMBERS = 400, 150_000, 3_000_000
"""Limits of a motion file. Ten minutes, the longest show, are 144,000 frames at 240 per second."""
LARGEST_SCRIPT = 150_000  # Maximum size (bytes) of a script
ENDINGS = (".bvh", ".toml")
_JOINT = re.compile(rb"\b(?:ROOT|JOINT)\b", re.IGNORECASE)
_ABSURD = re.compile(rb"[eE]\+?[1-9]\d{2,}|\d{40}")  # Numbers that no motion contains, and that are slow to parse
_FRAMES = re.compile(rb"\bFrames\s*:\s*(\d+)", re.IGNORECASE)


def download_file(performance: Performance, form: str, folder: Path) -> tuple[str, bytes]:
    """Name and content of a performance as a file of a format, which is written within `folder` and deleted."""
    known_name("format", form, FORMATS)
    recording = performance.recording
    if not recording.steps:
        raise PoiseError("nothing has been performed yet")
    name = f"{motion_display_name(str(recording.meta['motion']))}.{form}"
    try:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            path = Path(place) / name
            try:
                recording.save(path) if form == "npz" else export(recording, path)
            except PoiseError as error:
                raise PoiseError(str(error).replace(f"{place}/", "")) from None
            return name, path.read_bytes()
    except OSError as error:
        raise PoiseError(f"cannot write {name}: {error.strerror or error}") from None


def check_upload(name: str, size: int) -> None:
    """Refuse a file by its name and size, before it is sent."""
    if not name.lower().endswith(ENDINGS):
        raise PoiseError(f"{safe_upload_name(name)}: only motions (.bvh) and scripts (.toml) can be opened here")
    most = LARGEST if name.lower().endswith(".bvh") else LARGEST_SCRIPT
    if not 0 < size <= most:
        why = "is empty" if size <= 0 else f"is larger than {max(1, most >> 20)} MB"
        raise PoiseError(f"{safe_upload_name(name)} {why}")


def check_content(name: str, content: bytes) -> None:
    """Refuse files that are obviously no motion or script, before the slow parsing."""
    if not isinstance(content, bytes):
        raise PoiseError(f"{safe_upload_name(name)}: a file must be sent as bytes")
    check_upload(name, len(content))
    if b"\0" in content:
        raise PoiseError(f"{safe_upload_name(name)} is not text")
    if not name.lower().endswith(".bvh"):
        return
    joints, hierarchy = 0, content.rpartition(b"MOTION")[0] or content
    for _ in _JOINT.finditer(hierarchy):
        joints += 1
        if joints > MOST_JOINTS:
            raise PoiseError(f"{safe_upload_name(name)} has more than {MOST_JOINTS} joints")
    _refuse_endless_lines(name, content)
    absurd = _ABSURD.search(content)
    if absurd:
        line = 1 + content.count(b"\n", 0, absurd.start())
        raise PoiseError(f"{safe_upload_name(name)}, line {line}: a number out of range")
    frames = _FRAMES.search(content)
    if frames and len(frames[1]) <= 12:
        count = int(frames[1])
        if count > MOST_FRAMES or count * 3 * (joints + 1) > MOST_NUMBERS:
            raise PoiseError(f"{safe_upload_name(name)} announces {count} frames of {joints} joints: too many")


def _refuse_endless_lines(name: str, content: bytes) -> None:
    text = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero((text == ord("\n")) | (text == ord("\r")))
    lengths = np.diff(ends, prepend=-1, append=len(text))
    if lengths.max() > LONGEST_LINE:
        raise PoiseError(f"{safe_upload_name(name)}, line {1 + lengths.argmax()}: the line is too long")


def store_upload(folder: Path, name: str, content: bytes) -> Path:
    """Check a file and write it into a folder under a safe name, replacing one of the same name."""
    check_content(name, content)
    return write_file(folder / safe_upload_name(name), content)


def safe_upload_name(name: str) -> str:
    """A file name without folders and special characters, of limited length."""
    plain = re.sub(r"[^\w .\-]", "_", re.split(r"[/\\]", name)[-1]).strip(". ")
    stem, _, ending = plain.rpartition(".")
    return f"{stem[:60]}.{ending[:8]}" if stem else plain[:60] or "file"
