"""A simulated person for a humanoid skeleton: the parts of the bundled bodies at the skeleton's own measures.

The trunk has a link for each joint of the spine. The three parts of the trunk in the table are cut into slices at the
joints. A slice has the cross-section of its part, and a share of the part's mass in proportion to the slice's length.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import acos, asin, dist, radians, sin

import numpy as np

from poise.body.parts import Foot
from poise.body.plans import anthropometry as tables, human, shapes
from poise.body.plans.anatomy import FREE, WELD, joint_plan
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, Colour, Geom, JointPlan, Segment, Vector, human_plan
from poise.body.plans.scale import strengthened_joint
from poise.body.skeleton_measures import ADULT, LegMeasures, PersonMeasures
from poise.motion.roles import SIDES

LEAST = 0.06  # of the trunk: least length of a link, however near its two joints are
CHEST = 0.25  # of the trunk: least length of the chest, which carries the arms
NECK_MASS = 0.14  # of head and neck: mass of the neck if the neck has links of its own
MOST_LEAN = 0.2  # largest sine of the slant of the legs
SUPPLE = 1.15  # range of a supple person over the mean range: two standard deviations more
WIDEST = radians(175)  # Largest limit of a joint either way: rotation vectors wrap round at 180 degrees
SHANK_TURN = radians(35)  # limit of the rotation of foot and shank about the shank's axis, either way
_PARTS = (tables.LOWER_TRUNK, tables.MIDDLE_TRUNK, tables.UPPER_TRUNK)

# Capsules across the trunk, as in the bundled bodies: height (fraction of hip to C7), half-width and radius
# (fractions of stature), colour, solid.
_ROUND: tuple[tuple[str, float, float, float, Colour, bool], ...] = (
    ("hips", 0.024, 0.0432, 0.0540, shapes.TROUSERS, True),
    ("belt", 0.097, 0.0378, 0.0524, shapes.TROUSERS, False),
    ("waist", 0.169, 0.0360, 0.0508, shapes.SHIRT, True),
    ("navel", 0.242, 0.0360, 0.0515, shapes.SHIRT, False),
    ("belly", 0.331, 0.0360, 0.0520, shapes.SHIRT, True),
    ("side", 0.420, 0.0378, 0.0530, shapes.SHIRT, False),
    ("stomach", 0.509, 0.0396, 0.0546, shapes.SHIRT, True),
    ("flank", 0.599, 0.0407, 0.0549, shapes.SHIRT, False),
    ("ribs", 0.687, 0.0420, 0.0560, shapes.SHIRT, True),
    ("breast", 0.767, 0.0454, 0.0560, shapes.SHIRT, False),
    ("chest", 0.848, 0.0483, 0.0526, shapes.SHIRT, True),
    ("collar", 0.912, 0.0504, 0.0392, shapes.SHIRT, False),
)


@dataclass(frozen=True)
class _TrunkCut:
    """A link of the trunk: its joint, and its range of heights from `low` to `high` (m above the hips)."""

    link: str
    joint: JointPlan
    place: Vector  # m, joint from the middle of the hips
    low: float
    high: float


def person_plan(figure: PersonMeasures, name: str) -> BodyPlan:
    """The plan of a person, with ball joints except for knees, elbows, toes and clavicles."""
    pelvis, *spine = _trunk_segments(figure)
    (leg, contact), (other_leg, other_contact) = (_leg_segments(figure, leg) for leg in figure.legs)
    whole = human_plan(
        name,
        core=(pelvis,),
        leg=leg,
        trunk=(*spine, *_neck_segments(figure)),
        arm=_arm_segments(figure),
        foot=contact,
        hand=human.palm_point(figure.proportions),
        other_leg=(other_leg, other_contact),
    )
    heavier = figure.proportions.mass / ADULT.mass
    taller = figure.proportions.stature / ADULT.stature
    strong = (replace(s, joint=_suppler_joint(strengthened_joint(s.joint, heavier, taller))) for s in whole.segments)
    lean = _standing_lean(figure, whole.segments, contact)
    shortest = min(leg.hip for leg in figure.legs)
    standing = dict(whole.standing)
    for side, measures in zip(SIDES, figure.legs, strict=True):
        flexion, knee = _shortened_leg(measures, measures.hip - shortest)
        standing[f"{side}_hip"] = (0.0, lean - flexion, 0.0)
        standing[f"{side}_knee"] = (knee,)
        standing[f"{side}_ankle"] = (0.0, flexion - knee - lean, 0.0)
    necks = [segment.name for segment in whole.segments if segment.group == "head" and segment.name != whole.head]
    joined = tuple((neck, f"{side}_clavicle") for neck in necks for side in SIDES if figure.clavicle is not None)
    return replace(whole, segments=tuple(strong), standing=standing, joined=joined)


def _suppler_joint(joint: JointPlan) -> JointPlan:
    """The joint with the range of a supple person: the published ranges are means, and a file may exceed them."""
    lower, upper = np.clip(SUPPLE * np.array([joint.lower, joint.upper]), -WIDEST, WIDEST).tolist()
    return replace(joint, lower=tuple(lower), upper=tuple(upper))


def _shortened_leg(leg: LegMeasures, shorter: float) -> tuple[float, float]:
    """Flexion (rad) of hip and knee at which the ankle is below the hip, nearer by `shorter` (m) than when straight."""
    chord = leg.thigh + leg.shank - shorter
    cosine = (chord**2 - leg.thigh**2 - leg.shank**2) / (2 * leg.thigh * leg.shank)
    knee = acos(min(1.0, cosine))
    return asin(leg.shank * sin(knee) / chord), knee


def _standing_lean(figure: PersonMeasures, segments: tuple[Segment, ...], foot: Foot) -> float:
    """Slant (rad) of legs that puts the centre of mass a quarter of the way from the ankles to the foot's balls."""
    places: dict[str | None, float] = {None: 0.0}
    for segment in segments:
        places[segment.name] = places[segment.parent] + segment.offset[0]
    mass = sum(s.mass for s in segments)
    centre = sum(s.mass * (places[s.name] + s.com[0]) for s in segments) / mass
    legs = sum(s.mass for s in segments if s.group in ("left_leg", "right_leg"))
    moved = 1 - legs / (2 * mass)  # the legs' centre moves half as far as the hips, which carry all the rest
    forward = foot.points[2][0] / 4 - centre
    p = figure.proportions
    return asin(max(-MOST_LEAN, min(MOST_LEAN, forward / moved / p.metres(p.hip - p.ankle))))


def _leg_segments(figure: PersonMeasures, leg: LegMeasures) -> tuple[tuple[Segment, ...], Foot]:
    """Segments and foot of a leg, as those of a left leg."""
    whole, sole = figure.proportions, figure.sole
    hip, size = leg.hip, whole.stature
    p = replace(whole, hip=hip / size, knee=(hip - leg.thigh) / size, ankle=leg.ankle / size)
    thigh, shank = human.thigh_and_shank(p)
    ankle = joint_plan("left_ankle", "ankle")
    # A wide range about z allows the axial rotation of the shank: the knee is a hinge.
    ankle = replace(ankle, lower=(*ankle.lower[:2], -SHANK_TURN), upper=(*ankle.upper[:2], SHANK_TURN))
    shank = _shank_above_sole(shank, sole, leg.ankle)
    if figure.has_toes:
        foot, toes, contact = human.jointed_foot(p, ankle, sole, leg.forward / size, leg.ball)
        return (thigh, shank, foot, toes), contact
    heel, tip = sole - p.metres(p.heel), p.metres(p.foot - p.heel) - sole
    foot, contact = human.flat_foot(p, heel, tip, ankle)
    return (thigh, shank, foot), contact


def _shank_above_sole(shank: Segment, sole: float, ankle: float) -> Segment:
    """The shank with its rounded end above the soles, also if the ankle is low (m)."""
    bone, *rest = shank.geoms
    top, (x, y, z) = bone.points
    lowest = 2 * sole + bone.size[0] - ankle
    end = (x, y, z + max(0.0, lowest))
    return replace(shank, geoms=(replace(bone, points=(top, end)), *rest))


def _arm_segments(figure: PersonMeasures) -> tuple[Segment, ...]:
    chest = figure.spine[-1]
    root = chest if figure.clavicle is None else figure.clavicle
    girdle = () if figure.clavicle is None else (_clavicle_segment(figure),)
    parent = "chest" if figure.clavicle is None else "left_clavicle"
    upper_arm, forearm, hand = human.arm_segments(figure.proportions, parent, np.subtract(figure.shoulder, root))
    forearm = replace(forearm, joint=_with_forearm_twist(forearm.joint))
    hand = replace(hand, joint=_with_forearm_twist(hand.joint) if figure.has_hands else WELD)
    return (*girdle, upper_arm, forearm, hand)


def _with_forearm_twist(bend: JointPlan) -> JointPlan:
    """The elbow or wrist joint with the twist of the forearm added; skeletons have the twist at either joint."""
    twist = joint_plan(bend.name, "forearm", "z")
    axes = bend.axes + twist.axes
    return replace(bend, kind="ball" if len(axes) == 3 else "hinge", axes=axes,
                   lower=bend.lower + twist.lower, upper=bend.upper + twist.upper)  # fmt: skip


def _clavicle_segment(figure: PersonMeasures) -> Segment:
    """The left shoulder girdle, from its joint to the shoulder."""
    assert figure.clavicle is not None
    p = figure.proportions
    mass, thick = human.CLAVICLE_MASS * p.mass, p.metres(0.032) * p.girth
    end = np.subtract(figure.shoulder, figure.clavicle)
    half = max(0.6 * end[1], thick)
    inner = max(0.3, 1 - (figure.shoulder[1] - 0.03 * p.stature) / max(end[1], 1e-6))
    looks = (shapes.capsule_geom("left_clavicle_shape", inner * end, end, thick, shapes.SHIRT),)
    return Segment("left_clavicle", "chest", joint_plan("left_clavicle", "clavicle", "zx"),
                   np.subtract(figure.clavicle, figure.spine[-1]), mass, 0.6 * end,
                   tables.ellipsoid_inertia(mass, (thick, half, thick)), looks, "left_arm")  # fmt: skip


def _trunk_segments(figure: PersonMeasures) -> tuple[Segment, ...]:
    """Segments of pelvis and spine, up to the chest."""
    cuts = _trunk_cuts(figure)
    return tuple(_trunk_segment(figure, cut, below) for cut, below in zip(cuts, [None, *cuts[:-1]], strict=True))


def _neck_segments(figure: PersonMeasures) -> tuple[Segment, ...]:
    """Segments of neck and head; if the skeleton has no joint for the head, the head is welded to the chest."""
    p, chest = figure.proportions, figure.spine[-1]
    places = figure.neck or ((chest[0], 0.0, p.trunk),)
    count = len(places)
    links = (*(f"neck_{k + 1}" for k in range(count - 1)), "head")
    joints = _spine_joint_names("neck", "head", count)
    segments, parent, below = [], "chest", chest
    lengths = [dist(a, b) for a, b in pairwise(places)]
    for link, name, place, end in zip(links, joints, places, [*places[1:], None], strict=True):
        offset = np.subtract(place, below)
        nature = joint_plan(name, "neck", share=_range_share(count)) if figure.neck else WELD
        if end is None:
            segments.append(_head_segment(figure, parent, nature, offset, place, count > 1))
        else:
            mass = NECK_MASS * p.segment_mass(tables.HEAD) * dist(place, end) / sum(lengths)
            segments.append(_neck_segment(p, link, parent, nature, offset, np.subtract(end, place), mass))
        parent, below = link, place
    return tuple(segments)


def _trunk_cuts(figure: PersonMeasures) -> list[_TrunkCut]:
    length, count = figure.proportions.trunk, len(figure.spine)
    heights = [z / length for _, _, z in figure.spine]
    low = np.zeros(count + 1)
    least = min(LEAST, (1 - CHEST) / (2 * count))
    for k, height in enumerate(heights):
        low[k + 1] = max(height, low[k] + (2 * least if k == 0 else least))
    low = np.minimum(low, 1 - CHEST - least * np.arange(count, -1, -1) + least)
    bounds = (length * np.array([*low, 1.0])).tolist()
    links = ("pelvis", *(f"spine_{k + 1}" for k in range(count - 1)), "chest")
    names = _spine_joint_names("spine", "chest", count)
    joints = (FREE, *(joint_plan(name, "spine", share=_range_share(count)) for name in names))
    places = ((0.0, 0.0, 0.0), *figure.spine)
    return [_TrunkCut(*each) for each in zip(links, joints, places, bounds[:-1], bounds[1:], strict=True)]


def _spine_joint_names(first: str, last: str, count: int) -> tuple[str, ...]:
    """Names of `count` joints in a row: first, first_2, ..., last. One joint alone is named `first`."""
    middle = tuple(f"{first}_{k}" for k in range(2, count))
    return (first, *middle, last) if count > 1 else (first,)


def _range_share(count: int) -> float:
    """Fraction of the published range for each of `count` joints in a row; for several joints, the sum is above 1."""
    return min(1.0, 1.6 / count)


def _trunk_segment(figure: PersonMeasures, cut: _TrunkCut, below: _TrunkCut | None) -> Segment:
    p, parent = figure.proportions, below.link if below else None
    mass, centre, inertia = _trunk_slice(p, cut.low, cut.high)
    if cut.link == "chest" and figure.clavicle is not None:
        rest = 1 - 2 * human.CLAVICLE_MASS * p.mass / mass
        mass, inertia = rest * mass, (rest * inertia[0], rest * inertia[1], rest * inertia[2])
    offset = (0.0, 0.0, p.metres(p.hip)) if below is None else np.subtract(cut.place, below.place)
    com = np.subtract((_trunk_axis_forward(figure, centre), 0.0, centre), cut.place)
    return Segment(cut.link, parent, cut.joint, offset, mass, com, inertia, _trunk_geoms(figure, cut), "trunk")


def _trunk_slice(p: Proportions, low: float, high: float) -> tuple[float, float, Vector]:
    """Mass (kg), height of the centre (m above the hips) and inertia (kg m^2) of a slice of the trunk."""
    bounds = p.trunk * np.cumsum([0.0, *p.trunk_split])
    parts = []
    for row, bottom, top in zip(_PARTS, bounds, bounds[1:], strict=False):
        a, b = max(low, float(bottom)), min(high, float(top))
        if b > a:
            mass = p.segment_mass(row) * (b - a) / float(top - bottom)
            # The cross-section is the part's, the height (m) the slice's own.
            about_x, about_y, about_z = tables.upright_segment_inertia(row, mass, float(top - bottom))
            x, y, z = (about_y + about_z - about_x) / 2, (about_x + about_z - about_y) / 2, mass * (b - a) ** 2 / 12
            parts.append((mass, (0.0, 0.0, (a + b) / 2), (y + z, x + z, x + y)))
    mass, (_, _, centre), inertia = tables.combined_segments(*parts)
    return mass, centre, inertia


def _trunk_axis_forward(figure: PersonMeasures, height: float) -> float:
    """Forward position (m) of the middle of the trunk at a height (m), along the joints of the spine."""
    points = sorted((z, x) for x, _, z in ((0.0, 0.0, 0.0), *figure.spine, *figure.neck[:1]))
    return float(np.interp(height, [z for z, _ in points], [x for _, x in points]))


def _trunk_geoms(figure: PersonMeasures, cut: _TrunkCut) -> tuple[Geom, ...]:
    p = figure.proportions
    hips, shoulders = p.hip_half / ADULT.hip_half, p.shoulder_half / ADULT.shoulder_half  # breadths over an adult's
    looks = []
    for name, at, wide, radius, colour, solid in _ROUND:
        height = at * p.trunk
        if cut.low <= height < cut.high:
            x, z = _trunk_axis_forward(figure, height) - cut.place[0], height - cut.place[2]
            breadth = float(np.clip(hips + at * (shoulders - hips), 0.8, 1.3))
            half, thick = p.metres(wide) * p.girth * figure.breadth * breadth, p.metres(radius) * p.girth
            right, left = (x, -half, z), (x, half, z)
            looks.append(shapes.capsule_geom(f"{cut.link}_{name}", right, left, thick, colour, solid=solid))
    if cut.link == "chest" and figure.clavicle is None:
        x, y, z = np.subtract(figure.shoulder, cut.place)
        left, right = (x, 0.96 * y, z), (x, -0.96 * y, z)
        looks.append(shapes.capsule_geom("chest_shoulders", right, left, p.metres(0.032) * p.girth, shapes.SHIRT))
    return tuple(looks)


def _neck_segment(
    p: Proportions, link: str, parent: str, nature: JointPlan, offset: Vector, end: Vector, mass: float
) -> Segment:
    """A link of the neck: a cylinder of `mass` kg from its joint to `end` (m)."""
    thick, length = 0.66 * p.metres(p.skull[1]), float(np.linalg.norm(end))
    looks = (shapes.capsule_geom(f"{link}_shape", (0.0, 0.0, 0.0), end, thick, shapes.SKIN),)
    inertia = tables.cylinder_inertia(mass, thick, length)
    return Segment(link, parent, nature, offset, mass, np.divide(end, 2), inertia, looks, "head")


def _head_segment(
    figure: PersonMeasures, parent: str, nature: JointPlan, offset: Vector, place: Vector, on_neck: bool
) -> Segment:
    p = figure.proportions
    a, b, c = (p.metres(s) for s in p.skull)
    top = max(figure.crown - place[2], 1.7 * c)
    mass = (1 - NECK_MASS if on_neck else 1.0) * p.segment_mass(tables.HEAD)
    centre = (0.25 * a, 0.0, top - c)
    low, high = (0.0, 0.0, -0.1 * c), (0.1 * a, 0.0, top - 1.4 * c)
    throat = shapes.capsule_geom("head_neck", low, high, 0.66 * b, shapes.SKIN)
    inertia = tables.ellipsoid_inertia(mass, (a, b, c))
    looks = (throat, *shapes.face_geoms("head", centre, (a, b, c)))
    return Segment("head", parent, nature, offset, mass, centre, inertia, looks, "head")
