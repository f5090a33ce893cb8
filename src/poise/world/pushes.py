"""Pushes: external forces on a body part for a limited time."""

import math
from dataclasses import dataclass

from poise.errors import PoiseError
from poise.forms import PUSH_FORM


@dataclass(frozen=True)
class Push:
    """A constant force at the centre of mass of a body part."""

    force: float  # N
    time: float = 1.0  # s, start
    duration: float = 0.1  # s
    direction: tuple[float, float, float] = (1.0, 0.0, 0.0)  # unit vector; x is the initial heading, y its left, z up
    body: str | None = None  # link name; by default the trunk

    def __post_init__(self) -> None:
        values = (self.force, self.time, self.duration, *self.direction)
        if not all(map(math.isfinite, values)) or self.time < 0 or self.duration <= 0:
            raise PoiseError(f"push of {self.force} N: needs finite numbers, time >= 0 and duration > 0")
        if not math.isclose(math.hypot(*self.direction), 1.0, abs_tol=1e-9):
            raise PoiseError(f"push of {self.force} N: the direction must be a unit vector")

    def share(self, start: float, step: float) -> float:
        """Fraction of the step from `start` (s) during which the push acts."""
        overlap = min(self.time + self.duration, start + step) - max(self.time, start)
        return min(max(overlap / step, 0.0), 1.0)


def parse_push(text: str) -> Push:
    """Parse a push such as ``150@2.0,dir=90,body=torso``; 0 degrees pushes forward, 90 left."""
    head, *options = text.split(",")
    force, at, time = head.partition("@")
    values: dict[str, object] = {}
    try:
        values["force"] = float(force)
        if at:
            values["time"] = float(time)
        for option in options:
            key, equals, value = option.partition("=")
            if not equals or not value:
                raise ValueError
            if key == "duration":
                values["duration"] = float(value)
            elif key == "dir":
                values["direction"] = _parse_push_direction(value)
            elif key == "body":
                values["body"] = value
            else:
                raise ValueError
    except ValueError:
        raise PoiseError(f"push '{text}' is not of the form {PUSH_FORM}") from None
    return Push(**values)  # type: ignore[arg-type]


def _parse_push_direction(text: str) -> tuple[float, float, float]:
    parts = [float(part) for part in text.split(":")]
    if len(parts) == 1:
        angle = math.radians(parts[0])
        return (math.cos(angle), math.sin(angle), 0.0)
    length = math.hypot(*parts)
    if len(parts) != 3 or not 0 < length < math.inf:
        raise ValueError
    x, y, z = (part / length for part in parts)
    return (x, y, z)
