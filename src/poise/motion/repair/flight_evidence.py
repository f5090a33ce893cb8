"""Evidence of the frame rate from falling: in flight the centre of mass accelerates with g, and never faster."""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, true_runs
from poise.motion.repair.point_masses import HEAD, TRUNK, MassPoints, Smoothed

G = 9.81  # m/s^2
CLEARANCE = 0.025  # of the leg: height of the lowest joint above its level nearby from which a flight is possible
HELD = 0.15  # of the take-off speed: a slower joint may be held by something
HELD_SHARE = 0.3  # of the flight: longest time for which a free joint is that slow, at the top of its path
SHORTEST = 6  # frames of the parabola
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
    """Flights of a figure with joints at (T, J, 3) m and legs of length `leg` (m).

    The level of the ground is taken from `near` frames to both sides.
    """
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
    """Ground level (T,): the higher of the lowest heights before and after a frame; a jump has ground on both sides."""
    padded = np.pad(height, near, constant_values=np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, near + 1).min(axis=1)
    before, after = windows[: len(height)], windows[near:]
    return np.asarray(np.maximum(before, after))


def _fitted_flight(centre: Array, start: int, stop: int) -> AirbornePhase | None:
    """The flight between two frames; None if the centre of mass does not follow a parabola there."""
    count = stop - start
    if count < SHORTEST:
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
    """The largest downward acceleration (in g) of the centre of mass if the clip has this rate.

    The model's error rotates with the trunk; the centripetal acceleration of this error is subtracted.
    """
    down = -np.einsum("p,tp->t", mass.share, motion.acceleration[..., 2])
    spine = motion.value[:, HEAD] - motion.value[:, TRUNK]
    length = np.maximum(np.linalg.norm(spine, axis=-1, keepdims=True), MODEL_ERROR)
    angular = (motion.speed[:, HEAD] - motion.speed[:, TRUNK]) / length  # rad per frame
    error = MODEL_ERROR * np.sum(angular**2, axis=-1)
    return max(0.0, float(np.max(down - error))) * rate**2 / G
