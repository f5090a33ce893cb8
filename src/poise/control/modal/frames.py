"""A reference as the window sees it: momenta, the wrench they take, and where contacts are, frame by frame."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.reference import Reference
from poise.reference.parts import contact_parts
from poise.spatial import Array


class Frame(NamedTuple):
    """A moment of the reference."""

    qpos: Array  # (nq,)
    qvel: Array  # (nv,)
    com: Array  # (3,) m
    velocity: Array  # (3,) m/s of the centre of mass
    spin: Array  # (3,) kg m^2/s, angular momentum about it
    corner: Array  # (C, 3) m, points that may bear
    down: NDArray[np.bool_]  # (C,) which do


class Frames:
    """The frames of a reference, each looked at once."""

    def __init__(self, body: Body, reference: Reference, step: float) -> None:
        self._body, self._reference, self._step = body, reference, step
        self._data = mujoco.MjData(body.model)
        parts = contact_parts(body)
        self._part = np.array([k for k, part in enumerate(parts) for _ in part.points], np.int64)
        self.link = np.array([body.link_id(part.link) for part in parts for _ in part.points], np.int64)
        self.local = np.array([point for part in parts for point in part.points], float)  # (C, 3)
        hands = [body.link_id(hand.link) for hand in body.hands]
        self.held = np.isin(self.link, hands)  # (C,) what takes hold, and may pull
        self._known: dict[int, Frame] = {}

    def at(self, index: int) -> Frame:
        """The frame so many steps after the beginning."""
        if index not in self._known:
            self._known[index] = self._seen(index)
            self._known.pop(index - 200, None)
        return self._known[index]

    def _seen(self, index: int) -> Frame:
        target = self._reference.at(index * self._step)
        model, data = self._body.model, self._data
        data.qpos[:], data.qvel[:] = target.qpos, target.qvel
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        turn = data.xmat[self.link].reshape(-1, 3, 3)
        corner = data.xpos[self.link] + np.einsum("cij,cj->ci", turn, self.local)
        down = np.zeros(len(self.link), bool) if target.down is None else target.down[self._part]
        return Frame(
            target.qpos,
            target.qvel,
            data.subtree_com[1].copy(),
            data.subtree_linvel[1].copy(),
            data.subtree_angmom[1].copy(),
            corner,
            down,
        )
