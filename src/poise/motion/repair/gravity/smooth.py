"""Local parabolas: smoothed values, speeds and accelerations of sampled curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import Array


@dataclass(frozen=True, eq=False)
class Smoothed:
    """A parabola fitted around each frame that has `half` neighbours on both sides; frames are the unit of time."""

    value: Array  # (T - 2 half, ...)
    speed: Array  # per frame
    acceleration: Array  # per frame^2


def smoothed(curve: Array, half: int) -> Smoothed:
    """Least-squares parabolas over 2 half + 1 frames of a curve (T, ...) [SavitzkyGolay1964]."""
    frame = np.arange(-half, half + 1.0)
    fit = np.linalg.pinv(np.stack([np.ones_like(frame), frame, frame**2 / 2], axis=1))  # (3, window)
    columns = np.ascontiguousarray(curve.reshape(len(curve), -1).T)
    shape = (len(curve) - 2 * half, *curve.shape[1:])
    value, speed, acceleration = (
        np.stack([np.correlate(column, row, "valid") for column in columns], axis=-1).reshape(shape) for row in fit
    )
    return Smoothed(value, speed, acceleration)
