"""Messages between server and page: commands and replies as JSON, frames and files as bytes."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError

FRAME, FILE, TRACK = 1, 2, 3  # First number of a binary message: its kind
LONGEST_COMMAND = 200_000  # Maximum length (characters) of a command


def json_message(kind: str, **more: Any) -> str:
    """A JSON message to the page; numbers that are not finite become null."""
    message = {"say": kind, **more}
    try:
        return json.dumps(message, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite_json(message), separators=(",", ":"), allow_nan=False)


def _finite_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite_json(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_frame(message: str | bytes) -> bool:
    """Whether a message is a frame, which may be dropped."""
    return isinstance(message, bytes) and message[0] == FRAME


def file_bytes(name: str, content: bytes) -> bytes:
    """The binary message of a file for the page to save."""
    head = json.dumps({"name": name}).encode()
    return np.array([FILE, len(head)], "<u4").tobytes() + head + content


def read_command(text: str | bytes) -> dict[str, Any]:
    """Parse a command of the page."""
    try:
        command = json.loads(text) if len(text) <= LONGEST_COMMAND else None
        json.dumps(command, ensure_ascii=False).encode()  # raises if a text contains a lone surrogate
    except (ValueError, RecursionError):
        command = None
    if not isinstance(command, dict) or not isinstance(command.get("do"), str):
        raise PoiseError("not a valid command")
    return command


def _finite_number(value: Any) -> float | None:
    """The value as a finite float, or None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


class Arguments:
    """Arguments of a command, checked as they are read."""

    def __init__(self, command: Mapping[str, Any]) -> None:
        self._command = command

    def number(self, key: str, least: float, most: float, default: float | None = None) -> float:
        """A finite number within bounds."""
        value = _finite_number(self._command.get(key, default))
        if value is None:
            raise PoiseError(f"{key} must be a number")
        if not least <= value <= most:
            raise PoiseError(f"{key} must be between {least:g} and {most:g}, not {value:g}")
        return value

    def optional_number(self, key: str, least: float, most: float) -> float | None:
        """The same, or None if it is missing."""
        return None if self._command.get(key) is None else self.number(key, least, most)

    def text(self, key: str, default: str = "") -> str:
        """A string."""
        value = self._command.get(key, default)
        if not isinstance(value, str):
            raise PoiseError(f"{key} must be a text")
        return value

    def flag(self, key: str) -> bool:
        """A boolean; False if it is missing."""
        return self._command.get(key) is True

    def vector(self, key: str, most: float) -> Array:
        """Three finite numbers (3,) of a length of at most `most`."""
        values = self._command.get(key)
        found = [_finite_number(x) for x in values] if isinstance(values, list) and len(values) == 3 else [None]
        if None in found:
            raise PoiseError(f"{key} must be three numbers")
        vector = np.array(found, float)
        if np.linalg.norm(vector) > most:
            raise PoiseError(f"{key} must be at most {most:g} long")
        return vector

    def raw(self, key: str) -> Any:
        """The value as it is."""
        return self._command.get(key)
