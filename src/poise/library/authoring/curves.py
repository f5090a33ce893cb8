"""Smooth curves through keys: over time (CurveKeys), a gait cycle (GaitSourceCurve), or several cycles (Stages)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BPoly, CubicSpline, PchipInterpolator

from poise.arrays import Array, readonly
from poise.ease import quintic_ease

CYCLE = 100.0  # percent


@dataclass(frozen=True, eq=False)
class CurveKeys:
    """K keys: values at times. If cyclic, each cycle repeats the previous cycle, shifted by the change over a cycle."""

    times: Array  # (K,) s, increasing
    values: Array  # (K,)
    cyclic: bool = False


@dataclass(frozen=True, eq=False)
class KeyDerivatives:
    """First and second time derivatives of a curve at its K keys."""

    speed: Array  # (K,) per s
    acceleration: Array  # (K,) per s^2


def authored_curve(keys: CurveKeys, at: ArrayLike) -> Array:
    """(T,) values, at times `at` (T,) s, of a smooth curve through keys.

    The curve stops where a value repeats, passes other keys without a halt, and hardly overshoots.
    """
    if len(keys.times) == 1:
        return np.full(np.shape(at), keys.values[0])
    return authored_curve_values(keys, authored_curve_derivatives(keys), at)


def authored_curve_derivatives(keys: CurveKeys) -> KeyDerivatives:
    """Choose slopes without overshoot [FritschCarlson1980], and accelerations, at the keys.

    The acceleration is the smaller of the accelerations of the cubics on both sides, or 0 where the two differ in
    sign. Slope and acceleration are 0 at both ends of a motion that is not cyclic.
    """
    lap = len(keys.times) - 1 if keys.cyclic else 1
    times, values = _extended_keys(keys)
    slopes = PchipInterpolator(times, values).derivative()(times)
    step, rise = np.diff(times), np.diff(values) / np.diff(times)
    after = (6 * rise - 4 * slopes[:-1] - 2 * slopes[1:]) / step
    before = (-6 * rise + 2 * slopes[:-1] + 4 * slopes[1:]) / step
    own = slice(lap, lap + len(keys.times))
    turning = np.zeros(len(times))
    gentler = np.where(np.abs(before[:-1]) < np.abs(after[1:]), before[:-1], after[1:])
    turning[1:-1] = np.where(before[:-1] * after[1:] > 0, gentler, 0.0)
    out = KeyDerivatives(slopes[own], turning[own])
    if not keys.cyclic:
        out.speed[[0, -1]] = out.acceleration[[0, -1]] = 0.0
    return out


def authored_curve_values(keys: CurveKeys, slopes: KeyDerivatives, at: ArrayLike) -> Array:
    """(T,) values, at times `at` (T,) s, of the piecewise quintic with the given derivatives; constant outside keys."""
    conditions = np.stack([keys.values, slopes.speed, slopes.acceleration], axis=1)
    return np.asarray(BPoly.from_derivatives(keys.times, conditions)(np.clip(at, keys.times[0], keys.times[-1])))


def _extended_keys(keys: CurveKeys) -> tuple[Array, Array]:
    """Times and values of the keys, extended on both sides by a cycle, or by one second of rest if not cyclic."""
    times, values = keys.times, keys.values
    if not keys.cyclic:
        return np.pad(times, 1, constant_values=(times[0] - 1, times[-1] + 1)), np.pad(values, 1, mode="edge")
    lap, gain = times[-1] - times[0], values[-1] - values[0]
    extended = np.concatenate([times[:-1] - lap, times, times[1:] + lap])
    return extended, np.concatenate([values[:-1] - gain, values, values[1:] + gain])


@dataclass(frozen=True, eq=False)
class GaitSourceCurve:
    """A smooth periodic curve through values at percents of the gait cycle, which begins at left heel strike."""

    at: Array  # (K,) percent, increasing, in [0, 100)
    values: Array  # (K,)

    @classmethod
    def parse(cls, text: str) -> "GaitSourceCurve":
        """Read 'percent:value' pairs such as '0:22 50:-13'. A ValueError tells what is wrong."""
        at, values = _source_percent_values(text)
        if at[0] < 0 or at[-1] >= CYCLE:
            raise ValueError("must have percents from 0 to below 100")
        return cls(at, values)

    def __call__(self, percent: ArrayLike) -> Array:
        """Values (...) at percents (...), which may lie in any cycle."""
        where = np.asarray(percent, float)
        if self._spline is None:
            return np.full(where.shape, self.values[0])
        return np.asarray(self._spline((where - self.at[0]) % CYCLE + self.at[0]))

    def pulse(self, percent: Array) -> Array:
        """Values (...) at percents (...): without overshoot between the first and the last key, 0 elsewhere."""
        inside = (percent >= self.at[0]) & (percent <= self.at[-1])
        return np.where(inside, PchipInterpolator(self.at, self.values)(percent), 0.0)

    @property
    def mean(self) -> float:
        """Mean value over the cycle."""
        return float(np.mean(self(np.arange(CYCLE))))

    def continued(self, sign: float) -> "GaitSourceCurve":
        """The curve whose second half of the cycle is its first half times `sign`."""
        half = self.at < CYCLE / 2
        at, values = self.at[half], self.values[half]
        return GaitSourceCurve(readonly([*at, *(at + CYCLE / 2)]), readonly([*values, *(sign * values)]))

    def scaled(self, ratio: float, about: float = 0.0) -> "GaitSourceCurve":
        """The curve with its deviations from the value `about` multiplied by `ratio`."""
        return replace(self, values=readonly(about + ratio * (self.values - about)))

    def timed(self, warp: Callable[[Array], Array]) -> "GaitSourceCurve":
        """The curve with its keys moved to the percents that `warp` returns for their percents."""
        return replace(self, at=readonly(warp(self.at)))

    @cached_property
    def _spline(self) -> CubicSpline | None:
        if len(self.at) == 1:
            return None
        at, values = np.append(self.at, self.at[0] + CYCLE), np.append(self.values, self.values[0])
        return CubicSpline(at, values, bc_type="periodic")


@dataclass(frozen=True, eq=False)
class Stages:
    """A curve through values at percents, which may span several cycles. Between keys it is a quintic ease."""

    at: Array  # (K,) percent, increasing
    values: Array  # (K,)

    @classmethod
    def parse(cls, text: str) -> "Stages":
        """Read 'percent:value' pairs such as '50:0 150:1'. A ValueError tells what is wrong."""
        return cls(*_source_percent_values(text))

    def __call__(self, percent: Array) -> Array:
        """Values (...) at percents (...); constant outside the keys."""
        if len(self.at) == 1:
            return np.full(percent.shape, self.values[0])
        stage = np.clip(np.searchsorted(self.at, percent, side="right") - 1, 0, len(self.at) - 2)
        share = quintic_ease((percent - self.at[stage]) / np.diff(self.at)[stage])
        return np.asarray(self.values[stage] + share * np.diff(self.values)[stage])


def _source_percent_values(text: str) -> tuple[Array, Array]:
    """Percents (K,) and values (K,) of a text such as '0:22 50:-13'. A ValueError tells what is wrong."""
    pairs = [pair.split(":") for pair in text.split()]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError("must be percent:value pairs separated by spaces")
    at, values = np.array(pairs, float).T
    if np.any(np.diff(at) <= 0):
        raise ValueError("must have increasing percents")
    return readonly(at), readonly(values)
