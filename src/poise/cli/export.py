"""`poise export`."""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path
from typing import Any

from poise.cli.command import Report, Watcher, add_command, source_file
from poise.export.clips import Source
from poise.motion.captures import motion_file
from poise.motion.clip import Clip
from poise.motion.files import read_motion
from poise.motion.repair.importer import repaired
from poise.motion.repair.settings import ImportSettings
from poise.reference.archive import is_prepared, load_reference
from poise.world.recording import Recording

# Files that can be exported: recordings, prepared motions, and motion files as they are.

TEXTS = (".bvh", ".amc")
"""Endings of motion files that are not archives."""
MOTIONS = {"clip.npy", "poses.npy", "pose_body.npy"}
"""What an archive of motion holds one of: a clip of ours, or poses as AMASS has them."""


def read_exportable(path: str | Path) -> Source:
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


def add(commands: Any) -> None:
    """Its arguments."""
    command = add_command(
        commands,
        "export",
        _export,
        "write a recording or a motion in another format, by the ending (poise list formats)",
        "poise export poise-fall fall.glb",
    )
    command.add_argument(
        "file",
        type=Path,
        help="a performance (its folder or recording), a prepared motion (.npz), a motion by name "
        "(poise list motions), or a motion file or fetched motion as it is",
    )
    command.add_argument("target", type=Path, help="file to write")


def _export(chosen: argparse.Namespace) -> Report:
    from poise.export.formats import export
    from poise.files import check_targets

    source = source_file(chosen.file)
    check_targets([chosen.target], source)
    path = export(read_exportable(source), chosen.target, Watcher(chosen.json).bar)
    return Report(f"wrote {path}", {"files": [str(path)]})
