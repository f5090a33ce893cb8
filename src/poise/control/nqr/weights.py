"""Cost weights of the look-ahead and of the contact adaptation: [Muico2009] Tables 2 and 3, scaled to a body.

The tables are for the paper's character: 71.4 kg, root 0.93 m high when it stands. Another body's weights are scaled
so that the same motion, scaled with the body, costs the same: lengths scale with the height of the root, times with
its square root, forces with mass, torques with both.
"""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.body.body import Body

PAPER_MASS = 71.356  # Mass of the paper's character, kg
PAPER_HEIGHT = 0.93  # Height of the root of the paper's character when it stands, m

ROOT = ((4.0, 4.0, 10.0, 12.0, 12.0, 12.0), (12.0, 12.0, 12.0, 8.0, 8.0, 8.0))
"""Table 2, root, as (x, y, height, orientation x, y, z): Q_q, then Q_v / 1e-2."""
JOINTS = {
    "trunk": (5.0, 4.0, 1.0, 0.40, 0.64),
    "ankle": (8.0, 4.0, 0.20, 0.30, 0.090),
    "knee": (10.0, 6.0, 0.40, 0.30, 0.20),
    "hip": (11.0, 8.0, 0.60, 0.30, 0.38),
    "shoulder": (2.0, 2.0, 1.0, 0.60, 0.67),
    "elbow": (2.0, 2.0, 1.0, 0.50, 0.54),
}
"""Tables 2 and 3, joints: Q_q, Q_v / 1e-2, R / 1e-7, P / 1e-5, W."""
FORCE = 0.060e-5  # Table 2, heel and toe: P of a contact force, 1/N^2
TORSO, SHOULDER = (6.0, 6.0, 0.010), (0.50, 0.50, 0.0010)  # Table 3: W of the acceleration along (x, y, height)

_ROW_OF = {"toe": "ankle", **dict.fromkeys(("wrist", "finger", "thumb", "forearm"), "elbow"), "clavicle": "shoulder"}
_ROW_OF |= {name: name for name in ("ankle", "knee", "hip", "shoulder", "elbow")}
"""Row of `JOINTS` for a degree of freedom whose name contains the key; all others take the row of the trunk."""


@dataclass(frozen=True, eq=False)
class NqrWeights:
    """Weights for a body: diagonals of the paper's matrices Q, R, P and W."""

    state: Array  # (2 nv,) Q: pose, then velocity
    planted: float  # s^2/m^2, of the speed of planted contacts
    change: Array  # (nv - 6,) R of joint torques
    size: Array  # (nv - 6,) P of joint torques
    force_change: float  # R of each component of a contact force
    force_size: float  # P of each component of a contact force
    torso: Array  # (3,) W of the torso's acceleration
    shoulder: Array  # (3,) W of each shoulder's acceleration
    joints: Array  # (nv - 6,) W of joint accelerations
    effort: float  # factor of W_m: a heavier body pays less for the same torque

    def control_weights(self, forces: int) -> tuple[Array, Array]:
        """(m,) diagonals of R and P of all controls: joint torques, then `forces` components of contact forces."""
        change, size = np.full(forces, self.force_change), np.full(forces, self.force_size)
        return np.concatenate([self.change, change]), np.concatenate([self.size, size])


def nqr_weights(body: Body, effort: str = "change", force: float = 1.0, planted: float = 0.0) -> NqrWeights:
    """Weights for a body.

    `effort` "size" penalises torques and contact forces as the paper does: mostly their size (P), and a little the
    change of torques from the motion's torques (R). "change" penalises only changes, with the same weights (R + P).
    `force` multiplies the weight of contact forces; `planted` (s^2/m^2) weighs the speed of planted contacts.
    """
    height, mass = float(body.standing[2]) / PAPER_HEIGHT, body.mass / PAPER_MASS
    names = [next((row for word, row in _ROW_OF.items() if word in dof), "trunk") for dof in body.dof_names[6:]]
    rows = np.array([JOINTS[name] for name in names]).reshape(-1, 5)
    root = np.array(ROOT) * np.array([[1.0], [1e-2]])
    root[0, :3] /= height**2
    root[1] *= [*3 * (1 / height,), *3 * (height,)]
    ease = 1.0 / (mass * height) ** 2
    change, size = 1e-7 * rows[:, 2] * ease, 1e-5 * rows[:, 3] * ease
    by_size, of_force = effort == "size", force * FORCE / mass**2
    return NqrWeights(
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
