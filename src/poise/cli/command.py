"""What all commands share: a parser with one-line errors, progress on a terminal, and reports as text and as JSON."""

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

from poise.errors import PoiseError


class Report:
    """The result of a command: text for people, data for `--json`, and the exit code."""

    def __init__(self, text: str, data: dict[str, Any], code: int = 0) -> None:
        self.text, self.data, self.code = text, data, code


class Parser(argparse.ArgumentParser):
    """An argument parser with one-line errors, whose options accept values that begin with a minus sign."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._negative_number_matcher = re.compile(r"-(\.?\d|[xyz]$)")  # -5, -1:2, -60@1, the axis -z

    def add_repeated(self, name: str, *, help: str, **more: Any) -> None:
        """Add an option that may be given several times; the parsed value is a list."""
        self.add_argument(name, action="append", default=[], help=f"{help}; repeatable", **more)

    def error(self, message: str) -> NoReturn:
        """Raise a PoiseError with the message, in place of argparse's exit."""
        raise PoiseError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write a message; unlike argparse, raise if it cannot be written."""
        (file or sys.stderr).write(message)


class Defaults(argparse.ArgumentDefaultsHelpFormatter):
    """A help formatter that appends "(default: ...)" to options that take a value, if the default is not empty."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        plain = action.nargs == 0 or action.default in (None, "", [])
        return action.help if plain else super()._get_help_string(action)


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], Report | None], what: str, example: str
) -> Parser:
    """Add a command with help text `what`, an `example` and the option `--json`; `run` executes the command."""
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


def chosen_values(kind: Any, chosen: argparse.Namespace) -> dict[str, Any]:
    """Values, by name, of the chosen options that are also fields of the dataclass `kind`; lists become tuples."""
    given = {field.name: getattr(chosen, field.name) for field in fields(kind) if hasattr(chosen, field.name)}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def resolve_motion_argument(given: Path) -> Path:
    """The file that `given` means: the recording in a performance's folder, a shipped motion by name, or itself."""
    from poise.library.authoring.source import shipped_names
    from poise.library.motions import shipped_dynamic_bodies, shipped_dynamic_path
    from poise.performance.report import FILES
    from poise.reference.archive import FILE

    recording, name = given / FILES[0], str(given)
    if recording.is_file():
        return recording
    if (given / FILE).is_file():
        raise PoiseError(f"{given} is the folder of a prepared motion: name its file {given / FILE}")
    if given.is_file() or name not in shipped_names():
        return given
    return next((shipped_dynamic_path(name, body) for body in shipped_dynamic_bodies(name)), given)


class ConsoleWatcher:
    """Shows the progress of long work on a terminal; with `--json` or without a terminal, only iterates."""

    def __init__(self, json: bool) -> None:
        self._json, self._watched = json, not json and sys.stderr.isatty()

    def say(self, what: str) -> None:
        """Print one line that says what is being done, if there is a terminal."""
        if self._watched:
            from tqdm import tqdm

            tqdm.write(f"{what} ...", file=sys.stderr)  # above a progress bar, if there is one

    def log(self, what: str) -> None:
        """Print one line that says what was done; also without a terminal, so that log files contain the line."""
        if self._watched:
            self.say(what)
        elif not self._json:
            print(what, file=sys.stderr, flush=True)

    def bar(self, steps: int) -> Iterable[int]:
        """Iterate over 0 ... `steps` - 1 with a progress bar."""
        return self._shown(range(steps), steps, "step")

    def rows(self, rows: Iterator[Any], count: int) -> Iterable[Any]:
        """Iterate over the `count` rows of a study with a progress bar."""
        return self._shown(rows, count, "case")

    def _shown(self, items: Iterable[Any], count: int, unit: str) -> Iterable[Any]:
        from tqdm import tqdm

        return tqdm(items, total=count, unit=unit, leave=False, dynamic_ncols=True) if self._watched else items

    @contextmanager
    def search(self) -> Iterator[Callable[[Any], None]]:
        """Context that provides a function; each call shows an `OptimiserProgress` in a progress bar."""
        from tqdm import tqdm

        form = "obeying physics {percentage:3.0f}%|{bar}| {desc} [{elapsed}]"
        with ExitStack() as opened:
            bars: list[Any] = []

            def show_search(progress: Any) -> None:
                if not self._watched:
                    return
                if not bars:
                    bars.append(opened.enter_context(tqdm(total=100, bar_format=form, leave=False, dynamic_ncols=True)))
                bar = bars[0]
                bar.n = max(bar.n, math.floor(100 * search_share_done(progress.violation, progress.barrier)))
                bar.set_description_str(f"iteration {progress.iteration}, off by {progress.violation:.0e}")

            yield show_search

    def meter(self, size: int) -> Any:
        """A progress bar of `size` bytes, as a context manager whose `update` adds the bytes that have arrived."""
        from tqdm import tqdm

        shown = self._watched and size > 0
        return tqdm(total=size, unit="B", unit_scale=True, leave=False, dynamic_ncols=True, disable=not shown)


def search_share_done(violation: float, barrier: float) -> float:
    """Share (0 to 1) of a search that is done: violations fall from about 1 to 1e-6, the barrier from 1e-2 to 1e-7."""
    kept = -math.log10(min(max(violation, 1e-6), 1.0)) / 6
    lowered = -math.log10(min(max(barrier / 1e-2, 1e-5), 1.0)) / 5
    return 0.5 * (kept + lowered)
