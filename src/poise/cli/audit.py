"""`poise audit`."""

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import Report, add_command, resolve_motion_argument
from poise.errors import PoiseError


def add(commands: Any) -> None:
    """Add `poise audit` and its arguments to the commands."""
    what = "check whether a performance or motion is physical"
    command = add_command(commands, "audit", _run_audit, what, "poise audit poise-fall")
    command.add_argument(
        "file",
        type=Path,
        help="a performance (its folder or recording), or a motion that obeys physics: a file prepared with --dynamic "
        "(.npz), or a name (poise list motions)",
    )
    terrain = "the terrain for which a motion was prepared, as for poise perform"
    command.add_argument("--terrain", default="flat", help=terrain)


def _run_audit(chosen: argparse.Namespace) -> Report:
    from poise.measure.audit import audit

    result = audit(_audited_recording(resolve_motion_argument(chosen.file), chosen.terrain))
    verdict, shown = result.verdict, [check for check in result.checks if check.value or not check.passed]
    zero = [check.name for check in result.checks if check not in shown]
    rows = [
        f"{'ok  ' if check.passed else 'FAIL'} {check.name:22} {check.value:10.3g} {check.unit:18} "
        f"{check.limit:17} {check.meaning}{f' ({check.where})' if check.where and not check.passed else ''}"
        for check in sorted(shown, key=lambda check: check.passed)
    ]
    lines = [
        *(str(verdict.word), *(f"  because of {reason}" for reason in verdict.reasons)),
        *(f"  not judged: {what}" for what in verdict.unjudged),
        *(f"  {note}" for note in result.notes),
        *("", *rows),
        *([f"ok   0 or none: {', '.join(zero)}"] if zero else []),
    ]
    return Report("\n".join(lines), result.as_dict(), 0 if result.passed else 1)


def _audited_recording(path: Path, terrain: str) -> Any:
    from poise.physics.dynamic_motion import recording_of_motion
    from poise.reference.archive import is_prepared, load_reference
    from poise.world.recording import Recording

    if not is_prepared(path):
        return Recording.load(path)
    _, motion = load_reference(path)
    if motion is None:
        raise PoiseError(f"{path} has no forces to audit: prepare it with --dynamic")
    return recording_of_motion(motion, terrain)
