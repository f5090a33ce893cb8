"""Masses, lengths and inertias of human segments, and range, strength and passive resistance of human joints.

Masses, centres of mass and radii of gyration are those of men in [deLeva1996] Table 4; lengths are the fractions of
stature of [DrillisContini1966] as reprinted in [Winter2009] Fig. 4.1, with trunk and head divided in the proportions of
[deLeva1996] Table 4. A part of a segment without a row of its own is a solid ellipsoid or cylinder.

Ranges of joints are those of the left side, in degrees: published active ranges of healthy adults [AAOS1965]
[BooneAzen1979], with the weight-bearing ankle of [Hoch2011] and the sternoclavicular joint of [Ludewig2009]. The limits
of a ball joint form a box in rotation-vector space, whose corners lie outside the anatomical range. Ranges are cut at
160 degrees, because a rotation vector is unique only below 180.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from types import MappingProxyType as Proxy

import numpy as np

from poise.arrays import Array, Frozen
from poise.body.plans.plan import JointPlan, Vector


@dataclass(frozen=True)
class SegmentRow:
    """A row of [deLeva1996] Table 4: `mass` as a fraction of body mass, all others of the segment's length."""

    mass: float
    com: float  # distance of the centre of mass from the upper or proximal end
    sagittal: float  # radius of gyration about the axis from back to front
    transverse: float  # radius of gyration about the axis from side to side
    longitudinal: float  # radius of gyration about the axis along the segment


HEAD = SegmentRow(0.0694, 0.5002, 0.303, 0.315, 0.261)  # vertex to C7, neck included
UPPER_TRUNK = SegmentRow(0.1596, 0.5066, 0.505, 0.320, 0.465)  # C7 to xiphoid
MIDDLE_TRUNK = SegmentRow(0.1633, 0.4502, 0.482, 0.383, 0.468)  # xiphoid to navel
LOWER_TRUNK = SegmentRow(0.1117, 0.6115, 0.615, 0.551, 0.587)  # navel to the middle of the hips
UPPER_ARM = SegmentRow(0.0271, 0.5772, 0.285, 0.269, 0.158)
FOREARM = SegmentRow(0.0162, 0.4574, 0.276, 0.265, 0.121)
HAND = SegmentRow(0.0061, 0.3624, 0.288, 0.235, 0.184)  # wrist to the tip of the middle finger
THIGH = SegmentRow(0.1416, 0.4095, 0.329, 0.329, 0.149)
SHANK = SegmentRow(0.0433, 0.4395, 0.251, 0.246, 0.102)  # knee to ankle joint
FOOT = SegmentRow(0.0137, 0.4415, 0.257, 0.245, 0.124)  # heel to toe tip


@dataclass(frozen=True)
class Proportions:
    """Landmarks of a figure as fractions of stature, and the distribution of the figure's mass."""

    stature: float  # m
    mass: float  # kg
    ankle: float = 0.039  # ankle to c7: heights above the ground
    knee: float = 0.285
    hip: float = 0.530
    shoulder: float = 0.818
    c7: float = 0.848
    hip_half: float = 0.052  # half the distance between the hip centres; [Winter2009]'s 0.0955 is to the outer hip
    shoulder_half: float = 0.105  # likewise between the shoulders; [Winter2009]'s 0.129 is to the outer shoulder
    upper_arm: float = 0.186  # upper_arm to foot: lengths
    forearm: float = 0.146
    hand: float = 0.108
    foot: float = 0.152
    foot_half: float = 0.0235  # half the distance between the rails under the foot; the foot is 0.055 wide
    heel: float = 0.034  # distance of the heel behind the ankle
    skull: Vector = (0.0545, 0.0445, 0.0715)  # half-sizes of the head: forward, sideways, up
    girth: float = 1.0  # thickness of the shapes as a multiple of an adult's at this stature
    trunk_split: tuple[float, float, float] = (0.2415, 0.3572, 0.4013)  # lower, middle, upper part of hip to C7
    masses: tuple[float, float, float, float] = (0.0694, 0.4346, 0.0494, 0.1986)  # head, trunk, one arm, one leg

    def metres(self, fraction: float) -> float:
        """Length (m) of a fraction of stature."""
        return fraction * self.stature

    @property
    def trunk(self) -> float:
        """Length (m) from hip to C7."""
        return self.metres(self.c7 - self.hip)

    def segment_mass(self, row: SegmentRow) -> float:
        """Mass (kg) of a segment: mass of its limb, trunk or head by `masses`, times the share by the table."""
        head, trunk, arm, leg = self.masses
        for share, rows in (
            (head, (HEAD,)),
            (trunk, (UPPER_TRUNK, MIDDLE_TRUNK, LOWER_TRUNK)),
            (arm, (UPPER_ARM, FOREARM, HAND)),
            (leg, (THIGH, SHANK, FOOT)),
        ):
            if row in rows:
                # Normalised so that the segments add up to the mass of the body.
                total = head + trunk + 2 * arm + 2 * leg
                return self.mass * share / total * row.mass / sum(r.mass for r in rows)
        raise ValueError(f"{row} is not a segment of the table")


def upright_segment_inertia(row: SegmentRow, mass: float, length: float) -> Vector:
    """Moments of inertia (kg m^2) about x, y, z of an upright segment of `mass` kg and `length` m."""
    return (
        mass * (row.sagittal * length) ** 2,
        mass * (row.transverse * length) ** 2,
        mass * (row.longitudinal * length) ** 2,
    )


def hand_inertia(mass: float, length: float) -> Vector:
    """Moments of inertia (kg m^2) of a hanging hand with the palm towards the thigh: the table's sagittal axis is y."""
    x, y, z = upright_segment_inertia(HAND, mass, length)
    return y, x, z


def foot_inertia(mass: float, length: float) -> Vector:
    """Moments of inertia (kg m^2) of a foot that points forward: the table's longitudinal axis is x."""
    vertical, lateral, forward = upright_segment_inertia(FOOT, mass, length)
    return forward, lateral, vertical


def combined_segments(*parts: tuple[float, Vector, Vector]) -> tuple[float, Vector, Vector]:
    """Mass, centre of mass and inertia of rigidly joined `parts` (mass, com, inertia) on one vertical line."""
    mass = sum(m for m, _, _ in parts)
    x, y, z = (sum(m * c[k] for m, c, _ in parts) / mass for k in range(3))
    spread = sum(m * (c[2] - z) ** 2 for m, c, _ in parts)
    a, b, c = (sum(i[k] for _, _, i in parts) for k in range(3))
    return mass, (x, y, z), (a + spread, b + spread, c)


def cylinder_inertia(mass: float, radius: float, length: float) -> Vector:
    """Moments of inertia (kg m^2) about x, y, z of a solid upright cylinder."""
    across = mass * (3 * radius**2 + length**2) / 12
    return across, across, mass * radius**2 / 2


def ellipsoid_inertia(mass: float, half: Vector) -> Vector:
    """Moments of inertia (kg m^2) about x, y, z of a solid ellipsoid with half-axes `half` (m) along x, y, z."""
    a, b, c = (h * h for h in half)
    return mass * (b + c) / 5, mass * (a + c) / 5, mass * (a + b) / 5


def point_inertia(mass: float, arm: Array) -> Array:
    """Inertia (3, 3) kg m^2, about the origin, of a point mass at `arm` (3,) m: a term of the parallel axis theorem."""
    return np.asarray(mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)))


@dataclass(frozen=True)
class JointRole:
    """Properties of a human joint. Torques are peak values per degree of freedom of an adult of about 70 kg."""

    x: tuple[float, float]  # degrees, range of rotation about x
    y: tuple[float, float]  # degrees, range of rotation about y
    z: tuple[float, float]  # degrees, range of rotation about z
    human: float  # N m, torque limit in the set "human"
    athlete: float  # N m, torque limit in the set "athlete"
    # Damping and armature keep a limp body stable at 60 Hz: 1 N m s/rad and 0.01 kg m^2 in an adult's large joints.
    # They are smaller in joints that carry little, so that motion decays within about 0.05 to 0.1 s, as in the elbow.
    damping: float = 1.0  # N m s/rad
    armature: float = 0.01  # kg m^2


ROLES = Proxy({
    "hip": JointRole((-30, 45), (-140, 30), (-45, 45), 400, 600),
    "knee": JointRole((0, 0), (-5, 150), (0, 0), 400, 600),
    "ankle": JointRole((-35, 20), (-40, 50), (-15, 15), 250, 350),
    "toe": JointRole((0, 0), (-70, 40), (0, 0), 60, 90, 0.05, 0.001),
    "spine": JointRole((-35, 35), (-30, 90), (-45, 45), 300, 500),
    "neck": JointRole((-45, 45), (-60, 65), (-80, 80), 60, 90, 0.5, 0.005),
    "clavicle": JointRole((-10, 40), (0, 0), (-20, 30), 150, 250, 0.5, 0.005),
    "shoulder": JointRole((-45, 150), (-160, 60), (-80, 90), 150, 250),
    "elbow": JointRole((0, 0), (-150, 5), (0, 0), 100, 150),
    "forearm": JointRole((0, 0), (0, 0), (-80, 80), 40, 60, 0.05, 0.001),
    "wrist": JointRole((-80, 70), (-20, 30), (0, 0), 20, 30, 0.05, 0.001),
    "fingers": JointRole((-90, 20), (0, 0), (0, 0), 5, 7.5, 0.005, 0.0001),
    "thumb": JointRole((-50, 20), (-45, 20), (0, 0), 5, 7.5, 0.005, 0.0001)
})  # fmt: skip

FREE = JointPlan("root", "free")
WELD = JointPlan("", "weld")


def joint_plan(name: str, role: str, axes: str = "xyz", *, share: float = 1.0) -> JointPlan:
    """The plan of a joint with the properties of a role in `ROLES`: a ball if `axes` has three letters, else hinges.

    `share` is the joint's fraction of the published range, which several joints may divide, as along the spine.
    """
    properties = ROLES[role]
    ranges = [getattr(properties, axis) for axis in axes]
    return JointPlan(
        name=name,
        kind="ball" if len(axes) == 3 else "hinge",
        axes=axes,
        lower=tuple(radians(share * low) for low, _ in ranges),
        upper=tuple(radians(share * high) for _, high in ranges),
        torque=Frozen({"human": float(properties.human), "athlete": float(properties.athlete)}),
        damping=properties.damping,
        armature=properties.armature,
    )
