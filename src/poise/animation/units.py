"""Units in which people are told: degrees where we have radians."""

from __future__ import annotations

from math import degrees

from poise.animation.flight import LEADS_TO, TURNS_BY
from poise.animation.read_goals import TURNED
from poise.control.poses.sensors import Sensor


def unit_of(what: str) -> str:
    """Of a quantity that can be wanted."""
    if what in LEADS_TO:
        return "m"
    return "deg" if what in (*TURNED, *TURNS_BY) else Sensor(what).unit


def for_people(what: str, value: float) -> float:
    """A value in that unit."""
    return degrees(value) if unit_of(what).startswith("deg") else value


def spoken(what: str, value: float) -> str:
    """A value with its unit."""
    return f"{for_people(what, value):.4g} {unit_of(what)}"
