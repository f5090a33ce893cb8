"""Control poses over time: each degree of freedom is interpolated linearly between its own keys [Fattal2006].

A key is the angle of one degree of freedom at a time; a pose is a set of keys at the same time. A degree of freedom
moves from its initial angle to its first key and holds the angle of its last key. The keys of the root are the roll,
pitch and yaw that stabilising torques aim at; the position of the root follows from physics.
"""

from bisect import bisect_right
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from math import cos, sin

import mujoco
import numpy as np

from poise.arrays import Array, Frozen, Ints, readonly
from poise.body.body import Body
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Start, Target

ROOT_TURNS = slice(3, 6)  # Indices of the root's roll, pitch and yaw (rad) in the coordinates


@dataclass(frozen=True, eq=False)
class PoseKeys:
    """n keys: each a time, a degree of freedom and an angle. Of keys for the same time and freedom, the last counts."""

    time: Array  # (n,) s
    dof: Ints  # (n,) index of the degree of freedom
    value: Array  # (n,) rad


class KeyPoseReference:
    """A reference whose poses are interpolated between keys."""

    start: Start = "origin"
    begin: float = 0.0
    motions: Mapping[str, Dynamic] = Frozen()

    def __init__(self, body: Body, name: str, keys: PoseKeys, first: Array, velocity: Array, duration: float) -> None:
        """`first` (nv,): coordinates at time 0 where no key gives them. `velocity` (nv,): velocity at time 0."""
        self.name, self.duration = name, duration
        self._body, self._velocity = body, readonly(velocity)
        self._rest = readonly(np.zeros(body.nv))
        self._straight = straight_pose(body)
        self._times, self._table = _key_pose_reference_table(keys, first)
        self._last: tuple[float, Target] | None = None

    def raised(self, by: float) -> "KeyPoseReference":
        """A copy whose root is higher by `by` (m)."""
        higher = copy(self)
        higher._last = None
        higher._straight = self._straight + by * (np.arange(self._body.nq) == 2)
        return higher

    def at(self, time: float) -> Target:
        """The pose at a time (s), with the initial velocity at time 0 and zero velocity later."""
        if self._last is None or self._last[0] != time:  # the controller and the recording ask for the same time
            velocity = self._velocity if time == 0 else self._rest
            qpos = self.pose(self.coordinates(time))
            qpos.flags.writeable = False
            self._last = (time, Target(qpos, velocity))
        return self._last[1]

    def coordinates(self, time: float) -> Array:
        """(nv,) rad at a time (s): hinge angles, rotation vectors of ball joints, roll, pitch and yaw of the root."""
        after = bisect_right(self._times, time)
        if after == len(self._times):
            return np.array(self._table[-1])
        before = max(after - 1, 0)
        span = self._times[after] - self._times[before]
        share = (time - self._times[before]) / span if span > 0 else 0.0
        here = self._table[before]
        return np.asarray(here + share * (self._table[after] - here))

    def pose(self, coordinates: Array) -> Array:
        """(nq,) pose with the given coordinates (nv,) and the root at its initial position."""
        return pose_from_coordinates(self._body, coordinates, self._straight)


def pose_from_coordinates(body: Body, coordinates: Array, straight: Array | None = None) -> Array:
    """(nq,) pose with coordinates (nv,). `straight` (nq,): pose with zero coordinates, gives the root's position."""
    qpos, bent = np.array(straight_pose(body) if straight is None else straight), np.array(coordinates)
    bent[:6] = 0.0
    mujoco.mj_integratePos(body.model, qpos, bent, 1.0)
    qpos[3:7] = _root_quaternion(*coordinates[ROOT_TURNS].tolist())
    return qpos


def standing_coordinates(body: Body) -> Array:
    """(nv,) coordinates of the standing pose, as `KeyPoseReference.coordinates` returns them; 0 for the root."""
    out = np.zeros(body.nv)
    mujoco.mj_differentiatePos(body.model, out, 1.0, straight_pose(body), np.array(body.standing))
    out[:6] = 0.0
    return out


def _root_quaternion(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """Quaternion yaw * pitch * roll of angles in rad. Written out in floats because every step computes it."""
    a, b, c = cos(0.5 * roll), cos(0.5 * pitch), cos(0.5 * yaw)
    d, e, f = sin(0.5 * roll), sin(0.5 * pitch), sin(0.5 * yaw)
    return a * b * c + d * e * f, d * b * c - a * e * f, a * e * c + d * b * f, a * b * f - d * e * c


def straight_pose(body: Body) -> Array:
    """(nq,) pose with all joints at zero, and the root unrotated at its position in the standing pose."""
    qpos = np.array(body.standing)
    qpos[3:7] = 1.0, 0.0, 0.0, 0.0
    for joint in body.joints[1:]:
        qpos[list(joint.qpos)] = (1.0, 0.0, 0.0, 0.0) if joint.kind == "ball" else 0.0
    return qpos


def _key_pose_reference_table(keys: PoseKeys, first: Array) -> tuple[list[float], Array]:
    """K times (s): 0 and those of all keys; and a table (K, nv) with the coordinates at each time."""
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
