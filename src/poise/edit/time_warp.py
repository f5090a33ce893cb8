"""Time warp: play a motion, or a part of a motion, slower or faster."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from poise.arrays import readonly
from poise.edit.span import Span, edit_text, number_text
from poise.edit.take import Frame, Take
from poise.errors import PoiseError


@dataclass(frozen=True)
class Warp:
    """Edit that plays the motion at `factor` times its speed. The span is in the time of the result."""

    factor: float
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not 0.05 <= self.factor <= 20:
            raise PoiseError(f"warp factor {self.factor:g} is not between 0.05 and 20")

    def __str__(self) -> str:
        return edit_text("warp", number_text(self.factor), self.span)

    def on(self, take: Take) -> Take:
        """The motion at the changed speed, with the contacts that belong to the poses."""

        def frame(number: int) -> Frame:
            target = take.at(self.source(number / take.rate))
            return Frame(readonly(target.qpos), target.down)

        length = None if take.duration is None else self._result_time(take.duration)
        return take.with_frames(frame, duration=length)

    def source(self, time: float) -> float:
        """Time (s) in the original motion of the pose that the result has at `time` (s)."""
        return time + (self.factor - 1.0) * float(self.span.passed(time))

    def _result_time(self, time: float) -> float:
        """Time (s) in the result for a time (s) in the original: the inverse of `source`, by bisection."""
        low, high = 0.0, time * max(1.0, 1.0 / self.factor) + 1.0
        while high - low > 1e-12 * max(high, 1.0):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.source(middle) < time else (low, middle)
        return high if math.isfinite(high) else time
