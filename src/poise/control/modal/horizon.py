"""The window ahead: what the reference does and needs in each of its frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.control.modal.frames import Frame, Frames
from poise.control.modal.window import window_forces
from poise.spatial import Array

Bools = NDArray[np.bool_]

EXACT, LIGHT = 1e3, 1.0
"""Weights of the wrench that the reference needs, against the size of the forces that give it."""


class Horizon(NamedTuple):
    """n frames ahead, the present one first; C points may bear."""

    com: Array  # (n + 1, 3) m
    velocity: Array  # (n + 1, 3) m/s
    spin: Array  # (n + 1, 3) kg m^2/s
    corner: Array  # (n + 1, C, 3) m
    down: Bools  # (n + 1, C)
    burden: Array  # (n, 6) force of loads on the body and moment about its centre of mass, in body weights (and m)
    force: Array  # (n, C, 3) in body weights, that bring the reference about as nearly as friction lets them


class Ahead:
    """Rolls the window along a reference."""

    def __init__(self, frames: Frames, size: int, mass: float, gravity: float, step: float) -> None:
        c = len(frames.link)
        self._frames, self._size = frames, size
        self._weight, self._gravity, self._step = mass * gravity, gravity, step
        self._index = -(size + 2)
        com, velocity, spin = (np.zeros((size + 1, 3)) for _ in range(3))
        corner, down = np.zeros((size + 1, c, 3)), np.zeros((size + 1, c), bool)
        self._window = Horizon(com, velocity, spin, corner, down, np.zeros((size, 6)), np.zeros((size, c, 3)))

    def at(self, index: int) -> Horizon:
        """The window that begins so many steps after the beginning; after an edit, all of it anew."""
        if self._frames.edited(self._index + self._size):
            self._index = -(self._size + 2)
        behind = index - self._index
        for array in self._window:
            if 0 < behind < len(array):
                array[:-behind] = array[behind:]
        known = max(self._size + 1 - behind, 0) if behind > 0 else 0
        for k in range(known, self._size + 1):
            self._put(k, self._frames.at(index + k))
        for k in range(max(known - 1, 0), self._size):
            here, then = self._frames.at(index + k), self._frames.at(index + k + 1)
            self._window.burden[k] = self._burden(here, then)
            self._window.force[k] = self._needed(here, then, self._window.burden[k])
        self._index = index
        return self._window

    def _put(self, k: int, frame: Frame) -> None:
        window = self._window
        window.com[k], window.velocity[k], window.spin[k] = frame.com, frame.velocity, frame.spin
        window.corner[k], window.down[k] = frame.corner, frame.down

    def _burden(self, here: Frame, then: Frame) -> Array:
        """(6,) of the loads."""
        if not here.borne.any():
            return np.zeros(6)
        force = -weights_of(here, then, self._gravity, self._step) / self._weight
        return np.concatenate([force.sum(axis=0), np.cross(here.hung - here.com, force).sum(axis=0)])

    def _needed(self, here: Frame, then: Frame, burden: Array) -> Array:
        """(C, 3) the least forces that change the momenta as the reference does, in body weights."""
        out = np.zeros((len(here.down), 3))
        down = np.flatnonzero(here.down)
        if not len(down):
            return out
        wrench = np.concatenate([(then.velocity - here.velocity) / (self._gravity * self._step) + [0.0, 0.0, 1.0],
                                 (then.spin - here.spin) / (self._weight * self._step)])  # fmt: skip
        wrench -= burden
        arms = here.corner[down] - here.com
        effect = np.zeros((len(down), 6, 3))
        effect[:, :3] = np.eye(3)
        effect[:, 3, 1], effect[:, 3, 2] = -arms[:, 2], arms[:, 1]
        effect[:, 4, 0], effect[:, 4, 2] = arms[:, 2], -arms[:, 0]
        effect[:, 5, 0], effect[:, 5, 1] = -arms[:, 1], arms[:, 0]
        forces = np.zeros((len(down), 3))
        held, rough = self._frames.held[down], np.ones(len(down))
        usual = np.zeros((len(down), 3))
        window_forces(effect, held, rough, wrench, usual, np.full(6, EXACT), LIGHT, np.zeros(6), forces)
        out[down] = forces
        return out


def weights_of(here: Frame, then: Frame, gravity: float, step: float) -> Array:
    """(L, 3) N: what it takes to carry the loads from one frame to the next."""
    pull = (then.hung_speed - here.hung_speed) / step
    pull[:, 2] += gravity
    return np.asarray(here.borne[:, None] * pull)
