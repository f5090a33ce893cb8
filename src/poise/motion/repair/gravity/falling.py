"""Nobody falls faster than g unless something pulls it down."""

from __future__ import annotations

import numpy as np

from poise.motion.repair.gravity.flight import G
from poise.motion.repair.gravity.masses import HEAD, TRUNK, MassPoints
from poise.motion.repair.gravity.smooth import Smoothed

MODEL_ERROR = 0.05  # m, that the centre of mass may lie beside the truth and turn with the trunk


def fastest_fall(mass: MassPoints, motion: Smoothed, rate: float) -> float:
    """The largest downward acceleration of the centre of mass in g, if the clip has this rate."""
    down = -np.einsum("p,tp->t", mass.share, motion.acceleration[..., 2])
    spine = motion.value[:, HEAD] - motion.value[:, TRUNK]
    length = np.maximum(np.linalg.norm(spine, axis=-1, keepdims=True), MODEL_ERROR)
    turning = (motion.speed[:, HEAD] - motion.speed[:, TRUNK]) / length
    excused = MODEL_ERROR * np.sum(turning**2, axis=-1)
    return max(0.0, float(np.max(down - excused))) * rate**2 / G
