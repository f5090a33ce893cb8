"""The path of the swing foot: as in the reference, but stretched to the landing position [Tsai2010] section 4.1."""

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.pendulum.foothold_ground import Foothold, ground_above_foothold, height_over_hurdles
from poise.control.pendulum.gait import DOUBLE_STANCE, GaitState, LiftOff, SwingStyle, sample_at_phase
from poise.control.pendulum.leg_ik import sole_depth
from poise.control.pendulum.legs import ADULT, Legs
from poise.control.pendulum.passage import least_aside
from poise.control.pendulum.vectors import dot3, quat_matrix, quat_product, rotated, unit_quat, yaw_quat
from poise.control.pendulum.walker import Observed, Walker, eased
from poise.kernel import kernel

SETTLED = 0.97  # Share of the swing at which the foot is over its target
EARLY = 0.07  # Share of the swing by which the foot of a step that is astray is down sooner, in case it is late
FALL_SPEED = 0.3  # Speed (m/s, adult) at which the foot continues downwards if there is no ground
MIN_LIFT, SAFE_LIFT = 0.03, 0.05  # Minimum lift (m, adult) of the foot, and on an unusual step or a slope
LOWER_BY, EDGES_CLEARED = 0.03, 0.97
"""A foot that goes down by more than LOWER_BY (m, adult) avoids edges until EDGES_CLEARED, a share of the swing."""
DROP_SPEED, LOOK_AHEAD = 2.5, 0.02
"""Maximum speed (m/s, adult) at which a foot goes down over an edge; time (s) that this limit looks ahead."""
EDGE_CLEARANCE, EDGE_PASSED = 0.02, 0.04
"""Clearance (m, adult) of a sole over edges; a sole EDGE_PASSED (m, adult) below that height has passed the edges."""
FLAT_RISE, FLAT_SLOPE = 0.05, 0.2
"""A foothold this far (m, adult) off the plane of lift-off, or of this slope (rise over run), is landed on flat."""
RISEN, SINKING = 0.55, (0.35, 0.95)
"""Shares of the swing: by RISEN the foot is at the level of a higher foothold; in SINKING it sinks to a lower one."""
EXTRA_LIFT = 0.35  # Extra lift as a share of the level difference between foothold and lift-off
LIFT_OFF_END = 0.2  # Share of the swing after which the orientation and height at lift-off no longer count
LAG, LAG_LIFT = 0.05, 0.1
"""A foot that is further than LAG (m, adult) from its target is raised by LAG_LIFT of the excess."""
FAST, FAST_LIFT = 2.5, 0.3
"""A foot on an unusual step is raised, so that it does not stumble, by FAST_LIFT of an excess: the distance to its
target, minus its lag or the distance that it moves at FAST (m/s, adult), whichever is larger."""


class SwingFoot(NamedTuple):
    """A foot in the air."""

    ankle: Array  # (3,) m
    foot: Array  # (3, 3)
    toes: float = 0.0  # rad: angle of the toes, which leave the ground bent


class SwingAim(NamedTuple):
    """Target of a swing foot, and its deviation from the path."""

    hold: Foothold
    more: float  # m of extra lift
    lags: float  # m: horizontal distance of the foot from its present place on the path
    astray: float  # share by which the step differs from steady walking


class _SwingFlight(NamedTuple):
    """A swing foot on a path without obstacles."""

    place: Array  # (2,) m of the ankle without the roll after the strike
    ankle: Array  # (3,) m
    foot: Array  # (3, 3)
    depth: float  # m from the ankle down to the lowest point of the sole


def swing_foot_target(
    walker: Walker, seen: Observed, gait: GaitState, lift: LiftOff, yaw: float, aim: SwingAim, ahead: float
) -> SwingFoot:
    """Target of the swing foot, `ahead` s from now."""
    legs, side, share, hold = walker.legs, gait.swing, gait.swing_share, aim.hold
    stand = seen.ankle[gait.stance]
    flight = _swing_flight(legs, side, gait.style.swing, lift, hold, yaw, share, aim.more, aim.astray, stand)
    ankle, there = flight.ankle, seen.ankle[side]
    phase = max(gait.phase, gait.begun)
    late = gait.overdue + max(share - 1.0 + EARLY * aim.astray, 0.0) * (1.0 - gait.begun) * gait.since / phase
    goes = math.hypot(ankle[0] - there[0], ankle[1] - there[1]) - max(aim.lags, FAST * legs.time_scale * ahead)
    height = float(ankle[2]) - FALL_SPEED * legs.time_scale * late
    height += LAG_LIFT * max(aim.lags - LAG * legs.scale, 0.0) + FAST_LIFT * aim.astray * max(goes, 0.0)
    above = height_over_hurdles(walker, side, lift, hold, flight.place, yaw)
    if _foothold_plane_rise(lift, hold) < -LOWER_BY * legs.scale:
        drop = DROP_SPEED * legs.time_scale * (ahead + LOOK_AHEAD)  # a faster drop twists the stance foot
        height = max(height, float(there[2]) - drop)
        if share < EDGES_CLEARED:
            above = max(above, _sole_height_over_edges(walker, side, yaw, hold, flight, there))
    ankle[2] = max(height, above + flight.depth)
    return SwingFoot(ankle, flight.foot, _toe_angle(lift, hold, gait.swing_share))


def swing_aim(
    walker: Walker, seen: Observed, gait: GaitState, yaw: float, hold: Foothold, more: float, astray: float
) -> SwingAim:
    """The aim at a foothold `hold`, with the lag of the observed foot."""
    if gait.lift is None:
        return SwingAim(hold, more, 0.0, astray)
    side, share = gait.swing, gait.swing_share
    there = seen.ankle[side]
    stand = seen.ankle[gait.stance]
    ankle = _swing_flight(walker.legs, side, gait.style.swing, gait.lift, hold, yaw, share, more, astray, stand).ankle
    return SwingAim(hold, more, math.hypot(ankle[0] - there[0], ankle[1] - there[1]), astray)


@kernel
def _swing_flight(
    legs: Legs, side: int, swing: SwingStyle, lift: LiftOff, hold: Foothold, yaw: float, share: float, more: float,
    astray: float, stand: Array,
) -> _SwingFlight:  # fmt: skip
    """The foot at a share of the swing; `more` is the extra lift (m), `stand` (3,) m the stance ankle.

    The foot lifts higher and lands flatter on a step that is `astray` by a share.
    """
    phase = DOUBLE_STANCE + (1.0 - DOUBLE_STANCE) * min(share / SETTLED, 1.0)
    begun = sample_at_phase(swing.progress, DOUBLE_STANCE)
    progress = min(max((sample_at_phase(swing.progress, phase) - begun) / max(1.0 - begun, 1e-3), 0.0), 1.0)
    bow = sample_at_phase(swing.bow, phase)
    foot = _swing_foot_rotation(legs, swing, phase, share, lift, hold, yaw, astray)
    landed = _swing_foot_rotation(legs, swing, 1.0, 1.0, lift, hold, yaw, astray)
    rolls, flown = _landing_foot_roll(legs, side, landed, yaw, hold), eased(share)
    place, ankle = np.empty(2), np.empty(3)
    for i in range(2):
        place[i] = lift.ankle[i] + progress * (hold.ankle[i] - lift.ankle[i])
    bow = _bow_around_stance_leg(legs, side, yaw, place, stand, share, bow)
    for i, aside in enumerate((-math.sin(yaw), math.cos(yaw))):
        place[i] += aside * bow
        ankle[i] = place[i] + flown * rolls[i]
    depth = sole_depth(legs, side, foot, hold.up)
    least = MIN_LIFT + astray * (SAFE_LIFT - MIN_LIFT)
    more += EXTRA_LIFT * abs(hold.ground - lift.ground)
    clear = _swing_foot_clearance(
        swing.clear, min(share / (1.0 - EARLY * astray), 1.0), least * legs.length / ADULT, more
    )
    rise, (begins, ends) = hold.ground - lift.ground, SINKING
    gone = share / RISEN if rise > 0 else (share - begins) / (ends - begins)  # so that the foot hits no edge
    level = lift.ground + rise * eased(gone)  # m: height of the ground under the path
    ankle[2] = level + clear + depth + lift.extra * (1.0 - eased(share / LIFT_OFF_END))
    return _SwingFlight(place, ankle, foot, depth)


@kernel
def _bow_around_stance_leg(
    legs: Legs, side: int, yaw: float, place: Array, stand: Array, share: float, bow: float
) -> float:
    """Lateral offset (m, to the left) of a foot from a straight path at `place` (2,): `bow`, or past the stance leg.

    `stand` (3,) m is the stance ankle.
    """
    cos, sin, out = math.cos(yaw), math.sin(yaw), 1.0 if side == 0 else -1.0
    x, y = place[0] - stand[0], place[1] - stand[1]
    aside = out * (cos * y - sin * x + bow)
    lack = max(least_aside(cos * x + sin * y, legs.length) - aside, 0.0)
    return float(bow + out * lack * eased(share / LIFT_OFF_END))


def _toe_angle(lift: LiftOff, hold: Foothold, swung: float) -> float:
    """Angle (rad) of the toes at the share `swung` of the swing: flat on the ground at lift-off, straight after it.

    Toes that straighten at once push against the ground and drag.
    """
    sole = quat_matrix(lift.foot)[:, 0]
    rises = dot3(sole, hold.up) / math.sqrt(dot3(hold.up, hold.up))
    return math.asin(min(max(rises, -1.0), 0.0)) * (1.0 - eased(swung / LIFT_OFF_END))


@kernel
def _swing_foot_clearance(samples: Array, early: float, least: float, more: float) -> float:
    """Height (m) of a sole above the ground at the share `early` of the flight, from samples (S,) of the reference."""
    clear = sample_at_phase(samples, DOUBLE_STANCE + early * (1.0 - DOUBLE_STANCE))
    clear -= (1.0 - early) * sample_at_phase(samples, DOUBLE_STANCE)
    arch = 4 * early * (1 - early)
    return float(max(clear, least * arch) + more * arch)


def _sole_height_over_edges(
    walker: Walker, side: int, yaw: float, hold: Foothold, flight: _SwingFlight, there: Array
) -> float:
    """Minimum height (m) of a sole over edges under its target and its actual ankle (3,) m; -inf without edges."""
    scale = walker.legs.scale
    over = ground_above_foothold(walker, side, np.array([flight.ankle[:2], there[:2]]), yaw, hold)
    edges = hold.ground + over + EDGE_CLEARANCE * scale
    still_above = there[2] - flight.depth > edges - EDGE_PASSED * scale
    return edges if over > LOWER_BY * scale and still_above else -math.inf


@kernel
def _landing_foot_roll(legs: Legs, side: int, foot: Array, yaw: float, hold: Foothold) -> Array:
    """Motion (3,) m of the ankle while a foot rolls from its lowest point until it lies flat."""
    flat, sole = quat_matrix(quat_product(hold.tilt, yaw_quat(yaw))), legs.sole[side]
    lowest, least = 0, math.inf
    for k in range(sole.shape[0]):
        low = dot3(rotated(foot, sole[k]), hold.up)
        if low < least:
            lowest, least = k, low
    return rotated(flat - foot, sole[lowest])


@kernel
def _swing_foot_rotation(
    legs: Legs,
    swing: SwingStyle,
    phase: float,
    swung: float,
    lift: LiftOff,
    hold: Foothold,
    yaw: float,
    astray: float,
) -> Array:
    """Rotation (3, 3) of the foot: as in the reference, and then as it lands there, or flat.

    The difference from the rotation at lift-off is forgotten by LIFT_OFF_END.
    """
    left = eased(swung / LIFT_OFF_END)
    wanted = sample_at_phase(swing.foot, phase)
    flat = max(_flat_landing_share(legs, lift, hold), _short_step_share(swing.way, lift, hold, yaw), astray)
    wanted[1:3] *= 1.0 - flat * left
    heading = quat_product(hold.tilt, yaw_quat(yaw))
    wanted = quat_product(heading, unit_quat(wanted))
    begun = quat_product(heading, unit_quat(sample_at_phase(swing.foot, DOUBLE_STANCE)))
    along = begun[0] * lift.foot[0] + begun[1] * lift.foot[1] + begun[2] * lift.foot[2] + begun[3] * lift.foot[3]
    return quat_matrix(unit_quat(wanted + (1.0 - left) * (math.copysign(1.0, along) * lift.foot - begun)))


@kernel
def _flat_landing_share(legs: Legs, lift: LiftOff, hold: Foothold) -> float:
    """Share by which a foot lands flat instead of heel first: on slopes and stairs."""
    edge = abs(_foothold_plane_rise(lift, hold))
    steep = math.hypot(hold.up[0], hold.up[1])
    return float(min(max(edge / (FLAT_RISE * legs.length / ADULT), steep / FLAT_SLOPE), 1.0))


@kernel
def _foothold_plane_rise(lift: LiftOff, hold: Foothold) -> float:
    """Height (m) of the foothold's plane above the lift-off; 0 on a uniform slope."""
    rise = hold.up[0] * (lift.ankle[0] - hold.ankle[0]) + hold.up[1] * (lift.ankle[1] - hold.ankle[1])
    return float(hold.ground - rise - lift.ground)


@kernel
def _short_step_share(way: float, lift: LiftOff, hold: Foothold, yaw: float) -> float:
    """Share of the reference's `way` (m) by which the step is shorter; 1 if the foot goes in the other direction."""
    ahead = math.cos(yaw) * (hold.ankle[0] - lift.ankle[0]) + math.sin(yaw) * (hold.ankle[1] - lift.ankle[1])
    return float(min(max(1.0 - ahead / way, 0.0), 1.0)) if way else 0.0
