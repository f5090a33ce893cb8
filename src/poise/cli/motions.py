"""`poise motions get` and `poise motions build`."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Report, add_command


def add(commands: Any) -> None:
    """Add `poise motions`, its actions `get` and `build`, and their arguments to the commands."""
    example = "poise motions get 02_01 16_17"
    what = "fetch motions of a public database, or make shipped motions obey physics on a body"
    motions = commands.add_parser(
        "motions", allow_abbrev=False, help=what, description=f"{what.capitalize()}.", epilog=f"Example: {example}"
    )
    actions = motions.add_subparsers(title="actions", metavar="ACTION", required=True)
    fetching = "fetch captured motions, check them, and store them with their licence"
    get = add_command(actions, "get", _run_get, fetching, example)
    names = "captured motions (poise list captures); once fetched, a name can be used in place of a motion file"
    host = "address to fetch from (https, http or file); default: a copy of the CMU database on GitHub"
    cache = "folder to store the files in; default: your cache folder, the only folder where names are looked up"
    get.add_argument("names", nargs="+", metavar="NAME", help=names)
    get.add_argument("--from", dest="host", metavar="URL", help=host)
    get.add_argument("--cache", type=Path, metavar="DIR", help=cache)
    what = "make motions obey physics on a body, starting from the sources (.toml) of the motions"
    build = add_command(actions, "build", _run_build, what, "poise motions build walk turn-45 --body human58")
    names = "shipped motions, or sources (.toml); default: all shipped motions"
    body = "a body by name, a MJCF file, or a motion file for whose skeleton a body is built"
    build.add_argument("names", nargs="*", metavar="NAME", help=names)
    build.add_argument("--body", default="biped29", help=body)
    build.add_argument("--out", type=Path, metavar="DIR", help="folder to write to; default: motions-BODY")


def _run_build(chosen: argparse.Namespace) -> Report:
    from poise.files import check_folder_writable
    from poise.library.authoring.source import shipped_names
    from poise.library.bodies import load_shipped_or_own_body
    from poise.library.motions import build_shipped_motion, shipped_motions_in_build_order
    from poise.physics.dynamic_motion import Physics
    from poise.reference.archive import save_prepared

    body = load_shipped_or_own_body(chosen.body)
    folder: Path = chosen.out or Path(f"motions-{body.name}")
    check_folder_writable(folder)
    watcher = ConsoleWatcher(chosen.json)
    lines, found = [], {}
    for name in shipped_motions_in_build_order(chosen.names or shipped_names()):
        watcher.say(name)
        with watcher.search() as search:
            physics = Physics.timed(partial(build_shipped_motion, name, body, watch=search))
        folder.mkdir(parents=True, exist_ok=True)
        path = save_prepared(physics.dynamic.clip, folder / f"{Path(name).stem}.npz", physics.dynamic)
        lines.append(f"wrote {path}: {physics.brief()}")
        found[Path(name).stem] = {"file": str(path), **physics.as_dict()}
    return Report("\n".join(lines), found)


def _run_get(chosen: argparse.Namespace) -> Report:
    from poise.motion import captures

    library, folder = captures.cmu_mocap_archive(), chosen.cache or captures.mocap_cache_folder()
    wanted = [library.capture(name) for name in dict.fromkeys(chosen.names)]
    missing = [capture for capture in wanted if captures.cached_mocap_file(capture, folder) is None]
    with ConsoleWatcher(chosen.json).meter(sum(capture.size for capture in missing)) as meter:
        for capture in missing:
            captures.fetch_mocap_file(capture, chosen.host or library.host, folder, library.licence, meter.update)
    new = [capture.name for capture in missing]
    lines = [f"{'wrote' if c.name in new else 'had'} {folder / c.file} ({c.what}, {c.seconds:g} s)" for c in wanted]
    lines.append(f"from the {library.title}; licence: {folder / captures.LICENCE}")
    files = [str(folder / capture.file) for capture in wanted]
    return Report("\n".join(lines), {"files": files, "fetched": new, "licence": str(folder / captures.LICENCE)})
