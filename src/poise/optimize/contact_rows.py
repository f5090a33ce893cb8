"""Rows of what touches: it stays where it stands or rolls, is held or keeps off, and pushes within its cone."""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.optimize.layout import Layout
from poise.optimize.motion_terms import MotionTerms, Terms
from poise.optimize.rows import Bounded, Rows
from poise.optimize.task import LENGTH, Balls, Task
from poise.spatial import inverse_right_jacobian, quat_conjugate, quat_log, quat_multiply

_PYRAMID = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


def standing_rows(motion: MotionTerms, layout: Layout, t: Terms) -> list[Rows]:
    """What is down is on the ground and stays, or rolls; what is held is where it is held. Frames 1 to N."""
    balls, count = motion.task.balls, motion.task.balls.bearing
    down, is_held = balls.down[1:, :count], balls.held[:count]
    names, stands, held = np.array(balls.names[:count], np.str_), down & ~is_held, down & is_held
    height, height_q = _heights(balls, t)
    on = LENGTH * stands
    ground = Rows(
        "stands on the ground", layout.states, on[..., None] * height_q[:, :count], on * height[:, :count], names, "cm"
    )
    slip, before, after = _slip(balls, t)
    both = LENGTH * (stands[:-1] & stands[1:])[..., None]
    jacobian = np.concatenate([before, after], axis=3) * both[..., None]
    place = Rows("stays in place", layout.pairs, _flat(jacobian), _flat(slip * both), np.repeat(names, 2), "cm")
    if not held.any():
        return [ground, place]
    away = np.where(held[..., None], t.inverse.point[:, :count] - balls.place[:count], 0.0)
    grip = LENGTH * held[..., None, None] * t.inverse.point_q[:, :count]
    return [ground, place, Rows("is held", layout.states, _flat(grip), LENGTH * _flat(away), np.repeat(names, 3), "cm")]


def _flat(part: Array) -> Array:
    """(n, S, k, ...) as rows (n, S k, ...)."""
    return part.reshape(len(part), part.shape[1] * part.shape[2], *part.shape[3:])


def _heights(balls: Balls, t: Terms) -> tuple[Array, Array]:
    """(n, C) m of the balls' lowest points over the ground, and by pose."""
    return t.inverse.point[..., 2] - balls.radius - balls.ground[1:], t.inverse.point_q[:, :, 2]


def _slip(balls: Balls, t: Terms) -> tuple[Array, Array, Array]:
    """(n - 1, S, 2) m along the ground from frame to frame beyond rolling, by pose and by the next pose."""
    parts = (t.inverse.point, t.inverse.point_q, t.inverse.attitude, t.inverse.spin)
    point, point_q, attitude, spin = (part[:, : balls.bearing] for part in parts)
    turned = quat_log(quat_multiply(attitude[1:], quat_conjugate(attitude[:-1])))  # (n - 1, S, 3) in the world
    by_start, by_end = -inverse_right_jacobian(turned) @ spin[:-1], inverse_right_jacobian(-turned) @ spin[1:]
    radius = balls.radius[: balls.bearing, None, None]
    roll = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]) * radius  # (S, 2, 3): turned x radius z
    return (
        np.diff(point, axis=0)[..., :2] - (roll @ turned[..., None])[..., 0],
        -point_q[:-1, :, :2] - roll @ by_start,
        point_q[1:, :, :2] - roll @ by_end,
    )


def height_bounds(motion: MotionTerms, layout: Layout, t: Terms) -> list[Bounded]:
    """What is not down keeps its distance from the ground."""
    balls = motion.task.balls
    least = np.where(balls.down, -np.inf, balls.least)[1:]
    watched = np.isfinite(least).any(axis=0)
    if not watched.any():
        return []
    height, height_q = _heights(balls, t)
    names = np.array(balls.names, np.str_)[watched]
    value = LENGTH * height[:, watched]
    rows = Rows("keeps off the ground", layout.states, LENGTH * height_q[:, watched], value, names, "cm")
    return [Bounded(rows, LENGTH * least[:, watched], np.full(value.shape, np.inf))]


def cone_bounds(task: Task, layout: Layout, force: Array) -> Bounded:
    """Contacts push, and friction lies within a pyramid inside the cone; forces (N + 1, S, 3) in body weights."""
    frame, ball = np.nonzero((layout.force[..., 2] >= 0) & ~task.balls.held[: task.balls.bearing])
    columns = layout.force[frame, ball]  # (B, 3)
    face = np.concatenate([-_PYRAMID, np.full((4, 1), task.friction)], axis=1)  # (4, 3)
    jacobian = np.broadcast_to(face, (len(columns), 4, 3))
    lower = np.zeros((len(columns), 4))
    lower[columns[:, 0] < 0, 1:] = -np.inf  # no friction: one face is enough
    whose = np.array(task.balls.names, np.str_)[ball][:, None]
    rows = Rows("friction cone", columns, jacobian, force[frame, ball] @ face.T, whose, "body weights")
    return Bounded(rows, lower, np.full(lower.shape, np.inf))


def force_rows(task: Task, layout: Layout, force: Array) -> list[Rows]:
    """Small forces, and small changes of them from step to step."""
    frames = len(layout.force)
    columns, value = layout.force.reshape(frames, -1), force.reshape(frames, -1)
    exists = (columns >= 0)[..., None] * np.eye(columns.shape[1])
    size, change = np.sqrt(task.weights.force), np.sqrt(task.weights.jerk)
    last = frames if task.closure is not None else frames - 1
    first, second = slice(1, last - 1), slice(2, last)
    pair = np.concatenate([columns[first], columns[second]], axis=1)
    jacobian = np.concatenate([-exists[first], exists[second]], axis=2)
    return [
        Rows("force", columns[1:-1], size * exists[1:-1], size * value[1:-1]),
        Rows("change of force", pair, change * jacobian, change * (value[second] - value[first])),
    ]
