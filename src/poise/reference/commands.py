"""Where to go, and how fast: what whoever steers wants, and when."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from poise.errors import PoiseError

STEER_FORM = "TIMEs:DEG[@SPEED] ..."
"""How it is written: at each time (s) a heading (degrees to the left of the first one), and perhaps a speed (m/s)."""

FASTEST = 20.0
"""m/s: nobody can want to be faster."""

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_WORD = re.compile(rf"(?P<time>{_NUMBER})s?:(?P<heading>{_NUMBER})(?:@(?P<speed>{_NUMBER}))?")


@dataclass(frozen=True)
class Command:
    """What is wanted from a time on."""

    time: float  # s
    heading: float  # rad, to the left of the first heading
    speed: float | None = None  # m/s; as before if not told

    def as_event(self) -> dict[str, float | str | None]:
        """For a recording."""
        degrees = round(math.degrees(self.heading), 6)
        return {"kind": "steer", "time": self.time, "heading_deg": degrees, "speed": self.speed}


def parse_steer(text: str) -> tuple[Command, ...]:
    """Commands from their short form, such as ``0s:0 3s:90 6s:-45@0.9``, in the order of their times."""
    return tuple(sorted((_command(word, text) for word in text.split()), key=lambda command: command.time))


def _command(word: str, text: str) -> Command:
    match = _WORD.fullmatch(word)
    if match is None:
        raise PoiseError(f"steer '{text}': '{word}' is not of the form {STEER_FORM.split()[0]}")
    time, degrees = float(match["time"]), float(match["heading"])
    speed = None if match["speed"] is None else float(match["speed"])
    if not 0 <= time < math.inf or not math.isfinite(degrees):
        raise PoiseError(f"steer '{text}': '{word}' has a time below 0, or a number that is not finite")
    if speed is not None and not 0 <= speed <= FASTEST:
        raise PoiseError(f"steer '{text}': the speed of '{word}' must be between 0 and {FASTEST:g} m/s")
    return Command(time, math.radians(degrees), speed)
