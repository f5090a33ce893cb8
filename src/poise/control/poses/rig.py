"""How strong and how smooth each joint is: a rig.

Stiffness in N m/rad and damping in N m s/rad. Those of people were found for a figure of 71 kg and 1.75 m, those of the
lamp for 2.8 kg; a heavier or taller one has them in proportion to its weight and height, as the torques that carry it
are. What is neither human nor known gets them from its torque limits.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body


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


# What changes while a motion is performed: gains, and whether anything stabilises the root.


@dataclass(frozen=True)
class TimeSpan:
    """From when to when, s."""

    start: float = 0.0
    end: float = math.inf

    def __contains__(self, time: float) -> bool:
        """Whether a time lies in it."""
        return self.start - 1e-9 <= time < self.end - 1e-9


@dataclass(frozen=True, eq=False)
class Strengthening:
    """Other gains for a while, as multiples of the rig's."""

    when: TimeSpan
    dofs: tuple[int, ...]
    stiffness: float = 1.0
    damping: float = 1.0


class Gains:
    """A rig in time."""

    def __init__(self, rig: Rig, changes: tuple[Strengthening, ...] = ()) -> None:
        self._rig, self._changes = rig, changes
        edges = {0.0, *(change.when.start for change in changes), *(change.when.end for change in changes)}
        self._edges = sorted(float(edge) for edge in edges if math.isfinite(edge))
        self._rows = [self._during(edge) for edge in self._edges]

    def at(self, time: float) -> tuple[Array, Array]:
        """(nv,) stiffness and damping."""
        return self._rows[max(bisect_right(self._edges, time + 1e-9) - 1, 0)]

    def _during(self, time: float) -> tuple[Array, Array]:
        stiffness, damping = np.array(self._rig.stiffness), np.array(self._rig.damping)
        for change in self._changes:
            if time in change.when:
                stiffness[list(change.dofs)] *= change.stiffness
                damping[list(change.dofs)] *= change.damping
        return stiffness, damping
