"""Poses carried along the ground: turned about the vertical and shifted as a whole."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate, yaw_of


def heading(yaw: float) -> Array:
    """The turn (4,) by `yaw` rad to the left."""
    return np.array([math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw)])


def carried(qpos: Array, turn: Array, way: Array) -> Array:
    """Poses (..., nq) of a free root turned by (4,) about the vertical through the origin, then shifted by (3,) m.

    Written out, since one is asked for at every step.
    """
    c, s = float(turn[0]), float(turn[3])  # of half the angle
    cos, sin = c * c - s * s, 2.0 * c * s
    ahead, left, up = way.tolist()
    out = np.array(qpos)
    from_, into = qpos.T[:7], out.T
    x, y, z, a, b, d, e = from_.tolist() if qpos.ndim == 1 else from_  # arrays without axes are slow
    into[0], into[1], into[2] = cos * x - sin * y + ahead, sin * x + cos * y + left, z + up
    into[3], into[4], into[5], into[6] = c * a - s * e, c * b - s * d, c * d + s * b, c * e + s * a
    return out


def advance(first: Array, last: Array) -> tuple[float, Array]:
    """Yaw (rad) and way (3,) m along the ground that carry one pose's place and heading to another's."""
    yaw = float(yaw_of(quat_multiply(last[3:7], quat_conjugate(first[3:7]))))
    return yaw, (last[:3] - quat_rotate(heading(yaw), first[:3])) * [1.0, 1.0, 0.0]


@dataclass(frozen=True, eq=False)
class Carriage:
    """Where a motion takes place: turned by `yaw` rad about the origin, then shifted by `way` (3,) m."""

    yaw: float
    way: Array

    @classmethod
    def between(cls, first: Array, last: Array) -> Carriage:
        """What carries one pose to another, along the ground and up."""
        yaw, way = advance(first, last)
        return cls(yaw, way + [0.0, 0.0, last[2] - first[2]])

    def pose(self, qpos: Array) -> Array:
        """Poses (..., nq) of the motion, where it takes place."""
        return carried(qpos, self._turn, self.way)

    @cached_property
    def _turn(self) -> Array:
        return heading(self.yaw)

    def velocity(self, qvel: Array) -> Array:
        """Velocities (..., nv) of the motion, where it takes place."""
        out = np.array(qvel)
        out[..., :3] = self.vector(qvel[..., :3])
        return out

    def vector(self, told: Array) -> Array:
        """Forces or directions (..., 3) of the motion, where it takes place."""
        out, cos, sin = np.array(told), math.cos(self.yaw), math.sin(self.yaw)
        out[..., 0], out[..., 1] = cos * told[..., 0] - sin * told[..., 1], sin * told[..., 0] + cos * told[..., 1]
        return out

    def then(self, yaw: float, way: Array) -> Carriage:
        """Further carried, as seen from here: where what follows a motion takes place."""
        return Carriage(self.yaw + yaw, self.way + self.vector(way))

    def shifted(self, way: Array) -> Carriage:
        """Shifted in the world."""
        return Carriage(self.yaw, self.way + way)
