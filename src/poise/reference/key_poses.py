"""Control poses in time: each degree of freedom goes straight from one of its own keys to the next [Fattal2006].

A key is an angle of one degree of freedom at a time; a pose is a set of keys that share a time. What has no key yet
keeps its angle, and what has no later one holds the last. The root's keys are the roll, pitch and yaw that stabilising
torques aim at; where the root is, physics decides.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from math import cos, sin

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Frozen, readonly
from poise.body.body import Body
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Start, Target

ROOT_TURNS = slice(3, 6)
"""Of the coordinates: roll, pitch and yaw, rad."""


@dataclass(frozen=True, eq=False)
class PoseKeys:
    """Angles of single degrees of freedom at times; at the same time and freedom the last one counts."""

    time: Array  # (n,) s
    dof: NDArray[np.int64]  # (n,)
    value: Array  # (n,) rad


class KeyPoses:
    """Control poses of a body as something to be tracked."""

    start: Start = "origin"
    begin: float = 0.0
    motions: Mapping[str, Dynamic] = Frozen()

    def __init__(self, body: Body, name: str, keys: PoseKeys, first: Array, velocity: Array, duration: float) -> None:
        """`first` (nv,) are the coordinates before any key, `velocity` (nv,) that of the body at the beginning."""
        self.name, self.duration = name, duration
        self._body, self._velocity = body, readonly(velocity)
        self._rest = readonly(np.zeros(body.nv))
        self._straight = straight_pose(body)
        self._times, self._table = _table(keys, first)
        self._last: tuple[float, Target] | None = None

    def raised(self, by: float) -> KeyPoses:
        """The same, with its root so much higher, m."""
        higher = copy(self)
        higher._last = None
        higher._straight = self._straight + by * (np.arange(self._body.nq) == 2)
        return higher

    def at(self, time: float) -> Target:
        """The pose at a time, s; its velocity matters at the beginning only."""
        if self._last is None or self._last[0] != time:  # asked for by the controller, then for the recording
            velocity = self._velocity if time == 0 else self._rest
            qpos = self.pose(self.coordinates(time))
            qpos.flags.writeable = False
            self._last = (time, Target(qpos, velocity))
        return self._last[1]

    def coordinates(self, time: float) -> Array:
        """(nv,) rad: angles of hinges, rotation vectors of balls, roll, pitch and yaw of the root."""
        after = bisect_right(self._times, time)
        if after == len(self._times):
            return np.array(self._table[-1])
        before = max(after - 1, 0)
        span = self._times[after] - self._times[before]
        share = (time - self._times[before]) / span if span > 0 else 0.0
        here = self._table[before]
        return np.asarray(here + share * (self._table[after] - here))

    def pose(self, coordinates: Array) -> Array:
        """(nq,) of coordinates; the root is where the body begins."""
        return posed(self._body, coordinates, self._straight)


def posed(body: Body, coordinates: Array, straight: Array | None = None) -> Array:
    """(nq,) the pose of coordinates; `straight` is the one without any, which tells where the root is."""
    qpos, bent = np.array(straight_pose(body) if straight is None else straight), np.array(coordinates)
    bent[:6] = 0.0
    mujoco.mj_integratePos(body.model, qpos, bent, 1.0)
    qpos[3:7] = _turned(*coordinates[ROOT_TURNS].tolist())
    return qpos


def standing_coordinates(body: Body) -> Array:
    """(nv,) of the standing pose."""
    out = np.zeros(body.nv)
    mujoco.mj_differentiatePos(body.model, out, 1.0, straight_pose(body), np.array(body.standing))
    out[:6] = 0.0
    return out


def _turned(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """The quaternion of a yaw, then a pitch, then a roll. Written out, since one is asked for at every step."""
    a, b, c = cos(0.5 * roll), cos(0.5 * pitch), cos(0.5 * yaw)
    d, e, f = sin(0.5 * roll), sin(0.5 * pitch), sin(0.5 * yaw)
    return a * b * c + d * e * f, d * b * c - a * e * f, a * e * c + d * b * f, a * b * f - d * e * c


def straight_pose(body: Body) -> Array:
    """The pose whose joints are all at zero, where the body stands."""
    qpos = np.array(body.standing)
    qpos[3:7] = 1.0, 0.0, 0.0, 0.0
    for joint in body.joints[1:]:
        qpos[list(joint.qpos)] = (1.0, 0.0, 0.0, 0.0) if joint.kind == "ball" else 0.0
    return qpos


def _table(keys: PoseKeys, first: Array) -> tuple[list[float], Array]:
    """All times at which some freedom has a key, and the coordinates (K, nv) at each."""
    times = np.unique(np.concatenate([[0.0], keys.time]))
    table = np.tile(first, (len(times), 1))
    for dof in np.unique(keys.dof):
        own = np.flatnonzero(keys.dof == dof)
        own = own[np.argsort(keys.time[own], kind="stable")]
        at, values = keys.time[own], keys.value[own]
        last = np.append(at[1:] != at[:-1], True)
        at, values = at[last], values[last]
        if at[0] > 0:
            at, values = np.append(0.0, at), np.append(first[dof], values)
        table[:, dof] = np.interp(times, at, values)
    return times.tolist(), table
