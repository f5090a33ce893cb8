"""`poise audit`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import Report, add_command, resolve_source
from poise.errors import PoiseError


def add(commands: Any) -> None:
    """Add `poise audit` and its arguments to the commands."""
    command = add_command(
        commands, "audit", _run_audit, "check whether a performance or motion is physical", "poise audit poise-fall"
    )
    command.add_argument(
        "file",
        type=Path,
        help="a performance (its folder or recording), or a motion that obeys physics: a file prepared with --dynamic "
        "(.npz), or a name (poise list motions)",
    )
    command.add_argument(
        "--terrain", default="flat", help="the terrain for which a motion was prepared, as for poise perform"
    )


def _run_audit(chosen: argparse.Namespace) -> Report:
    from poise.measure.audit import audit

    result = audit(_audited_recording(resolve_source(chosen.file), chosen.terrain))
    lines = [
        f"{'ok  ' if check.passed else 'FAIL'} {check.name:18} {check.value:10.3g} {check.unit:18} "
        f"{f'at most {check.bound:.3g}' if check.bound < float('inf') else '':16} {check.meaning}"
        for check in result.checks
    ]
    lines.append("physical" if result.passed else "NOT physical")
    return Report("\n".join(lines), result.as_dict(), 0 if result.passed else 1)


def _audited_recording(path: Path, terrain: str) -> Any:
    from poise.physics.recorded import recording_of_motion
    from poise.reference.archive import is_prepared, load_reference
    from poise.world.recording import Recording

    if not is_prepared(path):
        return Recording.load(path)
    _, motion = load_reference(path)
    if motion is None:
        raise PoiseError(f"{path} has no forces to audit: prepare it with --dynamic")
    return recording_of_motion(motion, terrain)
