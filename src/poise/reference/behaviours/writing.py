"""Behaviour files written again: the author's own text, with other numbers and what a search found."""

from __future__ import annotations

import re
from collections.abc import Mapping

from poise.reference.behaviours.behaviour import Behaviour
from poise.reference.retarget_figure import SIDES

_SECTION = re.compile(r"^\s*\[(\w+)\]\s*(#.*)?$")
_ENTRY = re.compile(r"^(\s*(\w+)\s*=\s*)(\[[^\]]*\]|[^#\s]+)(.*)$")
_FOUND = "found"


def written(behaviour: Behaviour, text: str, found: Mapping[str, float | int | str]) -> str:
    """The text of a behaviour's file with its free numbers instead of those there, and what was found at its end."""
    missing = {(section, name): value for section, name, value in behaviour.free_numbers}
    lines, section = [], ""
    for line in text.splitlines():
        heading = _SECTION.match(line)
        section = heading.group(1) if heading else section
        entry = _ENTRY.match(line)
        if section == _FOUND:
            continue
        if entry and (section, entry.group(2)) in missing:
            line = f"{entry.group(1)}{_told(missing.pop((section, entry.group(2))))}{entry.group(4)}"
        lines.append(line)
    _insert(lines, missing | _sides(behaviour, missing))
    while lines and not lines[-1].strip():
        lines.pop()
    told = [f"{name} = {_quoted(value)}" for name, value in found.items()]
    return "\n".join([*lines, "", f"[{_FOUND}]", *told]) + "\n"


def _sides(behaviour: Behaviour, told: Mapping[tuple[str, str], object]) -> dict[tuple[str, str], tuple[float, ...]]:
    """Poses of single sides, of limbs that are told anew: else these would count for both."""
    names = (f"{side}_{name}" for section, name in told if section == "poses" for side in SIDES)
    return {("poses", name): behaviour.poses[name] for name in names if name in behaviour.poses}


def _insert(lines: list[str], missing: Mapping[tuple[str, str], float | tuple[float, ...]]) -> None:
    """Numbers that a file has from another one are told by itself, each at the head of its table."""
    for (section, name), value in missing.items():
        heads = [k for k, line in enumerate(lines) if (head := _SECTION.match(line)) and head.group(1) == section]
        if not heads:
            lines += ["", f"[{section}]"]
            heads = [len(lines) - 1]
        lines.insert(heads[0] + 1, f"{name} = {_told(value)}")


def _told(value: float | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_told(each) for each in value) + "]"
    return repr(float(f"{value:.4g}"))


def _quoted(value: float | int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
