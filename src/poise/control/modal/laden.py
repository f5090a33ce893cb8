"""A body with the loads that it carries: masses at points of it, which weigh, turn and resist with its links."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.control.modal.frames import Frame, Frames, points
from poise.control.modal.modes import ROOT
from poise.dynamics import State
from poise.spatial import Array


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
        held = frame.borne[:, None] > 0
        hung = np.where(held, points(data, self._frames.hangs, self._frames.hung), frame.hung)
        masses = np.concatenate([[state.mass[0, 0]], soon])
        places = np.vstack([data.subtree_com[1], hung])
        com = masses @ places / masses.sum()
        turn = data.xmat[1].reshape(3, 3)
        own = turn @ state.mass[3:ROOT, 3:ROOT] @ turn.T - spread(masses[:1], places[:1] - data.xpos[1])
        return Whole(com, float(masses.sum()), own + spread(masses, places - com))


def spread(masses: Array, places: Array) -> Array:
    """(3, 3) kg m^2: inertia of masses (k,) kg at places (k, 3) m."""
    return np.asarray(masses @ np.sum(places**2, axis=1) * np.eye(3) - (masses * places.T) @ places)
