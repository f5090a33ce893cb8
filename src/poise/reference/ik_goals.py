"""What poses are wanted to do, and how far they are from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.frozen import Array
from poise.reference.ik_kinematics import Kinematics, Posed
from poise.spatial import quat_conjugate, quat_log, quat_multiply

BATCH = 256  # frames whose Jacobians are held at a time


@dataclass(frozen=True, eq=False)
class Goals:
    """Places of points and turns of links in each frame. Weights multiply errors in m and rad; 0 for none."""

    places: Array  # (T, P, 3) m
    place_weights: Array  # (T, P, 3) along x, y, z
    turns: Array  # (T, L, 4)
    turn_weights: Array  # (T, L)
    floors: Array | None = None  # (T, P) m: heights that points must not sink below; those without a wanted height
    floor_weight: float = 0.0

    def take(self, frames: NDArray[np.int64] | slice) -> Goals:
        """The goals of some of the frames."""
        return Goals(
            self.places[frames],
            self.place_weights[frames],
            self.turns[frames],
            self.turn_weights[frames],
            None if self.floors is None else self.floors[frames],
            self.floor_weight,
        )

    def errors(self, places: Array, turns: Array) -> tuple[Array, Array]:
        """What is missing to the goals: (T, P, 3) m, and rotation vectors (T, L, 3) in the world."""
        return self.places - places, quat_log(quat_multiply(self.turns, quat_conjugate(turns)))

    def asked(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which points (P,) and links (L,) have a goal in any frame."""
        points = np.any(self.place_weights != 0, axis=(0, 2))
        if self.floors is not None:
            points = points | np.any(np.isfinite(self.floors), axis=0)
        return points, np.asarray(np.any(self.turn_weights != 0, axis=0))

    def lifting(self, places: Array) -> Goals:
        """The goals with wanted heights for those points that are below their floors at `places` (T, P, 3)."""
        if self.floors is None:
            return self
        sunk = (places[..., 2] < self.floors) & (self.place_weights[..., 2] == 0)
        wanted, weights = np.array(self.places), np.array(self.place_weights)
        wanted[..., 2] = np.where(sunk, self.floors, wanted[..., 2])
        weights[..., 2] += sunk * self.floor_weight
        return replace(self, places=wanted, place_weights=weights)


def goals_for(
    frames: int,
    places: ArrayLike | None,
    place_weights: ArrayLike,
    turns: ArrayLike | None,
    turn_weights: ArrayLike,
    counts: tuple[int, int],
) -> Goals:
    """Goals of all frames from values that may be told once for all of them; `counts` of points and of links."""
    points, links = counts
    upright = np.array([1.0, 0.0, 0.0, 0.0])
    return Goals(
        np.broadcast_to(np.zeros(3) if places is None else np.asarray(places, float), (frames, points, 3)),
        np.broadcast_to(np.asarray(0.0 if places is None else place_weights, float)[..., None], (frames, points, 3)),
        np.broadcast_to(upright if turns is None else np.asarray(turns, float), (frames, links, 4)),
        np.broadcast_to(np.asarray(0.0 if turns is None else turn_weights, float), (frames, links)),
    )


def normal_equations(kinematics: Kinematics, goals: Goals, qpos: Array) -> tuple[Array, Array, Array]:
    """Matrix (T, nv, nv), vector (T, nv) and cost (T,) of the linearised goals; a step solves matrix @ x = vector."""
    parts = []
    for first in range(0, len(qpos), BATCH):
        span = slice(first, first + BATCH)
        parts.append(_normal(kinematics.posed(qpos[span]), goals.take(span)))
    matrix, vector, cost = (np.concatenate(each) for each in zip(*parts, strict=True))
    return matrix, vector, cost


def _normal(posed: Posed, goals: Goals) -> tuple[Array, Array, Array]:
    frames, _, _, nv = posed.place_rows.shape
    goals = goals.lifting(posed.places)
    shift, turn = goals.errors(posed.places, posed.turns)
    turn_weights = np.broadcast_to(goals.turn_weights[..., None], turn.shape)
    weights = np.concatenate([goals.place_weights, turn_weights], axis=1)
    rows = weights[..., None] * np.concatenate([posed.place_rows, posed.turn_rows], axis=1)
    rows = rows.reshape(frames, -1, nv)
    missing = (weights * np.concatenate([shift, turn], axis=1)).reshape(frames, -1, 1)
    transposed = np.swapaxes(rows, 1, 2)
    return transposed @ rows, (transposed @ missing)[..., 0], np.sum(missing[..., 0] ** 2, axis=1)
