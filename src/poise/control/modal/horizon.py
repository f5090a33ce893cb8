"""The window ahead: what the reference does and needs in each of its frames."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.control.controller import Ground
from poise.control.modal.frames import Frames, ReferenceFrame
from poise.control.modal.law import cross_matrix_into
from poise.control.modal.window import cone_axes, tell_along, window_forces
from poise.kernel import kernel

Bools = NDArray[np.bool_]

EXACT, LIGHT = 1e3, 1.0
"""Weights of the wrench that the reference needs, against the size of the forces that give it."""

LEAST = 0.1
"""Weights: who is borne by less does not balance."""


class Horizon(NamedTuple):
    """n frames ahead, the present one first, of the body with all that it carries by their end; C points may bear."""

    com: Array  # (n + 1, 3) m
    velocity: Array  # (n + 1, 3) m/s
    spin: Array  # (n + 1, 3) kg m^2/s
    corner: Array  # (n + 1, C, 3) m
    down: Bools  # (n + 1, C)
    axes: Array  # (n + 1, C, 3, 3) of friction cones, in columns, the last along the ground's normal
    burden: Array  # (n, 6) force of what loads lie on before they are taken up, and moment about `com`, in weights
    force: Array  # (n, C, 3) in weights, that bring the reference about as nearly as friction lets them
    lean: Array  # (n, 3) m along the ground: how far aside of the reference these forces would bear the body


class Ahead:
    """Rolls the window along a reference."""

    def __init__(
        self,
        frames: Frames,
        size: int,
        mass: float,
        gravity: float,
        step: float,
        friction: float = 1.0,
        ground: Ground | None = None,
    ) -> None:
        """A body of a mass, kg, on ground with a friction; it is level if not given."""
        c = len(frames.link)
        self._frames, self._size, self._ground = frames, size, ground
        self._mass, self._gravity, self._step, self._friction = mass, gravity, step, friction
        self._carried = np.zeros(len(frames.hangs))
        self._index = -(size + 2)
        com, velocity, spin = (np.zeros((size + 1, 3)) for _ in range(3))
        corner, down, axes = np.zeros((size + 1, c, 3)), np.zeros((size + 1, c), bool), np.zeros((size + 1, c, 3, 3))
        burden, force, lean = np.zeros((size, 6)), np.zeros((size, c, 3)), np.zeros((size, 3))
        self._window = Horizon(com, velocity, spin, corner, down, axes, burden, force, lean)

    def at(self, index: int) -> Horizon:
        """The window that begins so many steps after the beginning; after an edit or with a new load all of it anew."""
        edited = self._frames.edited()
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
            self._window.force[k], self._window.lean[k] = self._needed(k)
        self._index = index
        return self._window

    def _put(self, k: int, frame: ReferenceFrame) -> None:
        window = self._window
        window.com[k], window.velocity[k], window.spin[k] = momenta_with(frame, self._carried, self._mass)
        window.corner[k], window.down[k] = frame.corner, frame.down
        window.axes[k] = cone_axes(self._ground, frame.corner)

    def _burden(self, frame: ReferenceFrame, com: Array) -> Array:
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

    def _needed(self, k: int) -> tuple[Array, Array]:
        """(C, 3) the least forces that change the momenta as the reference does, in weights, and (3,) the lean."""
        window, gravity, step = self._window, self._gravity, self._step
        wrench = np.empty(6)
        wrench[:3] = (window.velocity[k + 1] - window.velocity[k]) / (gravity * step)
        wrench[3:] = (window.spin[k + 1] - window.spin[k]) / (self._weight * step)
        wrench[2] += 1.0
        wrench -= window.burden[k]
        forces, lean = forces_for(
            wrench, window.corner[k], window.com[k], window.down[k], self._frames.held, self._friction, window.axes[k]
        )
        return np.asarray(forces), np.asarray(lean)


@kernel
def forces_for(wrench: Any, corner: Any, com: Any, down: Any, held: Any, friction: float, axes: Any) -> Any:
    """(C, 3) least forces at corners (C, 3) that are down, which give a wrench (6,), in weights; lean (3,) m.

    ``axes`` (C, 3, 3) are those of their friction cones, in columns.
    """
    chosen = np.flatnonzero(down)
    count = len(chosen)
    out, lean = np.zeros((len(down), 3)), np.zeros(3)
    if count == 0:
        return out, lean
    effect, arm = np.zeros((count, 6, 3)), np.empty((3, 3))
    for row in range(count):
        cross_matrix_into(corner[chosen[row]] - com, arm)
        for i in range(3):
            effect[row, i, i] = 1.0
            effect[row, 3 + i] = arm[i]
        tell_along(axes[chosen[row]], effect[row])
    forces, usual = np.zeros((count, 3)), np.zeros((count, 3))
    weights, rough = np.full(6, EXACT), np.full(count, friction)
    window_forces(effect, held[chosen], rough, wrench, usual, weights, LIGHT, np.zeros(6), forces)
    lacking, borne = wrench.copy(), 0.0
    for row in range(count):
        out[chosen[row]] = axes[chosen[row]] @ forces[row]
        lacking -= effect[row] @ forces[row]
        borne += out[chosen[row], 2]
    lean[0], lean[1] = lacking[4], -lacking[3]
    return out, lean / max(borne, LEAST)


def momenta_with(frame: ReferenceFrame, carried: Array, mass: float) -> tuple[Array, Array, Array]:
    """Centre of mass, m, its velocity, m/s, and spin about it, kg m^2/s, of a body of a mass with loads (L,) kg."""
    if not carried.any():
        return frame.com, frame.velocity, frame.spin
    masses = np.concatenate([[mass], carried])
    places, speeds = np.vstack([frame.com, frame.hung]), np.vstack([frame.velocity, frame.hung_speed])
    com, velocity = (masses @ table / masses.sum() for table in (places, speeds))
    return com, velocity, frame.spin + masses @ np.cross(places - com, speeds - velocity)
