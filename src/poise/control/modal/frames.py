"""A reference as the window sees it: momenta, the wrench they take, and where contacts are, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.control.modal.load import Load
from poise.frozen import Array
from poise.kernel import kernel
from poise.reference import Reference, Target
from poise.reference.parts import contact_parts
from poise.reference.reference import edition_of


class Frame(NamedTuple):
    """A moment of the reference."""

    qpos: Array  # (nq,)
    qvel: Array  # (nv,)
    com: Array  # (3,) m
    velocity: Array  # (3,) m/s of the centre of mass
    spin: Array  # (3,) kg m^2/s, angular momentum about it
    corner: Array  # (C, 3) m, points that may bear
    down: NDArray[np.bool_]  # (C,) which do
    hung: Array  # (L, 3) m, where loads hang, or lie until they are taken up
    hung_speed: Array  # (L, 3) m/s
    borne: Array  # (L,) kg, those that are carried by now


class Frames:
    """The frames of a reference, each looked at once, or anew once the reference was edited."""

    def __init__(self, body: Body, reference: Reference, step: float, loads: Sequence[Load] = ()) -> None:
        self._body, self._reference, self._step = body, reference, step
        self._data = mujoco.MjData(body.model)
        parts = contact_parts(body)
        self._part = np.array([k for k, part in enumerate(parts) for _ in part.points], np.int64)
        self.link = np.array([body.link_id(part.link) for part in parts for _ in part.points], np.int64)
        self.local = np.array([point for part in parts for point in part.points], float)  # (C, 3)
        hands = [body.link_id(hand.link) for hand in body.hands]
        self.held = np.isin(self.link, hands)  # (C,) what takes hold, and may pull
        self.hangs = np.array([body.link_id(load.link) for load in loads], np.int64)  # (L,)
        self.hung = np.array([load.point for load in loads]).reshape(-1, 3)  # (L, 3) m in the links' frames
        self._since, self._heavy = (np.array([getattr(load, of) for load in loads]) for of in ("since", "mass"))
        self._known: dict[int, Frame] = {}
        self._lying: list[Array] = []  # (L, 3) m: where loads are taken up, once looked at
        self.edition = edition_of(reference)

    def at(self, index: int) -> Frame:
        """The frame so many steps after the beginning."""
        if index not in self._known:
            self._known[index] = self._seen(index)
            self._known.pop(index - 200, None)
        return self._known[index]

    def edited(self) -> bool:
        """Whether the reference was edited since it was last asked; then all frames are forgotten."""
        edition = edition_of(self._reference)
        if edition == self.edition:
            return False
        self._known.clear()
        self._lying.clear()
        self.edition = edition
        return True

    def _bearing(self, target: Target) -> NDArray[np.bool_]:
        """(C,) which points bear."""
        return np.zeros(len(self.link), bool) if target.down is None else target.down[self._part]

    def _seen(self, index: int) -> Frame:
        target = self._reference.at(index * self._step)
        data = self._posed(target)
        mujoco.mj_comVel(self._body.model, data)
        mujoco.mj_subtreeVel(self._body.model, data)
        seen = Frame(
            target.qpos,
            target.qvel,
            data.subtree_com[1].copy(),
            data.subtree_linvel[1].copy(),
            data.subtree_angmom[1].copy(),
            points(data, self.link, self.local),
            self._bearing(target),
            points(data, self.hangs, self.hung),
            self._speeds(),
            np.where(index * self._step > self._since - 1e-9, self._heavy, 0.0),
        )
        return seen if seen.borne.all() else self._with_lying(seen)

    def _posed(self, target: Target) -> Any:
        data = self._data
        data.qpos[:], data.qvel[:] = target.qpos, target.qvel
        mujoco.mj_kinematics(self._body.model, data)
        mujoco.mj_comPos(self._body.model, data)
        return data

    def _with_lying(self, frame: Frame) -> Frame:
        """Loads that are not carried lie where they will be taken up."""
        if not self._lying:
            for k, since in enumerate(self._since):
                data = self._posed(self._reference.at(float(since)))
                self._lying.append(points(data, self.hangs, self.hung)[k])
        held = frame.borne[:, None] > 0
        return frame._replace(
            hung=np.where(held, frame.hung, np.array(self._lying)), hung_speed=np.where(held, frame.hung_speed, 0.0)
        )

    def _speeds(self) -> Array:
        """(L, 3) m/s: of the points that loads hang from."""
        model, data = self._body.model, self._data
        jacobian, out = np.zeros((3, model.nv)), np.zeros((len(self.hangs), 3))
        for k, (link, place) in enumerate(zip(self.hangs, points(data, self.hangs, self.hung), strict=True)):
            mujoco.mj_jac(model, data, jacobian, None, place, int(link))
            out[k] = jacobian @ data.qvel
        return out


def points(data: Any, link: NDArray[np.int64], local: Array) -> Array:
    """(k, 3) m in the world: points (k, 3) of links (k,)."""
    return np.asarray(_points(data.xpos, data.xmat, link, local))


@kernel
def _points(place: Any, turn: Any, link: Any, local: Any) -> Any:
    out = np.empty_like(local)
    for k in range(len(link)):
        for i in range(3):
            out[k, i] = place[link[k], i]
            for j in range(3):
                out[k, i] += turn[link[k], 3 * i + j] * local[k, j]
    return out
