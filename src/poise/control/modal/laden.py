"""A body with the loads that it carries: masses at points of it, which weigh, turn and resist with its links."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.control.modal.frames import Frame, Frames, points
from poise.control.modal.modes import ROOT
from poise.dynamics import State
from poise.frozen import Array
from poise.kernel import kernel


class Terms(NamedTuple):
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

    def terms(self, state: State, frame: Frame) -> Terms:
        """With the loads that are carried in a frame."""
        nv, data = self._nv, state.data
        mass, bias = np.array(state.mass[:nv, :nv]), np.array(state.bias[:nv])
        if not frame.borne.any():
            return Terms(mass, bias)
        hung = points(data, self._frames.hangs, self._frames.hung)
        for link, place, heavy in zip(self._frames.hangs, hung, frame.borne, strict=True):
            mujoco.mj_jac(self._model, data, self._moving, None, place, int(link))
            mujoco.mj_jacDot(self._model, data, self._rate, None, place, int(link))
            rows = self._moving[:, :nv]
            mass += heavy * rows.T @ rows
            bias += heavy * (self._rate @ state.qvel - self._gravity) @ rows
        return Terms(mass, bias)

    def whole(self, state: State, frame: Frame, soon: Array) -> Whole:
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
