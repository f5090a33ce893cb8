"""Rigs, which are stiffness and damping of each degree of freedom and their changes in time, and springs in one step.

The gains of people were tuned for a figure of 71 kg and 1.75 m, the gains of the lamp for 2.8 kg. Both scale with mass
times height, as the torques that carry a body do. The gains of other bodies follow from their torque limits.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Ints, readonly
from poise.body.body import Body
from poise.kernel import kernel
from poise.reference.body_clip import posed_data


class PoseSpring(NamedTuple):
    """Stiffness and damping of one degree of freedom."""

    stiffness: float  # N m/rad
    damping: float  # N m s/rad

    def scaled(self, factor: float) -> "PoseSpring":
        """The spring with both gains multiplied by a factor."""
        return PoseSpring(factor * self.stiffness, factor * self.damping)


FIRM, MIDDLING, WEAK = PoseSpring(1000.0, 300.0), PoseSpring(600.0, 150.0), PoseSpring(300.0, 60.0)
PEOPLE = {
    "hip_x": MIDDLING, "hip_y": FIRM, "hip_z": WEAK, "knee_y": FIRM, "ankle_y": MIDDLING, "ankle_x": WEAK,
    "toe_y": PoseSpring(60.0, 8.0), "spine_x": FIRM, "spine_y": FIRM, "spine_z": MIDDLING,
    "neck_z": PoseSpring(60.0, 8.0), "neck_y": PoseSpring(60.0, 8.0),
    "shoulder_x": PoseSpring(200.0, 40.0), "shoulder_y": PoseSpring(200.0, 40.0), "shoulder_z": PoseSpring(100.0, 15.0),
    "elbow_y": PoseSpring(100.0, 15.0), "wrist_x": PoseSpring(30.0, 3.0), "wrist_y": PoseSpring(30.0, 3.0),
}  # fmt: skip
"""Gains of human37, by the name of the DOF without its side."""
PERSON_SIZE = 71.0 * 1.75  # Mass times height (kg m) of the figure for which PEOPLE was tuned
PERSON_ROOT = PoseSpring(1500.0, 500.0)  # Gains of the stabilising torques on a person's root

LAMP_SIZE = 2.8 * 0.3776  # Mass times height (kg m) of the lamp for which its gains were tuned
LAMP = PoseSpring(20.0, 1.5)
LAMP_ROOT = PoseSpring(40.0, 8.0)

FIRMNESS, SMOOTHNESS = 2.5, 0.25
"""Other bodies: stiffness (1/rad) as a multiple of the torque limit, damping (s) as a multiple of the stiffness."""
UPRIGHT = 4.0  # Other bodies: stiffness of the root, as a multiple of weight (N) times height (m)


@dataclass(frozen=True, eq=False)
class PoseControlRig:
    """Gains of all DOFs; the gains of the root's rotation are for the stabilising torques."""

    stiffness: Array  # (nv,) N m/rad, 0 for the root's translation
    damping: Array  # (nv,) N m s/rad

    @classmethod
    def of(cls, body: Body) -> "PoseControlRig":
        """The default rig of a body."""
        names = [name.split("_", 1)[1] if name.startswith(("left_", "right_")) else name for name in body.dof_names]
        middle = float(next(posed_data(body, body.standing[None])).xipos[1:, 2].max())  # m, of the head
        size = body.mass * (middle * 1.07)  # the head's centre is 7 % below its top
        if body.name == "lamp14":
            springs = [LAMP.scaled(size / LAMP_SIZE)] * body.nv
            root = LAMP_ROOT.scaled(size / LAMP_SIZE)
        elif all(name in PEOPLE for name in names[6:]):
            springs = [PEOPLE.get(name, FIRM).scaled(size / PERSON_SIZE) for name in names]
            root = PERSON_ROOT.scaled(size / PERSON_SIZE)
        else:
            limit = np.where(np.isfinite(body.torque_limit), body.torque_limit, body.mass)
            springs = [PoseSpring(FIRMNESS * t, FIRMNESS * SMOOTHNESS * t) for t in limit]
            upright = UPRIGHT * 9.81 * size
            root = PoseSpring(upright, SMOOTHNESS * upright)
        springs[:6] = [PoseSpring(0.0, 0.0)] * 3 + [root] * 3
        return cls(readonly([s.stiffness for s in springs]), readonly([s.damping for s in springs]))


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


class PoseControlGains:
    """Gains of a rig that change in time; the factors of overlapping changes multiply."""

    def __init__(self, rig: PoseControlRig, changes: tuple[GainChange, ...] = ()) -> None:
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


class Springs(NamedTuple):
    """Torques ``push - gain v``, v at the end of the step, of the pose controllers; objectives change them in place."""

    push: Array  # (nv,) N m
    gain: Array  # (nv,) N m s/rad
    stiffness: Array  # (nv,) N m/rad, of the pose controllers: k_s
    damping: Array  # (nv,) N m s/rad, of the pose controllers near their targets: k_d


class WeightedDofs(NamedTuple):
    """Degrees of freedom that serve an objective, each with a weight."""

    dofs: Ints  # (k,)
    weight: Array  # (k,)


class SpringPull(NamedTuple):
    """A spring and damper on a point or on the direction of a link; its force or torque acts through some joints."""

    error: Array  # (3,) m or rad, from the actual to the target value
    rate: Array  # (3,) m/s or rad/s, of the actual relative to the target value
    jacobian: Array  # (3, nv) of the rate
    stiffness: float  # N/m or N m/rad
    damping: float  # N s/m or N m s/rad


@kernel
def fill_pose_springs(springs: Springs, error: Array, velocity: Array, step: float, reach: float, rate: float) -> None:
    """Write push and gain of the pose controllers for errors (nv,) rad at the step's end [Fattal2006] Eq. (3)."""
    for i in range(springs.push.shape[0]):
        springs.push[i] = springs.stiffness[i] * error[i]
        share = pose_spring_damping_share(error[i], step * velocity[i], reach, rate)
        springs.gain[i] = share * springs.damping[i] + step * springs.stiffness[i]


@kernel
def pose_spring_damping_share(error: float, way: float, reach: float, rate: float) -> float:
    """Damping reduction f of [Fattal2006] Eq. (3), averaged over a step.

    ``error`` (rad) holds at the start of the step; ``way`` (rad) is the displacement towards the target in the step.
    ``reach`` is the paper's lambda (rad), ``rate`` is alpha. Fast limbs cross the narrow zone of full damping within a
    step, so f is averaged along the way: (F(e1) - F(e0)) / (e1 - e0), with F' = f.
    """
    after = error - way
    if abs(way) < 1e-9:
        return 1.0 if abs(error) < reach else rate * reach / abs(error)
    return (_pose_spring_damping_integral(after, reach, rate) - _pose_spring_damping_integral(error, reach, rate)) / (
        after - error
    )


@kernel
def _pose_spring_damping_integral(error: float, reach: float, rate: float) -> float:
    """Integral F, from 0 to an error (rad), of the damping reduction f."""
    size = abs(error)
    if size < reach:
        return float(error)
    return float(np.sign(error)) * reach * (1.0 + rate * float(np.log(size / reach)))


@kernel
def add_pull_to_pose_springs(
    springs: Springs, through: WeightedDofs, kept: float, pull: SpringPull, velocity: Array, step: float
) -> None:
    """Scale the springs of the DOFs ``through`` by ``kept``, and add the torques of a pull on these DOFs.

    The pull is implicit in the velocity of the DOF itself, explicit in those of the others.
    """
    push, gain, weight = springs.push, springs.gain, through.weight
    pull_gain = pull.damping + step * pull.stiffness
    for k in range(through.dofs.shape[0]):
        i = through.dofs[k]
        own = drive = 0.0
        for axis in range(3):
            lever = pull.jacobian[axis, i]
            own += lever * lever
            drive += lever * (pull.stiffness * pull.error[axis] - pull_gain * pull.rate[axis])
        push[i] = kept * push[i] + weight[k] * (drive + pull_gain * own * velocity[i])
        gain[i] = kept * gain[i] + weight[k] * pull_gain * own
