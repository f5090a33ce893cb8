"""When an edit holds, and how it comes and goes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import PoiseError

EASE = 0.3  # s


def smooth_ease(share: ArrayLike) -> Array:
    """From 0 at 0 to 1 at 1, with no speed and no acceleration at either end."""
    x = np.clip(np.asarray(share, float), 0.0, 1.0)
    return np.asarray(x * x * x * (10.0 - 15.0 * x + 6.0 * x * x))


@dataclass(frozen=True)
class Span:
    """From `start` to `end`, easing in and out within; without a start it has always held, without an end it stays."""

    start: float | None = None  # s
    end: float | None = None  # s
    ease: float = EASE  # s, from nothing to everything

    def __post_init__(self) -> None:
        times = [t for t in (self.start, self.end) if t is not None]
        if not all(math.isfinite(t) and t >= 0 for t in (*times, self.ease)):
            raise PoiseError(f"an edit's times must be finite and at least 0: {self.start}, {self.end}, {self.ease}")
        if self.end is not None and self.end <= (self.start or 0.0):
            raise PoiseError(f"an edit that starts at {self.start or 0.0:g} s cannot end at {self.end:g} s")

    def weight(self, time: ArrayLike) -> Array:
        """How much of the edit holds at times (...), 0 to 1."""
        time, ease = np.asarray(time, float), self._ease
        begun = np.ones_like(time) if self.start is None else smooth_ease((time - self.start) / ease)
        return np.asarray(begun - (0.0 if self.end is None else smooth_ease((time - self.end) / ease + 1.0)))

    def passed(self, time: ArrayLike) -> Array:
        """The integral of `weight` from 0 to times (...), s."""
        time = np.asarray(time, float)
        ease = self._ease
        begun = time if self.start is None else ease * _passed((time - self.start) / ease)
        return np.asarray(begun - (0.0 if self.end is None else ease * _passed((time - self.end) / ease + 1.0)))

    def since(self, now: float) -> Span:
        """The same, but nothing of it before `now`."""
        start = max(self.start or 0.0, now)
        if self.end is not None and self.end <= start:
            raise PoiseError(f"an edit until {self.end:g} s comes too late at {now:g} s")
        return replace(self, start=start)

    @property
    def _ease(self) -> float:
        """s; at most half of the span, and never quite nothing."""
        shortest = self.ease if self.end is None else min(self.ease, (self.end - (self.start or 0.0)) / 2)
        return max(shortest, 1e-9)


def _passed(share: Array) -> Array:
    """The integral of `smooth`."""
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x**4 * (2.5 - 3.0 * x + x * x) + np.maximum(share - 1.0, 0.0))


# How an edit is written: NAME[:VALUE][@START[-END]][,key=value...].


def number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0")


def colon_numbers(values: object) -> str:
    """Numbers joined by colons."""
    return ":".join(number(v) for v in values)  # type: ignore[attr-defined]


def edit_text(name: str, value: str = "", span: Span | None = None, **options: str | None) -> str:
    """The text of an edit; options that are None are left out."""
    span = span or Span()
    when = ""
    if span.start is not None or span.end is not None:
        when = f"@{number(span.start or 0.0)}" + ("" if span.end is None else f"-{number(span.end)}")
    if span.ease != EASE:
        options = {**options, "ease": number(span.ease)}
    return name + (value and f":{value}") + when + "".join(f",{k}={v}" for k, v in options.items() if v is not None)
