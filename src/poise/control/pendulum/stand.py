"""Standing on both feet: when a walk may end in standing, how balance is kept, and when a step is needed."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.pendulum.walker import PRESSED, Observed, Walker, along_yaw, rotated_xy
from poise.dynamics.state import State

MAX_STAGGER = 0.2  # In leg lengths: maximum distance between standing feet along the heading
MAX_WIDTH = 0.5  # In leg lengths: maximum distance between standing feet across the heading
MARGIN = 0.02  # Distance (m, adult) of the capture point from the edge of support below which a step is needed
MAX_SPEED = 0.3  # Speed (m/s, adult) above which a walk does not end in standing
REST_SPEED = 0.03  # Speed (m/s, adult) below which a standing body is at rest
CAPTURE_GAIN = 0.7  # Share by which the centre of pressure is further from the middle than the capture point


class FootSupport(NamedTuple):
    """Support of both feet in the frame of the heading, relative to the middle of their centres of pressure."""

    middle: Array  # (2,) m in the world
    low: Array  # (2,) m: lower corner of a box within the soles
    high: Array  # (2,) m: upper corner
    apart: Array  # (2,) m from the right foot to the left one
    capture: Array  # (2,) m: capture point
    margin: float  # m from the edge below which a step is needed


def foot_support(walker: Walker, seen: Observed, yaw: float) -> FootSupport:
    """The present support of both feet, in the frame of the heading `yaw` (rad)."""
    legs = walker.legs
    middle = seen.pressed[:, :2].mean(axis=0)
    apart = rotated_xy(-yaw, seen.pressed[0] - seen.pressed[1])
    ball = float(legs.ball[:, 0].mean())
    back, front = float(legs.sole[:, 0, 0].mean()) - PRESSED * ball, (1.0 - PRESSED) * ball
    wide = float(np.abs(legs.sole[:, 0, 1]).mean())
    half = 0.5 * np.abs(apart)
    rate = math.sqrt(walker.gravity / max(seen.com[2] - seen.pressed[:, 2].mean(), 0.3 * legs.length))
    capture = rotated_xy(-yaw, seen.com[:2] + seen.velocity[:2] / rate - middle)
    low, high = np.array([back + half[0], -half[1] - wide]), np.array([front - half[0], half[1] + wide])
    return FootSupport(middle, np.minimum(low, 0.0), np.maximum(high, 0.0), apart, capture, MARGIN * legs.scale)


def may_stop_walking(walker: Walker, seen: Observed, support: FootSupport) -> bool:
    """Whether the walk can end now: the feet are side by side, the body is slow and needs no recovery step."""
    legs, side = walker.legs, float(support.apart[1])
    abreast = abs(float(support.apart[0])) < MAX_STAGGER * legs.length
    apart = 0.5 * abs(legs.hip[0, 1]) < side < MAX_WIDTH * legs.length
    slow = math.hypot(*seen.velocity[:2]) < MAX_SPEED * legs.time_scale
    return abreast and apart and slow and not needs_recovery_step(support)


def needs_recovery_step(support: FootSupport) -> bool:
    """Whether the capture point is too close to the edge of support to keep standing."""
    room = np.minimum(support.margin, 0.25 * (support.high - support.low))
    return bool(np.any(support.capture < support.low + room) or np.any(support.capture > support.high - room))


class FootLoad(NamedTuple):
    """The load on a foot."""

    side: int
    share: float  # of the total weight
    point: Array  # (3,) m: point of force


def standing_foot_loads(seen: Observed, support: FootSupport, yaw: float) -> tuple[FootLoad, FootLoad]:
    """Loads of the left and the right foot that return the capture point to the middle of the feet [Pratt2006]."""
    pressed = np.clip((1.0 + CAPTURE_GAIN) * support.capture, support.low, support.high)
    wide = float(support.apart[1])  # negative if the legs are crossed
    left = float(np.clip(0.5 + pressed[1] / math.copysign(max(abs(wide), 1e-3), wide), 0.0, 1.0))
    out = []
    for side, share in ((0, left), (1, 1.0 - left)):
        point = np.array(seen.pressed[side])
        here = along_yaw(yaw, point[:2] - support.middle)
        point[:2] += rotated_xy(yaw, np.array([pressed[0] - here, 0.0]))
        out.append(FootLoad(side, share, point))
    return out[0], out[1]


def support_torque(walker: Walker, state: State, com: Array, acceleration: float, loads: Sequence[FootLoad]) -> Array:
    """Feed-forward torques (nv,) N m that carry the weight of all links, against ground forces at the loads' points.

    The forces point to the centre of mass (3,) m, which accelerates upward by `acceleration` (m/s^2).
    """
    nv = walker.body.nv
    torque = np.zeros(walker.model.nv)
    torque[6:nv] = state.bias[6:nv]
    jacobian = np.zeros((3, walker.model.nv))
    for load in loads:
        away = com - load.point
        if load.share <= 0 or away[2] < 0.1 * walker.legs.length:
            continue
        weight = walker.body.mass * (walker.gravity + acceleration) * load.share
        mujoco.mj_jac(walker.model, state.data, jacobian, None, load.point, walker.feet[load.side])
        torque -= (weight / away[2] * away) @ jacobian
    torque[:6] = 0.0
    return torque
