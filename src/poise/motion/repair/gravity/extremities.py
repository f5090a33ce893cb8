"""What feet and hands do, smoothed for a supposed frame rate: who stands, who swings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import Array
from poise.motion.repair.gravity.masses import first_joint
from poise.motion.repair.gravity.smooth import smoothed
from poise.motion.roles import SIDES, Roles

HEEL, TIP = -0.3, 1.5  # the ends of the sole on the line from ankle to ball of the foot


@dataclass(frozen=True, eq=False)
class Foot:
    """One foot over time."""

    middle: Array  # (T, 3) m
    sole: Array  # (T, 2, 3) m, heel and tip
    pace: Array  # (T,) m per frame, of its middle
    stillness: Array  # (T,) m per frame, of its middle or its ball, whichever is slower


@dataclass(frozen=True, eq=False)
class Extremities:
    """Feet and hands, left and right."""

    feet: tuple[Foot, ...]
    hands: tuple[Array, ...]  # (T, 3) m
    hand_paces: tuple[Array, ...]  # (T,) m per frame


def extremities(where: Array, roles: Roles, half: int) -> Extremities:
    """Feet and hands of a figure whose joints are at (T, J, 3) m, by parabolas over `half` frames to both sides."""
    hands = [smoothed(first_joint(where, roles, f"{side}_hand", f"{side}_forearm"), half) for side in SIDES]
    return Extremities(
        feet=tuple(_foot(where, roles, side, half) for side in SIDES),
        hands=tuple(hand.value for hand in hands),
        hand_paces=tuple(_pace(hand.speed) for hand in hands),
    )


def _foot(where: Array, roles: Roles, side: str, half: int) -> Foot:
    ankle = smoothed(first_joint(where, roles, f"{side}_foot"), half)
    ball = smoothed(first_joint(where, roles, f"{side}_toes", f"{side}_foot"), half)
    along = ball.value - ankle.value
    pace = _pace((ankle.speed + ball.speed) / 2)
    return Foot(
        middle=ankle.value + along / 2,
        sole=np.stack([ankle.value + HEEL * along, ankle.value + TIP * along], axis=1),
        pace=pace,
        stillness=np.minimum(pace, _pace(ball.speed)),
    )


def _pace(velocity: Array) -> Array:
    return np.asarray(np.linalg.norm(velocity, axis=-1))
