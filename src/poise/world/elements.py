"""Small helpers to write MJCF without losing digits."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from poise.body.mjcf import numbers

__all__ = ["element", "geom", "numbers"]


def geom(name: str, kind: str, **attributes: object) -> Element:
    """A geom; sequences of numbers are written out."""
    return element("geom", name=name, type=kind, **attributes)


def element(tag: str, **attributes: object) -> Element:
    """An MJCF element; sequences of numbers are written out, floats keep every digit."""
    written = {}
    for key, value in attributes.items():
        if isinstance(value, str):
            written[key] = value
        elif isinstance(value, Iterable):
            written[key] = numbers(value)
        elif isinstance(value, (float, int)):
            written[key] = repr(value)
    return Element(tag, written)
