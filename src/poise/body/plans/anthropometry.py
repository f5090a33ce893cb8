"""Masses, lengths and inertias of human segments from published tables.

Masses, centres of mass and radii of gyration are those of men in [deLeva1996] Table 4; lengths are the fractions of
stature of [DrillisContini1966] as reprinted in [Winter2009] Fig. 4.1, with trunk and head divided in the proportions of
[deLeva1996] Table 4. A part of a segment without a row of its own is a solid ellipsoid or cylinder.
"""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.body.plans.plan import Vector


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
    x, y, z = (mass * (radius * length) ** 2 for radius in (row.sagittal, row.transverse, row.longitudinal))
    return x, y, z


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
