"""Flight: nothing touches, and the centre of mass falls with g whatever the figure does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.motion.repair.point_masses import HEAD, TRUNK, MassPoints, Smoothed

G = 9.81  # m/s^2
Mask = NDArray[np.bool_]
CLEARANCE = 0.025  # of the leg, that the lowest joint rises above its level nearby
HELD = 0.15  # of the speed of take-off: a joint slower than this may be held by something
HELD_SHARE = 0.3  # of the flight that it may be as slow, at the top of its way
SHORTEST = 6  # frames of the parabola
SIDEWAYS = 0.25  # of the fall, that the centre may accelerate sideways
MISFIT, NOISE = 0.04, 0.0007  # of the height of the arc, and m beside: what the data may stray from a parabola


@dataclass(frozen=True)
class AirbornePhase:
    """A stretch without support."""

    start: int
    stop: int
    rate: float  # frames per second at which this parabola falls with g
    rise: float  # m, height of the arc


def find_flights(mass: MassPoints, joints: Array, leg: float, near: int) -> list[AirbornePhase]:
    """Flights of a figure with legs of a length (m) whose joints are at (T, J, 3) m.

    `near` frames to both sides decide what the level of the ground is.
    """
    lowest = joints[..., 2].min(axis=1)
    clear = lowest - _low_level(lowest, near) > CLEARANCE * leg
    centre = mass.centre
    found = []
    for start, stop in runs(clear):
        trim = max(1, (stop - start) // 8)  # toes leave later and come earlier than their joints
        flight = _parabola(centre, start + trim, stop - trim)
        if flight and _held_share(joints[flight.start : flight.stop], flight) < HELD_SHARE:
            found.append(flight)
    return found


def runs(mask: Mask) -> list[tuple[int, int]]:
    """Start and stop of each stretch of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _low_level(height: Array, near: int) -> Array:
    """(T,) the higher of the lowest values before and after: a jump has ground on both sides."""
    padded = np.pad(height, near, constant_values=np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, near + 1).min(axis=1)
    before, after = windows[: len(height)], windows[near:]
    return np.asarray(np.maximum(before, after))


def _parabola(centre: Array, start: int, stop: int) -> AirbornePhase | None:
    """The flight between two frames, if the centre of mass draws a parabola there."""
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


def _held_share(joints: Array, flight: AirbornePhase) -> float:
    """The largest share of the flight in which one of the joints (T, J, 3) hardly moves."""
    take_off = G / flight.rate**2 * len(joints) / 2  # m per frame
    slow = np.linalg.norm(np.diff(joints, axis=0), axis=-1) < HELD * take_off
    return float(slow.mean(axis=0).max())


# Nobody falls faster than g unless something pulls it down.

MODEL_ERROR = 0.05  # m, that the centre of mass may lie beside the truth and turn with the trunk


def fastest_fall(mass: MassPoints, motion: Smoothed, rate: float) -> float:
    """The largest downward acceleration of the centre of mass in g, if the clip has this rate."""
    down = -np.einsum("p,tp->t", mass.share, motion.acceleration[..., 2])
    spine = motion.value[:, HEAD] - motion.value[:, TRUNK]
    length = np.maximum(np.linalg.norm(spine, axis=-1, keepdims=True), MODEL_ERROR)
    turning = (motion.speed[:, HEAD] - motion.speed[:, TRUNK]) / length
    excused = MODEL_ERROR * np.sum(turning**2, axis=-1)
    return max(0.0, float(np.max(down - excused))) * rate**2 / G
