"""Motions of timed key poses: jumps, squats, punches, flips, hanging from a bar, rolls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.library.authoring.curves import curve
from poise.library.authoring.figure import PosableFigure
from poise.library.authoring.keyed_roll import outer_balls, rolling_poses, rolling_supports, told_down
from poise.library.authoring.keyed_source import PATH, RATE, Keyed, read_keyed, stretched
from poise.library.authoring.keyed_support import borne, centre_path, following, hung, swing_period, turning
from poise.library.authoring.prints import KeyedPins, hip_to_ankle, parts_down, pinned
from poise.library.authoring.source import MotionSource
from poise.reference.body_clip import BodyClip
from poise.reference.supports import Sketch, supports_of

_ROUNDS = 4  # of turning in flight and limbs that follow


def keyed(source: MotionSource, body: Body) -> Sketch:
    """The motion that a source of kind "keyed" tells, of a humanoid body."""
    motion = _in_rhythm(read_keyed(source), body)
    time = np.arange(round(motion.seconds * RATE) + 1) / RATE
    wished, down = _poses(motion, body, time), parts_down(body, motion, time)
    if motion.bearing == "rolling":
        return _rolling(motion, body, wished, down)
    if not down[[0, -1]].any(axis=1).all():
        raise source.fail("[contacts] must tell what bears at the start and at the end")
    pins = pinned(body, motion, down, wished[0])
    if motion.bearing == "held":
        wished[:, :3] = hung(body, wished, pins)
        qpos = following(body, wished, pins, RATE)
    else:
        offset = hip_to_ankle(body) * np.stack([_told(motion, axis, time) for axis in PATH], axis=1)
        qpos = _balanced(body, wished, pins, _frames(motion), offset)
    clip = _clip(motion, body, qpos, down)
    return Sketch(clip, supports_of(clip))


def _rolling(motion: Keyed, body: Body, wished: Array, down: NDArray[np.bool_]) -> Sketch:
    """The motion of a body that rolls on whatever is lowest."""
    balls = outer_balls(body)
    told = told_down(body, balls, down)
    placed, pins = rolling_poses(body, wished, balls, told, RATE, motion.cyclic)
    qpos = following(body, placed, pins, RATE)
    return Sketch(_clip(motion, body, qpos, down), rolling_supports(body, qpos, balls, told, motion.cyclic))


def _clip(motion: Keyed, body: Body, qpos: Array, down: NDArray[np.bool_]) -> BodyClip:
    return BodyClip(motion.name, body, RATE, readonly(qpos), readonly(down, bool), motion.cyclic)


def _poses(motion: Keyed, body: Body, time: Array) -> Array:
    """(T, nq) the wished poses, the pelvis above the origin."""
    angles = {name: curve(keys, time) for name, keys in motion.curves.items() if name not in PATH}
    return PosableFigure(body).poses(angles, np.tile(body.standing[:3], (len(time), 1)))


def _told(motion: Keyed, name: str, time: Array) -> Array:
    return curve(motion.curves[name], time) if name in motion.curves else np.zeros(len(time))


def _in_rhythm(motion: Keyed, body: Body) -> Keyed:
    """The motion in its own time, a whole number of frames: a pendulum's cycle is as long as the body makes it."""
    seconds = motion.seconds
    if motion.rhythm == "pendulum":
        seconds = swing_period(body, _poses(motion, body, np.linspace(0.0, motion.seconds, 64, endpoint=False)))
    return stretched(motion, round(seconds * RATE) / RATE / motion.seconds)


def _balanced(body: Body, wished: Array, pins: KeyedPins, keys: list[int], offset: Array) -> Array:
    """Poses (T, nq) borne by their pins, in balance over them or in flight."""
    turned, qpos = np.array(wished), wished
    for _ in range(_ROUNDS if pins.flights() else 1):
        turned[:, 3:7] = turning(body, wished, qpos, pins, RATE)
        centre = centre_path(body, turned, pins, keys, offset, RATE)
        qpos = borne(body, turned, qpos, pins, centre, RATE)
    return qpos


def _frames(motion: Keyed) -> list[int]:
    """Numbers of the frames of the keys."""
    return [round(time * RATE) for time in motion.times]
