"""Smoothing of a clip that leaves impacts sharp: what happens at a touchdown is not averaged away.

Whittaker's smoother: the poses x nearest to the given ones q with little jerk, min |x - q|^2 + sum_t s_t |x_t'''|^2,
where s_t falls around the frames in which a contact part comes down.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from poise.arrays import Array, readonly
from poise.reference.body_clip import BodyClip
from poise.rotations import quat_normalize

_SPIKE = 0.02  # rad, m: less off its neighbours is no spike
_SHARP = 0.03  # s around a touchdown
_AT_IMPACT = 0.02  # of the strength elsewhere: the cutoff doubles


def smooth_clip(clip: BodyClip, cutoff: float) -> BodyClip:
    """The clip without what is faster than `cutoff` (Hz), less so at touchdowns."""
    if clip.frames < 4:
        return clip
    strength = (clip.rate / (2 * np.pi * cutoff)) ** 6 * _calm(clip)
    qpos = _whittaker(_without_spikes(_unwrapped(clip)), strength)
    for joint in clip.body.joints:
        if joint.kind != "hinge":
            qpos[:, list(joint.qpos[-4:])] = quat_normalize(qpos[:, list(joint.qpos[-4:])])
    return replace(clip, qpos=readonly(qpos))


def _calm(clip: BodyClip) -> Array:
    """(T,) from 1 far from all touchdowns to nearly 0 at them."""
    if clip.down is None:
        return np.ones(clip.frames)
    landings = np.flatnonzero(np.any(clip.down[1:] & ~clip.down[:-1], axis=1)) + 0.5
    if not len(landings):
        return np.ones(clip.frames)
    away = np.min(np.abs(np.arange(clip.frames)[:, None] - landings), axis=1) / (_SHARP * clip.rate)
    ramp = np.clip(away - 0.5, 0.0, 1.0)
    return np.asarray(_AT_IMPACT + (1 - _AT_IMPACT) * ramp**2 * (3 - 2 * ramp))


def _unwrapped(clip: BodyClip) -> Array:
    """(T, nq) poses whose quaternions do not change sign from frame to frame."""
    out = np.array(clip.qpos)
    for joint in clip.body.joints:
        if joint.kind != "hinge":
            columns = list(joint.qpos[-4:])
            turn = out[:, columns]
            flips = np.sum(turn[1:] * turn[:-1], axis=1) < 0
            out[1:, columns] *= np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)[:, None]
    return out


def _without_spikes(values: Array) -> Array:
    """(T, n) curves whose frames far off their neighbours, as capture has them, take the median of five.

    The median of a step or a ramp is itself, so impacts stay.
    """
    middle = np.median(sliding_window_view(np.pad(values, ((2, 2), (0, 0)), mode="edge"), 5, axis=0), axis=-1)
    off = np.abs(values - middle)
    return np.where(off > np.maximum(_SPIKE, 6.0 * np.percentile(off, 90, axis=0)), middle, values)


def _whittaker(values: Array, strength: Array) -> Array:
    """(T, n) smoothed curves for strengths (T,)."""
    from scipy.linalg import solveh_banded

    between = np.array([1.0, -3.0, 3.0, -1.0])
    count = len(values) - 3
    inner = 0.5 * (strength[1:-2] + strength[2:-1])  # of each third difference
    band = np.zeros((4, len(values)))
    band[0] = 1.0
    for apart in range(4):
        for k in range(4 - apart):
            band[apart, k : k + count] += inner * between[k] * between[k + apart]
    return np.asarray(solveh_banded(band, values, lower=True))
