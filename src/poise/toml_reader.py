"""Checked access to the tables of a TOML file; errors name the file and line."""

import math
import re
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeGuard

from poise.errors import PoiseError, known_name
from poise.files import read_file

Lines = Mapping[tuple[str, int, str], int]
"""Line number of each (table, index among the tables of that name, key); the key "" is the table's header.

A nested table is named `OUTER#INDEX.INNER`, an inline table in a list `KEY[INDEX]`. (tomllib gives no line numbers.)
"""

LARGEST = 2**20  # bytes of a file
DEEPEST = 32  # levels of nested tables and lists
_HEADER = re.compile(r"^\s*\[\[?\s*([\w.\-]+)\s*\]\]?")
_KEY = re.compile(r"^\s*(\"[^\"]+\"|[\w\-]+)\s*(?:\.[^=]*)?=")
_INERT = re.compile(r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*')
"""Strings and comments, in which brackets have no meaning."""
_PIECE = re.compile(r"[=,{}\[\]\n]")  # What separates keys and values


def read_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text; raises a ValueError if it is not one, or is nested too deeply."""
    # tomllib needs a time that grows with the square of the number of parts of a dotted key.
    if any(piece.count(".") > DEEPEST for piece in _PIECE.split(_INERT.sub("", text))):
        raise ValueError(f"nested more than {DEEPEST} deep")
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"nested more than {DEEPEST} deep") from None
    level: list[Any] = [values]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
        level = [value for value in level if isinstance(value, dict | list)]
    if level:
        raise ValueError(f"nested more than {DEEPEST} deep")
    return values


def toml_line_numbers(text: str) -> Lines:
    """Line numbers, from 1, of the tables, keys and inline list items of a TOML text."""
    found: dict[tuple[str, int, str], int] = {}
    counts: dict[str, int] = {}
    table, index, key, depth, items = "", 0, "", 0, 0
    for number, (line, code) in enumerate(zip(text.split("\n"), toml_code_lines(text), strict=True), start=1):
        if depth == 0 and not code.strip():
            continue
        if depth == 0 and (header := _HEADER.match(code)):
            table = _header_table_name(header[1], counts)
            index = counts[table] = counts.get(table, -1) + 1
            found[table, index, ""] = number
            continue
        if depth == 0 and (match := _KEY.match(line)):
            key, items = match[1].strip('"'), 0
            found.setdefault((table, index, key), number)
        for bracket in re.findall(r"[\[\]{}]", code):
            depth += 1 if bracket in "[{" else -1
            if depth == 2 and bracket in "[{":
                found[table, index, f"{key}[{items}]"] = number
                items += 1
    return found


def toml_code_lines(text: str) -> list[str]:
    """The lines of a TOML text, with strings and comments replaced by blanks."""
    return _INERT.sub(lambda inert: re.sub(r"[^\n]", " ", inert[0]), text).split("\n")


def nested_table_name(table: str, index: int, key: str) -> str:
    """The name, in `Lines`, of the table under `key` of another table."""
    return f"{table}#{index}.{key}" if table else key


def _header_table_name(name: str, counts: Mapping[str, int]) -> str:
    """The name, in `Lines`, of the table of a dotted header; each part means the latest table of that name."""
    outer, *inner = name.split(".")
    for part in inner:
        outer = nested_table_name(outer, counts.get(outer, 0), part)
    return outer


class TomlError(PoiseError):
    """An error whose message names the file, and the line if known."""


class TomlTable:
    """A table of a TOML file whose values are checked as they are read."""

    def __init__(self, file: str, lines: Lines, table: str, index: int, values: Mapping[str, Any], key: str = ""):
        """A table with a header; or, if `key` is given, the inline table or list item under that key."""
        self._file, self._lines, self._table, self._index = file, lines, table, index
        self._values, self._key = values, key

    @classmethod
    def read(cls, path: Path) -> "TomlTable":
        """The top-level table of a file."""
        content = read_file(path, LARGEST)
        try:
            text = content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
            values = read_toml(text)
        except ValueError as error:
            raise PoiseError(f"{path.name} is not a TOML file: {error}") from None
        return cls(path.name, toml_line_numbers(text), "", 0, values)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the table, in order."""
        return tuple(self._values)

    @property
    def index(self) -> int:
        """Index of this table among the tables of the same name."""
        return self._index

    def has_line(self, key: str = "") -> bool:
        """Whether `key` has a line of its own; without `key`, whether the table has a header."""
        return not self._key and (self._table, self._index, key) in self._lines

    def fail(self, message: str, key: str = "") -> TomlError:
        """The error for a fault in this table; the message names the line of `key`, if given, else of the table."""
        own = (self._table, self._index)
        inner = (nested_table_name(*own, key), 0, "")  # the header of a table of that name
        places = ((*own, self._key or key), inner, (*own, self._key.partition("[")[0]), (*own, ""))
        line = next((self._lines[place] for place in places if place in self._lines), None)
        return TomlError(f"{self._file}{f', line {line}' if line else ''}: {message}")

    def blame(self, error: PoiseError, key: str = "") -> TomlError:
        """An error caused by the value of `key`, with the line of `key` added; a `TomlError` is returned unchanged."""
        return error if isinstance(error, TomlError) else self.fail(str(error), key)

    @contextmanager
    def blaming(self, key: str = "") -> Iterator[None]:
        """Context that adds the file and the line of `key` to any `PoiseError` raised inside."""
        try:
            yield
        except PoiseError as error:
            raise self.blame(error, key) from None

    def check(self, valid: Collection[str]) -> None:
        """Raise if the table has a key that is not in `valid`."""
        for key in self._values:
            with self.blaming(key):
                known_name("entry", key, valid)

    def raw(self, key: str, default: Any = None) -> Any:
        """The value of `key`, unchecked."""
        return self._values.get(key, default)

    def number(self, key: str, default: float | None = None, least: float = -math.inf, most: float = math.inf) -> float:
        """The finite number under `key`, from `least` to `most`."""
        value = self._values.get(key, default)
        if not is_number(value):
            what = "is missing" if value is None else f"must be a number, not {value!r}"
            raise self.fail(f"'{key}' {what}", key)
        if not least <= value <= most:
            bounds = f"at least {least:g}" + (f" and at most {most:g}" if math.isfinite(most) else "")
            raise self.fail(f"'{key}' must be {bounds}, not {value:g}", key)
        return float(value)

    def positive(self, key: str, default: float | None = None) -> float:
        """The finite number under `key`, which must be more than 0."""
        value = self.number(key, default)
        if value <= 0:
            raise self.fail(f"'{key}' must be more than 0, not {value:g}", key)
        return value

    def whole(self, key: str, default: int | None, least: int, most: float = math.inf) -> int:
        """The whole number under `key`, from `least` to `most`."""
        value = self.number(key, default, least, most)
        if value != int(value):
            raise self.fail(f"'{key}' must be a whole number, not {value:g}", key)
        return int(value)

    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """The `count` finite numbers under `key`."""
        value = self._values.get(key, default)
        good = isinstance(value, list | tuple) and len(value) == count
        if not good or not all(is_number(v) for v in value):
            what = "is missing" if value is None else f"must be {count} numbers, not {value!r}"
            raise self.fail(f"'{key}' {what}", key)
        return tuple(float(v) for v in value)

    def text(self, key: str, default: str | None = None) -> str:
        """The string under `key`."""
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self.fail(f"'{key}' " + ("is missing" if value is None else f"must be a text, not {value!r}"), key)
        return value

    def choice(self, key: str, what: str, valid: Collection[str]) -> str:
        """The string under `key`, which must be one of the `valid` names of `what`."""
        with self.blaming(key):
            return known_name(what, self.text(key), valid)

    def texts(self, key: str) -> tuple[str, ...]:
        """The strings under `key`; empty if the key is missing. A single string counts as a list of one."""
        value = self._values.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.fail(f"'{key}' must be texts, not {value!r}", key)
        return tuple(value)

    def flag(self, key: str) -> bool:
        """The boolean under `key`; False if the key is missing."""
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            raise self.fail(f"'{key}' must be true or false, not {value!r}", key)
        return value

    def inner(self, key: str) -> "TomlTable":
        """The nested table under `key`; empty if the key is missing."""
        return self._entered(key, 0, self._values.get(key, {}), key)

    def inners(self, key: str) -> "list[TomlTable]":
        """The tables under `key`, inline or with headers of their own. A single table counts as a list of one."""
        value = self._values.get(key, [])
        return self.listed(key, value if isinstance(value, list) else [value])

    def listed(self, key: str, tables: Iterable[object]) -> "list[TomlTable]":
        """A `TomlTable` for each of `tables`, the values of the list under `key`."""
        return [self._entered(key, index, table, f"{key}[{index}]") for index, table in enumerate(tables)]

    def _entered(self, key: str, index: int, value: object, name: str) -> "TomlTable":
        if not isinstance(value, Mapping):
            raise self.fail(f"'{key}' must be a table, not {value!r}", key)
        table = nested_table_name(self._table, self._index, key)
        inside = nested_table_name(table, index, "")
        headed = (table, index, "") in self._lines or any(other.startswith(inside) for other, _, _ in self._lines)
        if headed and not self._key:  # the table, or one nested in it, has a header
            return TomlTable(self._file, self._lines, table, index, value)
        return TomlTable(self._file, self._lines, self._table, self._index, value, self._key or name)

    def tables(self, key: str) -> "list[TomlTable]":
        """The tables with the header [[key]]; raise if they are written in another way."""
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(table, Mapping) for table in value):
            raise self.fail(f"must be written as [[{'.'.join(filter(None, (self._table, key)))}]]", key)
        return self.listed(key, value)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a finite number; a boolean does not count as a number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
