"""Build motions from poses at key times: jumps, squats, punches, flips, hanging from a bar, rolls."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Mask, readonly
from poise.body.body import Body
from poise.library.authoring.curves import key_curve
from poise.library.authoring.figure import PosableFigure
from poise.library.authoring.keyed_roll import outer_balls, prescribed_balls, rolling_poses, rolling_supports
from poise.library.authoring.keyed_source import PATH, RATE, KeyedMotion, read_keyed, stretched_keyed_motion
from poise.library.authoring.keyed_support import (
    centre_path,
    flight_rotation,
    hanging_pelvis,
    pinned_limbs,
    supported_poses,
    swing_period,
)
from poise.library.authoring.prints import KeyedPins, hip_to_ankle, keyed_pins, parts_down
from poise.library.authoring.source import MotionSource
from poise.reference.body_clip import BodyClip
from poise.reference.supports import Sketch, supports_of

_ROUNDS = 4  # iterations of flight rotation and inverse kinematics


def keyed_sketch(source: MotionSource, body: Body) -> Sketch:
    """Build the motion that a source of kind "keyed" describes, for a humanoid body."""
    motion = _in_whole_frames(read_keyed(source), body)
    time = np.arange(round(motion.seconds * RATE) + 1) / RATE
    desired, down = _keyed_poses(motion, body, time), parts_down(body, motion, time)
    if motion.bearing == "rolling":
        return _rolling_sketch(motion, body, desired, down)
    if not down[[0, -1]].any(axis=1).all():
        raise source.fail("[contacts] must name what supports the body at the start and at the end")
    pins = keyed_pins(body, motion, down, desired[0])
    if motion.bearing == "held":
        desired[:, :3] = hanging_pelvis(body, desired, pins)
        qpos = pinned_limbs(body, desired, pins, RATE)
    else:
        curves = (key_curve(motion.curves[axis], time) if axis in motion.curves else 0.0 * time for axis in PATH)
        offset = hip_to_ankle(body) * np.stack(list(curves), axis=1)
        qpos = _balanced_poses(body, desired, pins, [round(key * RATE) for key in motion.times], offset)
    clip = _keyed_clip(motion, body, qpos, down)
    return Sketch(clip, supports_of(clip))


def _rolling_sketch(motion: KeyedMotion, body: Body, desired: Array, down: Mask) -> Sketch:
    """The motion of a body that rolls on its lowest parts; `down` (T, P) are the declared contacts."""
    balls = outer_balls(body)
    prescribed = prescribed_balls(body, balls, down)
    placed, pins = rolling_poses(body, desired, balls, prescribed, RATE, motion.cyclic)
    qpos = pinned_limbs(body, placed, pins, RATE)
    return Sketch(_keyed_clip(motion, body, qpos, down), rolling_supports(body, qpos, balls, prescribed, motion.cyclic))


def _keyed_clip(motion: KeyedMotion, body: Body, qpos: Array, down: Mask) -> BodyClip:
    return BodyClip(motion.name, body, RATE, readonly(qpos), readonly(down, bool), motion.cyclic)


def _keyed_poses(motion: KeyedMotion, body: Body, time: Array) -> Array:
    """The poses (T, nq) that the keys give at times (T,) s, with the pelvis above the origin at standing height."""
    angles = {name: key_curve(keys, time) for name, keys in motion.curves.items() if name not in PATH}
    return PosableFigure(body).poses(angles, np.tile(body.standing[:3], (len(time), 1)))


def _in_whole_frames(motion: KeyedMotion, body: Body) -> KeyedMotion:
    """Stretch a motion to whole frames; with rhythm "pendulum", first to the period in which the body swings."""
    seconds = motion.seconds
    if motion.rhythm == "pendulum":
        seconds = swing_period(body, _keyed_poses(motion, body, np.linspace(0.0, motion.seconds, 64, endpoint=False)))
    return stretched_keyed_motion(motion, round(seconds * RATE) / RATE / motion.seconds)


def _balanced_poses(body: Body, desired: Array, pins: KeyedPins, keys: list[int], offset: Array) -> Array:
    """Poses (T, nq) near `desired` (T, nq), balanced over their pins or in flight. `keys`: frames of the keys."""
    turned, qpos = np.array(desired), desired
    for _ in range(_ROUNDS if pins.flights() else 1):
        turned[:, 3:7] = flight_rotation(body, desired, qpos, pins, RATE)
        centre = centre_path(body, turned, pins, keys, offset, RATE)
        qpos = supported_poses(body, turned, qpos, pins, centre, RATE)
    return qpos
