"""A reference as the window sees it: momenta, the wrench they take, and where contacts are, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.body import Body
from poise.body.contact_parts import contact_parts
from poise.control.modal.modes import ROOT
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.kernel import kernel
from poise.reference.reference import Reference, Target, edition_of

# Loads that are taken up while a motion is performed, known beforehand: a plan of any length sees them coming.


@dataclass(frozen=True)
class CarriedMass:
    """What a link carries from a time on: a mass at a point of it."""

    link: str
    mass: float  # kg
    since: float  # s
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m in the link's frame

    def __post_init__(self) -> None:
        if not (0 < self.mass < 1e4 and 0 <= self.since < 1e6):
            raise PoiseError(f"load of {self.mass} kg at {self.since} s: must be more than 0 and not before 0")
        if not all(isfinite(each) for each in self.point):
            raise PoiseError(f"load on '{self.link}': its point {self.point} must be finite")


class ReferenceFrame(NamedTuple):
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

    def __init__(self, body: Body, reference: Reference, step: float, loads: Sequence[CarriedMass] = ()) -> None:
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
        self._known: dict[int, ReferenceFrame] = {}
        self._lying: list[Array] = []  # (L, 3) m: where loads are taken up, once looked at
        self.edition = edition_of(reference)

    def at(self, index: int) -> ReferenceFrame:
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

    def _seen(self, index: int) -> ReferenceFrame:
        target = self._reference.at(index * self._step)
        data = self._posed(target)
        mujoco.mj_comVel(self._body.model, data)
        mujoco.mj_subtreeVel(self._body.model, data)
        seen = ReferenceFrame(
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

    def _with_lying(self, frame: ReferenceFrame) -> ReferenceFrame:
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


# A body with the loads that it carries: masses at points of it, which weigh, turn and resist with its links.


class LoadedTerms(NamedTuple):
    """Of the equations of motion of a body and what it carries."""

    mass: Array  # (nv, nv) kg, kg m, kg m^2
    bias: Array  # (nv,) N, N m


class Whole(NamedTuple):
    """A body with all that it carries by the end of the window, wherever that is by now."""

    com: Array  # (3,) m
    mass: float  # kg
    inertia: Array  # (3, 3) kg m^2 about the centre of mass


class Laden:
    """Adds loads to a body."""

    def __init__(self, model: Any, nv: int, frames: Frames) -> None:
        self._model, self._nv, self._frames = model, nv, frames
        self._gravity = np.array(model.opt.gravity)  # (3,) m/s^2
        self._moving, self._rate = np.zeros((3, model.nv)), np.zeros((3, model.nv))

    def terms(self, state: State, frame: ReferenceFrame) -> LoadedTerms:
        """With the loads that are carried in a frame."""
        nv, data = self._nv, state.data
        mass, bias = np.array(state.mass[:nv, :nv]), np.array(state.bias[:nv])
        if not frame.borne.any():
            return LoadedTerms(mass, bias)
        hung = points(data, self._frames.hangs, self._frames.hung)
        for link, place, heavy in zip(self._frames.hangs, hung, frame.borne, strict=True):
            mujoco.mj_jac(self._model, data, self._moving, None, place, int(link))
            mujoco.mj_jacDot(self._model, data, self._rate, None, place, int(link))
            rows = self._moving[:, :nv]
            mass += heavy * rows.T @ rows
            bias += heavy * (self._rate @ state.qvel - self._gravity) @ rows
        return LoadedTerms(mass, bias)

    def whole(self, state: State, frame: ReferenceFrame, soon: Array) -> Whole:
        """With loads (L,) kg; those that are not carried in a frame lie where they will be taken up."""
        data = state.data
        hung = frame.hung
        if len(soon):
            hung = np.where(frame.borne[:, None] > 0, points(data, self._frames.hangs, self._frames.hung), hung)
        root = np.ascontiguousarray(state.mass[:ROOT, :ROOT])
        return Whole(*together(root, data.xpos[1], data.xmat[1], data.subtree_com[1], soon, hung))


@kernel
def together(root: Any, place: Any, turn: Any, middle: Any, loads: Any, hung: Any) -> Any:
    """Of a body and loads (L,) kg at (L, 3) m: centre of mass (3,), mass, and inertia (3, 3) about it.

    ``root`` (6, 6) is the mass matrix of the body's root, which is at a place (3,) and has a turn (9,), and ``middle``
    (3,) the body's own centre of mass.
    """
    own, axes = root[0, 0], turn.reshape(3, 3)
    total, com = own, own * middle
    for k in range(len(loads)):
        total += loads[k]
        com += loads[k] * hung[k]
    com /= total
    inertia = axes @ np.ascontiguousarray(root[3:, 3:]) @ axes.T
    _spread(-own, middle - place, inertia)
    _spread(own, middle - com, inertia)
    for k in range(len(loads)):
        _spread(loads[k], hung[k] - com, inertia)
    return com, total, inertia


@kernel
def _spread(mass: float, arm: Any, inertia: Any) -> None:
    """Add that of a mass, kg, at an arm (3,) m to an inertia (3, 3)."""
    size = mass * (arm @ arm)
    for i in range(3):
        inertia[i, i] += size
        for j in range(3):
            inertia[i, j] -= mass * arm[i] * arm[j]
