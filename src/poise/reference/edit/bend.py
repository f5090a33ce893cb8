"""A first guess for legs and arms: knees and elbows bent in closed form, so that the search starts near its goal.

No small step shortens a straight limb: a search that starts there finds no bend. Told of legs, it holds for arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.body import Body
from poise.body.parts import Joint
from poise.reference.edit.limbs import chain_joints, element_id
from poise.spatial import Array, quat_between, quat_conjugate, quat_from_axis_angle, quat_multiply, quat_rotate

STRAIGHTEST = 0.9999  # of the length of a leg


@dataclass(frozen=True, eq=False)
class _Leg:
    """A hip that is a ball, the knee below it, and a point of the foot."""

    hip: Joint
    knee: Joint
    foot: int  # MuJoCo's number of the link
    point: Array  # (3,) m in the link's frame

    @property
    def limits(self) -> tuple[float, float]:
        return float(self.knee.lower[0]), float(self.knee.upper[0])


class LimbGuess:
    """Brings points (link, place in its frame) near to places; those that hang on no ball and hinge stay."""

    def __init__(self, body: Body, points: Sequence[tuple[str, ArrayLike]]) -> None:
        self._model, self._data = body.model, mujoco.MjData(body.model)
        self._body = body
        self._legs = [_leg(body, link, np.asarray(point, float)) for link, point in points]

    def guess(self, qpos: Array, place: Array) -> Array:
        """Poses (T, nq) with the points nearly at `place` (T, P, 3)."""
        out = np.array(qpos)
        for number, leg in enumerate(self._legs):
            if leg is not None:
                self._bend(out, leg, place[:, number])
        return out

    def _bend(self, qpos: Array, leg: _Leg, goal: Array) -> None:
        hip, thigh, knee, axis, foot = self._read(qpos, leg)
        angle = list(leg.knee.qpos)
        turn = _wrapped(_wanted(hip, knee, axis, foot, goal, self._bent(leg)) - _angle(hip, knee, axis, foot))
        turn = np.clip(qpos[:, angle[0]] + turn, *leg.limits) - qpos[:, angle[0]]
        qpos[:, angle[0]] += turn
        foot = knee + quat_rotate(quat_from_axis_angle(axis, turn), foot - knee)
        swing = quat_between(foot - hip, goal - hip)
        local = quat_multiply(quat_conjugate(thigh), quat_multiply(swing, thigh))
        qpos[:, list(leg.hip.qpos)] = quat_multiply(qpos[:, list(leg.hip.qpos)], local)

    def _bent(self, leg: _Leg) -> float:
        """The sign of the angle from thigh to shank in the middle of the knee's range."""
        qpos = np.array(self._body.standing)
        qpos[list(leg.knee.qpos)] = 0.5 * sum(leg.limits)
        hip, _, knee, axis, foot = self._read(qpos[None], leg)
        return float(np.sign(_angle(hip, knee, axis, foot)[0]))

    def _read(self, qpos: Array, leg: _Leg) -> tuple[Array, Array, Array, Array, Array]:
        """Of all poses: hip, turn of the thigh, knee, its axis, foot."""
        hip, knee = element_id(self._body, leg.hip), element_id(self._body, leg.knee)
        thigh, data = self._body.link_id(leg.hip.link), self._data
        rows = []
        for pose in qpos:
            data.qpos[:] = pose
            mujoco.mj_kinematics(self._model, data)
            rows.append(
                np.concatenate([data.xanchor[hip], data.xquat[thigh], data.xanchor[knee], data.xaxis[knee]]).tolist()
                + (data.xpos[leg.foot] + data.xmat[leg.foot].reshape(3, 3) @ leg.point).tolist()
            )
        table = np.array(rows)
        return table[:, :3], table[:, 3:7], table[:, 7:10], table[:, 10:13], table[:, 13:]


def _leg(body: Body, link: str, point: Array) -> _Leg | None:
    joints = chain_joints(body, link)
    for hip, knee in pairwise(joints):
        limited = len(knee.dofs) == 1 and np.isfinite(knee.lower[0]) and np.isfinite(knee.upper[0])
        if hip.kind == "ball" and knee.kind == "hinge" and limited:
            return _Leg(hip, knee, body.link_id(link), point)
    return None


def _across(vector: Array, axis: Array) -> Array:
    """What of vectors (T, 3) is at right angles to unit axes (T, 3)."""
    return np.asarray(vector - np.sum(vector * axis, axis=1, keepdims=True) * axis)


def _angle(hip: Array, knee: Array, axis: Array, foot: Array) -> Array:
    """(T,) rad: the angle from thigh to shank about the knee's axis."""
    thigh, shank = _across(hip - knee, axis), _across(foot - knee, axis)
    return np.asarray(np.arctan2(np.sum(axis * np.cross(thigh, shank), axis=1), np.sum(thigh * shank, axis=1)))


def _wanted(hip: Array, knee: Array, axis: Array, foot: Array, goal: Array, sign: float) -> Array:
    """(T,) rad: the angle from thigh to shank at which the foot is as far from the hip as the goal is."""
    thigh, shank = _across(hip - knee, axis), _across(foot - knee, axis)
    aside = np.sum((foot - hip) * axis, axis=1)
    a, b = np.linalg.norm(thigh, axis=1), np.linalg.norm(shank, axis=1)
    far = np.linalg.norm(goal - hip, axis=1)
    chord = np.clip(far**2 - aside**2, (a - b) ** 2, (STRAIGHTEST * (a + b)) ** 2)
    return np.asarray(sign * np.arccos(np.clip((a**2 + b**2 - chord) / (2 * a * b), -1.0, 1.0)))


def _wrapped(angle: Array) -> Array:
    return np.asarray((angle + np.pi) % (2 * np.pi) - np.pi)
