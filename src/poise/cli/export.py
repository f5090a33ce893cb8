"""`poise export`."""

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Report, add_command, resolve_motion_argument


def add(commands: Any) -> None:
    """Add `poise export` and its arguments to the commands."""
    command = add_command(
        commands,
        "export",
        _run_export,
        "write a recording or a motion in another format, given by the ending of the target (poise list formats)",
        "poise export poise-fall fall.bvh --from 0.5 --to 2 --fps 30",
    )
    command.add_argument(
        "file",
        type=Path,
        help="a performance (its folder or recording), a prepared motion (.npz), a motion by name "
        "(poise list motions), or a motion file or fetched motion, both without repair",
    )
    option = command.add_argument
    option("target", type=Path, help="file to write")
    option("--from", dest="start", type=float, default=0.0, metavar="S", help="start of the part to write, s")
    option("--to", dest="end", type=float, metavar="S", help="end of the part to write, s")
    option("--fps", type=float, help="frames per second; default: those of the motion file")
    option(
        "--skeleton",
        choices=("file", "repaired"),
        default="file",
        help="BVH: with the offsets of the motion file, or with the bone that the import restored",
    )
    option(
        "--place",
        choices=("file", "origin"),
        default="file",
        help="BVH: where the motion file has the motion, or above the origin, facing +x of Poise",
    )


def _run_export(chosen: argparse.Namespace) -> Report:
    from poise.export.clips import ExportPart
    from poise.export.formats import export
    from poise.files import check_write_targets

    source = resolve_motion_argument(chosen.file)
    check_write_targets([chosen.target], source)
    path = export(
        source,
        chosen.target,
        ConsoleWatcher(chosen.json).bar,
        part=ExportPart(chosen.start, chosen.end, chosen.fps),
        skeleton=chosen.skeleton,
        place=chosen.place,
    )
    return Report(f"wrote {path}", {"files": [str(path)]})
