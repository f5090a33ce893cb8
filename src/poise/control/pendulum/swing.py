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
LETS_GO = 0.4
"""Of the swing, after which how the foot left the ground is forgotten."""


class Placed(NamedTuple):
    """A foot in the air."""

    ankle: Array  # (3,) m
    foot: Array  # (3, 3)


def swung(
    figure: Figure, seen: Seen, gait: Gait, lift: Lift, moment: Moment, yaw: float, hold: Foothold, more: float
) -> Placed:
    """Where the swinging foot should be; `more` (m) is by how much it is lifted more than the reference's."""
    share, legs = gait.swung, figure.legs
    begun = between(gait.manner.progress, DOUBLE)
    progress = min(max((moment.progress - begun) / max(1.0 - begun, 1e-3), 0.0), 1.0)
    place = lift.ankle[:2] + progress * (hold.ankle - lift.ankle[:2]) + turned(yaw, (0.0, moment.bow))
    foot = _turn(lift, moment, yaw, hold, share)
    early = min(share / TOUCHES, 1.0)
    clear = between(gait.manner.clear, DOUBLE + early * (1.0 - DOUBLE))
    clear -= (1.0 - early) * between(gait.manner.clear, DOUBLE)
    clear = max(clear, 4 * LIFTED * legs.scale * early * (1 - early))
    clear += 4 * (more + _over(lift, hold)) * early * (1 - early)
    late = gait.overdue + max(share - TOUCHES, 0.0) * (1.0 - DOUBLE) * gait.since / max(gait.phase, DOUBLE)
    height = _level(lift, hold, share) + clear - FALLS * legs.slow * late + sole_depth(legs, gait.swing, foot, hold.up)
    height += lift.extra * (1.0 - eased(share / LETS_GO))
    if hold.ground < lift.ground - LOWER * legs.scale and share < CLEARED:
        height = max(height, _over_edges(figure, gait, yaw, hold, np.array([place, seen.ankle[gait.swing, :2]])))
    over = over_hurdles(figure, gait.swing, lift, hold, place, yaw)
    height = max(height, over + sole_depth(legs, gait.swing, foot, hold.up))
    return Placed(np.array([place[0], place[1], height]), foot)


def _over_edges(figure: Figure, gait: Gait, yaw: float, hold: Foothold, places: Array) -> float:
    """m: how high an ankle must be for its foot to pass over edges at places (K, 2); where there are none, any."""
    legs = figure.legs
    over = stepped(figure, gait.swing, places, yaw, hold)
    return hold.ground + over + legs.ankle_height + OVER * legs.scale if over > LOWER * legs.scale else -math.inf


def _turn(lift: Lift, moment: Moment, yaw: float, hold: Foothold, share: float) -> Array:
    """(3, 3) how the foot is turned: as it left the ground, then as the reference's, then as the ground."""
    wanted, turn = np.array(moment.foot[1]), np.empty(9)
    mujoco.mju_normalize4(wanted)
    mujoco.mju_mulQuat(wanted, heading(yaw), wanted)
    mujoco.mju_mulQuat(wanted, hold.tilt, wanted)
    mix = eased(share / LETS_GO)
    both = (1.0 - mix) * lift.foot + math.copysign(mix, float(wanted @ lift.foot)) * wanted
    mujoco.mju_normalize4(both)
    mujoco.mju_quat2Mat(turn, both)
    return turn.reshape(3, 3)


def _level(lift: Lift, hold: Foothold, share: float) -> float:
    """m: the ground under the way: a foot goes up early and comes down late, so that it does not hit an edge."""
    rise = hold.ground - lift.ground
    return lift.ground + rise * (eased(share / 0.55) if rise > 0 else eased((share - 0.35) / 0.6))


def _over(lift: Lift, hold: Foothold) -> float:
    """m by which a foot is lifted more where it lands higher or lower."""
    return 0.35 * abs(hold.ground - lift.ground)
