"""Single support: the figure is a pendulum on one foot, and gravity sets its clock.

The contact force acts under the standing foot, so that about this point the moment of all inertia balances that of
all weight: sum m r x a = sum m r x g. With a counted per frame^2 this holds for one frame rate only, however fast or
slow the figure walks [Vukobratovic2004].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import Array
from poise.motion.repair.gravity.extremities import Extremities, Foot
from poise.motion.repair.gravity.flight import G, Mask, runs
from poise.motion.repair.gravity.masses import MassPoints
from poise.motion.repair.gravity.smooth import Smoothed

STILL = 0.12  # of the swinging foot's pace: the standing foot is slower
SWING = 0.25  # m/s, of a foot that swings and does not merely tremble
STEP_UP = 0.25  # m, that the standing foot may be above the swinging one, on stairs
SHORTEST = 0.07  # s of a support that counts
ROLL = 1.1  # the force wanders from heel to toe with the body above it: rates are read this much too high


@dataclass(frozen=True)
class Pendulum:
    """What all single supports of a clip say."""

    rate: float  # frames per second
    agreement: float  # correlation of the two moments, -1 to 1
    supports: int  # stretches of single support

    @property
    def trust(self) -> float:
        """0 to 1: three supports in which the moments agree well are worth full trust."""
        return float(np.clip((self.agreement - 0.35) / 0.35, 0, 1)) * min(1.0, self.supports / 3)


def pendulum(mass: MassPoints, motion: Smoothed, limbs: Extremities, rate: float) -> Pendulum | None:
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


def _alone(own: Foot, other: Foot, limbs: Extremities) -> Mask:
    """(T,) when one foot stands, the other swings and no hand holds on."""
    stands = (own.stillness < STILL * other.pace) & (own.middle[:, 2] < other.middle[:, 2] + STEP_UP)
    for pace in limbs.hand_paces:
        stands &= pace > own.stillness
    return stands


def _moment(share: Array, lever: Array, pull: Array) -> Array:
    """(T, 2) moments about the horizontal axes of parts at `lever` (T, P, 3)."""
    return np.asarray(np.einsum("p,tpk->tk", share, np.cross(lever, pull))[:, :2])


def _balance(inertia: Array, weight: Array, supports: int) -> Pendulum | None:
    """The line weight = rate^2 inertia through noisy points.

    Noise in either makes one of the two regressions too steep and the other too flat: the answer is between them.
    """
    both, own, pull = np.sum(inertia * weight), np.sum(inertia**2), np.sum(weight**2)
    if both <= 0:
        return None
    agreement = float(both / np.sqrt(own * pull))
    return Pendulum(float(pull / own * agreement) ** 0.25 / ROLL, agreement, supports)
