"""`poise export`."""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.cli.command import Report, Watcher, add_command, source_file

if TYPE_CHECKING:
    from poise.export.clips import Source
    from poise.motion.clip import Clip

TEXTS = (".bvh", ".amc")  # Endings of motion files that are no archives
MOTIONS = {"clip.npy", "poses.npy", "pose_body.npy"}
"""Members of motion archives: a clip of Poise has the first, AMASS files one of the others."""


def add(commands: Any) -> None:
    """Add the command and its arguments."""
    command = add_command(
        commands,
        "export",
        _export,
        "write a recording or a motion in another format, chosen by the ending (poise list formats)",
        "poise export poise-fall fall.glb",
    )
    command.add_argument(
        "file",
        type=Path,
        help="a performance (its folder or recording), a prepared motion (.npz), a motion by name "
        "(poise list motions), or a motion file or fetched motion, which is not repaired",
    )
    command.add_argument("target", type=Path, help="file to write")


def _export(chosen: argparse.Namespace) -> Report:
    from poise.export.formats import export
    from poise.files import check_targets

    source = source_file(chosen.file)
    check_targets([chosen.target], source)
    path = export(read_exportable(source), chosen.target, Watcher(chosen.json).bar)
    return Report(f"wrote {path}", {"files": [str(path)]})


def read_exportable(path: str | Path) -> Source:
    """The recording, prepared motion or motion of a file; nothing in it is repaired."""
    from poise.motion.captures import motion_file
    from poise.reference.archive import is_prepared, load_reference
    from poise.world.recording import Recording

    path = motion_file(path)
    if is_prepared(path):
        clip, motion = load_reference(path)
        return motion or clip
    if path.suffix.lower() in TEXTS or MOTIONS & _members(path):
        return _motion(path)
    return Recording.load(path)


def _members(path: Path) -> set[str]:
    """The names in an archive; empty if the file is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return set()


def _motion(path: Path) -> Clip:
    """The clip of a motion file, converted to our unit and axes and otherwise unchanged."""
    from poise.motion.files import read_motion
    from poise.motion.repair.importer import repaired
    from poise.motion.repair.settings import ImportSettings

    raw = read_motion(path)
    unchanged = ImportSettings(tpose="keep", leading=0, rate=raw.clip.rate, thorax=False, floor=0.0)
    return repaired(raw, unchanged).clip
