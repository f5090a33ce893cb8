"""Tables of a TOML file whose errors name the line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from poise.errors import PoiseError, unknown

_HEADER = re.compile(r"^\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?")
_KEY = re.compile(r"^\s*(\"[^\"]+\"|[\w\-]+)\s*(?:\.[^=]*)?=")

Lines = Mapping[tuple[str, int, str], int]
"""The line of each key: of which table, the how-manieth of that name, and which key; "" is the header itself."""


def lines_of(text: str) -> Lines:
    """Where everything stands in a TOML file."""
    found: dict[tuple[str, int, str], int] = {}
    counts: dict[str, int] = {}
    table, index = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = header[2]
            index = counts[table] = counts.get(table, -1) + 1
            found[table, index, ""] = number
        elif key := _KEY.match(line):
            found.setdefault((table, index, key[1].strip('"')), number)
    return found


class Entry:
    """A table of a file: its values, checked as they are taken."""

    def __init__(self, file: str, lines: Lines, table: str, index: int, values: Mapping[str, Any], within: str = ""):
        self._file, self._lines, self._table, self._index = file, lines, table, index
        self._values, self._within = values, within

    @classmethod
    def read(cls, path: Path) -> Entry:
        """A whole file."""
        try:
            text = path.read_text(encoding="utf-8")
            values = tomllib.loads(text)
        except OSError as error:
            raise PoiseError(f"cannot read {path}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PoiseError(f"{path.name} is no TOML file: {error}") from None
        return cls(path.name, lines_of(text), "", 0, values)

    def __contains__(self, key: str) -> bool:
        """Whether the table says anything of it."""
        return key in self._values

    @property
    def keys(self) -> tuple[str, ...]:
        """All that the table says."""
        return tuple(self._values)

    @property
    def index(self) -> int:
        """The how-manieth table of its name it is."""
        return self._index

    def fail(self, message: str, key: str = "") -> PoiseError:
        """The error for something wrong here."""
        line = self._lines.get((self._table, self._index, self._within or key))
        line = line or self._lines.get((self._table, self._index, ""))
        return PoiseError(f"{self._file}{f', line {line}' if line else ''}: {message}")

    def blame(self, error: PoiseError, key: str = "") -> PoiseError:
        """An error of some other part, which was caused here."""
        return self.fail(str(error), key)

    def check(self, valid: Collection[str]) -> None:
        """Raise an error for whatever the table says that nobody reads."""
        for key in self._values:
            if key not in valid:
                raise self.blame(unknown("entry", key, valid), key)

    def raw(self, key: str, default: Any = None) -> Any:
        """Whatever is said."""
        return self._values.get(key, default)

    def number(self, key: str, default: float | None = None, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite number."""
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            what = "is missing" if value is None else f"must be a number, not {value!r}"
            raise self.fail(f"'{key}' {what}", key)
        if not least <= value <= most:
            bounds = f"at least {least:g}" + (f" and at most {most:g}" if math.isfinite(most) else "")
            raise self.fail(f"'{key}' must be {bounds}, not {value:g}", key)
        return float(value)

    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """So many finite numbers."""
        value = self._values.get(key, default)
        good = isinstance(value, list | tuple) and len(value) == count
        if not good or not all(isinstance(v, int | float) and math.isfinite(v) for v in value):
            raise self.fail(f"'{key}' must be {count} numbers, not {value!r}", key)
        return tuple(float(v) for v in value)

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self.fail(f"'{key}' " + ("is missing" if value is None else f"must be a text, not {value!r}"), key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Texts, none if nothing is said; a single one counts as a list."""
        value = self._values.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.fail(f"'{key}' must be texts, not {value!r}", key)
        return tuple(value)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.fail(f"'{key}' must be true or false, not {value!r}", key)
        return value

    def inner(self, key: str) -> Entry:
        """A table within this one; empty if there is none."""
        return self._entered(key, self._values.get(key, {}))

    def inners(self, key: str) -> list[Entry]:
        """A list of tables that stands on one line or a few."""
        value = self._values.get(key, [])
        return self.listed(key, value if isinstance(value, list) else [value])

    def listed(self, key: str, tables: Iterable[object]) -> list[Entry]:
        """Tables that stand for what a key says."""
        return [self._entered(key, table) for table in tables]

    def _entered(self, key: str, value: object) -> Entry:
        if not isinstance(value, Mapping):
            raise self.fail(f"'{key}' must be a table, not {value!r}", key)
        path = f"{self._table}.{key}".strip(".")
        if (path, self._index, "") in self._lines:
            return Entry(self._file, self._lines, path, self._index, value)
        return Entry(self._file, self._lines, self._table, self._index, value, self._within or key)

    def tables(self, key: str) -> Iterator[Entry]:
        """The tables [[key]] of the file."""
        value = self._values.get(key, [])
        path = f"{self._table}.{key}".strip(".")
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise self.fail(f"must be written as [[{path}]]", key)
        for index, item in enumerate(value):
            yield Entry(self._file, self._lines, path, index, item)
