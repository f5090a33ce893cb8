"""The time span of an edit, with easing in and out, and the text form of edits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.ease import quintic_ease, quintic_ease_integral
from poise.errors import PoiseError

EASE = 0.3  # s, default duration of easing in and out


@dataclass(frozen=True)
class Span:
    """Time span of an edit, which eases in and out inside it. No `start`: applies at once. No `end`: never ends."""

    start: float | None = None  # s
    end: float | None = None  # s
    ease: float = EASE  # s, duration of easing in and of easing out

    def __post_init__(self) -> None:
        times = [t for t in (self.start, self.end) if t is not None]
        if not all(math.isfinite(t) and t >= 0 for t in (*times, self.ease)):
            raise PoiseError(f"times of an edit must be finite and at least 0: {self.start}, {self.end}, {self.ease}")
        if self.end is not None and self.end <= (self.start or 0.0):
            raise PoiseError(f"an edit that starts at {self.start or 0.0:g} s cannot end at {self.end:g} s")

    def weight(self, time: ArrayLike) -> Array:
        """Weight of the edit, 0 to 1, at times (...) s."""
        time, ease = np.asarray(time, float), self._bounded_ease
        begun = np.ones_like(time) if self.start is None else quintic_ease((time - self.start) / ease)
        return np.asarray(begun - (0.0 if self.end is None else quintic_ease((time - self.end) / ease + 1.0)))

    def passed(self, time: ArrayLike) -> Array:
        """(...) s: integral of `weight` over time from 0 to the given times (...) s."""
        time = np.asarray(time, float)
        ease = self._bounded_ease
        begun = time if self.start is None else ease * quintic_ease_integral((time - self.start) / ease)
        ended = 0.0 if self.end is None else ease * quintic_ease_integral((time - self.end) / ease + 1.0)
        return np.asarray(begun - ended)

    def since(self, now: float) -> Span:
        """The part of the span after the time `now` (s). Raises a PoiseError if the span ends before."""
        start = max(self.start or 0.0, now)
        if self.end is not None and self.end <= start:
            raise PoiseError(f"the edit ends at {self.end:g} s, before the current time {now:g} s")
        return replace(self, start=start)

    @property
    def _bounded_ease(self) -> float:
        """Duration (s) of easing in, and of easing out: `ease`, but at most half of the span, and greater than 0."""
        shortest = self.ease if self.end is None else min(self.ease, (self.end - (self.start or 0.0)) / 2)
        return max(shortest, 1e-9)


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0")


def colon_numbers(values: Iterable[float]) -> str:
    """Text with the numbers joined by colons, such as 1:0.5."""
    return ":".join(number_text(v) for v in values)


def edit_text(name: str, value: str = "", span: Span | None = None, **options: str | None) -> str:
    """The text form of an edit, NAME[:VALUE][@START[-END]][,key=value...]. Options with value None are left out."""
    span = span or Span()
    when = ""
    if span.start is not None or span.end is not None:
        when = f"@{number_text(span.start or 0.0)}" + ("" if span.end is None else f"-{number_text(span.end)}")
    if span.ease != EASE:
        options = {**options, "ease": number_text(span.ease)}
    return name + (value and f":{value}") + when + "".join(f",{k}={v}" for k, v in options.items() if v is not None)
