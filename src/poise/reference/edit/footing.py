"""Feet where they are wanted: legs by inverse kinematics, the rest of the body nearly as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from poise.body import Body
from poise.frozen import readonly
from poise.reference.edit.bend import LimbGuess
from poise.reference.edit.limbs import chain_joints, foot_parts
from poise.reference.edit.take import Flags, Frame
from poise.reference.ik import PoseSolver
from poise.reference.ik_kinematics import Kinematics
from poise.spatial import Array, quat_conjugate, quat_multiply, quat_rotate

PLACE_WEIGHT, TURN_WEIGHT = 200.0, 10.0  # per m at the balls of the feet, and per rad: heels rise before balls slip
AIR_WEIGHT = 1.0  # per rad, of feet that do not stand: they may turn rather than disturb the rest
POINT_WEIGHT = 10.0  # per m, of other points: feet come first
FREE, FIRM, STIFF = 0.01, 30.0, 30.0  # per rad or m, how much joints stay as they were
TILTED = 0.01  # rad; a foot turned by more than this off its ground no longer stands on its heel
MISSED = 0.001  # m; a foot that is further off does not stand


class Footing:
    """The feet of a body, and whatever else is to be brought to a place at the same time."""

    def __init__(
        self, body: Body, points: Sequence[tuple[str, ArrayLike]] = (), *, stay: Mapping[int, float] | None = None
    ) -> None:  # fmt: skip
        """`points` (link, place in its frame) beyond the feet; `stay`: other weights of degrees of freedom."""
        feet = [foot.link for foot in body.feet]
        toes = [joint for joint in body.joints if joint.parent_link in feet]
        self._parts = foot_parts(body)
        self._balls = np.array([foot.points[2:].mean(axis=0) for foot in body.feet]).reshape(-1, 3)
        self._toes_of = [feet.index(str(joint.parent_link)) for joint in toes]
        self._ends = [*((link, np.zeros(3)) for link in feet), *points]
        self._guess = LimbGuess(body, self._ends)
        links = [*feet, *(joint.link for joint in toes)]
        self._solver = PoseSolver(body, [*zip(feet, self._balls, strict=True), *points], links)
        self._reader = Kinematics(body, self._ends, links)
        self._weights = np.array([PLACE_WEIGHT] * len(feet) + [POINT_WEIGHT] * len(points))
        self._stay = np.full(body.nv, STIFF)
        self._stay[:6] = FIRM
        self._stay[list(stay or {})] = list((stay or {}).values())
        legs = [joint for link in feet for joint in chain_joints(body, link)]
        self._stay[[dof for joint in (*legs, *toes) for dof in joint.dofs]] = FREE

    @property
    def count(self) -> int:
        """How many feet there are, F."""
        return len(self._balls)

    def places(self, qpos: Array) -> tuple[Array, Array]:
        """Where poses (T, nq) have the feet's links and the points (T, F + P, 3), and how the feet turn (T, F, 4)."""
        place, turn = self._reader.at(qpos)
        return place, turn[:, : self.count]

    def settled(self, frames: Sequence[Frame], place: Array, turn: Array) -> list[Frame]:
        """Frames with feet and points at places (T, F + P, 3) and feet turned as given (T, F, 4), otherwise near.

        Where a heel has to rise for it, or a foot cannot be where it is wanted, it is no longer down.
        """
        qpos, feet = np.array([frame.qpos for frame in frames]), self.count
        goals = np.array(place)
        goals[:, :feet] += quat_rotate(turn, self._balls)
        found = self._solver.solve(
            self._guess.guess(qpos, place),
            places=goals,
            place_weights=self._weights,
            turns=np.concatenate([turn, self._toes(qpos, turn)], axis=1),
            turn_weights=self._turn_weights(frames),
            prior=qpos,
            prior_weights=self._stay,
            tolerance=1e-3,
        )
        tilted, missed = found.turn_error[:, :feet] > TILTED, found.place_error[:, :feet] > MISSED
        downs = [self._borne(f.down, t, m) for f, t, m in zip(frames, tilted, missed, strict=True)]
        return [Frame(readonly(q), down) for q, down in zip(found.qpos, downs, strict=True)]

    def _toes(self, qpos: Array, turn: Array) -> Array:
        """(T, toes, 4): toes bent against the ground as they were, whatever their foot does."""
        _, was = self._reader.at(qpos)
        feet, toes = was[:, self._toes_of], was[:, self.count :]
        return quat_multiply(turn[:, self._toes_of], quat_multiply(quat_conjugate(feet), toes))

    def _turn_weights(self, frames: Sequence[Frame]) -> Array:
        """(T, feet and toes)"""
        known = [frame.down is not None for frame in frames]
        stands = np.ones((len(frames), self.count), bool)
        for foot, parts in enumerate(self._parts):
            stands[known, foot] = [frame.down[parts].any() for frame in frames if frame.down is not None]
        weights = np.where(stands, TURN_WEIGHT, AIR_WEIGHT)
        return np.concatenate([weights, weights[:, self._toes_of]], axis=1)

    def _borne(self, down: Flags | None, tilted: Flags, missed: Flags) -> Flags | None:
        if down is None or not (tilted.any() or missed.any()):
            return down
        out = np.array(down)
        for parts, heel, all_of_it in zip(self._parts, tilted, missed, strict=True):
            out[parts[:1] if heel and not all_of_it else parts if all_of_it else []] = False
        return readonly(out, bool)
