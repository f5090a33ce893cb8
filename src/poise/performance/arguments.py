"""Checks of users' arguments: accept what is obviously meant, else raise an error that says what to give."""

from collections.abc import Iterable
from numbers import Real
from os import PathLike, fspath
from typing import Any

from poise.errors import PoiseError


def number_argument(name: str, value: Any, expected: str = "a number") -> Any:
    """Return the value if it is a number, else raise that the argument `name` must be `expected`."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise PoiseError(f"{name} {value!r}: must be {expected}")
    return value


def optional_text(name: str, value: Any, form: str) -> str | None:
    """Return the value if it is a text or None, else raise with `form` as an example."""
    if value is not None and not isinstance(value, str):
        raise PoiseError(f"{name} {value!r}: must be a text such as '{form}'")
    return value


def text_or_object(name: str, value: Any, attribute: str | None, expected: str) -> Any:
    """Return a text, a path (as text) or an object, not a class, with `attribute` (None: no object); else raise."""
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, str) or (attribute and not isinstance(value, type) and hasattr(value, attribute)):
        return value
    raise PoiseError(f"{name} {value!r}: must be {expected}")


def list_argument(name: str, values: Any, attribute: str | None, expected: str) -> tuple[Any, ...]:
    """Return texts, or objects with `attribute`, as a tuple: of one for a single value, empty for None; else raise."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = () if values is None else (values,)
    return tuple(text_or_object(name, value, attribute, f"a list of {expected}") for value in values)
