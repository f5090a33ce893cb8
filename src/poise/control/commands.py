"""Where to go, how fast, and in what steps: what whoever steers wants, and when."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from poise.errors import PoiseError

STEER_FORM = "TIMEs:DEG[@SPEED][,lift=M][,step=S] ..."
"""How it is written: at each time (s) a heading (degrees to the left of the first one), and perhaps a speed (m/s), how
much more feet are lifted (m), and how long a step lasts (s)."""

FASTEST = 20.0  # m/s: nobody can want to be faster, forward or backward
HIGHEST = 1.0  # m: nobody can want to lift feet more
STEPS = (0.1, 3.0)  # s: the quickest and the slowest step that can be wanted

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_COURSE = re.compile(rf"(?P<time>{_NUMBER})s?:(?P<heading>{_NUMBER})(?:@(?P<speed>{_NUMBER}))?")
_STEPPING = re.compile(rf"(lift|step)={_NUMBER}")


@dataclass(frozen=True)
class Command:
    """What is wanted from a time on; as before where it is not told."""

    time: float  # s
    heading: float  # rad, to the left of the first heading
    speed: float | None = None  # m/s, backward below zero
    lift: float | None = None  # m that feet are lifted more than they would be
    step: float | None = None  # s that a step lasts

    def __post_init__(self) -> None:
        if not 0 <= self.time < math.inf:
            raise PoiseError(f"time {self.time} s must be finite and at least 0")
        if not math.isfinite(self.heading):
            raise PoiseError(f"heading {self.heading} must be finite")
        bounds = {"speed": (-FASTEST, FASTEST, "m/s"), "lift": (0.0, HIGHEST, "m"), "step": (*STEPS, "s")}
        for name, (least, most, unit) in bounds.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise PoiseError(f"{name} {value} {unit} must be between {least:g} and {most:g}")

    @property
    def adjusts(self) -> bool:
        """Whether it is about the steps themselves."""
        return self.lift is not None or self.step is not None

    def as_event(self) -> dict[str, float | str | None]:
        """For a recording."""
        degrees = round(math.degrees(self.heading), 6)
        told = {"lift": self.lift, "step": self.step} if self.adjusts else {}
        return {"kind": "steer", "time": self.time, "heading_deg": degrees, "speed": self.speed, **told}


def parse_steer(text: str) -> tuple[Command, ...]:
    """Commands from their short form, such as ``0s:0 3s:90 6s:-45@0.9,lift=0.1``, in the order of their times."""
    if not text.strip():
        raise PoiseError(f"steer '{text}': nothing is told; it is of the form {STEER_FORM}")
    return tuple(sorted((_command(word, text) for word in text.split()), key=lambda command: command.time))


def _command(word: str, text: str) -> Command:
    course, *rest = word.split(",")
    match = _COURSE.fullmatch(course)
    stepping = dict(part.split("=") for part in rest if _STEPPING.fullmatch(part))
    if match is None or len(stepping) < len(rest):  # a part is nothing that can be told, or is told twice
        raise PoiseError(f"steer '{text}': '{word}' is not of the form {STEER_FORM.split()[0]}")
    told = {name: float(number) for name, number in {**match.groupdict(), **stepping}.items() if number is not None}
    told["heading"] = math.radians(told["heading"])
    try:
        return Command(**told)
    except PoiseError as error:
        raise PoiseError(f"steer '{text}': '{word}': {error}") from None
