"""`poise motions get`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import Report, Watcher, add_command


def add(commands: Any) -> None:
    """Its actions and their arguments."""
    example = "poise motions get 02_01 16_17"
    what = "motions of a public database"
    motions = commands.add_parser(
        "motions", allow_abbrev=False, help=what, description=f"Get {what}.", epilog=f"Example: {example}"
    )
    actions = motions.add_subparsers(title="actions", metavar="ACTION", required=True)
    get = add_command(actions, "get", _get, "fetch captured motions, check them and keep them with a licence", example)
    get.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        help="captured motions (poise list captures); once fetched, their names are taken wherever a motion file is",
    )
    get.add_argument(
        "--from",
        dest="host",
        default=None,
        metavar="URL",
        help="another place that has the files: https://, http:// or file://; by default a copy of the CMU database "
        "on GitHub",
    )
    get.add_argument(
        "--cache",
        type=Path,
        default=None,
        metavar="DIR",
        help="folder to keep them in; by default that of your cache, the only one in which names are looked up",
    )


def _get(chosen: argparse.Namespace) -> Report:
    from poise.library import cache_folder, cmu, fetch, kept
    from poise.library.fetch import LICENCE

    library, folder = cmu(), chosen.cache or cache_folder()
    wanted = [library.capture(name) for name in dict.fromkeys(chosen.names)]
    missing = [capture for capture in wanted if kept(capture, folder) is None]
    with Watcher(chosen.json).meter(sum(capture.size for capture in missing)) as meter:
        for capture in missing:
            fetch(capture, chosen.host or library.host, folder, library.licence, meter.update)
    new = [capture.name for capture in missing]
    lines = [f"{'wrote' if c.name in new else 'had'} {folder / c.file} ({c.what}, {c.seconds:g} s)" for c in wanted]
    lines.append(f"from the {library.title}; what you may do with them: {folder / LICENCE}")
    files = [str(folder / capture.file) for capture in wanted]
    return Report("\n".join(lines), {"files": files, "fetched": new, "licence": str(folder / LICENCE)})
