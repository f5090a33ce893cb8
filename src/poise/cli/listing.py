"""`poise list`."""

from __future__ import annotations

import argparse
from typing import Any

from poise.cli.command import Report, add_command
from poise.errors import unknown


def add(commands: Any) -> None:
    """Its arguments."""
    command = add_command(commands, "list", _list, "what there is to choose from", "poise list bodies")
    command.add_argument(
        "kind",
        nargs="?",
        default="all",
        help="bodies, motions, captures (see poise motions get), controllers, scripts (see poise animate), terrains, "
        "edits, formats, studies or all",
    )


def _list(chosen: argparse.Namespace) -> Report:
    from poise.catalogue import catalogue

    found = catalogue()
    if chosen.kind != "all" and chosen.kind not in found:
        raise unknown("kind of thing", chosen.kind, [*found, "all"])
    shown = found if chosen.kind == "all" else {chosen.kind: found[chosen.kind]}
    lines = []
    for kind, items in shown.items():
        width = max(map(len, items))
        lines += [f"{kind}:", *(f"  {name:{width}}  {what}" for name, what in items.items())]
    return Report("\n".join(lines), shown)
