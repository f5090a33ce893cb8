"""What matters, and how much: Tables 2 and 3 of [Muico2009], for any body.

The tables are for the paper's figure of 71.4 kg whose root is 0.93 m high when it stands. For another body they are
scaled so that the same motion, scaled with the body, costs the same: lengths go with the height of the root, times
with its square root, forces with mass, torques with both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.body.body import Body

PAPER_MASS = 71.356
"""kg."""
PAPER_HEIGHT = 0.93
"""m, of the root."""

ROOT = ((4.0, 4.0, 10.0, 12.0, 12.0, 12.0), (12.0, 12.0, 12.0, 8.0, 8.0, 8.0))
"""Location, height, orientation: pose, and velocity in hundredths."""
JOINTS = {
    "trunk": (5.0, 4.0, 1.0, 0.40, 0.64),
    "ankle": (8.0, 4.0, 0.20, 0.30, 0.090),
    "knee": (10.0, 6.0, 0.40, 0.30, 0.20),
    "hip": (11.0, 8.0, 0.60, 0.30, 0.38),
    "shoulder": (2.0, 2.0, 1.0, 0.60, 0.67),
    "elbow": (2.0, 2.0, 1.0, 0.50, 0.54),
}
"""Pose, velocity / 1e-2, change of torque / 1e-7, size of torque / 1e-5; in adaptation, acceleration."""
FORCE = 0.060e-5
"""Size of the force at a heel or toe, 1/N^2."""
TORSO, SHOULDER = (6.0, 6.0, 0.010), (0.50, 0.50, 0.0010)
"""In adaptation, acceleration: location and height."""

_LIKE = {
    "toe": "ankle",
    "wrist": "elbow",
    "finger": "elbow",
    "thumb": "elbow",
    "forearm": "elbow",
    "clavicle": "shoulder",
    **{name: name for name in ("ankle", "knee", "hip", "shoulder", "elbow")},
}
"""Which row of the tables joints with such names take; all others are of the trunk."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Diagonals of the costs for a body."""

    state: Array  # (2 nv,) Q
    planted: float  # s^2/m^2, of the speed of contacts that stay where they are
    change: Array  # (nv - 6,) R of joint torques
    size: Array  # (nv - 6,) P of joint torques
    force_change: float  # R of each component of a contact's force
    force_size: float  # P of the same
    torso: Array  # (3,) W of the torso's acceleration
    shoulder: Array  # (3,) W of each shoulder's
    joints: Array  # (nv - 6,) W of joint accelerations
    effort: float  # that W_m is multiplied by: torques of a heavier body cost less

    def controls(self, forces: int) -> tuple[Array, Array]:
        """(m,) diagonals of R and P of all controls: joint torques, and this many components of forces."""
        return (
            np.concatenate([self.change, np.full(forces, self.force_change)]),
            np.concatenate([self.size, np.full(forces, self.force_size)]),
        )


def weights_for(body: Body, effort: str = "change", force: float = 1.0, planted: float = 0.0) -> Weights:
    """The tables for a body.

    `effort` "size" penalises torques and forces as the paper does: the size of forces and, mainly, of torques.
    "change" penalises their departure from those of the motion instead, with the same weights. `force` multiplies the
    weight of forces.
    """
    height, mass = float(body.standing[2]) / PAPER_HEIGHT, body.mass / PAPER_MASS
    rows = np.array([JOINTS[_row(name)] for name in body.dof_names[6:]]).reshape(-1, 5)
    root = np.array(ROOT) * np.array([[1.0], [1e-2]])
    root[0, :3] /= height**2
    root[1] *= [*3 * (1 / height,), *3 * (height,)]
    ease = 1.0 / (mass * height) ** 2
    change, size = 1e-7 * rows[:, 2] * ease, 1e-5 * rows[:, 3] * ease
    by_size, of_force = effort == "size", force * FORCE / mass**2
    return Weights(
        state=np.concatenate([root[0], rows[:, 0], root[1], 1e-2 * rows[:, 1] * height]),
        planted=planted / height,
        change=change if by_size else change + size,
        size=size if by_size else np.zeros_like(size),
        force_change=0.0 if by_size else of_force,
        force_size=of_force if by_size else 0.0,
        torso=np.array(TORSO),
        shoulder=np.array(SHOULDER),
        joints=rows[:, 4] * height**2,
        effort=ease,
    )


def _row(dof: str) -> str:
    return next((row for word, row in _LIKE.items() if word in dof), "trunk")
