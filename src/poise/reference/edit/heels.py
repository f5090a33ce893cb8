"""Heels that rise: where an ankle does not bend far enough for a flat foot, the foot tips over its ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.body import Body
from poise.body.parts import Foot, Joint
from poise.reference.edit.bend import Limbs
from poise.reference.edit.limbs import chain_joints
from poise.reference.ik_space import PoseSpace
from poise.spatial import Array, quat_from_axis_angle, quat_multiply, quat_rotate

ROUNDS, ENOUGH = 12, 1e-5  # rad; each round leaves about a quarter of what was missing
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
        self._tips = [_tip(body, foot) for foot in body.feet]
        self._dofs = np.array([tip.ankle for tip in self._tips], int)
        self._sides = np.array([tip.side for tip in self._tips])

    def raised(self, qpos: Array, place: Array, turn: Array) -> tuple[Array, Array, Array]:
        """Poses (T, nq) with points at places (T, P, 3) and feet turned (T, F, 4), and both with the heels that rise."""
        found, rise = self._limbs.placed(qpos, place, turn), np.zeros(turn.shape[:2])
        rows = np.arange(len(qpos))
        for _ in range(ROUNDS):
            excess = self._excess(found[rows])
            bound = (excess > ENOUGH).any(axis=1)
            rows = rows[bound]
            if not len(rows):
                break
            rise[rows] = np.minimum(rise[rows] + excess[bound], HIGHEST)
            found[rows] = self._limbs.placed(qpos[rows], *self._tipped(place[rows], turn[rows], rise[rows]))
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
        for foot, tip in enumerate(self._tips):
            flat = np.array(turn[:, foot])
            turn[:, foot] = quat_multiply(flat, quat_from_axis_angle(tip.axis, rise[:, foot]))
            place[:, foot] += quat_rotate(flat, tip.pivot) - quat_rotate(turn[:, foot], tip.pivot)
        return place, turn


def _tip(body: Body, foot: Foot) -> _Tip:
    heel, pivot = foot.points[:2].mean(axis=0), foot.points[2:].mean(axis=0)
    axis = foot.points[3] - foot.points[2]
    axis /= np.linalg.norm(axis)
    if np.cross(axis, heel - pivot) @ -pivot < 0:  # the foot's own origin, its ankle, is above the sole
        axis = -axis
    ankle = chain_joints(body, foot.link)[-1]
    along = ankle.axes @ axis
    nearest = int(np.argmax(np.abs(along)))
    toes = [j for j in body.joints if j.parent_link == foot.link and j.kind == "hinge" and len(j.dofs) == 1]
    toe_side = float(np.sign(toes[0].axes[0] @ axis)) if toes else 0.0
    return _Tip(
        pivot, axis, ankle.dofs[nearest], float(np.sign(along[nearest])), toes[0] if toes else None, toe_side
    )
