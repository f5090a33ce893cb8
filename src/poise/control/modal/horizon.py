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
    """n frames ahead, the present one first, of the body with all that it carries by their end; C points may bear."""

    com: Array  # (n + 1, 3) m
    velocity: Array  # (n + 1, 3) m/s
    spin: Array  # (n + 1, 3) kg m^2/s
    corner: Array  # (n + 1, C, 3) m
    down: Bools  # (n + 1, C)
    burden: Array  # (n, 6) force of what loads lie on before they are taken up, and moment about `com`, in weights
    force: Array  # (n, C, 3) in weights, that bring the reference about as nearly as friction lets them


class Ahead:
    """Rolls the window along a reference."""

    def __init__(self, frames: Frames, size: int, mass: float, gravity: float, step: float) -> None:
        c = len(frames.link)
        self._frames, self._size = frames, size
        self._mass, self._gravity, self._step = mass, gravity, step
        self._carried = np.zeros(len(frames.hangs))
        self._index = -(size + 2)
        com, velocity, spin = (np.zeros((size + 1, 3)) for _ in range(3))
        corner, down = np.zeros((size + 1, c, 3)), np.zeros((size + 1, c), bool)
        self._window = Horizon(com, velocity, spin, corner, down, np.zeros((size, 6)), np.zeros((size, c, 3)))

    def at(self, index: int) -> Horizon:
        """The window that begins so many steps after the beginning; after an edit or with a new load all of it anew."""
        edited = self._frames.edited(self._index + self._size)
        carried = self._frames.at(index + self._size).borne
        if edited or not np.array_equal(carried, self._carried):
            self._index, self._carried = -(self._size + 2), carried
        behind = index - self._index
        for array in self._window:
            if 0 < behind < len(array):
                array[:-behind] = array[behind:]
        known = max(self._size + 1 - behind, 0) if behind > 0 else 0
        for k in range(known, self._size + 1):
            self._put(k, self._frames.at(index + k))
        for k in range(max(known - 1, 0), self._size):
            self._window.burden[k] = self._burden(self._frames.at(index + k), self._window.com[k])
            self._window.force[k] = self._needed(k)
        self._index = index
        return self._window

    def _put(self, k: int, frame: Frame) -> None:
        window = self._window
        window.com[k], window.velocity[k], window.spin[k] = momenta_with(frame, self._carried, self._mass)
        window.corner[k], window.down[k] = frame.corner, frame.down

    def _burden(self, frame: Frame, com: Array) -> Array:
        """(6,) of what bears loads that are not carried yet, about a point."""
        lying = self._carried - frame.borne
        if not lying.any():
            return np.zeros(6)
        force = np.outer(lying * self._gravity / self._weight, [0.0, 0.0, 1.0])
        return np.concatenate([force.sum(axis=0), np.cross(frame.hung - com, force).sum(axis=0)])

    @property
    def _weight(self) -> float:
        """N, with all that is carried by the end."""
        return (self._mass + float(self._carried.sum())) * self._gravity

    def _needed(self, k: int) -> Array:
        """(C, 3) the least forces that change the momenta as the reference does, in weights."""
        window, gravity, step = self._window, self._gravity, self._step
        out = np.zeros((len(window.down[k]), 3))
        down = np.flatnonzero(window.down[k])
        if not len(down):
            return out
        pull = (window.velocity[k + 1] - window.velocity[k]) / (gravity * step)
        twist = (window.spin[k + 1] - window.spin[k]) / (self._weight * step)
        wrench = np.concatenate([pull + [0.0, 0.0, 1.0], twist]) - window.burden[k]
        arms = window.corner[k, down] - window.com[k]
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


def momenta_with(frame: Frame, carried: Array, mass: float) -> tuple[Array, Array, Array]:
    """Centre of mass, m, its velocity, m/s, and spin about it, kg m^2/s, of a body of a mass with loads (L,) kg."""
    if not carried.any():
        return frame.com, frame.velocity, frame.spin
    masses = np.concatenate([[mass], carried])
    places, speeds = np.vstack([frame.com, frame.hung]), np.vstack([frame.velocity, frame.hung_speed])
    com, velocity = (masses @ table / masses.sum() for table in (places, speeds))
    return com, velocity, frame.spin + masses @ np.cross(places - com, speeds - velocity)
