"""Solved scripts: the text of a script with the solution of each goal written into it."""

from __future__ import annotations

from math import degrees

from poise.animate.script import Goal, Script
from poise.toml_reader import toml_code_lines, toml_line_numbers


def solved_script_text(script: Script, text: str) -> str:
    """The text of a script with an entry `solved` in each goal: the change of each free parameter."""
    text = text.removesuffix("\n")
    lines, bare, where = text.split("\n"), toml_code_lines(text), toml_line_numbers(text)
    tables: dict[int, list[Goal]] = {}
    for goal in script.goals:
        tables.setdefault(goal.origin[0], []).append(goal)
    for table in sorted(tables, reverse=True):  # from the end, so that line numbers of earlier goals stay valid
        header = where["goal", table, ""]  # counted from 1, hence the index of the line after it
        old = where.get(("goal", table, "solved"))
        if old is not None:
            del lines[old - 1 : _end_of_toml_value(bare, old - 1)]
        lines[header:header] = _solved_entry_lines(tables[table])
    return "\n".join(lines) + "\n"


def _solved_entry_lines(goals: list[Goal]) -> list[str]:
    """Lines of the entry `solved`: a table, or a list of tables for a repeated goal."""
    tables = [_solved_table(goal) for goal in goals]
    if len(tables) == 1 and "#" not in goals[0].free[0].name:
        return [f"solved = {tables[0]}"]
    return ["solved = [", *(f"    {table}," for table in tables), "]"]


def _solved_table(goal: Goal) -> str:
    changes = zip(goal.free, goal.solved, strict=True)
    pairs = [f'"{free.name}" = {degrees(by) if free.kind == "angle" else by:.17g}' for free, by in changes]
    return "{ " + ", ".join(pairs) + " }"


def _end_of_toml_value(bare: list[str], start: int) -> int:
    """Index of the line after a value that starts on the line with index `start` and ends where its brackets close."""
    depth = 0
    for number in range(start, len(bare)):
        depth += sum(bare[number].count(c) for c in "[{") - sum(bare[number].count(c) for c in "]}")
        if depth <= 0:
            return number + 1
    return len(bare)
