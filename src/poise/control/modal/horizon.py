"""The horizon: momenta, contacts and contact forces of the reference in each frame of the planning window."""

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Mask
from poise.control.controller import GroundView
from poise.control.modal.frames import ModalWindowFrames, WindowFrame
from poise.control.modal.modes import ROOT
from poise.control.modal.window import rows_in_window_cone_axes, window_cone_axes, window_forces, write_cross_matrix
from poise.kernel import kernel
from poise.reference.reference import Reference

WRENCH_WEIGHT, FORCE_WEIGHT = 1e3, 1.0
"""Least squares for the reference's contact forces: weights of the error of their wrench, and of their size."""
LEAST_SUPPORT = 0.1  # Vertical contact force, in body weights, below which the lean is limited
TURN = 0.1  # Root-mean-square turn (rad) of the joints within a window that fits a motion
SHORTEST, LONGEST = 6, 24  # Limits of the window that fits a motion, frames
SAMPLED, SAMPLE_STEP = 4.0, 1 / 30
"""Duration (s) of the reference that is sampled for the fitting window, and the time (s) between samples."""


class Horizon(NamedTuple):
    """The next n + 1 frames of the reference, for C contact points, with the loads that the last frame carries."""

    com: Array  # (n + 1, 3) m, centre of mass
    velocity: Array  # (n + 1, 3) m/s, of the centre of mass
    angmom: Array  # (n + 1, 3) kg m^2/s, angular momentum about the centre of mass
    corner: Array  # (n + 1, C, 3) m, contact points
    down: Mask  # (n + 1, C) whether each contact point bears
    axes: Array  # (n + 1, C, 3, 3) axes of the friction cones in columns, the last along the ground's normal
    load_wrench: Array  # (n, 6) force, then moment about `com`, that support loads not yet taken up; in weights
    force: Array  # (n, C, 3) in weights: contact forces of the reference, as nearly as friction allows
    lean: Array  # (n, 3) m along the ground: shift of the centre of mass at which `force` balances the body


class ModalHorizon:
    """A horizon that moves along a reference; only frames that are new in the window are computed."""

    def __init__(
        self,
        frames: ModalWindowFrames,
        size: int,
        mass: float,
        gravity: float,
        step: float,
        friction: float = 1.0,
        ground: GroundView | None = None,
    ) -> None:
        """The window has `size` frames; `mass` (kg): of the body without loads; `ground` None is level ground."""
        c = len(frames.link)
        self._frames, self._size, self._ground = frames, size, ground
        self._mass, self._gravity, self._step, self._friction = mass, gravity, step, friction
        self._carried = np.zeros(len(frames.load_link))
        self._index = -(size + 2)
        com, velocity, angmom = (np.zeros((size + 1, 3)) for _ in range(3))
        corner, down, axes = np.zeros((size + 1, c, 3)), np.zeros((size + 1, c), bool), np.zeros((size + 1, c, 3, 3))
        load_wrench, force, lean = np.zeros((size, 6)), np.zeros((size, c, 3)), np.zeros((size, 3))
        self._window = Horizon(com, velocity, angmom, corner, down, axes, load_wrench, force, lean)

    def at(self, index: int) -> Horizon:
        """The horizon from frame `index` on, in arrays that the next call overwrites; new after an edit or new load."""
        window, edited = self._window, self._frames.drop_if_edited()
        carried = self._frames.at(index + self._size).load_mass
        if edited or not np.array_equal(carried, self._carried):
            self._index, self._carried = -(self._size + 2), carried
        behind = index - self._index
        for array in window:
            if 0 < behind < len(array):
                array[:-behind] = array[behind:]
        known = max(self._size + 1 - behind, 0) if behind > 0 else 0
        for k in range(known, self._size + 1):
            frame = self._frames.at(index + k)
            window.com[k], window.velocity[k], window.angmom[k] = rigid_mode_momenta(frame, carried, self._mass)
            window.corner[k], window.down[k] = frame.corner, frame.down
            window.axes[k] = window_cone_axes(self._ground, frame.corner)
        for k in range(max(known - 1, 0), self._size):
            window.load_wrench[k] = self._load_wrench(self._frames.at(index + k), window.com[k])
            window.force[k], window.lean[k] = self._reference_forces(k)
        self._index = index
        return window

    def _load_wrench(self, frame: WindowFrame, com: Array) -> Array:
        """(6,) wrench about `com` (3,) m, in units of weight, that supports the loads not yet carried in a frame."""
        lying = self._carried - frame.load_mass
        if not lying.any():
            return np.zeros(6)
        force = np.outer(lying * self._gravity / self._weight, [0.0, 0.0, 1.0])
        return np.concatenate([force.sum(axis=0), np.cross(frame.load_point - com, force).sum(axis=0)])

    @property
    def _weight(self) -> float:
        """Weight (N) of the body with all loads that it carries by the end of the window."""
        return (self._mass + float(self._carried.sum())) * self._gravity

    def _reference_forces(self, k: int) -> tuple[Array, Array]:
        """In frame k: least contact forces (C, 3), in weights, that change momenta as the reference does; lean (3,)."""
        window, gravity, step = self._window, self._gravity, self._step
        wrench = np.empty(6)
        wrench[:3] = (window.velocity[k + 1] - window.velocity[k]) / (gravity * step)
        wrench[3:] = (window.angmom[k + 1] - window.angmom[k]) / (self._weight * step)
        wrench[2] += 1.0
        wrench -= window.load_wrench[k]
        corner, com, down, axes = (table[k] for table in (window.corner, window.com, window.down, window.axes))
        return least_forces_in_window(wrench, corner, com, down, self._frames.held, self._friction, axes)


@kernel
def least_forces_in_window(
    wrench: Array, corner: Array, com: Array, down: Mask, held: Mask, friction: float, axes: Array
) -> tuple[Array, Array]:
    """Least forces (C, 3) that give a wrench (6,), both in weights, at corners (C, 3) m that are down; the lean (3,).

    ``held`` (C,) tells which corners may pull; ``axes`` (C, 3, 3) has the axes of the friction cones in columns.
    """
    chosen = np.flatnonzero(down)
    count = len(chosen)
    out, lean = np.zeros((len(down), 3)), np.zeros(3)
    if count == 0:
        return out, lean
    effect, arm = np.zeros((count, 6, 3)), np.empty((3, 3))
    for row in range(count):
        write_cross_matrix(corner[chosen[row]] - com, arm)
        for i in range(3):
            effect[row, i, i] = 1.0
            effect[row, 3 + i] = arm[i]
        rows_in_window_cone_axes(axes[chosen[row]], effect[row])
    forces, reference = np.zeros((count, 3)), np.zeros((count, 3))
    weights = np.full(6, WRENCH_WEIGHT)
    window_forces(effect, held[chosen], friction, wrench, reference, weights, FORCE_WEIGHT, np.zeros(6), forces)
    residual, support = wrench.copy(), 0.0
    for row in range(count):
        out[chosen[row]] = axes[chosen[row]] @ forces[row]
        residual -= effect[row] @ forces[row]
        support += out[chosen[row], 2]
    lean[0], lean[1] = residual[4], -residual[3]
    return out, lean / max(support, LEAST_SUPPORT)


def rigid_mode_momenta(frame: WindowFrame, carried: Array, mass: float) -> tuple[Array, Array, Array]:
    """Of a body of `mass` (kg) with loads (L,) kg: centre of mass (m), its velocity (m/s), angular momentum."""
    if not carried.any():
        return frame.com, frame.velocity, frame.angmom
    masses = np.concatenate([[mass], carried])
    places, speeds = np.vstack([frame.com, frame.load_point]), np.vstack([frame.velocity, frame.load_velocity])
    com, velocity = (masses @ table / masses.sum() for table in (places, speeds))
    return com, velocity, frame.angmom + masses @ np.cross(places - com, speeds - velocity)


def fitting_modal_window(reference: Reference, step: float) -> int:
    """Number of frames, each of a `step` (s), in which the joints of a reference turn by TURN on average.

    The dynamics of the whole window is linearised at the present pose, so the pose must not change much in the window.
    [Jain2011] section 9 leaves the choice to the user: 12 frames for walking, 16 for squatting, 24 for swinging.
    """
    speeds = np.array([reference.at(time).qvel[ROOT:] for time in np.arange(0.0, SAMPLED, SAMPLE_STEP)])
    speed = float(np.sqrt(np.mean(speeds**2)))  # rad/s
    return int(np.clip(round(TURN / (max(speed, 1e-9) * step)), SHORTEST, LONGEST))
