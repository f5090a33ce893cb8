"""Steering: a motion graph of steps, and a choice among them whenever one ends [Muico2009] section 5.5."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.control.commands import FASTEST
from poise.control.nqr.segment import MotionSegment, Stretch, cyclic_segment, leading_segment
from poise.control.nqr.weights import Weights
from poise.errors import PoiseError
from poise.library.repertoire import MotionStep, Repertoire
from poise.progress import Say, in_silence

# Which step to take: a value function over steps and headings [Treuille2007], [McCann2007].
#
# The state is the step just taken and how far the wanted heading is to the left of the present one. Going on with
# step b after step a costs what b costs while it lasts, the risk of the transition, and what comes after b,
# discounted by time.

HEADING = 1.0
"""Cost of a wrong heading, per rad and second."""
SPEED = 1.0
"""Cost of a wrong speed, per m/s and second."""
EFFORT = 0.05
"""Cost of turning, per rad: no turns for nothing."""
DISCOUNT = 0.8
"""What a cost weighs a second later."""
BINS = 72
"""Headings that are told apart; between them costs are interpolated."""

_ANGLES = np.arange(0.0, 2 * np.pi, 2 * np.pi / BINS)  # rad, by which the wanted heading is further to the left
_MOMENTS = np.linspace(0.0, 1.0, 9)  # of a step, at which its heading is judged
_SETTLED = 1e-6


@dataclass(frozen=True, eq=False)
class Values:
    """What steps cost with all that follows, for one wanted speed."""

    risk: Array  # (S, S) of a step after another; infinite where it cannot follow
    onward: Array  # (S, BINS) cost of a step and of all that follows it, for each heading it may begin with

    def after(self, step: int, away: float) -> Array:
        """(S,) what each step costs after one, when the wanted heading is `away` (rad) to the left."""
        return np.asarray(self.risk[step] + [_row_at(row, np.array(away)) for row in self.onward])

    def best(self, after: int, away: float) -> int:
        """The step to take after another, when the wanted heading is `away` (rad) to the left."""
        return int(np.argmin(self.after(after, away)))


def values(steps: Sequence[MotionStep], risk: Array, speed: float) -> Values:
    """The value function for a wanted speed (m/s); whoever is to stand may face anywhere."""
    running = np.array([_running(step, speed) for step in steps])
    discount = np.array([[DISCOUNT**step.seconds] for step in steps])
    onward = running
    while True:
        best = np.min(risk[:, :, None] + onward, axis=1)  # (S, BINS) after each step
        later = np.array([_row_at(row, _ANGLES - step.turn) for row, step in zip(best, steps, strict=True)])
        before, onward = onward, running + discount * later
        if np.allclose(onward, before, rtol=0.0, atol=_SETTLED):
            return Values(risk, onward)


def _running(step: MotionStep, speed: float) -> Array:
    """(BINS,) cost of a step while it lasts."""
    away = _ANGLES[:, None] - _MOMENTS * step.turn
    wrong = np.abs(np.angle(np.exp(1j * away))).mean(axis=1)
    while_it_lasts = HEADING * (speed > 0) * wrong + SPEED * abs(step.speed - speed)
    return np.asarray(step.seconds * while_it_lasts + EFFORT * abs(step.turn))


def _row_at(row: Array, away: Array) -> Array:
    """A row (BINS,) over headings at others, rad."""
    return np.asarray(np.interp(away, _ANGLES, row, period=2 * np.pi))


def segments_of(
    repertoire: Repertoire, weights: Weights, cycles: int | None = None, linear: bool = False, say: Say = in_silence
) -> dict[str, MotionSegment]:
    """The motions of all steps, ready to be controlled; those that are no cycles lead into one."""
    steady = [step for step in repertoire.steps if step.steady]
    count, made = len(repertoire), dict[str, MotionSegment]()
    for name in dict.fromkeys(step.motion for step in steady):
        say(f"looking ahead along {name}, {len(made) + 1} of {count} motions")
        made[name] = cyclic_segment(repertoire[name], weights, cycles, linear)
    for step in repertoire.steps:
        if step.motion not in made:
            say(f"looking ahead along {step.motion}, {len(made) + 1} of {count} motions")
            after = next(each for each in steady if step.joins(each))
            motion, then = repertoire[step.motion], made[after.motion]
            made[step.motion] = leading_segment(motion, then, weights, linear, after.first)
    return made


class Steering:
    """Takes the steps that bring the wanted heading and speed soonest at the least risk."""

    def __init__(
        self, repertoire: Repertoire, segments: Mapping[str, MotionSegment], frame: int, heading: float
    ) -> None:
        """Begin in a frame of the first motion, in the direction `heading` (rad) of the world."""
        self._steps = repertoire.steps
        self._stretches = [Stretch(segments[step.motion], step.first, step.stop) for step in self._steps]
        self._now = self._at(next(iter(repertoire)), frame)
        self._speeds = {step.motion: step.speed for step in self._steps if step.steady}
        self._values = {gait: values(self._steps, repertoire.risk, speed) for gait, speed in self._speeds.items()}
        self._origin, self._heading, self._gait = heading, 0.0, self._nearest(self.step.speed)
        if not math.isfinite(self._values[self._gait].after(self._now, 0.0).min()):
            raise PoiseError(f"nothing can follow '{self.step.name}' for ever: it cannot be steered")

    def _at(self, motion: str, frame: int) -> int:
        """The step that has a frame of a motion, or ended before it: the moment that it stands may be over."""
        begun = [i for i, step in enumerate(self._steps) if step.motion == motion and step.first <= frame]
        return max(begun, key=lambda i: self._steps[i].first)

    @property
    def step(self) -> MotionStep:
        """What is performed."""
        return self._steps[self._now]

    @property
    def now(self) -> Stretch:
        """The same, ready to be controlled."""
        return self._stretches[self._now]

    def steer(self, heading: float | None, speed: float | None) -> None:
        """Want another heading (rad, to the left of the first one) or speed (m/s)."""
        if heading is not None and not math.isfinite(heading):
            raise PoiseError(f"heading {heading} must be finite")
        if speed is not None and not 0 <= speed <= FASTEST:
            raise PoiseError(f"speed {speed} m/s must be between 0 and {FASTEST:g}")
        self._heading = self._heading if heading is None else heading
        self._gait = self._gait if speed is None else self._nearest(speed)

    def _nearest(self, speed: float) -> str:
        """The gait whose speed is nearest, or standing."""
        return min(self._speeds, key=lambda gait: abs(self._speeds[gait] - speed))

    def proceed(self, heading: float) -> None:
        """Choose the next step, after one that began in this direction of the world, rad."""
        away = self._origin + self._heading - heading - self.step.turn
        self._now = self._values[self._gait].best(self._now, away)
