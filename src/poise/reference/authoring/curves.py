"""Curves of a gait over its cycle, written as 'percent:value' pairs and drawn as smooth periodic lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline, PchipInterpolator

from poise.frozen import Array, readonly
from poise.reference.edit.span import smooth

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
        share = smooth((percent - self.at[stage]) / np.diff(self.at)[stage])
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
