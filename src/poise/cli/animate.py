"""`poise animate`."""

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Report, add_command


def add(commands: Any) -> None:
    """Add `poise animate` and its arguments to the commands."""
    what = "perform a script of key poses, and optionally solve its constraints"
    command = add_command(commands, "animate", _run_animate, what, "poise animate somersault --solve --out flip")
    option = command.add_argument
    option("script", help="a script by name (poise list scripts), or your own file (.toml)")
    solving = "vary the free numbers of the script until its constraints are met, and write the solved script too"
    option("--solve", action="store_true", help=solving)
    option("--workers", type=int, default=1, metavar="N", help="processes for solving; 1 is best for most scripts")
    option("--seconds", type=float, help="simulated time, s; default: the duration in the script")
    option("--out", type=Path, metavar="DIR", help="folder to write to; default: poise-SCRIPT")


def _run_animate(chosen: argparse.Namespace) -> Report:
    from poise.animate.animate import animate_to
    from poise.animate.read_script import read_script
    from poise.performance.run import check_run_arguments

    if chosen.seconds is not None:
        check_run_arguments(chosen.seconds)
    watcher = ConsoleWatcher(chosen.json)
    script = read_script(chosen.script, chosen.seconds or 0.0)
    folder = chosen.out or Path(f"poise-{script.name}")
    made = animate_to(script, folder, chosen.solve, chosen.seconds, watcher.say, watcher.bar, chosen.workers)
    return Report(made.text(), made.summary, 1 if made.failed else 0)
