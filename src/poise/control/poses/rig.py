"""How strong and how smooth each joint is: a rig.

Stiffness in N m/rad and damping in N m s/rad. Those of people were found for a figure of 71 kg and 1.75 m, those of the
lamp for 2.8 kg; a heavier or taller one has them in proportion to its weight and height, as the torques that carry it
are. What is neither human nor known gets them from its torque limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.body import Body
from poise.frozen import Array, readonly


class Spring(NamedTuple):
    """Of a degree of freedom."""

    stiffness: float  # N m/rad
    damping: float  # N m s/rad

    def times(self, share: float) -> Spring:
        """One so much stronger."""
        return Spring(share * self.stiffness, share * self.damping)


FIRM, MIDDLING, WEAK = Spring(1000.0, 300.0), Spring(600.0, 150.0), Spring(300.0, 60.0)
PEOPLE = {
    "hip_x": MIDDLING, "hip_y": FIRM, "hip_z": WEAK, "knee_y": FIRM, "ankle_y": MIDDLING, "ankle_x": WEAK,
    "toe_y": Spring(60.0, 8.0), "spine_x": FIRM, "spine_y": FIRM, "spine_z": MIDDLING,
    "neck_z": Spring(60.0, 8.0), "neck_y": Spring(60.0, 8.0),
    "shoulder_x": Spring(200.0, 40.0), "shoulder_y": Spring(200.0, 40.0), "shoulder_z": Spring(100.0, 15.0),
    "elbow_y": Spring(100.0, 15.0), "wrist_x": Spring(30.0, 3.0), "wrist_y": Spring(30.0, 3.0),
}  # fmt: skip
"""Of human37, by degree of freedom without its side."""
PERSON_WEIGHT = 71.0 * 1.75  # kg m: mass times height of who they were found for
PERSON_ROOT = Spring(1500.0, 500.0)

LAMP_WEIGHT = 2.8 * 0.3776  # kg m, likewise
LAMP = Spring(20.0, 1.5)
LAMP_ROOT = Spring(40.0, 8.0)

FIRMNESS, SMOOTHNESS = 2.5, 0.25  # of others: torque limits per rad, and s of damping
UPRIGHT = 4.0  # of others: the root's stiffness, as a multiple of weight times height


@dataclass(frozen=True, eq=False)
class Rig:
    """Springs of all degrees of freedom; those of the root hold its orientation, if anything does."""

    stiffness: Array  # (nv,) N m/rad, 0 on the root's place
    damping: Array  # (nv,) N m s/rad

    @classmethod
    def of(cls, body: Body) -> Rig:
        """The preset of a body."""
        names = [name.split("_", 1)[1] if name.startswith(("left_", "right_")) else name for name in body.dof_names]
        weight = body.mass * _height(body)
        if body.name == "lamp14":
            springs = [LAMP.times(weight / LAMP_WEIGHT)] * body.nv
            root = LAMP_ROOT.times(weight / LAMP_WEIGHT)
        elif all(name in PEOPLE for name in names[6:]):
            springs = [PEOPLE.get(name, FIRM).times(weight / PERSON_WEIGHT) for name in names]
            root = PERSON_ROOT.times(weight / PERSON_WEIGHT)
        else:
            limit = np.where(np.isfinite(body.torque_limit), body.torque_limit, body.mass)
            springs = [Spring(FIRMNESS * t, FIRMNESS * SMOOTHNESS * t) for t in limit]
            upright = UPRIGHT * 9.81 * weight
            root = Spring(upright, SMOOTHNESS * upright)
        springs[:6] = [Spring(0.0, 0.0)] * 3 + [root] * 3
        return cls(readonly([s.stiffness for s in springs]), readonly([s.damping for s in springs]))


def _height(body: Body) -> float:
    """m: of the highest part above the ground, standing; more or less."""
    import mujoco

    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    return float(data.xipos[1:, 2].max()) * 1.07  # the head's middle is that much below its top
