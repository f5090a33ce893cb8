"""Rows of poses: like the wished ones, as smooth as they are, and within joint limits."""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.optimize.layout import Layout
from poise.optimize.motion_terms import MotionTerms, Terms
from poise.optimize.rows import Bounded, Rows


def likeness_rows(motion: MotionTerms, layout: Layout, qpos: Array) -> Rows:
    """Poses (N + 1, nq) stay near the wished ones."""
    weights = motion.task.weights
    counts = (3, 3, motion.task.body.nv - 6)
    scale = np.sqrt(np.repeat((weights.place, weights.turn, weights.joint), counts))
    away, _, slope = motion.path.difference(motion.task.wished, qpos)
    return Rows("likeness", layout.pose, scale[:, None] * slope, scale * away)


def acceleration_rows(motion: MotionTerms, layout: Layout, t: Terms, wished: Array) -> Rows:
    """Joints speed up as in the wished motion; `wished` (N - 1, nj) rad/s^2."""
    weight, h = np.sqrt(motion.task.weights.acceleration), motion.task.step
    start, end = t.way_start[:, 6:], t.way_end[:, 6:]
    jacobian = np.concatenate([-start[:-1], start[1:] - end[:-1], end[1:]], axis=2)
    value = np.diff(t.way[:, 6:], axis=0) / h**2 - wished
    return Rows("acceleration", layout.triples, weight / h**2 * jacobian, weight * value)


def joint_bounds(motion: MotionTerms, layout: Layout, qpos: Array) -> Bounded:
    """Joints stay within their limits; a limit of a ball beyond half a turn is none."""
    body = motion.task.body
    angles, slope = motion.path.angles(qpos)
    margin = np.minimum(motion.task.margin, 0.1 * (body.upper - body.lower)[6:])  # a narrow joint keeps its middle
    lower, upper = body.lower[6:] + margin, body.upper[6:] - margin
    ball = np.isin(np.arange(6, body.nv), motion.path.balls)
    lower, upper = np.where(ball & (lower < -np.pi), -np.inf, lower), np.where(ball & (upper > np.pi), np.inf, upper)
    rows = Rows("joint limit", layout.pose, slope[:, 6:], angles[:, 6:], np.array(body.dof_names[6:]), "rad")
    return Bounded(rows, np.broadcast_to(lower, rows.value.shape), np.broadcast_to(upper, rows.value.shape))
