"""Where fetched motions are kept, and which are there."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from poise.errors import PoiseError
from poise.library.manifest import Capture, cmu


def cache_folder() -> Path:
    """The folder of fetched motions in the user's cache."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else _usual_cache()) / "poise" / "motions"


def kept(capture: Capture, folder: Path) -> Path | None:
    """The file of a capture, if it is in a folder and intact."""
    path = folder / capture.file
    try:
        return path if is_intact(capture, path.read_bytes()) else None
    except OSError:
        return None


def is_intact(capture: Capture, content: bytes) -> bool:
    """Are these the bytes that the manifest promises?"""
    return hashlib.sha256(content).hexdigest() == capture.sha256


def motion_file(motion: str | Path) -> Path:
    """The file that a motion was fetched to, for the name of a captured one; anything else is a path as it is."""
    capture = cmu().captures.get(str(motion))
    if capture is None:
        return Path(motion)
    path = kept(capture, cache_folder())
    if path is None:
        raise PoiseError(f"{motion} ({capture.what}) is not in {cache_folder()}: poise motions get {motion}")
    return path


def _usual_cache() -> Path:
    try:
        return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    except RuntimeError:
        raise PoiseError("no home folder, so no place for fetched motions: set XDG_CACHE_HOME") from None
