"""Feet that stand still: contact points pinned to the ground by inverse kinematics over the whole clip.

Each contact of a foot gets one rigid footprint. While its heel is down the heel's corners stay on the print, while its
ball is down the ball's: the foot rolls. Hands that are down stay where they are. The body follows by corrections that
change slowly (`ik_path`), so nothing pops, and joint limits hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from poise.arrays import Array, readonly, runs
from poise.body.parts import Joint
from poise.body.pose_space import PoseSpace
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip
from poise.retarget.footprints import ContactPins, Footprint, GroundSettings, footprints, pins_of, raised
from poise.retarget.ik import Goals, PoseSolver
from poise.retarget.ik_path import solve_path
from poise.retarget.smooth import smooth_clip

# Peaks of joint speed that can be spread out unnoticed.
#
# What a joint turns too fast is taken from those frames and given to the ones around them, so that it arrives where it
# did. Where that would move the joint by more than an eye sees, the peak is no flaw of the data but the motion itself,
# a punch or a kick, and stays.

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


_STILL = 0.1  # rad/s: slower joints may become this fast
_STAY, _TILT = 30.0, 10.0  # how much less readily than limbs the root moves along the ground, and turns
_BUOYANCY = 0.3  # of the grip of pins: how firmly swinging feet are kept above the ground


@dataclass(frozen=True)
class FootSettings:
    """How feet are cleaned."""

    clearance: float | None = None  # m: swinging feet are raised to at least this half way; None to leave them
    smoothing: float | None = 6.0  # Hz: faster changes are smoothed away, except at impacts; None for no smoothing
    fade: float = 0.15  # s over which corrections come and go
    peak: float | None = 1.25  # of a joint's 99th percentile: faster turns are spread out where it goes unnoticed
    grip: float = 3000.0  # 1/m: weight of pins against corrections of joints by 1 rad
    heave: float = 10.0  # how much less readily than limbs the root moves up and down
    ground: GroundSettings = field(default_factory=GroundSettings)


def clean_feet(
    clip: BodyClip, settings: FootSettings | None = None, prints: Sequence[Footprint] | None = None
) -> BodyClip:  # fmt: skip
    """The clip with all that is down standing still, and nothing of the feet below the ground.

    Feet stand on `prints`; on those that fit the clip best if none are given.
    """
    chosen = settings or FootSettings()
    if clip.down is None:
        raise PoiseError(f"clip '{clip.name}' has no contacts yet: find them first")
    calm = clip if chosen.smoothing is None else smooth_clip(clip, chosen.smoothing)
    pins = pins_of(clip, footprints(clip, chosen.ground) if prints is None else prints)
    if chosen.clearance is not None:
        pins = raised(clip, pins, chosen.clearance)
    solver = PoseSolver(clip.body, pins.points)
    goals = _goals(pins, chosen)
    search = partial(solve_path, solver, rate=clip.rate, fade=chosen.fade, weights=_weights(clip, chosen.heave))
    standing = search(calm.qpos, replace(goals, floors=None))
    clean = replace(clip, qpos=readonly(search(calm.qpos, goals, start=standing)))  # what sinks is found from there
    if chosen.peak is None or clip.frames < 2:
        return clean
    tempered = temper(clean, chosen.peak * np.maximum(usual_speeds(clip), _STILL))
    if np.array_equal(tempered.qpos[:, _leg_columns(clip)], clean.qpos[:, _leg_columns(clip)]):
        return tempered
    return replace(clip, qpos=readonly(search(tempered.qpos, goals)))


def _leg_columns(clip: BodyClip) -> list[int]:
    """Coordinates that move feet."""
    body = clip.body
    return [k for joint in body.joints if joint.kind == "free" or joint.name in body.groups["legs"] for k in joint.qpos]


def _goals(pins: ContactPins, settings: FootSettings) -> Goals:
    frames = len(pins.places)
    no_turns = np.zeros((frames, 0, 4)), np.zeros((frames, 0))
    return Goals(pins.places, settings.grip * pins.held, *no_turns, pins.ground, _BUOYANCY * settings.grip)


def _weights(clip: BodyClip, heave: float) -> Array:
    """(nv,) of corrections: legs give first, then the height of the pelvis, last its path."""
    weights = np.ones(clip.body.nv)
    height = clip.body.standing[2]
    weights[:2], weights[2], weights[3:6] = _STAY / height, heave / height, _TILT
    return weights
