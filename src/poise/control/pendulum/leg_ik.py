"""Legs of two bones: from where hip and foot are to how the leg bends, in closed form [LeeShin1999].

[Tsai2010] section 4.1 keeps the swivel of the knee from the motion; here it is told as the direction of the knee's
axis, in which no angle is without meaning.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from poise.control.pendulum.vectors import about, dot3, matrix, product, rotated, seen_from
from poise.kernel import kernel

SOFT = 0.95
"""Of a leg's length: a leg stretched further bends its knee a little more than it must, and never snaps straight."""
FOLDED = 0.26
"""Of a leg's length: a knee bends no further than to this."""
LONGEST = 0.999
"""Of a leg's length: it is never stretched further."""
TILT = 1.0
"""rad: the most by which a foot turns about its ball to let the leg reach."""


@kernel
def _hand(axes: Any) -> float:
    """1 if the columns of square axes (3, 3) are right-handed; -1 if left-handed: seen from them, turns are negated."""
    third = axes[1, 0] * axes[2, 1] - axes[2, 0] * axes[1, 1], axes[2, 0] * axes[0, 1] - axes[0, 0] * axes[2, 1]
    along = third[0] * axes[0, 2] + third[1] * axes[1, 2]
    return math.copysign(1.0, along + (axes[0, 0] * axes[1, 1] - axes[1, 0] * axes[0, 1]) * axes[2, 2])


@kernel
def _set_turn(qpos: Any, place: int, turn: Any, axes: Any, hinges: int, lower: Any, upper: Any) -> None:
    """Write a rotation (3, 3), within bounds, into a pose: a ball's quaternion, or angles of hinges one by one."""
    if hinges == 0:
        w = math.sqrt(max(1.0 + turn[0, 0] + turn[1, 1] + turn[2, 2], 1e-12)) / 2.0
        x, y, z = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
        sine = math.sqrt(x * x + y * y + z * z) / (4 * w)
        angle = 2.0 * math.atan2(sine, w)
        scale = angle / max(4 * w * sine, 1e-12)
        x = min(max(x * scale, lower[0]), upper[0])
        y = min(max(y * scale, lower[1]), upper[1])
        z = min(max(z * scale, lower[2]), upper[2])
        angle = math.sqrt(x * x + y * y + z * z)
        scale = math.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
        qpos[place], qpos[place + 1], qpos[place + 2], qpos[place + 3] = (
            math.cos(0.5 * angle),
            x * scale,
            y * scale,
            z * scale,
        )
        return
    r, hand = product(seen_from(axes, turn), axes), _hand(axes)
    qpos[place] = min(max(hand * math.atan2(-r[1, 2], r[2, 2]), lower[0]), upper[0])
    if hinges > 1:
        qpos[place + 1] = min(max(hand * math.asin(min(max(r[0, 2], -1.0), 1.0)), lower[1]), upper[1])
    if hinges > 2:
        qpos[place + 2] = min(max(hand * math.atan2(-r[0, 1], r[0, 0]), lower[2]), upper[2])


@kernel
def _frame(along: Any, across: Any) -> Any:
    """(3, 3) rows: a direction, what of another is square to it, and their product."""
    out = np.empty((3, 3))
    x, y, z = along[0], along[1], along[2]
    long = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / long, y / long, z / long
    share = across[0] * x + across[1] * y + across[2] * z
    a, b, c = across[0] - share * x, across[1] - share * y, across[2] - share * z
    wide = max(math.sqrt(a * a + b * b + c * c), 1e-9)
    a, b, c = a / wide, b / wide, c / wide
    out[0, 0], out[0, 1], out[0, 2] = x, y, z
    out[1, 0], out[1, 1], out[1, 2] = a, b, c
    out[2, 0], out[2, 1], out[2, 2] = y * c - z * b, z * a - x * c, x * b - y * a
    return out


@kernel
def reach_of(distance: float, length: float) -> float:
    """m: how far a leg is stretched to reach something at a distance: softly limited."""
    soft, most = SOFT * length, LONGEST * length
    if distance <= soft:
        return distance
    room = most - soft
    return soft + room * math.tanh((distance - soft) / room)


@kernel
def bend_leg(qpos: Any, legs: Any, side: int, ankle: Any, foot: Any, across: Any) -> None:
    """Set a leg of a pose so that its ankle is at a place and its foot turned as told (3, 3), as far as it reaches.

    `across` (3,) is where the axis of the knee points to.
    """
    root = matrix(qpos[3:7])
    way = ankle - qpos[:3] - rotated(root, legs.hip[side])
    a, b = legs.thigh[side], legs.shank[side]
    long_a, long_b = math.sqrt(dot3(a, a)), math.sqrt(dot3(b, b))
    stretched = max(reach_of(math.sqrt(dot3(way, way)), long_a + long_b), FOLDED * (long_a + long_b))
    cosine = (stretched * stretched - long_a * long_a - long_b * long_b) / (2 * long_a * long_b)
    knee = math.acos(min(max(cosine, -1.0), 1.0))
    folded = about(legs.axis[side], knee)
    thigh = seen_from(_frame(way, across), _frame(a + rotated(folded, b), legs.axis[side]))
    shank = product(thigh, folded)
    places, hinges, lower, upper = legs.places[side], legs.hinges[side], legs.lower[side], legs.upper[side]
    _set_turn(qpos, places[0], seen_from(root, thigh), legs.hip_axes[side], hinges[0], lower[0], upper[0])
    qpos[places[1]] = knee
    _set_turn(qpos, places[2], seen_from(shank, foot), legs.ankle_axes[side], hinges[1], lower[1], upper[1])


@kernel
def roll_foot(qpos: Any, legs: Any, side: int, ball: Any, foot: Any, reach: float) -> float:
    """rad by which a foot lifts its heel, turning about its ball, so that the leg is stretched by at most `reach`, m.

    `ball` (3,) is where the ball is, `foot` (3, 3) how the foot would stand flat.
    """
    hip = qpos[:3] + rotated(matrix(qpos[3:7]), legs.hip[side])
    to_ball, own = ball - hip, legs.ball[side]
    way = dot3(foot[:, 0], to_ball), dot3(foot[:, 1], to_ball), dot3(foot[:, 2], to_ball)
    # |way - rolled own|^2 = reach^2: level cos(tilt) + upright sin(tilt) = needed
    level, upright = way[0] * own[0] + way[2] * own[2], way[0] * own[2] - way[2] * own[0]
    needed = 0.5 * (dot3(way, way) + dot3(own, own) - reach * reach) - way[1] * own[1]
    if level >= needed:
        return 0.0
    nearest = math.atan2(upright, level)
    return min(max(nearest - math.acos(min(needed / math.hypot(level, upright), 1.0)), 0.0), TILT)


@kernel
def heel_lifted(foot: Any, tilt: float) -> Any:
    """(3, 3) a foot turned so that its heel is lifted by an angle."""
    out = np.empty((3, 3))
    c, s = math.cos(tilt), math.sin(tilt)
    for i in range(3):
        out[i, 0] = c * foot[i, 0] - s * foot[i, 2]
        out[i, 1] = foot[i, 1]
        out[i, 2] = s * foot[i, 0] + c * foot[i, 2]
    return out


@kernel
def stand_leg(qpos: Any, legs: Any, side: int, ball: Any, foot: Any, across: Any, reach: float, most: float) -> float:
    """Set a leg that stands with its ball at a place, heel lifted as far as it must, at most by `most` rad: told."""
    tilt = min(roll_foot(qpos, legs, side, ball, foot, reach), most)
    turn = heel_lifted(foot, tilt)
    bend_leg(qpos, legs, side, ball - rotated(turn, legs.ball[side]), turn, across)
    if legs.places[side, 3] >= 0:
        qpos[legs.places[side, 3]] = -tilt
    return tilt


@kernel
def set_legs(
    qpos: Any, legs: Any, stands: Any, place: Any, foot: Any, across: Any, reach: float, most: Any, tilt: Any
) -> None:
    """Set both legs of a pose: of feet that stand by where their balls are, of others by their ankles (2, 3).

    The rest as in `stand_leg`, by side. Writes by how much heels are lifted (2,); a foot in the air has straight toes.
    """
    for side in range(2):
        if stands[side]:
            tilt[side] = stand_leg(qpos, legs, side, place[side], foot[side], across[side], reach, most[side])
        else:
            tilt[side] = 0.0
            bend_leg(qpos, legs, side, place[side], foot[side], across[side])
            if legs.places[side, 3] >= 0:
                qpos[legs.places[side, 3]] = 0.0


@kernel
def sole_depth(legs: Any, side: int, foot: Any, up: Any) -> float:
    """m from an ankle down to where the ground is that its foot, turned as told (3, 3), just touches.

    `up` (3,) is the normal of the ground, with 1 for its last number.
    """
    lowest = 0.0
    for k in range(legs.sole.shape[1]):
        lowest = min(lowest, dot3(up, rotated(foot, legs.sole[side, k])))
    return -lowest
