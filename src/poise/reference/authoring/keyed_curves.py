"""Smooth curves through keys: they stop where keys repeat, pass others without a halt, and hardly ever overshoot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BPoly, PchipInterpolator

from poise.frozen import Array


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
