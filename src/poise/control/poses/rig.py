"""Rigs: stiffness (N m/rad) and damping (N m s/rad) of each degree of freedom, and changes of both in time.

The gains of people were tuned for a figure of 71 kg and 1.75 m, the gains of the lamp for 2.8 kg. Both scale with mass
times height, as the torques that carry a body do. The gains of other bodies follow from their torque limits.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body


class Spring(NamedTuple):
    """Stiffness and damping of one degree of freedom."""

    stiffness: float  # N m/rad
    damping: float  # N m s/rad

    def scaled(self, factor: float) -> Spring:
        """The spring with both gains multiplied by a factor."""
        return Spring(factor * self.stiffness, factor * self.damping)


FIRM, MIDDLING, WEAK = Spring(1000.0, 300.0), Spring(600.0, 150.0), Spring(300.0, 60.0)
PEOPLE = {
    "hip_x": MIDDLING, "hip_y": FIRM, "hip_z": WEAK, "knee_y": FIRM, "ankle_y": MIDDLING, "ankle_x": WEAK,
    "toe_y": Spring(60.0, 8.0), "spine_x": FIRM, "spine_y": FIRM, "spine_z": MIDDLING,
    "neck_z": Spring(60.0, 8.0), "neck_y": Spring(60.0, 8.0),
    "shoulder_x": Spring(200.0, 40.0), "shoulder_y": Spring(200.0, 40.0), "shoulder_z": Spring(100.0, 15.0),
    "elbow_y": Spring(100.0, 15.0), "wrist_x": Spring(30.0, 3.0), "wrist_y": Spring(30.0, 3.0),
}  # fmt: skip
"""Gains of human37, by the name of the DOF without its side."""
PERSON_SIZE = 71.0 * 1.75  # Mass times height (kg m) of the figure for which PEOPLE was tuned
PERSON_ROOT = Spring(1500.0, 500.0)  # Gains of the stabilising torques on a person's root

LAMP_SIZE = 2.8 * 0.3776  # Mass times height (kg m) of the lamp for which its gains were tuned
LAMP = Spring(20.0, 1.5)
LAMP_ROOT = Spring(40.0, 8.0)

FIRMNESS, SMOOTHNESS = 2.5, 0.25
"""Other bodies: stiffness (1/rad) as a multiple of the torque limit, damping (s) as a multiple of the stiffness."""
UPRIGHT = 4.0  # Other bodies: stiffness of the root, as a multiple of weight (N) times height (m)


@dataclass(frozen=True, eq=False)
class Rig:
    """Gains of all DOFs; the gains of the root's rotation are for the stabilising torques."""

    stiffness: Array  # (nv,) N m/rad, 0 for the root's translation
    damping: Array  # (nv,) N m s/rad

    @classmethod
    def of(cls, body: Body) -> Rig:
        """The default rig of a body."""
        names = [name.split("_", 1)[1] if name.startswith(("left_", "right_")) else name for name in body.dof_names]
        size = body.mass * _rig_body_height(body)
        if body.name == "lamp14":
            springs = [LAMP.scaled(size / LAMP_SIZE)] * body.nv
            root = LAMP_ROOT.scaled(size / LAMP_SIZE)
        elif all(name in PEOPLE for name in names[6:]):
            springs = [PEOPLE.get(name, FIRM).scaled(size / PERSON_SIZE) for name in names]
            root = PERSON_ROOT.scaled(size / PERSON_SIZE)
        else:
            limit = np.where(np.isfinite(body.torque_limit), body.torque_limit, body.mass)
            springs = [Spring(FIRMNESS * t, FIRMNESS * SMOOTHNESS * t) for t in limit]
            upright = UPRIGHT * 9.81 * size
            root = Spring(upright, SMOOTHNESS * upright)
        springs[:6] = [Spring(0.0, 0.0)] * 3 + [root] * 3
        return cls(readonly([s.stiffness for s in springs]), readonly([s.damping for s in springs]))


def _rig_body_height(body: Body) -> float:
    """Approximate height (m) of the standing body."""
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    return float(data.xipos[1:, 2].max()) * 1.07  # the head's centre is 7 % below its top


@dataclass(frozen=True)
class TimeSpan:
    """Times (s) from `start` (included) to `end` (excluded), with a tolerance of 1 ns."""

    start: float = 0.0
    end: float = math.inf

    def __contains__(self, time: float) -> bool:
        """Whether a time (s) lies in the span."""
        return self.start - 1e-9 <= time < self.end - 1e-9


@dataclass(frozen=True, eq=False)
class GainChange:
    """Multiplies the rig's gains of some DOFs by factors in a time span."""

    when: TimeSpan
    dofs: tuple[int, ...]
    stiffness: float = 1.0
    damping: float = 1.0


class TimedGains:
    """Gains of a rig that change in time; the factors of overlapping changes multiply."""

    def __init__(self, rig: Rig, changes: tuple[GainChange, ...] = ()) -> None:
        self._rig, self._changes = rig, changes
        edges = {0.0, *(change.when.start for change in changes), *(change.when.end for change in changes)}
        self._edges = sorted(float(edge) for edge in edges if math.isfinite(edge))
        self._rows = [self._gains_at(edge) for edge in self._edges]

    def at(self, time: float) -> tuple[Array, Array]:
        """(nv,) stiffness (N m/rad) and damping (N m s/rad) at a time (s)."""
        return self._rows[max(bisect_right(self._edges, time + 1e-9) - 1, 0)]

    def _gains_at(self, time: float) -> tuple[Array, Array]:
        stiffness, damping = np.array(self._rig.stiffness), np.array(self._rig.damping)
        for change in self._changes:
            if time in change.when:
                stiffness[list(change.dofs)] *= change.stiffness
                damping[list(change.dofs)] *= change.damping
        return stiffness, damping
