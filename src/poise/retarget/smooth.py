"""Smoothing of clips that keeps impacts sharp.

Whittaker's smoother finds the poses x that are nearest to the given poses q and have little jerk. It minimises
|x - q|^2 + sum_t s_t |x_t'''|^2, where the strength s_t is reduced around touchdowns.
"""

from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from poise.arrays import Array, readonly
from poise.body.pose_space import PoseSpace
from poise.ease import cubic_ease
from poise.reference.body_clip import BodyClip

_SPIKE = 0.02  # rad, m: smaller deviations from the neighbouring frames are not spikes
_SHARP = 0.03  # s: half-width of the ramp of the strength around a touchdown
_AT_IMPACT = 0.02  # factor of the smoothing strength at a touchdown, which about doubles the cutoff frequency


def smooth_clip(clip: BodyClip, cutoff: float) -> BodyClip:
    """The clip low-pass filtered at `cutoff` (Hz), with a higher cutoff at touchdowns."""
    if clip.frames < 4:
        return clip
    strength = (clip.rate / (2 * np.pi * cutoff)) ** 6 * _smoothing_strength(clip)
    space = PoseSpace(clip.body)
    qpos = space.normalized(_whittaker_smoothed(_without_spikes(space.continuous(clip.qpos)), strength))
    return replace(clip, qpos=readonly(qpos))


def _smoothing_strength(clip: BodyClip) -> Array:
    """(T,) factor of the smoothing strength: 1 far from touchdowns, _AT_IMPACT at touchdowns."""
    if clip.down is None:
        return np.ones(clip.frames)
    landings = np.flatnonzero(np.any(clip.down[1:] & ~clip.down[:-1], axis=1)) + 0.5
    if not len(landings):
        return np.ones(clip.frames)
    away = np.min(np.abs(np.arange(clip.frames)[:, None] - landings), axis=1) / (_SHARP * clip.rate)
    return np.asarray(_AT_IMPACT + cubic_ease(away - 0.5, 1 - _AT_IMPACT))


def _without_spikes(values: Array) -> Array:
    """n curves (T, n) without spikes: values far from their neighbours become medians of five, which keep impacts."""
    middle = np.median(sliding_window_view(np.pad(values, ((2, 2), (0, 0)), mode="edge"), 5, axis=0), axis=-1)
    off = np.abs(values - middle)
    return np.where(off > np.maximum(_SPIKE, 6.0 * np.percentile(off, 90, axis=0)), middle, values)


def _whittaker_smoothed(values: Array, strength: Array) -> Array:
    """(T, n): the n curves `values` (T, n) after Whittaker's smoother with strengths (T,)."""
    from scipy.linalg import solveh_banded

    between = np.array([1.0, -3.0, 3.0, -1.0])
    count = len(values) - 3
    inner = 0.5 * (strength[1:-2] + strength[2:-1])  # strength of each third difference
    band = np.zeros((4, len(values)))
    band[0] = 1.0
    for apart in range(4):
        for k in range(4 - apart):
            band[apart, k : k + count] += inner * between[k] * between[k + apart]
    return np.asarray(solveh_banded(band, values, lower=True))
