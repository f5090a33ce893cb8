"""What all commands share: a parser with one-line errors, defaults that are shown, progress, and a report for people
and programs."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn

from poise.errors import PoiseError

# What commands that take files take besides: folders of performances, and motions that come with Poise, by name.


def source_file(given: Path) -> Path:
    """The recording in the folder of a performance, or the reference of a motion by name; else the path as it is."""
    from poise.library.authoring.source import shipped_names
    from poise.library.motions import finished_bodies, finished_path
    from poise.performance.report import FILES

    recording, name = given / FILES[0], str(given)
    if recording.is_file():
        return recording
    if given.is_file() or name not in shipped_names():
        return given
    return next((finished_path(name, body) for body in finished_bodies(name)), given)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and whose options take values that begin with a minus sign."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._negative_number_matcher = re.compile(r"-(\.?\d|[xyz]$)")  # -5, -1:2, -60@1, the axis -z

    def error(self, message: str) -> NoReturn:
        """Print the cause and leave."""
        raise PoiseError(f"{message} (see {self.prog} --help)")


class Defaults(argparse.ArgumentDefaultsHelpFormatter):
    """Shows defaults where they say something."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.default in (None, False, "", []) else super()._get_help_string(action)


class Report:
    """What a command has to say, for people and for programs."""

    def __init__(self, text: str, data: dict[str, Any], code: int = 0) -> None:
        self.text, self.data, self.code = text, data, code


def near(violation: float, barrier: float) -> float:
    """0 to 1: how near a search is to its end: violations go from about 1 to 1e-6, the barrier from 1e-2 to 1e-7."""
    kept = -math.log10(min(max(violation, 1e-6), 1.0)) / 6
    lowered = -math.log10(min(max(barrier / 1e-2, 1e-5), 1.0)) / 5
    return 0.5 * (kept + lowered)


class Watcher:
    """Tells whoever watches a terminal how far long work is; with `--json`, or without a terminal, nothing."""

    def __init__(self, json: bool) -> None:
        self._json, self._watched = json, not json and sys.stderr.isatty()

    def say(self, what: str) -> None:
        """A line on what is being done."""
        if self._watched:
            from tqdm import tqdm

            tqdm.write(f"{what} ...", file=sys.stderr)  # above a bar that may be there

    def log(self, what: str) -> None:
        """A line on what was done, which belongs in a log too: without a terminal it is told at once."""
        if self._watched:
            self.say(what)
        elif not self._json:
            print(what, file=sys.stderr, flush=True)

    def bar(self, steps: int) -> Iterable[int]:
        """Numbers to loop over, with a bar."""
        from tqdm import tqdm

        return tqdm(range(steps), unit="step", leave=False, dynamic_ncols=True) if self._watched else range(steps)

    def rows(self, rows: Iterator[Any], count: int) -> Iterable[Any]:
        """Rows of a study, of which there will be so many, with a bar."""
        from tqdm import tqdm

        return tqdm(rows, total=count, unit="case", leave=False, dynamic_ncols=True) if self._watched else rows

    @contextmanager
    def search(self) -> Iterator[Callable[[Any], None]]:
        """A bar of how near a search is to its end: to be told its `Progress`, from whose first on it is there."""
        from tqdm import tqdm

        form = "obeying physics {percentage:3.0f}%|{bar}| {desc} [{elapsed}]"
        with ExitStack() as opened:
            bars: list[Any] = []

            def tell(progress: Any) -> None:
                if not self._watched:
                    return
                if not bars:
                    bars.append(opened.enter_context(tqdm(total=100, bar_format=form, leave=False, dynamic_ncols=True)))
                bar = bars[0]
                bar.n = max(bar.n, math.floor(100 * near(progress.violation, progress.barrier)))
                bar.set_description_str(f"iteration {progress.iteration}, off by {progress.violation:.0e}")

            yield tell

    def meter(self, size: int) -> Any:
        """A bar of bytes: a context whose `update` is told how many more have come."""
        from tqdm import tqdm

        shown = self._watched and size > 0
        return tqdm(total=size, unit="B", unit_scale=True, leave=False, dynamic_ncols=True, disable=not shown)


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], Report | None], what: str, example: str
) -> Parser:
    """A command with its help, an example and `--json`."""
    command: Parser = commands.add_parser(
        name,
        allow_abbrev=False,
        help=what,
        description=what[0].upper() + what[1:] + ("" if what.endswith("?") else "."),
        epilog=f"Example: {example}",
        formatter_class=Defaults,
    )
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)
    return command
