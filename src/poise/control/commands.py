"""Steering commands, which set heading, speed and steps from a time on, and the short form of these commands."""

import math
import re
from dataclasses import dataclass

from poise.errors import PoiseError

STEER_FORM = "TIMEs:DEG[@SPEED][,lift=M][,step=S] ..."
"""Short form of steering commands. Each word sets, from a time (s) on, a heading (degrees to the left of the initial
heading), and optionally a speed (m/s), an additional foot lift (m) and a step duration (s)."""

TOP_SPEED = 20.0  # Highest speed (m/s) that can be commanded, forward or backward
TOP_LIFT = 1.0  # Highest additional foot lift (m) that can be commanded
STEP_DURATIONS = (0.1, 3.0)  # Shortest and longest step duration (s) that can be commanded

_NUMBER = r"[+-]?(?:\d++\.?\d*+|\.\d++)"  # possessive: the time for a long text grows only with its length
_COURSE = re.compile(rf"(?P<time>{_NUMBER})s?:(?P<heading>{_NUMBER})(?:@(?P<speed>{_NUMBER}))?")
_STEPPING = re.compile(rf"(lift|step)={_NUMBER}")


@dataclass(frozen=True)
class SteerCommand:
    """A steering command that holds from `time` on; a field that is None keeps the value commanded last."""

    time: float  # s
    heading: float  # rad, to the left of the initial heading
    speed: float | None = None  # m/s, negative is backward
    lift: float | None = None  # m, additional foot lift
    step: float | None = None  # s, step duration

    def __post_init__(self) -> None:
        if not 0 <= self.time < math.inf:
            raise PoiseError(f"time {self.time} s must be finite and at least 0")
        if not math.isfinite(self.heading):
            raise PoiseError(f"heading {self.heading} must be finite")
        bounds = {"speed": (-TOP_SPEED, TOP_SPEED, "m/s"), "lift": (0.0, TOP_LIFT, "m"), "step": (*STEP_DURATIONS, "s")}
        for name, (least, most, unit) in bounds.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise PoiseError(f"{name} {value} {unit} must be between {least:g} and {most:g}")

    @property
    def adjusts_steps(self) -> bool:
        """Whether the command sets the foot lift or the step duration."""
        return self.lift is not None or self.step is not None

    def as_event(self) -> dict[str, float | str | None]:
        """The command as an event for the list of events in a recording."""
        degrees = round(math.degrees(self.heading), 6)
        steps = {"lift": self.lift, "step": self.step} if self.adjusts_steps else {}
        return {"kind": "steer", "time": self.time, "heading_deg": degrees, "speed": self.speed, **steps}


def parse_steer(text: str) -> tuple[SteerCommand, ...]:
    """Read commands from the short form, such as ``0s:0 3s:90 6s:-45@0.9,lift=0.1``; return them sorted by time."""
    if not text.strip():
        raise PoiseError(f"steer '{text}': no command; the form is {STEER_FORM}")
    return tuple(sorted((_parse_steer_word(word, text) for word in text.split()), key=lambda command: command.time))


def _parse_steer_word(word: str, text: str) -> SteerCommand:
    """Read the command in one word of the short form; error messages quote `text`, the whole short form."""
    course, *rest = word.split(",")
    match = _COURSE.fullmatch(course)
    stepping = dict(part.split("=") for part in rest if _STEPPING.fullmatch(part))
    if match is None or len(stepping) < len(rest):  # an unknown or repeated part
        raise PoiseError(f"steer '{text}': '{word}' is not of the form {STEER_FORM.split()[0]}")
    values = {name: float(number) for name, number in {**match.groupdict(), **stepping}.items() if number is not None}
    values["heading"] = math.radians(values["heading"])
    try:
        return SteerCommand(**values)
    except PoiseError as error:
        raise PoiseError(f"steer '{text}': '{word}': {error}") from None
