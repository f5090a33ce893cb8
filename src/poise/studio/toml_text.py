"""TOML from plain values: enough for scripts, and read back as the same values by `tomllib`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from poise.errors import PoiseError

_BARE = re.compile(r"[A-Za-z0-9_\-]+")


def toml_text(values: Mapping[str, Any]) -> str:
    """A file: plain entries first, then tables and lists of tables under headers of their own."""
    plain = {key: value for key, value in values.items() if not _headed(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in values.items():
        if key in plain:
            continue
        for table in value if isinstance(value, list) else [value]:
            header = f"[[{_key(key)}]]" if isinstance(value, list) else f"[{_key(key)}]"
            lines += ["", header, *(f"{_key(inner)} = {_value(told)}" for inner, told in table.items())]
    return "\n".join(lines) + "\n"


def _headed(value: Any) -> bool:
    return isinstance(value, dict) or (
        bool(value) and isinstance(value, list) and all(isinstance(v, dict) for v in value)
    )


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if isinstance(value, list | tuple):
        return _list(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(told)}" for key, told in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise PoiseError(f"{value!r} cannot be written into a script")


def _list(values: Any) -> str:
    """On one line, or with tables in it each on a line of its own."""
    told = [_value(value) for value in values]
    if any(isinstance(value, Mapping) for value in values):
        return "[\n" + "".join(f"    {each},\n" for each in told) + "]"
    return f"[{', '.join(told)}]"
