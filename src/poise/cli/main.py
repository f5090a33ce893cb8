"""The command line. Commands import heavy modules only when they run, so that `--help` is fast."""

import io
import json
import os
import sys
from collections.abc import Sequence

from poise.cli import animate, audit, bench, export, list as listing, motions, perform, prepare, studio, study, tune
from poise.cli.command import Parser
from poise.errors import PoiseError
from poise.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in `arguments`, by default those of the process, and return its exit code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for small matrices threads cost more than they gain
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may contain anything
    try:
        try:
            return _run_command(arguments)
        finally:
            sys.stdout.flush()  # here, so that a full disk is reported below
    except PoiseError as error:
        print(f"poise: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("poise: interrupted", file=sys.stderr)
        return 130
    except OSError as error:  # BrokenPipeError: the reader of our output is gone; others: the disk is full
        # Without this, Python would report another error when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        print(f"poise: {error}", file=sys.stderr)
        return 1


def _run_command(arguments: Sequence[str] | None) -> int:
    parser = build_parser()
    chosen = parser.parse_args(arguments)
    if chosen.run is None:
        parser.print_help()
        return 2
    report = chosen.run(chosen)
    if report is None:
        return 0
    print(json.dumps(report.data) if chosen.json else report.text, flush=True)
    return int(report.code)


def build_parser() -> Parser:
    """The parser of `poise` with all commands."""
    parser = Parser(
        prog="poise",
        allow_abbrev=False,
        description="Characters that perform motions under exact physics.",
        epilog="Example: poise perform fall --body human37 --controller limp --terrain stairs:0.18:0.3:8",
    )
    parser.add_argument("--version", action="version", version=f"poise {__version__}")
    parser.set_defaults(run=None, json=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (perform, prepare, animate, studio, audit, export, motions, study, tune, listing, bench):
        command.add(commands)
    return parser
