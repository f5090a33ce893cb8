"""Behaviour files written again: the author's own text, with other numbers and what a search found."""

from __future__ import annotations

import re
from collections.abc import Mapping

from poise.errors import PoiseError
from poise.reference.behaviours.behaviour import Behaviour

_SECTION = re.compile(r"^\s*\[(\w+)\]\s*(#.*)?$")
_ENTRY = re.compile(r"^(\s*(\w+)\s*=\s*)(\[[^\]]*\]|[^#\s]+)(.*)$")
_FOUND = "found"


def written(behaviour: Behaviour, text: str, found: Mapping[str, float | int | str]) -> str:
    """The text of a behaviour's file with its numbers instead of those there, and what was found at its end."""
    tables: Mapping[str, Mapping[str, float | tuple[float, ...]]] = {
        "control": behaviour.control,
        "start": behaviour.start,
        "poses": behaviour.poses,
    }
    missing = {(section, name) for section, table in tables.items() for name in table}
    lines, section = [], ""
    for line in text.splitlines():
        heading = _SECTION.match(line)
        section = heading.group(1) if heading else section
        entry = _ENTRY.match(line)
        if section == _FOUND:
            continue
        if entry and entry.group(2) in tables.get(section, {}):
            name = entry.group(2)
            line = f"{entry.group(1)}{_told(tables[section][name])}{entry.group(4)}"
            missing.discard((section, name))
        lines.append(line)
    if missing:
        raise PoiseError(f"{behaviour.path.name}: write {sorted(missing)[0][1]} on a line of its own, to be tuned")
    while lines and not lines[-1].strip():
        lines.pop()
    told = [f"{name} = {_quoted(value)}" for name, value in found.items()]
    return "\n".join([*lines, "", f"[{_FOUND}]", *told]) + "\n"


def _told(value: float | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_told(each) for each in value) + "]"
    return repr(float(f"{value:.4g}"))


def _quoted(value: float | int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
