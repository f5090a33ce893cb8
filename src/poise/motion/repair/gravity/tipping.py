"""Standing: the force from the ground acts inside the feet, or the figure tips over.

Where this zero moment point [Vukobratovic2004] lies depends on the accelerations and so on the square of the rate: a
clip played too fast throws it out of the feet.
"""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.motion.repair.gravity.extremities import Extremities
from poise.motion.repair.gravity.flight import G, Mask
from poise.motion.repair.gravity.masses import MassPoints
from poise.motion.repair.gravity.smooth import Smoothed

UPRIGHT = 0.85  # of the leg, that the centre of mass is above the feet at least
HANDS_UP = 0.5  # of the leg, that free hands are above the feet
SOLE = 0.05  # m below the joints of the foot
FEWEST = 20  # frames
OFTEN = 90  # percent of the frames

_COMPASS = np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)])  # (2, 8)


def tipping(
    mass: MassPoints, motion: Smoothed, limbs: Extremities, leg: float, still: float, rate: float
) -> float | None:
    """m, how far outside the feet the force would act at the supposed `rate`; None without standing on both feet.

    Negative is inside. A standing foot is slower than `still` (m per frame), whatever the rate, so that rates can be
    compared.
    """
    centre = np.einsum("p,tpk->tk", mass.share, motion.value)
    low = np.minimum(*(foot.sole[..., 2].min(axis=1) for foot in limbs.feet))
    stands = centre[:, 2] - low > UPRIGHT * leg
    for foot, hand in zip(limbs.feet, limbs.hands, strict=True):
        stands &= (foot.stillness < still) & (hand[:, 2] - low > HANDS_UP * leg)
    if np.count_nonzero(stands) < FEWEST:
        return None
    soles = np.concatenate([foot.sole[stands] for foot in limbs.feet], axis=1)  # (T, 4, 3)
    force_at = _zero_moment_point(mass.share, motion, stands, soles[..., 2].min(axis=1) - SOLE, rate)
    outside = (force_at @ _COMPASS - (soles[..., :2] @ _COMPASS).max(axis=1)).max(axis=1)
    return float(np.percentile(outside, OFTEN))


def _zero_moment_point(share: Array, motion: Smoothed, stands: Mask, ground: Array, rate: float) -> Array:
    """(T, 2) m on the ground, where the ground's force has to act."""
    pull = motion.acceleration[stands] * rate**2 + np.array([0.0, 0.0, G])
    lever = motion.value[stands] - ground[:, None, None] * np.array([0.0, 0.0, 1.0])
    moment = np.einsum("p,tpk->tk", share, np.cross(lever, pull))
    load = np.maximum(np.einsum("p,tp->t", share, pull[..., 2]), G / 10)  # in flight there is no such point
    return np.asarray(np.stack([-moment[:, 1], moment[:, 0]], axis=1) / load[:, None])
