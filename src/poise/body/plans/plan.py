"""The plan of a body: tables of segments, from which the body's MJCF and all other data are generated.

Frames: in the zero pose all link frames are parallel to the world (x forward, y left, z up); a link's origin is at its
joint. Zero pose: upright, arms hanging, palms towards the thighs, feet flat.

The signs of rotations are in docs/conventions.md; on the right, x and z are mirrored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from poise.arrays import Array, Frozen, readonly
from poise.body.parts import Foot, Hand
from poise.rotations import mirror_vector

Vector = tuple[float, float, float] | Array
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
    size: tuple[float, ...] | Array  # m: a radius, or three half-sizes
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
class BodyPlan:
    """A whole body. Segments are in depth-first order, the root first."""

    name: str
    segments: tuple[Segment, ...]
    default_torque: str
    standing: Mapping[str, tuple[float, ...]]  # rad, standing pose: rotation vectors or angles of joints, if not zero
    feet: tuple[Foot, ...] = ()
    hands: tuple[Hand, ...] = ()
    head: str | None = None  # name of the link
    joined: tuple[tuple[str, str], ...] = ()  # pairs of links that flesh joins, which do not touch each other


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
    foot: Foot,
    hand: Hand,
    default_torque: str = "human",
    other_leg: tuple[tuple[Segment, ...], Foot] | None = None,
) -> BodyPlan:
    """A person's plan from left limbs, which are mirrored; `other_leg` is the leg to mirror if not `leg` and `foot`."""
    other, other_foot = (leg, foot) if other_leg is None else other_leg
    points = readonly(mirror_vector(other_foot.points))
    right_foot = Foot(right_side_name(foot.link), points, right_side_name(foot.ankle))
    right_hand = Hand(right_side_name(hand.link), readonly(mirror_vector(hand.point)))
    return BodyPlan(
        name=name,
        segments=(*core, *leg, *map(right_segment, other), *trunk, *arm, *map(right_segment, arm)),
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
        offset=mirror_vector(left.offset),
        com=mirror_vector(left.com),
        geoms=tuple(_right_geom(g) for g in left.geoms),
        group=right_side_name(left.group),
        frame=(left.frame[0], -left.frame[1], left.frame[2], -left.frame[3]),
    )


def _right_joint(left: JointPlan) -> JointPlan:
    """The right counterpart of a left joint: rotations about x and z change sign, so their limits swap."""
    bounds = list(zip(left.axes, left.lower, left.upper, strict=True))
    lower = tuple(low if axis == "y" else -high for axis, low, high in bounds)
    upper = tuple(high if axis == "y" else -low for axis, low, high in bounds)
    return replace(left, name=right_side_name(left.name), lower=lower, upper=upper)


def _right_geom(left: Geom) -> Geom:
    """The right counterpart of a left shape, a shade darker to distinguish the sides in pictures."""
    r, g, b, a = left.rgba
    points = tuple(mirror_vector(p) for p in left.points)
    return replace(left, name=right_side_name(left.name), points=points, rgba=(0.86 * r, 0.86 * g, 0.86 * b, a))
