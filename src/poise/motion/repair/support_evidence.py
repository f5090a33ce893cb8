"""Evidence of the frame rate: from falling, and from standing on one foot and on both.

In flight the centre of mass accelerates with g, and never faster. In single support the contact force acts under the
standing foot; about this point the moments of inertia and weight balance: sum m r x a = sum m r x g. With a in m per
frame^2 this holds at one frame rate only, at any walking speed [Vukobratovic2004]. While standing on both feet, the
zero moment point lies inside the feet [Vukobratovic2004]; in a clip played too fast it lies outside.
"""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Mask, true_runs
from poise.motion.repair.point_masses import HEAD, TRUNK, Extremities, MassPoints, Smoothed

G = 9.81  # m/s^2
CLEARANCE = 0.025  # of the leg: height of the lowest joint above its level nearby from which a flight is possible
HELD = 0.15  # of the take-off speed: a slower joint may be held by something
HELD_SHARE = 0.3  # of the flight: longest time for which a free joint is that slow, at the top of its path
SHORTEST_FLIGHT = 6  # frames of the parabola
SIDEWAYS = 0.25  # of the downward acceleration: largest horizontal acceleration of the centre of mass
MISFIT, NOISE = 0.04, 0.0007  # largest RMS deviation from a parabola: MISFIT of the height of the arc + NOISE m
MODEL_ERROR = 0.05  # m: error of the modelled centre of mass, which rotates with the trunk


@dataclass(frozen=True)
class AirbornePhase:
    """A run of frames without support."""

    start: int
    stop: int
    rate: float  # Hz, at which this parabola falls with g
    rise: float  # m, height of the arc


def flights_in_imported_file(mass: MassPoints, joints: Array, leg: float, near: int) -> list[AirbornePhase]:
    """Flights with joints at (T, J, 3) m and legs of `leg` m, above the level of the ground within `near` frames."""
    lowest = joints[..., 2].min(axis=1)
    clear = lowest - _local_ground_level(lowest, near) > CLEARANCE * leg
    centre = mass.centre
    found = []
    for start, stop in true_runs(clear):
        trim = max(1, (stop - start) // 8)  # the tips of the toes take off later and land earlier than their joints
        flight = _fitted_flight(centre, start + trim, stop - trim)
        if flight and _held_joint_share(joints[flight.start : flight.stop], flight) < HELD_SHARE:
            found.append(flight)
    return found


def _local_ground_level(height: Array, near: int) -> Array:
    """Ground level (T,): lowest height before or after, whichever is higher; a jump has ground on both sides."""
    padded = np.pad(height, near, constant_values=np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, near + 1).min(axis=1)
    before, after = windows[: len(height)], windows[near:]
    return np.asarray(np.maximum(before, after))


def _fitted_flight(centre: Array, start: int, stop: int) -> AirbornePhase | None:
    """The flight between two frames; None if the centre of mass does not follow a parabola there."""
    count = stop - start
    if count < SHORTEST_FLIGHT:
        return None
    frame = np.arange(count) - (count - 1) / 2
    basis = np.stack([np.ones(count), frame, frame**2 / 2], axis=1)
    fit, *_ = np.linalg.lstsq(basis, centre[start:stop], rcond=None)
    sideways, fall = float(np.hypot(*fit[2, :2])), -float(fit[2, 2])
    rise = fall * count**2 / 8  # m, height of the arc
    misfit = float(np.sqrt(np.mean((centre[start:stop, 2] - basis @ fit[:, 2]) ** 2)))
    if fall <= 0 or sideways > SIDEWAYS * fall or misfit > MISFIT * rise + NOISE:
        return None
    return AirbornePhase(start, stop, float(np.sqrt(G / fall)), rise)


def _held_joint_share(joints: Array, flight: AirbornePhase) -> float:
    """The largest fraction of the flight for which one of the joints (T, J, 3) hardly moves."""
    take_off = G / flight.rate**2 * len(joints) / 2  # m per frame
    slow = np.linalg.norm(np.diff(joints, axis=0), axis=-1) < HELD * take_off
    return float(slow.mean(axis=0).max())


def fastest_fall(mass: MassPoints, motion: Smoothed, rate: float) -> float:
    """Largest downward acceleration (g) of the centre of mass at a rate, less the error of the model in the trunk."""
    down = -np.einsum("p,tp->t", mass.share, motion.acceleration[..., 2])
    spine = motion.value[:, HEAD] - motion.value[:, TRUNK]
    length = np.maximum(np.linalg.norm(spine, axis=-1, keepdims=True), MODEL_ERROR)
    angular = (motion.speed[:, HEAD] - motion.speed[:, TRUNK]) / length  # rad per frame
    error = MODEL_ERROR * np.sum(angular**2, axis=-1)
    return max(0.0, float(np.max(down - error))) * rate**2 / G


UPRIGHT = 0.85  # of the leg: least height of the centre of mass above the feet
HANDS_UP = 0.5  # of the leg: least height of free hands above the feet
SOLE = 0.05  # m: distance of the sole below the joints of the foot
FEWEST = 20  # frames of standing from which a result is given
OFTEN = 90  # percentile, over the frames, of the distance that is returned
STILL = 0.12  # of the swing foot's speed: largest speed of the stance foot
SWING = 0.25  # m/s: least speed of a swing foot; a slower one may only tremble
STEP_UP = 0.25  # m: largest height of the stance foot above the swing foot, on stairs
SHORTEST = 0.07  # s: shortest single support that counts
ROLL = 1.1  # correction: the force moves from heel to toe with the body, so rates are found too high by this factor

_COMPASS = np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)])  # (2, 8)


def tipping_distance(
    mass: MassPoints, motion: Smoothed, limbs: Extremities, leg: float, still: float, rate: float
) -> float | None:
    """Distance (m) of the zero moment point outside the feet at the assumed `rate` (Hz), negative if inside.

    None if the figure never stands on both feet. A standing foot is slower than `still` (m per frame) at any rate, so
    that rates can be compared.
    """
    centre = np.einsum("p,tpk->tk", mass.share, motion.value)
    low = np.minimum(*(foot.sole[..., 2].min(axis=1) for foot in limbs.feet))
    stands = centre[:, 2] - low > UPRIGHT * leg
    for foot, hand in zip(limbs.feet, limbs.hands, strict=True):
        stands &= (foot.stillness < still) & (hand[:, 2] - low > HANDS_UP * leg)
    if np.count_nonzero(stands) < FEWEST:
        return None
    soles = np.concatenate([foot.sole[stands] for foot in limbs.feet], axis=1)  # (T, 4, 3)
    force_at = _zero_moment_point_evidence(mass.share, motion, stands, soles[..., 2].min(axis=1) - SOLE, rate)
    outside = (force_at @ _COMPASS - (soles[..., :2] @ _COMPASS).max(axis=1)).max(axis=1)
    return float(np.percentile(outside, OFTEN))


def _zero_moment_point_evidence(share: Array, motion: Smoothed, stands: Mask, ground: Array, rate: float) -> Array:
    """Zero moment point (S, 2) m in the S frames of mask `stands`, on the ground at height `ground` (S,) m."""
    pull = motion.acceleration[stands] * rate**2 + np.array([0.0, 0.0, G])
    lever = motion.value[stands] - ground[:, None, None] * np.array([0.0, 0.0, 1.0])
    moment = np.einsum("p,tpk->tk", share, np.cross(lever, pull))
    load = np.maximum(np.einsum("p,tp->t", share, pull[..., 2]), G / 10)  # in flight the point is not defined
    return np.asarray(np.stack([-moment[:, 1], moment[:, 0]], axis=1) / load[:, None])


@dataclass(frozen=True)
class SingleSupportEvidence:
    """The rate at which the moments balance in all single supports of a clip."""

    rate: float  # Hz
    agreement: float  # correlation of the two moments, -1 to 1
    supports: int  # number of single supports

    @property
    def trust(self) -> float:
        """Weight of this evidence, 0 to 1; 1 for three supports with well correlated moments."""
        return float(np.clip((self.agreement - 0.35) / 0.35, 0, 1)) * min(1.0, self.supports / 3)


def single_support_evidence(
    mass: MassPoints, motion: Smoothed, limbs: Extremities, rate: float
) -> SingleSupportEvidence | None:
    """The rate at which inertia balances weight about the stance foot, or None; `motion` is smoothed for `rate`."""
    inertia, weight, supports = [], [], 0
    for own, other in (limbs.feet, limbs.feet[::-1]):
        # one foot stands, the other swings, and no hand is at rest
        stands = (own.stillness < STILL * other.pace) & (own.middle[:, 2] < other.middle[:, 2] + STEP_UP)
        stands &= other.pace > SWING / rate
        for pace in limbs.hand_paces:
            stands &= pace > own.stillness
        lever = motion.value[stands] - own.middle[stands, None]
        inertia.append(_horizontal_moments_for_rate(mass.share, lever, motion.acceleration[stands]))
        weight.append(_horizontal_moments_for_rate(mass.share, lever, np.array([0.0, 0.0, -G])))
        supports += sum(stop - start >= SHORTEST * rate for start, stop in true_runs(stands))
    return _balance_rate_evidence(np.concatenate(inertia), np.concatenate(weight), supports)


def _horizontal_moments_for_rate(share: Array, lever: Array, pull: Array) -> Array:
    """Moments (T, 2) about the horizontal axes of point masses at `lever` (T, P, 3) with accelerations `pull`."""
    return np.asarray(np.einsum("p,tpk->tk", share, np.cross(lever, pull))[:, :2])


def _balance_rate_evidence(inertia: Array, weight: Array, supports: int) -> SingleSupportEvidence | None:
    """The rate that fits weight = rate^2 * inertia to both moments (n, 2); None if they do not correlate.

    Noise makes one of the two possible regressions too steep and the other too flat; the result lies between them:
    rate^4 = correlation * sum weight^2 / sum inertia^2.
    """
    both, own, pull = np.sum(inertia * weight), np.sum(inertia**2), np.sum(weight**2)
    if both <= 0:
        return None
    agreement = float(both / np.sqrt(own * pull))
    return SingleSupportEvidence(float(pull / own * agreement) ** 0.25 / ROLL, agreement, supports)
