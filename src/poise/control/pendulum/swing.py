"""The way of a swinging foot: the reference's, stretched to where it is to land [Tsai2010] section 4.1."""

from __future__ import annotations

import math
from typing import NamedTuple

import mujoco
import numpy as np

from poise.body.carrying import heading
from poise.control.pendulum.bending import sole_depth
from poise.control.pendulum.figure import Figure, Seen, eased, turned
from poise.control.pendulum.gait import DOUBLE, Gait, Lift
from poise.control.pendulum.ground import Foothold, stepped
from poise.control.pendulum.hurdles import over_hurdles
from poise.control.pendulum.manner import Moment, between
from poise.spatial import Array

BEGINS, SETTLED = 0.07, 0.97
"""Of the swing: until when the foot gathers way, lest it drags its toes; and from when it is over its place."""
ALIGNS = (0.55, 0.8)
"""Of the swing: meanwhile the foot turns to how it will land, so that its heel is at rest when it strikes."""
TOUCHES = 0.93
"""Of the swing: when the foot is down, so that what lands late still lands in time."""
FALLS = 0.3
"""m/s at which it goes on down if there is no ground."""
LIFTED = 0.05
"""m, of an adult: no lower is a foot lifted."""
LOWER, CLEARED = 0.03, 0.97
"""m, of an adult, by which a foothold is lower for the foot to mind edges on its way; of the swing, until when."""
OVER = 0.02
"""m, of an adult: by so much it passes over them."""
STAIR, SLOPE = 0.05, 0.2
"""m, of an adult, by which a foothold is off the plane that the foot leaves; and of run, on which feet land flat."""
LETS_GO = 0.4
"""Of the swing, after which how the foot left the ground is forgotten."""
BEHIND, HANGS = 0.05, 0.3
"""m, of an adult: a foot that is further from where it should be is kept up, by so much of the distance beyond."""


class Placed(NamedTuple):
    """A foot in the air."""

    ankle: Array  # (3,) m
    foot: Array  # (3, 3)


def swung(figure: Figure, seen: Seen, gait: Gait, lift: Lift, yaw: float, hold: Foothold, more: float) -> Placed:
    """Where the swinging foot should be; `more` (m) is by how much it is lifted more than the reference's."""
    share, legs = _begun(gait.swung), figure.legs
    moment = gait.manner.at(DOUBLE + (1.0 - DOUBLE) * min(share / SETTLED, 1.0))
    begun = between(gait.manner.progress, DOUBLE)
    progress = min(max((moment.progress - begun) / max(1.0 - begun, 1e-3), 0.0), 1.0)
    place = lift.ankle[:2] + progress * (hold.ankle - lift.ankle[:2]) + turned(yaw, (0.0, moment.bow))
    foot = _turn(figure, gait, lift, moment, yaw, hold)
    ankle = place + eased(share) * _rolls(figure, gait.swing, foot, yaw, hold)
    early = min(share / TOUCHES, 1.0)
    clear = between(gait.manner.clear, DOUBLE + early * (1.0 - DOUBLE))
    clear -= (1.0 - early) * between(gait.manner.clear, DOUBLE)
    clear = max(clear, 4 * LIFTED * legs.scale * early * (1 - early))
    clear += 4 * (more + _over(lift, hold)) * early * (1 - early)
    late = gait.overdue + max(share - TOUCHES, 0.0) * (1.0 - DOUBLE) * gait.since / max(gait.phase, DOUBLE)
    height = _level(lift, hold, share) + clear - FALLS * legs.slow * late + sole_depth(legs, gait.swing, foot, hold.up)
    height += lift.extra * (1.0 - eased(share / LETS_GO))
    height += HANGS * max(math.dist(ankle, seen.ankle[gait.swing, :2]) - BEHIND * legs.scale, 0.0)
    if hold.ground < lift.ground - LOWER * legs.scale and share < CLEARED:
        height = max(height, _over_edges(figure, gait, yaw, hold, foot, np.array([ankle, seen.ankle[gait.swing, :2]])))
    over = over_hurdles(figure, gait.swing, lift, hold, place, yaw)
    height = max(height, over + sole_depth(legs, gait.swing, foot, hold.up))
    return Placed(np.array([ankle[0], ankle[1], height]), foot)


def _begun(share: float) -> float:
    """How much of the swing is over, for a foot that is at rest when it begins and soon swings evenly."""
    return (share * share / (2 * BEGINS) if share < BEGINS else share - 0.5 * BEGINS) / (1.0 - 0.5 * BEGINS)


def _over_edges(figure: Figure, gait: Gait, yaw: float, hold: Foothold, foot: Array, places: Array) -> float:
    """m: how high an ankle must be for its foot (3, 3) to pass over edges at places (K, 2); any without."""
    legs = figure.legs
    over = stepped(figure, gait.swing, places, yaw, hold)
    deep = sole_depth(legs, gait.swing, foot, hold.up)
    return hold.ground + over + deep + OVER * legs.scale if over > LOWER * legs.scale else -math.inf


def _rolls(figure: Figure, side: int, foot: Array, yaw: float, hold: Foothold) -> Array:
    """(2,) m by which an ankle goes on when a foot that touches with its lowest point rolls until it lies flat."""
    turn, flat = np.empty(4), np.empty(9)
    mujoco.mju_mulQuat(turn, hold.tilt, heading(yaw))
    mujoco.mju_quat2Mat(flat, turn)
    sole = figure.legs.sole[side]
    lowest = sole[int(np.argmin(sole @ (foot.T @ hold.up)))]
    return np.asarray((flat.reshape(3, 3) - foot) @ lowest)[:2]


def _turn(figure: Figure, gait: Gait, lift: Lift, moment: Moment, yaw: float, hold: Foothold) -> Array:
    """(3, 3) how the foot is turned: as it left the ground, then as the reference's, then as that lands; or flat."""
    lands, turn, share = gait.manner.foot[-1, 1], np.empty(9), gait.swung
    mix = eased((share - ALIGNS[0]) / (ALIGNS[1] - ALIGNS[0]))
    wanted = (1.0 - mix) * moment.foot[1] + mix * lands
    wanted[1:3] *= 1.0 - _flat(figure, lift, hold) * eased(share / LETS_GO)
    mujoco.mju_normalize4(wanted)
    mujoco.mju_mulQuat(wanted, heading(yaw), wanted)
    mujoco.mju_mulQuat(wanted, hold.tilt, wanted)
    mix = eased(share / LETS_GO)
    both = (1.0 - mix) * lift.foot + math.copysign(mix, float(wanted @ lift.foot)) * wanted
    mujoco.mju_normalize4(both)
    mujoco.mju_quat2Mat(turn, both)
    return turn.reshape(3, 3)


def _flat(figure: Figure, lift: Lift, hold: Foothold) -> float:
    """Share by which a foot lands flat instead of heel first: on slopes and stairs."""
    edge = abs(hold.ground - float(hold.up[:2] @ (lift.ankle[:2] - hold.ankle)) - lift.ground)
    return min(max(edge / (STAIR * figure.legs.scale), math.hypot(hold.up[0], hold.up[1]) / SLOPE), 1.0)


def _level(lift: Lift, hold: Foothold, share: float) -> float:
    """m: the ground under the way: a foot goes up early and comes down late, so that it does not hit an edge."""
    rise = hold.ground - lift.ground
    return lift.ground + rise * (eased(share / 0.55) if rise > 0 else eased((share - 0.35) / 0.6))


def _over(lift: Lift, hold: Foothold) -> float:
    """m by which a foot is lifted more where it lands higher or lower."""
    return 0.35 * abs(hold.ground - lift.ground)
