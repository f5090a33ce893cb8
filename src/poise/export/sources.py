"""Files that can be exported: recordings, prepared motions, and motion files as they are."""

from __future__ import annotations

import zipfile
from pathlib import Path

from poise.export.clips import Source
from poise.library import motion_file
from poise.motion import Clip, read_motion
from poise.motion.repair import ImportSettings, repaired
from poise.reference.archive import is_prepared, load_reference
from poise.world.recording import Recording

TEXTS = (".bvh", ".amc")
"""Endings of motion files that are not archives."""
MOTIONS = {"clip.npy", "poses.npy", "pose_body.npy"}
"""What an archive of motion holds one of: a clip of ours, or poses as AMASS has them."""


def read_source(path: str | Path) -> Source:
    """What a file holds, nothing in it repaired."""
    path = motion_file(path)
    if is_prepared(path):
        clip, motion = load_reference(path)
        return motion or clip
    if path.suffix.lower() in TEXTS or MOTIONS & _contents(path):
        return _motion(path)
    return Recording.load(path)


def _contents(path: Path) -> set[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return set()


def _motion(path: Path) -> Clip:
    """A motion file's clip in our unit and axes, and otherwise as it is."""
    raw = read_motion(path)
    as_it_is = ImportSettings(tpose="keep", leading=0, rate=raw.clip.rate, thorax=False, floor=0.0)
    return repaired(raw, as_it_is).clip
