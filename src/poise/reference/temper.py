"""Peaks of joint speed that can be spread out unnoticed.

What a joint turns too fast is taken from those frames and given to the ones around them, so that it arrives where it
did. Where that would move the joint by more than an eye sees, the peak is no flaw of the data but the motion itself,
a punch or a kick, and stays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.body.parts import Joint
from poise.body.poses import PoseSpace
from poise.frozen import Array, readonly
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts_runs import runs

_AROUND = 0.08  # s to both sides over which a peak is spread
_UNSEEN = 0.06  # rad
_ROUNDING = 1e-9  # rad
_PASSES = 200
_MARGIN = 0.95  # of the bound: turns about different axes do not quite add up, and corrections follow


def joint_speeds(clip: BodyClip) -> Array:
    """(T - 1, joints) rad/s at which the joints turn from frame to frame; the root's is that of its orientation."""
    steps = PoseSpace(clip.body).difference(clip.qpos[:-1], clip.qpos[1:]) * clip.rate
    return np.stack([np.linalg.norm(steps[:, _turning(joint)], axis=1) for joint in clip.body.joints], axis=1)


def usual_speeds(clip: BodyClip) -> Array:
    """(joints,) rad/s: the 99th percentile of each joint's speed."""
    turning = [np.linalg.norm(clip.qvel[:, _turning(joint)], axis=1) for joint in clip.body.joints]
    return np.asarray(np.percentile(turning, 99, axis=1))


def temper(clip: BodyClip, bounds: Array) -> BodyClip:
    """The clip with joint speeds within `bounds` (joints,) in rad/s where that goes unnoticed."""
    around = min(round(_AROUND * clip.rate), clip.frames // 2 - 1)
    if around < 1:
        return clip
    space = PoseSpace(clip.body)
    steps = space.difference(clip.qpos[:-1], clip.qpos[1:])
    moves = np.zeros((clip.frames, clip.body.nv))
    for joint, bound in zip(clip.body.joints, bounds, strict=True):
        here = _turning(joint)
        most = bound / clip.rate
        if np.any(np.linalg.norm(steps[:, here], axis=1) > most):
            spread = _spread(steps[:, here], _MARGIN * most, around)
            moves[1:, here] = _unnoticed(np.cumsum(spread - steps[:, here], axis=0), around)
    return replace(clip, qpos=readonly(space.moved(clip.qpos, moves))) if moves.any() else clip


def _turning(joint: Joint) -> list[int]:
    return list(joint.dofs[-3:])


def _spread(steps: Array, most: float, around: int) -> Array:
    """Steps (T, k) none longer than `most`, as far as their neighbours can take what is cut off."""
    window = np.hanning(2 * around + 3)[1:-1]
    inside = np.convolve(np.ones(len(steps)), window, mode="same")[:, None]  # less at the ends: nothing is lost there
    out = np.array(steps)
    for _ in range(_PASSES):
        length = np.linalg.norm(out, axis=1)
        over = length > most
        if not over.any():
            break
        excess = np.where(over, 1 - most / np.maximum(length, most), 0.0)[:, None] * out
        out += np.stack([np.convolve(column, window, mode="same") for column in (excess / inside).T], axis=1) - excess
    return out


def _unnoticed(moves: Array, around: int) -> Array:
    """Moves (T, k) without the stretches in which they would be seen; within `around` frames it is one stretch."""
    size = np.linalg.norm(moves, axis=1)
    moved = size > _ROUNDING
    near = np.convolve(moved, np.ones(2 * around + 1), mode="same") > 0
    out = np.where(moved[:, None], moves, 0.0)
    for start, stop in runs(near):
        if size[start:stop].max() > _UNSEEN:
            out[start:stop] = 0.0
    return out
