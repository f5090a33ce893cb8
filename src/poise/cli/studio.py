"""`poise studio`."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from poise.cli.command import Report, add_command
from poise.errors import PoiseError, known_name


def add(commands: Any) -> None:
    """Add `poise studio` and its options to the commands."""
    what = "open the studio: see, push, steer and pose characters in a browser"
    command = add_command(commands, "studio", _run_studio, what, "poise studio --motion walk --controller pendulum")
    option = command.add_argument
    option("--motion", help="a shipped motion to start with (poise list motions)")
    option("--body", help="a shipped body; default: the body that suits the controller")
    option("--controller", help="a controller by name (poise list controllers)")
    option("--terrain", help="terrain to start on, such as slope:5")
    option("--port", type=int, default=0, help="port to serve on; 0 takes any free port")
    option("--no-browser", action="store_true", help="print the address without opening it")


def _run_studio(chosen: argparse.Namespace) -> Report | None:
    import asyncio
    import tempfile

    if not 0 <= chosen.port < 65536:
        raise PoiseError(f"port {chosen.port}: must be between 0 and 65535")
    from poise.studio.server import Studio, serve_until_stopped

    option_names = ("motion", "body", "controller", "terrain")
    first = {name: getattr(chosen, name) for name in option_names if getattr(chosen, name) is not None}
    _check_first_choice(first)
    try:
        with tempfile.TemporaryDirectory(prefix="poise-studio-") as folder:
            announce = partial(_announce_address, chosen=chosen, folder=Path(folder))
            asyncio.run(serve_until_stopped(Studio(first), chosen.port, announce))
    except KeyboardInterrupt:
        pass  # Ctrl+C is the regular way to end the studio
    except OSError as error:
        raise PoiseError(f"the studio cannot keep its files: {error.strerror or error}") from None
    return None


def _check_first_choice(first: dict[str, str]) -> None:
    """Raise if a name in the first choice is unknown, before the server is opened."""
    from poise.body.assemble import body_names
    from poise.control.catalogue import controller_names
    from poise.library.motions import motion_names
    from poise.world.terrain_kinds import parse_terrain

    for kind, valid in (("motion", motion_names()), ("body", body_names()), ("controller", controller_names())):
        if kind in first:
            known_name(kind, first[kind], valid)
    parse_terrain(first.get("terrain", "flat"))


def _announce_address(studio: Any, chosen: argparse.Namespace, folder: Path) -> None:
    """Print the address of the page and open it; `folder` is private."""
    import json
    import webbrowser

    if chosen.json:
        print(json.dumps({"address": studio.address, "port": studio.port}), flush=True)
    else:
        print(f"The studio is open at {studio.address} (Ctrl+C ends it)", flush=True)
    if not chosen.no_browser:  # by a file: all users of a machine can read the arguments of a browser
        link = folder / "open.html"
        link.write_text(f'<meta http-equiv="refresh" content="0; url={studio.address}">')
        webbrowser.open(link.as_uri())
