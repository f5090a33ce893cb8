"""The plan of a body: tables of segments, from which the body's MJCF and all other data are generated.

Frames: in the zero pose all link frames are parallel to the world (x forward, y left, z up); a link's origin is at its
joint. Zero pose: upright, arms hanging, palms towards the thighs, feet flat.

Signs of rotations about the link's axes on the left side (on the right, x and z are mirrored):

| joint | + y | + x | + z |
|---|---|---|---|
| hip, shoulder | extension (limb goes back) | abduction | outward rotation |
| knee | flexion | | |
| elbow | extension (flexion is negative) | | |
| ankle, toe | plantar flexion (toes down) | eversion | toes outward |
| spine, neck | flexion (forward) | leaning right | turning left |
| clavicle | | elevation | retraction |
| wrist, fingers | ulnar deviation | extension (away from the palm) | supination |

A plan scales to other proportions by these rules:

- `size` s: lengths scale with s; at equal density, masses with s^3 and inertias with s^5.
- `legs`, `arms`: long bones stretch along their length at equal cross-section. Masses scale with the length, second
  moments along the bone with the cube of the length; feet, hands and shoulders keep their size.
- `mass`: all masses and inertias scale by one factor, so that the total is `mass` kg.
- Torque limits scale with body mass times limb length, like the torques that hold a given pose.
- Joint damping scales with body mass times limb length^1.5, armature with body mass times limb length^2: motion then
  keeps its shape, with times that scale with the square root of length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Literal

from poise.arrays import Frozen
from poise.errors import PoiseError

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Colour = tuple[float, float, float, float]
Shape = Literal["capsule", "sphere", "box", "ellipsoid", "cylinder"]
Limb = Literal["legs", "arms"]

ABDUCTION = 0.14  # rad: abduction of the arms in the standing pose


@dataclass(frozen=True)
class Geom:
    """A shape of a segment; `points` are its two ends (capsule, cylinder) or its centre."""

    name: str
    shape: Shape
    points: tuple[Vector, ...]  # m
    size: tuple[float, ...]  # m: a radius, or three half-sizes
    rgba: Colour
    solid: bool = True  # makes contact; otherwise only visible


@dataclass(frozen=True)
class JointPlan:
    """The joint of a segment; `axes` has one letter per degree of freedom, outermost hinge first."""

    name: str
    kind: Literal["free", "ball", "hinge", "weld"]
    axes: str = ""
    lower: tuple[float, ...] = ()  # rad
    upper: tuple[float, ...] = ()  # rad
    torque: Mapping[str, float] = field(default_factory=Frozen)  # limits, N m, by name of the set
    numbers: Mapping[str, float] = field(default_factory=Frozen)  # further numbers of the joint, by name
    damping: float = 0.0  # N m s/rad
    armature: float = 0.0  # kg m^2


@dataclass(frozen=True)
class Segment:
    """A rigid link: its joint, mass properties and shapes."""

    name: str
    parent: str | None
    joint: JointPlan
    offset: Vector  # m, position of the joint in the parent's frame
    mass: float  # kg
    com: Vector  # m, in the link frame
    inertia: Vector  # kg m^2 about the centre of mass and the axes of `frame`
    geoms: tuple[Geom, ...]
    group: str  # left_leg, right_leg, left_arm, right_arm, trunk, head
    limb: Limb | None = None  # for long bones only, which stretch along z when legs or arms are scaled
    frame: Quaternion = (1.0, 0.0, 0.0, 0.0)  # principal axes of inertia in the link frame


@dataclass(frozen=True)
class FootPlan:
    """The four contact points of a foot: heel outer, heel inner, toe outer, toe inner."""

    link: str
    points: tuple[Vector, Vector, Vector, Vector]  # m in the link frame
    ankle: str  # name of the joint that carries the foot


@dataclass(frozen=True)
class HandPlan:
    """The contact point of a hand."""

    link: str
    point: Vector  # m in the link frame


@dataclass(frozen=True)
class BodyPlan:
    """A whole body. Segments are in depth-first order, the root first."""

    name: str
    segments: tuple[Segment, ...]
    default_torque: str
    standing: Mapping[str, tuple[float, ...]]  # rad, standing pose: rotation vectors or angles of joints, if not zero
    feet: tuple[FootPlan, ...] = ()
    hands: tuple[HandPlan, ...] = ()
    head: str | None = None  # name of the link


def right_side_name(name: str) -> str:
    """The name with left_ at the beginning replaced by right_; other names are unchanged."""
    return name.replace("left_", "right_", 1) if name.startswith("left_") else name


def human_plan(
    name: str,
    core: tuple[Segment, ...],
    leg: tuple[Segment, ...],
    trunk: tuple[Segment, ...],
    arm: tuple[Segment, ...],
    *,
    foot: FootPlan,
    hand: HandPlan,
    default_torque: str = "human",
) -> BodyPlan:
    """A person's plan from pelvis (`core`), trunk with head, and left limbs; right limbs are their mirror images."""
    a, b, c, d = (reflected_point(point) for point in foot.points)
    right_foot = FootPlan(right_side_name(foot.link), (a, b, c, d), right_side_name(foot.ankle))
    right_hand = HandPlan(right_side_name(hand.link), reflected_point(hand.point))
    return BodyPlan(
        name=name,
        segments=(*core, *leg, *map(right_segment, leg), *trunk, *arm, *map(right_segment, arm)),
        default_torque=default_torque,
        standing={"left_shoulder": (ABDUCTION, 0.0, 0.0), "right_shoulder": (-ABDUCTION, 0.0, 0.0)},
        feet=(foot, right_foot),
        hands=(hand, right_hand),
        head="head",
    )


def right_segment(left: Segment) -> Segment:
    """The right-hand counterpart of a left segment, reflected across the x-z plane."""
    return replace(
        left,
        name=right_side_name(left.name),
        parent=None if left.parent is None else right_side_name(left.parent),
        joint=_right_joint(left.joint),
        offset=reflected_point(left.offset),
        com=reflected_point(left.com),
        geoms=tuple(_right_geom(g) for g in left.geoms),
        group=right_side_name(left.group),
        frame=(left.frame[0], -left.frame[1], left.frame[2], -left.frame[3]),
    )


def reflected_point(v: Vector) -> Vector:
    """A point reflected across the x-z plane."""
    return (v[0], -v[1], v[2])


def vector_minus(a: Vector, b: Vector) -> Vector:
    """The vector a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _right_joint(left: JointPlan) -> JointPlan:
    """The right counterpart of a left joint: rotations about x and z change sign, so their limits swap."""
    bounds = list(zip(left.axes, left.lower, left.upper, strict=True))
    lower = tuple(low if axis == "y" else -high for axis, low, high in bounds)
    upper = tuple(high if axis == "y" else -low for axis, low, high in bounds)
    return replace(left, name=right_side_name(left.name), lower=lower, upper=upper)


def _right_geom(left: Geom) -> Geom:
    """The right counterpart of a left shape, a shade darker to distinguish the sides in pictures."""
    r, g, b, a = left.rgba
    points = tuple(reflected_point(p) for p in left.points)
    return replace(left, name=right_side_name(left.name), points=points, rgba=(0.86 * r, 0.86 * g, 0.86 * b, a))


def scale_plan(
    plan: BodyPlan, *, legs: float = 1.0, arms: float = 1.0, size: float = 1.0, mass: float | None = None
) -> BodyPlan:
    """The plan scaled by the rules of this module; `mass` is in kg, the other arguments are factors."""
    for name, value in {"legs": legs, "arms": arms, "size": size, "mass": 1.0 if mass is None else mass}.items():
        if not (isfinite(value) and value > 0):
            raise PoiseError(f"cannot scale a body by {name}={value}: it must be a positive number")
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
            offset=_scaled_vector(segment.offset, along),
            mass=ratio * segment.mass,
            inertia=_scaled_vector(segment.inertia, (ratio, ratio, ratio)),
            joint=strengthened_joint(segment.joint, ratio * total / before, reach)
        ))  # fmt: skip
    return replace(
        plan,
        segments=tuple(segments),
        feet=tuple(_stretched_foot(f, stretch[f.link]) for f in plan.feet),
        hands=tuple(HandPlan(h.link, _scaled_vector(h.point, stretch[h.link])) for h in plan.hands),
    )


def _stretched_segment(segment: Segment, factors: Vector) -> Segment:
    """A segment stretched by `factors` along x, y, z at equal density.

    A second moment P_i = integral of x_i^2 dm scales with the volume and the square of factor i. Each moment of inertia
    is the sum of two second moments.
    """
    a, b, c = segment.inertia
    moments = ((b + c - a) / 2, (a + c - b) / 2, (a + b - c) / 2)
    volume = factors[0] * factors[1] * factors[2]
    x, y, z = (volume * f * f * p for f, p in zip(factors, moments, strict=True))
    return replace(
        segment,
        mass=volume * segment.mass,
        com=_scaled_vector(segment.com, factors),
        inertia=(y + z, x + z, x + y),
        geoms=tuple(_stretched_geom(g, factors) for g in segment.geoms),
    )


def _stretched_geom(geom: Geom, factors: Vector) -> Geom:
    """A shape stretched by `factors`: ends and half-sizes scale with their axes, radii with the cross-section."""
    size = tuple(s * f for s, f in zip(geom.size, factors, strict=False))
    return replace(geom, points=tuple(_scaled_vector(p, factors) for p in geom.points), size=size)


def strengthened_joint(joint: JointPlan, mass: float, length: float) -> JointPlan:
    """The joint with torques, damping and armature scaled for the ratios of body `mass` and limb `length`."""
    return replace(
        joint,
        torque=Frozen({name: value * mass * length for name, value in joint.torque.items()}),
        damping=joint.damping * mass * length**1.5,
        armature=joint.armature * mass * length**2,
    )


def _stretched_foot(foot: FootPlan, factors: Vector) -> FootPlan:
    a, b, c, d = (_scaled_vector(p, factors) for p in foot.points)
    return replace(foot, points=(a, b, c, d))


def _scaled_vector(v: Vector, factors: Vector) -> Vector:
    return (v[0] * factors[0], v[1] * factors[1], v[2] * factors[2])
