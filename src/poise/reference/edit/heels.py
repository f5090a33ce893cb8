"""Heels that rise: where an ankle does not bend far enough for a flat foot, the foot tips over its ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.body import Body
from poise.body.parts import Foot, Joint
from poise.body.poses import PoseSpace
from poise.frozen import Array
from poise.reference.edit.bend import Limbs, Posed
from poise.reference.edit.limbs import chain_joints
from poise.spatial import quat_from_axis_angle, quat_multiply, quat_rotate

ROUNDS, ENOUGH, SLOWEST = 8, 1e-5, 0.2  # of a secant search: rounds, rad, and the least gain per angle
HIGHEST = np.radians(70.0)


@dataclass(frozen=True, eq=False)
class _Tip:
    """How a foot tips over its ball."""

    pivot: Array  # (3,) m in the foot's frame, on the line of the ball
    axis: Array  # (3,) in the foot's frame; a turn about it raises the heel
    ankle: int  # the degree of freedom that comes nearest to such a turn
    side: float  # 1 if the turn adds to it, -1 if it takes away
    toe: Joint | None  # a hinge that keeps the toes on the ground
    toe_side: float


class Heels:
    """The heels of a body."""

    def __init__(self, body: Body, limbs: Limbs) -> None:
        self._limbs, self._space = limbs, PoseSpace(body)
        legs = [chain_joints(body, foot.link) for foot in body.feet]
        self._feet = [number for number, joints in enumerate(legs) if joints]  # not those that are the root's link
        self._tips = [_tip(body, body.feet[number], legs[number][-1]) for number in self._feet]
        self._dofs = np.array([tip.ankle for tip in self._tips], int)
        self._sides = np.array([tip.side for tip in self._tips])

    def raised(self, was: Posed, place: Array, turn: Array) -> tuple[Array, Array, Array]:
        """Poses (T, nq) with points at places (T, P, 3) and feet turned (T, F, 4); both with heels risen."""
        found, rise = self._limbs.placed(was, place, turn), np.zeros((len(turn), len(self._tips)))
        rows, step = np.flatnonzero((self._excess(found) > ENOUGH).any(axis=1)), None
        excess = self._excess(found[rows])
        for _ in range(ROUNDS):
            if not len(rows):
                break
            tried = np.minimum(rise[rows] + (excess if step is None else step), HIGHEST)
            found[rows] = self._limbs.placed(was.take(rows), *self._tipped(place[rows], turn[rows], tried))
            left = self._excess(found[rows])
            gain = np.clip((excess - left) / np.maximum(tried - rise[rows], ENOUGH), SLOWEST, 1.0)
            rise[rows] = tried
            step, still = left / gain, (left > ENOUGH).any(axis=1)
            rows, excess, step = rows[still], left[still], step[still]
        for tip, angle in zip(self._tips, rise.T, strict=True):
            if tip.toe is not None:
                address, (low,), (high,) = tip.toe.qpos[0], tip.toe.lower, tip.toe.upper
                bent = np.clip(found[:, address] - tip.toe_side * angle, low, high)
                found[:, address] = np.where(angle > 0, bent, found[:, address])
        return found, *self._tipped(place, turn, rise)

    def _excess(self, qpos: Array) -> Array:
        """(T, F) rad: by how much ankles are bent further than they can, heels too low."""
        beyond = self._space.difference(qpos, self._space.clamped(qpos))
        return np.asarray(np.maximum(self._sides * beyond[:, self._dofs], 0.0))

    def _tipped(self, place: Array, turn: Array, rise: Array) -> tuple[Array, Array]:
        """Places and turns with heels that have risen by angles (T, F)."""
        place, turn = np.array(place), np.array(turn)
        for foot, tip, angle in zip(self._feet, self._tips, rise.T, strict=True):
            flat = np.array(turn[:, foot])
            turn[:, foot] = quat_multiply(flat, quat_from_axis_angle(tip.axis, angle))
            place[:, foot] += quat_rotate(flat, tip.pivot) - quat_rotate(turn[:, foot], tip.pivot)
        return place, turn


def _tip(body: Body, foot: Foot, ankle: Joint) -> _Tip:
    heel, pivot = foot.points[:2].mean(axis=0), foot.points[2:].mean(axis=0)
    axis = foot.points[3] - foot.points[2]
    axis /= np.linalg.norm(axis)
    if np.cross(axis, heel - pivot) @ -pivot < 0:  # the foot's own origin, its ankle, is above the sole
        axis = -axis
    along = ankle.axes @ axis
    nearest = int(np.argmax(np.abs(along)))
    toes = [j for j in body.joints if j.parent_link == foot.link and j.kind == "hinge" and len(j.dofs) == 1]
    toe_side = float(np.sign(toes[0].axes[0] @ axis)) if toes else 0.0
    return _Tip(pivot, axis, ankle.dofs[nearest], float(np.sign(along[nearest])), toes[0] if toes else None, toe_side)
