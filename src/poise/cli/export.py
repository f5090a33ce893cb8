"""`poise export`."""

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Report, add_command, resolve_motion_argument


def add(commands: Any) -> None:
    """Add `poise export` and its arguments to the commands."""
    what = "write a recording or a motion in another format, given by the ending of the target (poise list formats)"
    command = add_command(commands, "export", _run_export, what, "poise export poise-fall fall.glb")
    command.add_argument(
        "file",
        type=Path,
        help="a performance (its folder or recording), a prepared motion (.npz), a motion by name "
        "(poise list motions), or a motion file or fetched motion, both without repair",
    )
    command.add_argument("target", type=Path, help="file to write")


def _run_export(chosen: argparse.Namespace) -> Report:
    from poise.export.formats import export
    from poise.files import check_write_targets

    source = resolve_motion_argument(chosen.file)
    check_write_targets([chosen.target], source)
    path = export(source, chosen.target, ConsoleWatcher(chosen.json).bar)
    return Report(f"wrote {path}", {"files": [str(path)]})
