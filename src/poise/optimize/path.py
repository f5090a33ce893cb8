"""Differences of poses along a trajectory, and how they change with the poses."""

from __future__ import annotations

import numpy as np

from poise.body import Body
from poise.body.poses import PoseSpace
from poise.frozen import Array, Ints
from poise.spatial import inverse_right_jacobian


class PosePath:
    """Steps between poses of a body, many at once, with derivatives by the tangents of the poses."""

    def __init__(self, body: Body) -> None:
        self._space = PoseSpace(body)
        self._nv = body.nv
        self.balls = self._space.balls  # (K, 3) freedoms of ball joints

    def moved(self, qpos: Array, step: Array) -> Array:
        """Poses (T, nq) a tangent step (T, nv) further."""
        return self._space.moved(qpos, step)

    def difference(self, start: Array, end: Array) -> tuple[Array, Array, Array]:
        """The way (T, nv) from `start` to `end`, and its derivatives (T, nv, nv) by the tangents of both."""
        way, turns = self._space.difference(start, end), self._space.turns
        by_start, by_end = (
            self._slopes(sign, self._space.slides, turns, inverse_right_jacobian(sign * way[:, turns]))
            for sign in (-1.0, 1.0)
        )
        return way, by_start, by_end

    def angles(self, qpos: Array) -> tuple[Array, Array]:
        """What joint limits bound (T, nv), 0 on the root, and its derivative (T, nv, nv)."""
        angles, balls = self._space.angles(qpos), self._space.balls
        return angles, self._slopes(1.0, self._space.hinges, balls, inverse_right_jacobian(angles[:, balls]))

    def _slopes(self, sign: float, straight: Ints, turns: Ints, blocks: Array) -> Array:
        """(T, nv, nv) of `sign` times 1 on straight freedoms and blocks (T, K, 3, 3) on turns (K, 3)."""
        out = np.zeros((len(blocks), self._nv, self._nv))
        out[:, straight, straight] = sign
        out[:, turns[:, :, None], turns[:, None, :]] = sign * blocks
        return out
