"""Curves of a gait over its cycle, written as 'percent:value' pairs and drawn as smooth periodic lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BPoly, CubicSpline, PchipInterpolator

from poise.arrays import Array, readonly
from poise.ease import quintic_ease

# Smooth curves through keys: they stop where keys repeat, pass others without a halt, and hardly ever overshoot.


@dataclass(frozen=True, eq=False)
class Keys:
    """Values at times. In a cyclic motion they go on: each cycle like the one before, plus what it gained."""

    times: Array  # (K,) s, increasing
    values: Array  # (K,)
    cyclic: bool = False


@dataclass(frozen=True, eq=False)
class Passing:
    """How a curve passes its keys."""

    speed: Array  # (K,) per s
    acceleration: Array  # (K,) per s^2


def passing(keys: Keys) -> Passing:
    """Slopes that do not overshoot [FritschCarlson1980], and of the accelerations on both sides the gentler.

    Where those disagree in sign there is none, as at the ends of a motion that is not cyclic, which are at rest.
    """
    lap = len(keys.times) - 1 if keys.cyclic else 1
    times, values = _continued(keys)
    slopes = PchipInterpolator(times, values).derivative()(times)
    step, rise = np.diff(times), np.diff(values) / np.diff(times)
    after = (6 * rise - 4 * slopes[:-1] - 2 * slopes[1:]) / step
    before = (-6 * rise + 2 * slopes[:-1] + 4 * slopes[1:]) / step
    own = slice(lap, lap + len(keys.times))
    turning = np.zeros(len(times))
    gentler = np.where(np.abs(before[:-1]) < np.abs(after[1:]), before[:-1], after[1:])
    turning[1:-1] = np.where(before[:-1] * after[1:] > 0, gentler, 0.0)
    out = Passing(slopes[own], turning[own])
    if not keys.cyclic:
        out.speed[[0, -1]] = out.acceleration[[0, -1]] = 0.0
    return out


def through(keys: Keys, how: Passing, at: ArrayLike) -> Array:
    """The curve at times (T,), quintic from key to key: with continuous acceleration, and at rest after its end."""
    told = np.stack([keys.values, how.speed, how.acceleration], axis=1)
    return np.asarray(BPoly.from_derivatives(keys.times, told)(np.clip(at, keys.times[0], keys.times[-1])))


def curve(keys: Keys, at: ArrayLike) -> Array:
    """The curve of keys at times (T,)."""
    return through(keys, passing(keys), at) if len(keys.times) > 1 else np.full(np.shape(at), keys.values[0])


def _continued(keys: Keys) -> tuple[Array, Array]:
    """Times and values with a cycle more, or a second of rest, before and after."""
    times, values = keys.times, keys.values
    if not keys.cyclic:
        return np.pad(times, 1, constant_values=(times[0] - 1, times[-1] + 1)), np.pad(values, 1, mode="edge")
    lap, gain = times[-1] - times[0], values[-1] - values[0]
    return (
        np.concatenate([times[:-1] - lap, times, times[1:] + lap]),
        np.concatenate([values[:-1] - gain, values, values[1:] + gain]),
    )


CYCLE = 100.0  # percent


@dataclass(frozen=True, eq=False)
class Curve:
    """Values at percents of the cycle, from heel strike to heel strike of the left foot."""

    at: Array  # (K,) percent, increasing, in [0, 100)
    values: Array  # (K,)

    @classmethod
    def parse(cls, text: str) -> Curve:
        """The curve of a text such as '0:22 50:-13'; a ValueError says what is wrong with it."""
        at, values = _pairs(text)
        if at[0] < 0 or at[-1] >= CYCLE:
            raise ValueError("has percents that are not from 0 to below 100")
        return cls(at, values)

    def __call__(self, percent: ArrayLike) -> Array:
        """Values (...) at percents (...) of any cycle."""
        where = np.asarray(percent, float)
        if self._spline is None:
            return np.full(where.shape, self.values[0])
        return np.asarray(self._spline((where - self.at[0]) % CYCLE + self.at[0]))

    def pulse(self, percent: Array) -> Array:
        """Values (...) between the first and the last key, never overshooting, and 0 elsewhere."""
        inside = (percent >= self.at[0]) & (percent <= self.at[-1])
        return np.where(inside, PchipInterpolator(self.at, self.values)(percent), 0.0)

    @property
    def mean(self) -> float:
        """Of the whole cycle."""
        return float(np.mean(self(np.arange(CYCLE))))

    def continued(self, sign: float) -> Curve:
        """The curve of the first half of the cycle, gone on with `sign` times itself in the second."""
        half = self.at < CYCLE / 2
        at, values = self.at[half], self.values[half]
        return Curve(readonly([*at, *(at + CYCLE / 2)]), readonly([*values, *(sign * values)]))

    def scaled(self, ratio: float, about: float = 0.0) -> Curve:
        """The curve with its distance from a value changed."""
        return replace(self, values=readonly(about + ratio * (self.values - about)))

    def timed(self, warp: Callable[[Array], Array]) -> Curve:
        """The curve with its keys at other percents."""
        return replace(self, at=readonly(warp(self.at)))

    @cached_property
    def _spline(self) -> CubicSpline | None:
        if len(self.at) == 1:
            return None
        at, values = np.append(self.at, self.at[0] + CYCLE), np.append(self.values, self.values[0])
        return CubicSpline(at, values, bc_type="periodic")


@dataclass(frozen=True, eq=False)
class Stages:
    """Values at percents that may go on over several cycles; from one to the next it goes smoothly, at rest at both."""

    at: Array  # (K,) percent, increasing
    values: Array  # (K,)

    @classmethod
    def parse(cls, text: str) -> Stages:
        """The stages of a text such as '50:0 150:1'; a ValueError says what is wrong with it."""
        return cls(*_pairs(text))

    def __call__(self, percent: Array) -> Array:
        """Values (...) at percents (...)."""
        if len(self.at) == 1:
            return np.full(percent.shape, self.values[0])
        stage = np.clip(np.searchsorted(self.at, percent, side="right") - 1, 0, len(self.at) - 2)
        share = quintic_ease((percent - self.at[stage]) / np.diff(self.at)[stage])
        return np.asarray(self.values[stage] + share * np.diff(self.values)[stage])


def _pairs(text: str) -> tuple[Array, Array]:
    """Percents and values of a text such as '0:22 50:-13'."""
    pairs = [pair.split(":") for pair in text.split()]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError("must be pairs of percent:value with spaces between them")
    at, values = np.array(pairs, float).T
    if np.any(np.diff(at) <= 0):
        raise ValueError("has percents that do not increase")
    return readonly(at), readonly(values)
