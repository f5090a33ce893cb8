"""The way of a swinging foot: the reference's, stretched to where it is to land [Tsai2010] section 4.1."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.foothold_ground import Foothold, stepped
from poise.control.pendulum.gait import DOUBLE, GaitState, Lift
from poise.control.pendulum.gait_style import between
from poise.control.pendulum.leg_ik import sole_depth
from poise.control.pendulum.legs import ADULT
from poise.control.pendulum.obstacles import over_hurdles
from poise.control.pendulum.vectors import after, dot3, matrix, rotated, to_left, unit
from poise.control.pendulum.walker import Seen, Walker, eased
from poise.kernel import kernel

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
DROPS, FORESEES = 2.5, 0.02
"""m/s, of an adult, at which a foot goes down over an edge at most; and s by which it is told so ahead."""
OVER, BELOW = 0.02, 0.04
"""m, of an adult: by so much it passes over them; and one that is lower than that by so much has passed them."""
STAIR, SLOPE = 0.05, 0.2
"""m, of an adult, by which a foothold is off the plane that the foot leaves; and of run, on which feet land flat."""
RISEN, SINKING = 0.55, (0.35, 0.95)
"""Of the swing: when a foot is as high as a higher foothold; and between when it goes down to a lower one."""
SPARED = 0.35
"""Of how much higher or lower a foothold is: by so much more a foot is lifted on its way there."""
LETS_GO = 0.4
"""Of the swing, after which how the foot left the ground is forgotten."""
BEHIND, HANGS = 0.05, 0.1
"""m, of an adult, and a share: a foot that is further from where it should be is kept up, by so much of the rest."""
HASTE, LIFTS = 2.5, 0.3
"""m/s, of an adult, and a share: a foot on its way to somewhere unusual is lifted, lest it stumbles, by so much of how
much further it is off at the end of a step than now, or than this speed makes."""


class SwingFoot(NamedTuple):
    """A foot in the air."""

    ankle: Array  # (3,) m
    foot: Array  # (3, 3)


class SwingAim(NamedTuple):
    """Where a foot in the air is to go, and how far it is off its way."""

    hold: Foothold
    more: float  # m by which it is lifted more than the reference's
    lags: float  # m, level, any way: how far it is from where it should be by now
    astray: float  # share by which the step is unlike others


class _Flight(NamedTuple):
    """A foot on its way, as if nothing were in it."""

    place: Array  # (2,) m of an ankle whose foot will not roll
    ankle: Array  # (3,) m
    foot: Array  # (3, 3)
    depth: float  # m from the ankle down to what touches the ground first


def swung(
    figure: Walker, seen: Seen, gait: GaitState, lift: Lift, yaw: float, aim: SwingAim, ahead: float
) -> SwingFoot:
    """Where the swinging foot should be, some time (s) from now."""
    legs, side, share, hold = figure.legs, gait.swing, _begun(gait.swung), aim.hold
    flight = _flight(legs, side, gait.manner.swing, lift, hold, yaw, gait.swung, share, aim.more)
    ankle, there = flight.ankle, seen.ankle[side]
    late = gait.overdue + max(share - TOUCHES, 0.0) * (1.0 - DOUBLE) * gait.since / max(gait.phase, DOUBLE)
    goes = math.hypot(ankle[0] - there[0], ankle[1] - there[1]) - max(aim.lags, HASTE * legs.slow * ahead)
    height = float(ankle[2]) - FALLS * legs.slow * late
    height += HANGS * max(aim.lags - BEHIND * legs.scale, 0.0) + LIFTS * aim.astray * max(goes, 0.0)
    above = over_hurdles(figure, side, lift, hold, flight.place, yaw)
    if _off_plane(lift, hold) < -LOWER * legs.scale:
        height = max(height, float(there[2]) - DROPS * legs.slow * (ahead + FORESEES))  # else it turns the other foot
        if share < CLEARED:
            above = max(above, _edges_left(figure, side, yaw, hold, flight, there))
    ankle[2] = max(height, above + flight.depth)
    return SwingFoot(ankle, flight.foot)


def aim_at(
    figure: Walker, seen: Seen, gait: GaitState, yaw: float, hold: Foothold, more: float, astray: float
) -> SwingAim:
    """At a foothold, from what is seen of the foot."""
    if gait.lift is None:
        return SwingAim(hold, more, 0.0, astray)
    share, there = _begun(gait.swung), seen.ankle[gait.swing]
    ankle = _flight(figure.legs, gait.swing, gait.manner.swing, gait.lift, hold, yaw, gait.swung, share, more).ankle
    return SwingAim(hold, more, math.hypot(ankle[0] - there[0], ankle[1] - there[1]), astray)


@kernel
def _flight(
    legs: Any, side: int, swing: Any, lift: Any, hold: Any, yaw: float, swung: float, share: float, more: float
) -> _Flight:
    """Of the swing, `swung` is over, and `share` of the way in time; `more` (m) is by how much it is lifted more."""
    phase = DOUBLE + (1.0 - DOUBLE) * min(share / SETTLED, 1.0)
    begun = between(swing.progress, DOUBLE)
    progress = min(max((between(swing.progress, phase) - begun) / max(1.0 - begun, 1e-3), 0.0), 1.0)
    bow = between(swing.bow, phase)
    foot = _turn(legs, swing, phase, swung, lift, hold, yaw)
    rolls, flown = _rolls(legs, side, foot, yaw, hold), eased(share)
    place, ankle = np.empty(2), np.empty(3)
    for i, aside in enumerate((-math.sin(yaw), math.cos(yaw))):
        place[i] = lift.ankle[i] + progress * (hold.ankle[i] - lift.ankle[i]) + aside * bow
        ankle[i] = place[i] + flown * rolls[i]
    depth = sole_depth(legs, side, foot, hold.up)
    clear = _clear(swing.clear, min(share / TOUCHES, 1.0), LIFTED * legs.length / ADULT, more + _over(lift, hold))
    ankle[2] = _level(lift, hold, share) + clear + depth + lift.extra * (1.0 - eased(share / LETS_GO))
    return _Flight(place, ankle, foot, depth)


@kernel
def _clear(samples: Any, early: float, least: float, more: float) -> float:
    """m above the ground, from samples (S,) of the reference; `early` is how much of the flight is over."""
    clear = between(samples, DOUBLE + early * (1.0 - DOUBLE)) - (1.0 - early) * between(samples, DOUBLE)
    arch = 4 * early * (1 - early)
    return float(max(clear, least * arch) + more * arch)


def _begun(share: float) -> float:
    """How much of the swing is over, for a foot that is at rest when it begins and soon swings evenly."""
    return (share * share / (2 * BEGINS) if share < BEGINS else share - 0.5 * BEGINS) / (1.0 - 0.5 * BEGINS)


def _edges_left(figure: Walker, side: int, yaw: float, hold: Foothold, flight: _Flight, there: Array) -> float:
    """m: how high a sole must be to pass over the edges that are under it, or under where its ankle is now (3,)."""
    edges = _over_edges(figure, side, yaw, hold, np.array([flight.ankle[:2], there[:2]]))
    return edges if there[2] - flight.depth > edges - BELOW * figure.legs.scale else -math.inf


def _over_edges(figure: Walker, side: int, yaw: float, hold: Foothold, places: Array) -> float:
    """m: how high a sole must be to pass over edges with its ankle at places (K, 2); any without."""
    scale = figure.legs.scale
    over = stepped(figure, side, places, yaw, hold)
    return hold.ground + over + OVER * scale if over > LOWER * scale else -math.inf


@kernel
def _rolls(legs: Any, side: int, foot: Any, yaw: float, hold: Any) -> Any:
    """(3,) m by which an ankle goes on when a foot that touches with its lowest point rolls until it lies flat."""
    flat, sole = matrix(after(hold.tilt, to_left(yaw))), legs.sole[side]
    lowest, least = 0, math.inf
    for k in range(sole.shape[0]):
        low = dot3(rotated(foot, sole[k]), hold.up)
        if low < least:
            lowest, least = k, low
    return rotated(flat - foot, sole[lowest])


@kernel
def _turn(legs: Any, swing: Any, phase: float, swung: float, lift: Any, hold: Any, yaw: float) -> Any:
    """(3, 3) how the foot is turned: as it left the ground, then as the reference's, then as that lands; or flat."""
    lands, left = eased((swung - ALIGNS[0]) / (ALIGNS[1] - ALIGNS[0])), eased(swung / LETS_GO)
    wanted = (1.0 - lands) * between(swing.foot, phase) + lands * swing.foot[-1]
    wanted[1:3] *= 1.0 - max(_flat(legs, lift, hold), _short(swing.way, lift, hold, yaw)) * left
    wanted = after(hold.tilt, after(to_left(yaw), unit(wanted)))
    along = wanted[0] * lift.foot[0] + wanted[1] * lift.foot[1] + wanted[2] * lift.foot[2] + wanted[3] * lift.foot[3]
    return matrix(unit((1.0 - left) * lift.foot + math.copysign(left, along) * wanted))


@kernel
def _flat(legs: Any, lift: Any, hold: Any) -> float:
    """Share by which a foot lands flat instead of heel first: on slopes and stairs."""
    edge = abs(_off_plane(lift, hold))
    steep = math.hypot(hold.up[0], hold.up[1])
    return float(min(max(edge / (STAIR * legs.length / ADULT), steep / SLOPE), 1.0))


@kernel
def _off_plane(lift: Any, hold: Any) -> float:
    """m by which the plane to land on is above where the foot left; on a slope alone, none."""
    rise = hold.up[0] * (lift.ankle[0] - hold.ankle[0]) + hold.up[1] * (lift.ankle[1] - hold.ankle[1])
    return float(hold.ground - rise - lift.ground)


@kernel
def _short(way: float, lift: Any, hold: Any, yaw: float) -> float:
    """Share of the reference's `way` (m ahead) that a foot does not go: 0 if it goes further, 1 if the other way."""
    ahead = math.cos(yaw) * (hold.ankle[0] - lift.ankle[0]) + math.sin(yaw) * (hold.ankle[1] - lift.ankle[1])
    return float(min(max(1.0 - ahead / way, 0.0), 1.0)) if way else 0.0


@kernel
def _level(lift: Any, hold: Any, share: float) -> float:
    """m: the ground under the way: a foot goes up early and comes down late, so that it does not hit an edge."""
    rise, (begins, ends) = hold.ground - lift.ground, SINKING
    gone = share / RISEN if rise > 0 else (share - begins) / (ends - begins)
    return float(lift.ground + rise * eased(gone))


@kernel
def _over(lift: Any, hold: Any) -> float:
    """m by which a foot is lifted more where it lands higher or lower."""
    return float(SPARED * abs(hold.ground - lift.ground))
