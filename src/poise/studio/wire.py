"""What goes over the wire: commands and words as JSON, poses and files as bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError

FRAME, FILE, TRACK = 1, 2, 3
"""What a message of bytes begins with."""
LONGEST_COMMAND = 200_000
"""Characters."""


def words(kind: str, **more: Any) -> str:
    """Something said to the page; JSON knows no infinity, which becomes null."""
    told = {"say": kind, **more}
    try:
        return json.dumps(told, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_sayable(told), separators=(",", ":"), allow_nan=False)


def _sayable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sayable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_sayable(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_frame(message: str | bytes) -> bool:
    """Whether a message is a pose, of which the next one tells as much."""
    return isinstance(message, bytes) and message[0] == FRAME


def file_bytes(name: str, content: bytes) -> bytes:
    """A file for the page to save."""
    head = json.dumps({"name": name}).encode()
    return np.array([FILE, len(head)], "<u4").tobytes() + head + content


def read_command(text: str | bytes) -> dict[str, Any]:
    """A command of the page."""
    try:
        told = json.loads(text) if len(text) <= LONGEST_COMMAND else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("do"), str):
        raise PoiseError("this is no command")
    return told


def _finite(value: Any) -> float | None:
    """A number as it is told, or None if it is none; a whole one can be too large to be one of ours."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


class Told:
    """What a command says, checked as it is taken."""

    def __init__(self, command: Mapping[str, Any]) -> None:
        self._command = command

    def number(self, key: str, least: float, most: float, default: float | None = None) -> float:
        """A finite number within bounds."""
        value = _finite(self._command.get(key, default))
        if value is None:
            raise PoiseError(f"{key} must be a number")
        if not least <= value <= most:
            raise PoiseError(f"{key} must be between {least:g} and {most:g}, not {value:g}")
        return value

    def maybe(self, key: str, least: float, most: float) -> float | None:
        """The same, or nothing."""
        return None if self._command.get(key) is None else self.number(key, least, most)

    def text(self, key: str, default: str = "") -> str:
        """A text."""
        value = self._command.get(key, default)
        if not isinstance(value, str):
            raise PoiseError(f"{key} must be a text")
        return value

    def flag(self, key: str) -> bool:
        """True or false; false unless told."""
        return self._command.get(key) is True

    def vector(self, key: str, most: float) -> Array:
        """Three finite numbers, together at most so long."""
        told = self._command.get(key)
        found = [_finite(x) for x in told] if isinstance(told, list) and len(told) == 3 else [None]
        if None in found:
            raise PoiseError(f"{key} must be three numbers")
        vector = np.array(found, float)
        if np.linalg.norm(vector) > most:
            raise PoiseError(f"{key} must be at most {most:g} long")
        return vector

    def raw(self, key: str) -> Any:
        """Whatever is said."""
        return self._command.get(key)
