"""Single support: the figure is a pendulum on one foot, and gravity sets its clock.

The contact force acts under the standing foot, so that about this point the moment of all inertia balances that of
all weight: sum m r x a = sum m r x g. With a counted per frame^2 this holds for one frame rate only, however fast or
slow the figure walks [Vukobratovic2004].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.motion.repair.flight_evidence import G, Mask, runs
from poise.motion.repair.point_masses import Extremities, FootTrack, MassPoints, Smoothed

# Standing: the force from the ground acts inside the feet, or the figure tips over.
#
# Where this zero moment point [Vukobratovic2004] lies depends on the accelerations and so on the square of the rate: a
# clip played too fast throws it out of the feet.

UPRIGHT = 0.85  # of the leg, that the centre of mass is above the feet at least
HANDS_UP = 0.5  # of the leg, that free hands are above the feet
SOLE = 0.05  # m below the joints of the foot
FEWEST = 20  # frames
OFTEN = 90  # percent of the frames

_COMPASS = np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)])  # (2, 8)


def tipping_distance(
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


STILL = 0.12  # of the swinging foot's pace: the standing foot is slower
SWING = 0.25  # m/s, of a foot that swings and does not merely tremble
STEP_UP = 0.25  # m, that the standing foot may be above the swinging one, on stairs
SHORTEST = 0.07  # s of a support that counts
ROLL = 1.1  # the force wanders from heel to toe with the body above it: rates are read this much too high


@dataclass(frozen=True)
class SingleSupportEvidence:
    """What all single supports of a clip say."""

    rate: float  # frames per second
    agreement: float  # correlation of the two moments, -1 to 1
    supports: int  # stretches of single support

    @property
    def trust(self) -> float:
        """0 to 1: three supports in which the moments agree well are worth full trust."""
        return float(np.clip((self.agreement - 0.35) / 0.35, 0, 1)) * min(1.0, self.supports / 3)


def pendulum(mass: MassPoints, motion: Smoothed, limbs: Extremities, rate: float) -> SingleSupportEvidence | None:
    """The rate at which inertia balances weight about the standing foot; None without single support.

    `motion` is that of the masses, smoothed as suits the supposed `rate`.
    """
    inertia, weight, supports = [], [], 0
    for own, other in (limbs.feet, limbs.feet[::-1]):
        stands = _alone(own, other, limbs) & (other.pace > SWING / rate)
        lever = motion.value[stands] - own.middle[stands, None]
        inertia.append(_moment(mass.share, lever, motion.acceleration[stands]))
        weight.append(_moment(mass.share, lever, np.array([0.0, 0.0, -G])))
        supports += sum(stop - start >= SHORTEST * rate for start, stop in runs(stands))
    return _balance(np.concatenate(inertia), np.concatenate(weight), supports)


def _alone(own: FootTrack, other: FootTrack, limbs: Extremities) -> Mask:
    """(T,) when one foot stands, the other swings and no hand holds on."""
    stands = (own.stillness < STILL * other.pace) & (own.middle[:, 2] < other.middle[:, 2] + STEP_UP)
    for pace in limbs.hand_paces:
        stands &= pace > own.stillness
    return stands


def _moment(share: Array, lever: Array, pull: Array) -> Array:
    """(T, 2) moments about the horizontal axes of parts at `lever` (T, P, 3)."""
    return np.asarray(np.einsum("p,tpk->tk", share, np.cross(lever, pull))[:, :2])


def _balance(inertia: Array, weight: Array, supports: int) -> SingleSupportEvidence | None:
    """The line weight = rate^2 inertia through noisy points.

    Noise in either makes one of the two regressions too steep and the other too flat: the answer is between them.
    """
    both, own, pull = np.sum(inertia * weight), np.sum(inertia**2), np.sum(weight**2)
    if both <= 0:
        return None
    agreement = float(both / np.sqrt(own * pull))
    return SingleSupportEvidence(float(pull / own * agreement) ** 0.25 / ROLL, agreement, supports)
