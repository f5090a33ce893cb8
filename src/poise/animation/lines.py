"""On which lines of a TOML file its tables, keys and list items stand: tomllib does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping

Lines = Mapping[tuple[str, int, str], int]
"""The line of each key: of which table, the how-manieth of that name, and which key; "" is the header itself.

A table within another is called `OUTER#HOW-MANIETH.INNER`, a table in a list on one or a few lines `KEY[HOW-MANIETH]`.
"""

_HEADER = re.compile(r"^\s*\[\[?\s*([\w.\-]+)\s*\]\]?")
_KEY = re.compile(r"^\s*(\"[^\"]+\"|[\w\-]+)\s*(?:\.[^=]*)?=")
_MUTE = re.compile(r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*')
"""Texts and remarks."""


def lines_of(text: str) -> Lines:
    """Where everything stands, counted from 1."""
    found: dict[tuple[str, int, str], int] = {}
    counts: dict[str, int] = {}
    table, index, key, depth, items = "", 0, "", 0, 0
    for number, (line, code) in enumerate(zip(text.split("\n"), bare_lines(text), strict=True), start=1):
        if depth == 0 and not code.strip():
            continue
        if depth == 0 and (header := _HEADER.match(code)):
            table = _path(header[1], counts)
            index = counts[table] = counts.get(table, -1) + 1
            found[table, index, ""] = number
            continue
        if depth == 0 and (told := _KEY.match(line)):
            key, items = told[1].strip('"'), 0
            found.setdefault((table, index, key), number)
        for bracket in re.findall(r"[\[\]{}]", code):
            depth += 1 if bracket in "[{" else -1
            if depth == 2 and bracket in "[{":
                found[table, index, item(key, items)] = number
                items += 1
    return found


def bare_lines(text: str) -> list[str]:
    """Its lines, with blanks in place of texts and remarks."""
    return _MUTE.sub(lambda mute: re.sub(r"[^\n]", " ", mute[0]), text).split("\n")


def within(table: str, index: int, key: str) -> str:
    """What a table is called that stands in another."""
    return f"{table}#{index}.{key}" if table else key


def item(key: str, index: int) -> str:
    """What a table is called that stands in a list."""
    return f"{key}[{index}]"


def _path(name: str, counts: Mapping[str, int]) -> str:
    """What the table of a header is called: within the last ones of those that it names."""
    outer, *inner = name.split(".")
    for part in inner:
        outer = within(outer, counts.get(outer, 0), part)
    return outer
