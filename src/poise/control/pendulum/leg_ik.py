"""Inverse kinematics of a two-bone leg in closed form [LeeShin1999].

[Tsai2010] section 4.1 keeps the swivel angle of the knee. Here the direction of the knee's axis is given instead, which
has no singular angle.
"""

import math

import numpy as np

from poise.arrays import Array, Mask
from poise.control.pendulum.legs import Legs
from poise.control.pendulum.vectors import axis_angle_matrix, dot3, mat_product, quat_matrix, rotated, transpose_product
from poise.kernel import kernel

STRAIGHT, BENT = 0.9993, 0.985
"""In leg lengths: longest stance leg, beyond which the heel lifts: in steady steps, and where a leg has to give."""
SOFT_MARGIN, HARD_MARGIN = 4.0, 0.07
"""A leg of which `stretch` leg lengths are allowed keeps an extra bend within SOFT_MARGIN of what then lacks to 1, and
never comes nearer than HARD_MARGIN of it: the knee does not snap straight."""
MIN_STRETCH = 0.26  # In leg lengths: minimum distance from hip to ankle
MAX_TILT = 1.0  # Maximum angle (rad) by which a foot rotates about its ball so that the leg reaches


@kernel
def set_leg_pair(
    qpos: Array, legs: Legs, stands: Mask, place: Array, foot: Array, across: Array, stretch: float,
    lifts: Array, tilt: Array,
) -> None:  # fmt: skip
    """Set both legs of a pose: `place` (2, 3) m is the position of the ball of a stance foot, or ankle of a swing foot.

    `lifts` (2, 2) rad holds the bounds of the heel lift of a stance foot, or twice the angle of a swing foot's toes.
    Write the heel lifts (rad) into `tilt` (2,). The other arguments are those of `set_stance_leg`, by side.
    """
    for side in range(2):
        if stands[side]:
            tilt[side] = set_stance_leg(qpos, legs, side, place[side], foot[side], across[side], stretch, lifts[side])
        else:
            tilt[side] = 0.0
            bend_leg_to_ankle(qpos, legs, side, place[side], foot[side], across[side], stretch)
            if legs.places[side, 3] >= 0:
                qpos[legs.places[side, 3]] = lifts[side, 0]


@kernel
def set_stance_leg(
    qpos: Array, legs: Legs, side: int, ball: Array, foot: Array, across: Array, stretch: float, lift: Array
) -> float:
    """Set a stance leg with its ball at (3,) m; return the heel lift (rad), which is within the bounds `lift` (2,).

    The leg is `stretch` leg lengths long.
    """
    needed = heel_lift_angle(qpos, legs, side, ball, foot, stretch * legs.length)
    tilt = float(min(max(needed, lift[0]), lift[1]))
    turn = foot_with_heel_lifted(foot, tilt)
    bend_leg_to_ankle(qpos, legs, side, ball - rotated(turn, legs.ball[side]), turn, across, stretch)
    if legs.places[side, 3] >= 0:
        qpos[legs.places[side, 3]] = -tilt
    return tilt


@kernel
def bend_leg_to_ankle(
    qpos: Array, legs: Legs, side: int, ankle: Array, foot: Array, across: Array, stretch: float
) -> None:
    """Bend a leg so that its ankle is at (3,) m with foot rotation (3, 3), or near; `across` (3,): knee axis."""
    root = quat_matrix(qpos[3:7])
    way = ankle - qpos[:3] - rotated(root, legs.hip[side])
    a, b = legs.thigh[side], legs.shank[side]
    long_a, long_b = math.sqrt(dot3(a, a)), math.sqrt(dot3(b, b))
    stretched = max(
        soft_leg_reach(math.sqrt(dot3(way, way)), long_a + long_b, stretch), MIN_STRETCH * (long_a + long_b)
    )
    cosine = (stretched * stretched - long_a * long_a - long_b * long_b) / (2 * long_a * long_b)
    knee = math.acos(min(max(cosine, -1.0), 1.0))
    folded = axis_angle_matrix(legs.axis[side], knee)
    thigh = transpose_product(_leg_frame(way, across), _leg_frame(a + rotated(folded, b), legs.axis[side]))
    shank = mat_product(thigh, folded)
    places, hinges, lower, upper = legs.places[side], legs.hinges[side], legs.lower[side], legs.upper[side]
    _set_leg_joint(qpos, places[0], transpose_product(root, thigh), legs.hip_axes[side], hinges[0], lower[0], upper[0])
    qpos[places[1]] = knee
    ankle_turn = transpose_product(shank, foot)
    _set_leg_joint(qpos, places[2], ankle_turn, legs.ankle_axes[side], hinges[1], lower[1], upper[1])


@kernel
def heel_lift_angle(qpos: Array, legs: Legs, side: int, ball: Array, foot: Array, reach: float) -> float:
    """Heel lift (rad), a roll about the ball, that limits the leg's length to `reach` (m); 0 if none is needed.

    `ball` (3,) m is the position of the ball, `foot` (3, 3) the rotation of the foot when flat.
    """
    hip = qpos[:3] + rotated(quat_matrix(qpos[3:7]), legs.hip[side])
    to_ball, own = ball - hip, legs.ball[side]
    way = dot3(foot[:, 0], to_ball), dot3(foot[:, 1], to_ball), dot3(foot[:, 2], to_ball)
    # |way - rolled own|^2 = reach^2: level cos(tilt) + upright sin(tilt) = needed
    level, upright = way[0] * own[0] + way[2] * own[2], way[0] * own[2] - way[2] * own[0]
    needed = 0.5 * (dot3(way, way) + dot3(own, own) - reach * reach) - way[1] * own[1]
    if level >= needed:
        return 0.0
    nearest = math.atan2(upright, level)
    return min(max(nearest - math.acos(min(needed / math.hypot(level, upright), 1.0)), 0.0), MAX_TILT)


@kernel
def foot_with_heel_lifted(foot: Array, tilt: float) -> Array:
    """Rotation (3, 3) of a foot with its heel lifted by an angle (rad)."""
    out = np.empty((3, 3))
    c, s = math.cos(tilt), math.sin(tilt)
    for i in range(3):
        out[i, 0] = c * foot[i, 0] - s * foot[i, 2]
        out[i, 1] = foot[i, 1]
        out[i, 2] = s * foot[i, 0] + c * foot[i, 2]
    return out


@kernel
def sole_depth(legs: Legs, side: int, foot: Array, up: Array) -> float:
    """Distance (m) from an ankle down to the ground that its foot (3, 3) touches; `up` (3,): normal scaled to z = 1."""
    lowest = 0.0
    for k in range(legs.sole.shape[1]):
        lowest = min(lowest, dot3(up, rotated(foot, legs.sole[side, k])))
    return -lowest


@kernel
def soft_leg_reach(distance: float, length: float, stretch: float) -> float:
    """Distance (m) from hip to ankle for a target at a distance (m), softly limited by the length (m) of the leg."""
    left = (1.0 - stretch) * length
    soft, most = length - SOFT_MARGIN * left, length - HARD_MARGIN * left
    if distance <= soft:
        return distance
    room = most - soft
    return soft + room * math.tanh((distance - soft) / room)


@kernel
def _leg_frame(along: Array, across: Array) -> Array:
    """Rows (3, 3): the unit vector `along`, the unit part of `across` perpendicular to it, and their cross product."""
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
def _set_leg_joint(qpos: Array, place: int, turn: Array, axes: Array, hinges: int, lower: Array, upper: Array) -> None:
    """Write a rotation (3, 3), within bounds, into qpos: a quaternion for a ball joint, or up to three hinge angles."""
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
        qpos[place], qpos[place + 1] = math.cos(0.5 * angle), x * scale
        qpos[place + 2], qpos[place + 3] = y * scale, z * scale
        return
    r, hand = mat_product(transpose_product(axes, turn), axes), _hinge_handedness(axes)
    qpos[place] = min(max(hand * math.atan2(-r[1, 2], r[2, 2]), lower[0]), upper[0])
    if hinges > 1:
        qpos[place + 1] = min(max(hand * math.asin(min(max(r[0, 2], -1.0), 1.0)), lower[1]), upper[1])
    if hinges > 2:
        qpos[place + 2] = min(max(hand * math.atan2(-r[0, 1], r[0, 0]), lower[2]), upper[2])


@kernel
def _hinge_handedness(axes: Array) -> float:
    """1 if perpendicular axes (3, 3), as columns, are right-handed, else -1; the factor of their hinge angles."""
    third = axes[1, 0] * axes[2, 1] - axes[2, 0] * axes[1, 1], axes[2, 0] * axes[0, 1] - axes[0, 0] * axes[2, 1]
    along = third[0] * axes[0, 2] + third[1] * axes[1, 2]
    return math.copysign(1.0, along + (axes[0, 0] * axes[1, 1] - axes[1, 0] * axes[0, 1]) * axes[2, 2])
