"""Scaling of a plan to other proportions.

- `size` s: lengths scale with s; at equal density, masses with s^3 and inertias with s^5.
- `legs`, `arms`: long bones stretch along their length at equal cross-section. Masses scale with the length, second
  moments along the bone with the cube of the length; feet, hands and shoulders keep their size.
- `mass`: all masses and inertias scale by one factor, so that the total is `mass` kg.
- Torque limits scale with body mass times limb length, like the torques that hold a given pose.
- Joint damping scales with body mass times limb length^1.5, armature with body mass times limb length^2: motion then
  keeps its shape, with times that scale with the square root of length.
"""

from dataclasses import replace

import numpy as np

from poise.arrays import Frozen, readonly
from poise.body.plans.plan import BodyPlan, Geom, JointPlan, Segment, Vector
from poise.errors import PoiseError

FACTORS = (0.01, 100.0)  # least and largest factor
MASSES = (1e-3, 1e6)  # kg


def scale_plan(
    plan: BodyPlan, *, legs: float = 1.0, arms: float = 1.0, size: float = 1.0, mass: float | None = None
) -> BodyPlan:
    """The plan scaled by the rules of this module; `mass` is in kg, the other arguments are factors."""
    for name, value in {"legs": legs, "arms": arms, "size": size, "mass": 1.0 if mass is None else mass}.items():
        least, most = MASSES if name == "mass" and mass is not None else FACTORS
        if not least <= value <= most:
            raise PoiseError(f"cannot scale a body by {name}={value}: it must be from {least:g} to {most:g}")
    before = sum(s.mass for s in plan.segments)
    limbs = {"legs": legs, "arms": arms, None: 1.0}
    stretch = {s.name: (size, size, size * limbs[s.limb]) for s in plan.segments}
    shaped = [_stretched_segment(s, stretch[s.name]) for s in plan.segments]
    total = sum(s.mass for s in shaped)
    ratio = 1.0 if mass is None else mass / total
    segments = []
    for segment in shaped:
        along = stretch[segment.parent] if segment.parent else (size, size, size * legs)
        reach = size * limbs[{"leg": "legs", "arm": "arms"}.get(segment.group.partition("_")[2])]
        segments.append(replace(
            segment,
            offset=np.multiply(segment.offset, along),
            mass=ratio * segment.mass,
            inertia=np.multiply(segment.inertia, ratio),
            joint=strengthened_joint(segment.joint, ratio * total / before, reach)
        ))  # fmt: skip
    feet = tuple(replace(foot, points=readonly(foot.points * stretch[foot.link])) for foot in plan.feet)
    hands = tuple(replace(hand, point=readonly(hand.point * stretch[hand.link])) for hand in plan.hands)
    return replace(plan, segments=tuple(segments), feet=feet, hands=hands)


def _stretched_segment(segment: Segment, factors: Vector) -> Segment:
    """A segment stretched along x, y, z at equal density: integrals of x_i^2 dm scale with volume and the factor^2."""
    a, b, c = segment.inertia
    moments = ((b + c - a) / 2, (a + c - b) / 2, (a + b - c) / 2)
    volume = factors[0] * factors[1] * factors[2]
    x, y, z = (volume * f * f * p for f, p in zip(factors, moments, strict=True))
    mass, com, inertia = volume * segment.mass, np.multiply(segment.com, factors), (y + z, x + z, x + y)
    geoms = tuple(_stretched_geom(g, factors) for g in segment.geoms)
    return replace(segment, mass=mass, com=com, inertia=inertia, geoms=geoms)


def _stretched_geom(geom: Geom, factors: Vector) -> Geom:
    """A shape stretched by `factors`: ends and half-sizes scale with their axes, radii with the cross-section."""
    size = tuple(s * f for s, f in zip(geom.size, factors, strict=False))
    return replace(geom, points=tuple(np.multiply(point, factors) for point in geom.points), size=size)


def strengthened_joint(joint: JointPlan, mass: float, length: float) -> JointPlan:
    """The joint with torques, damping and armature scaled for the ratios of body `mass` and limb `length`."""
    torque = Frozen({name: value * mass * length for name, value in joint.torque.items()})
    damping, armature = joint.damping * mass * length**1.5, joint.armature * mass * length**2
    return replace(joint, torque=torque, damping=damping, armature=armature)
