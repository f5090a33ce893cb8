"""Standing on both feet: when a walk may come to it, how balance is kept there, and when a step must be taken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.pendulum.walker import PRESSED, Seen, Walker, along, turned
from poise.dynamics.state import State

# Torques that bear the body, known beforehand: the ground's force on each foot, and the weight of every part.
#
# With them the motors have only to correct. What the ground presses against is also the ankle strategy: the force acts
# where it is told to.


class FootLoad(NamedTuple):
    """What a foot bears."""

    side: int
    share: float  # of the whole
    point: Array  # (3,) m where


def support_torque(figure: Walker, state: State, com: Array, pull: float, loads: Sequence[FootLoad]) -> Array:
    """(nv,) N m, with forces that point to the centre of mass (3,), which accelerates upward by `pull` m/s^2."""
    nv = figure.body.nv
    torque = np.zeros(figure.model.nv)
    torque[6:nv] = state.bias[6:nv]
    jacobian = np.zeros((3, figure.model.nv))
    for load in loads:
        away = com - load.point
        if load.share <= 0 or away[2] < 0.1 * figure.legs.length:
            continue
        weight = figure.body.mass * (figure.gravity + pull) * load.share
        mujoco.mj_jac(figure.model, state.data, jacobian, None, load.point, figure.feet[load.side])
        torque -= (weight / away[2] * away) @ jacobian
    torque[:6] = 0.0
    return torque


ABREAST = 0.2
"""Of a leg's length: feet that are further apart, along the heading, are not stood on for long."""
APART = 0.5
"""Of a leg's length: the same, across it."""
MARGIN = 0.02
"""m, of an adult: a capture point nearer to the edge of support than this calls for a step."""
SLOW = 0.3
"""m/s, of an adult: who is faster does not come to stand."""
RESTS = 0.03
"""m/s, of an adult: who stands and is slower is at rest."""
FIRM = 0.7
"""By how much more than the capture point the pressed point moves away from the middle."""


class FootSupport(NamedTuple):
    """What both feet offer, in the frame of the heading, told from the middle between the pressed points."""

    middle: Array  # (2,) m in the world
    low: Array  # (2,) m: corners of a box within the soles
    high: Array  # (2,) m
    apart: Array  # (2,) m from the right foot to the left one
    capture: Array  # (2,) m: where one would have to step to come to rest
    margin: float  # m: nearer to the edge than this it calls for a step


def support_of(figure: Walker, seen: Seen, yaw: float) -> FootSupport:
    """Of feet as they are now."""
    legs = figure.legs
    middle = seen.pressed[:, :2].mean(axis=0)
    apart = turned(-yaw, seen.pressed[0] - seen.pressed[1])
    ball = float(legs.ball[:, 0].mean())
    back, front = float(legs.sole[:, 0, 0].mean()) - PRESSED * ball, (1.0 - PRESSED) * ball
    wide = float(np.abs(legs.sole[:, 0, 1]).mean())
    half = 0.5 * np.abs(apart)
    rate = math.sqrt(figure.gravity / max(seen.com[2] - seen.pressed[:, 2].mean(), 0.3 * legs.length))
    capture = turned(-yaw, seen.com[:2] + seen.velocity[:2] / rate - middle)
    low, high = np.array([back + half[0], -half[1] - wide]), np.array([front - half[0], half[1] + wide])
    return FootSupport(middle, np.minimum(low, 0.0), np.maximum(high, 0.0), apart, capture, MARGIN * legs.scale)


def may_stand(figure: Walker, seen: Seen, support: FootSupport) -> bool:
    """Whether a walk that should end can end here."""
    long = figure.legs.length
    side = float(support.apart[1])
    abreast = abs(float(support.apart[0])) < ABREAST * long and 0.5 * abs(figure.legs.hip[0, 1]) < side < APART * long
    return abreast and math.hypot(*seen.velocity[:2]) < SLOW * figure.legs.slow and not topples(support)


def has_come_to_rest(figure: Walker, seen: Seen) -> bool:
    """Whether who stands has come to rest."""
    return math.hypot(*seen.velocity[:2]) < RESTS * figure.legs.slow


def topples(support: FootSupport) -> bool:
    """Whether standing on is hopeless."""
    room = np.minimum(support.margin, 0.25 * (support.high - support.low))
    return bool(np.any(support.capture < support.low + room) or np.any(support.capture > support.high - room))


def loads(seen: Seen, support: FootSupport, yaw: float) -> tuple[FootLoad, FootLoad]:
    """What each foot bears, and where, so that the capture point returns to the middle [Pratt2006]."""
    pressed = np.clip((1.0 + FIRM) * support.capture, support.low, support.high)
    wide = float(support.apart[1])  # less than nothing if the legs are crossed
    left = float(np.clip(0.5 + pressed[1] / math.copysign(max(abs(wide), 1e-3), wide), 0.0, 1.0))
    out = []
    for side, share in ((0, left), (1, 1.0 - left)):
        point = np.array(seen.pressed[side])
        here = along(yaw, point[:2] - support.middle)
        point[:2] += turned(yaw, np.array([pressed[0] - here, 0.0]))
        out.append(FootLoad(side, share, point))
    return out[0], out[1]
