"""Parts of human bodies for any proportions: pelvis, legs, trunk, head and arms.

All parts are those of the left side. Thicknesses are fractions of stature that look like a clothed person; they do not
affect masses.
"""

from poise.arrays import readonly
from poise.body.parts import Foot, Hand
from poise.body.plans import anthropometry as tables, shapes
from poise.body.plans.anatomy import FREE, joint_plan
from poise.body.plans.anthropometry import Proportions, SegmentRow
from poise.body.plans.plan import Geom, JointPlan, Segment, Vector

CLAVICLE_MASS = 0.01  # of body mass: the shoulder girdle of one side, taken from the upper trunk
TOES_MASS = 0.12  # of the foot's mass
BALL = 0.072  # of stature: from the ankle forward to the ball of the foot
SPINE_SHARE = 0.6  # of the whole spine's range: share of each of two joints; above half, because tables round down


def pelvis_segment(p: Proportions) -> Segment:
    """The free root: the lower trunk, with its origin in the middle of the hips."""
    length = p.trunk * p.trunk_split[0]
    wide, thick = p.metres(0.036) * p.girth, p.metres(0.054) * p.girth
    looks = (
        shapes.lateral_capsule("pelvis_hips", 0.1 * length, 1.2 * wide, thick, shapes.TROUSERS),
        shapes.lateral_capsule("pelvis_belt", 0.4 * length, 1.05 * wide, 0.97 * thick, shapes.TROUSERS, solid=False),
        shapes.lateral_capsule("pelvis_waist", 0.7 * length, wide, 0.94 * thick, shapes.SHIRT),
    )
    return Segment("pelvis", None, FREE, (0.0, 0.0, p.metres(p.hip)),
                   *_rising_mass(tables.LOWER_TRUNK, p.segment_mass(tables.LOWER_TRUNK), length),
                   looks, "trunk")  # fmt: skip


def abdomen_segment(p: Proportions, base: float, length: float) -> Segment:
    """The middle trunk (of `length` m) on a ball joint `base` m above the hips."""
    return Segment("abdomen", "pelvis", joint_plan("spine", "spine", share=SPINE_SHARE), (0.0, 0.0, base),
                   *_rising_mass(tables.MIDDLE_TRUNK, p.segment_mass(tables.MIDDLE_TRUNK), length),
                   shapes.abdomen_geoms(p, "abdomen", 0.0, length), "trunk")  # fmt: skip


def thorax_segment(p: Proportions, base: float, length: float, mass: float, *more: Geom) -> Segment:
    """The upper trunk (`length` m, `mass` kg, with `more` shapes) on a ball joint `base` m above the abdomen's."""
    return Segment("thorax", "abdomen", joint_plan("chest", "spine", share=SPINE_SHARE), (0.0, 0.0, base),
                   *_rising_mass(tables.UPPER_TRUNK, mass, length),
                   (*shapes.thorax_geoms(p, "thorax", 0.0, length), *more), "trunk")  # fmt: skip


def _rising_mass(row: SegmentRow, mass: float, length: float) -> tuple[float, Vector, Vector]:
    """Mass, centre of mass and inertia of a segment that rises `length` m above its joint."""
    return mass, (0.0, 0.0, (1 - row.com) * length), tables.upright_segment_inertia(row, mass, length)


def _hanging_mass(p: Proportions, row: SegmentRow, length: float) -> tuple[float, Vector, Vector]:
    """Mass, centre of mass and inertia of a segment that hangs `length` m down from its joint."""
    mass = p.segment_mass(row)
    return mass, (0.0, 0.0, -row.com * length), tables.upright_segment_inertia(row, mass, length)


def thigh_and_shank(p: Proportions, parent: str = "pelvis", hip: Vector | None = None) -> tuple[Segment, Segment]:
    """Thigh and shank of the left leg; `hip` (m) is the position of the hip joint in the parent's frame."""
    upper, lower = p.metres(p.hip - p.knee), p.metres(p.knee - p.ankle)
    thick = p.metres(0.040) * p.girth
    muscle, calf = (1.12 * thick, 1.06 * thick, 0.5 * upper), (0.82 * thick, 0.8 * thick, 0.4 * lower)
    thigh = (
        shapes.hanging_capsule("left_thigh_shape", upper, 0.82 * thick, shapes.TROUSERS),
        shapes.ellipsoid_geom("left_thigh_muscle", (0.0, 0.0, -0.34 * upper), muscle, shapes.TROUSERS),
    )
    shank = (
        shapes.hanging_capsule("left_shank_shape", lower, 0.64 * thick, shapes.TROUSERS),
        shapes.ellipsoid_geom("left_shank_calf", (-0.1 * thick, 0.0, -0.3 * lower), calf, shapes.TROUSERS),
    )
    return (
        Segment("left_thigh", parent, joint_plan("left_hip", "hip"), hip or (0.0, p.metres(p.hip_half), 0.0),
                *_hanging_mass(p, tables.THIGH, upper), thigh, "left_leg", "legs"),
        Segment("left_shank", "left_thigh", joint_plan("left_knee", "knee", "y"), (0.0, 0.0, -upper),
                *_hanging_mass(p, tables.SHANK, lower), shank, "left_leg", "legs")
    )  # fmt: skip


def flat_foot(p: Proportions, heel: float, toe: float, ankle: JointPlan) -> tuple[Segment, Foot]:
    """A rigid left foot, and its contact points from `heel` to `toe` (m from the ankle)."""
    mass, length = p.segment_mass(tables.FOOT), p.metres(p.foot)
    half, height = p.metres(p.foot_half), p.metres(p.ankle)
    com = (heel - shapes.SOLE + tables.FOOT.com * length, 0.0, -0.55 * height)
    looks = shapes.foot_geoms(heel, toe, half, height)
    segment = Segment("left_foot", "left_shank", ankle, (0.0, 0.0, -p.metres(p.knee - p.ankle)), mass, com,
                      tables.foot_inertia(mass, length), looks, "left_leg")  # fmt: skip
    return segment, shapes.left_foot(ankle.name, heel, toe, half, height)


def jointed_foot(
    p: Proportions, ankle: JointPlan, sole: float, forward: float = BALL, ball_height: float | None = None
) -> tuple[Segment, Segment, Foot]:
    """A left foot from heel to ball, its toes, and its contact points.

    `sole` (m) is the radius of the contact rails, `forward` (of stature) the distance of the ball from the ankle,
    `ball_height` (m) the height of the toe joint above the ground, by default 1.5 radii.
    """
    joint_height = 1.5 * sole if ball_height is None else ball_height
    mass, half, height = p.segment_mass(tables.FOOT), p.metres(p.foot_half), p.metres(p.ankle)
    heel, ball, tip = sole - p.metres(p.heel), p.metres(forward), p.metres(p.foot - p.heel)
    back, length = (1 - TOES_MASS) * mass, ball - heel + sole
    looks = shapes.foot_geoms(heel, ball, half, height, sole)
    com = (heel - sole + 0.5 * length, 0.0, -0.55 * height)
    foot = Segment("left_foot", "left_shank", ankle, (0.0, 0.0, -p.metres(p.knee - p.ankle)), back, com,
                   tables.foot_inertia(back, length), looks, "left_leg")  # fmt: skip
    toes = _toes_segment(p, TOES_MASS * mass, (ball, 0.0, joint_height - height), tip - ball, sole, joint_height)
    return foot, toes, shapes.left_foot(ankle.name, heel, ball, half, height)


def _toes_segment(p: Proportions, mass: float, offset: Vector, length: float, sole: float, height: float) -> Segment:
    """Toes hinged at the ball of the foot, `height` (m) above the ground; only a sphere at their tip makes contact."""
    wide = p.metres(p.foot_half) + sole
    half, seen = (length / 2, wide, sole), (0.65 * length, 0.98 * wide, 1.55 * sole)
    looks = (
        shapes.sphere_geom("left_toes_tip", (length - sole, 0.0, sole - height), sole, shapes.SHOE),
        shapes.ellipsoid_geom("left_toes_shape", (0.35 * length, 0.0, 1.6 * sole - height), seen, shapes.SHOE),
    )
    return Segment("left_toes", "left_foot", joint_plan("left_toe", "toe", "y"), offset, mass, (length / 2, 0.0, 0.0),
                   tables.ellipsoid_inertia(mass, half), looks, "left_leg")  # fmt: skip


def head_segment(p: Proportions, parent: str, offset: Vector, neck: JointPlan) -> Segment:
    """Head and neck as one link on the joint at C7."""
    length, mass = p.metres(1.0 - p.c7), p.segment_mass(tables.HEAD)
    a, b, c = (p.metres(s) for s in p.skull)
    low, high = (0.0, 0.0, -0.1 * length), (0.1 * a, 0.0, length - 1.6 * c)
    throat = shapes.capsule_geom("head_neck", low, high, 0.66 * b, shapes.SKIN)
    looks = (throat, *shapes.face_geoms("head", (0.25 * a, 0.0, length - c), (a, b, c)))
    com = (0.1 * a, 0.0, (1 - tables.HEAD.com) * length)
    inertia = tables.upright_segment_inertia(tables.HEAD, mass, length)
    return Segment("head", parent, neck, offset, mass, com, inertia, looks, "head")


def arm_segments(p: Proportions, parent: str, shoulder: Vector) -> tuple[Segment, Segment, Segment]:
    """Upper arm, forearm and hand of the left side; `shoulder` (m) is the joint's position in the parent's frame."""
    upper, lower, length = (p.metres(f) for f in (p.upper_arm, p.forearm, p.hand))
    mass, thick = p.segment_mass(tables.HAND), p.metres(0.026) * p.girth
    return (
        Segment("left_upper_arm", parent, joint_plan("left_shoulder", "shoulder"), shoulder,
                *_hanging_mass(p, tables.UPPER_ARM, upper),
                (shapes.hanging_capsule("left_upper_arm_shape", upper, thick, shapes.SLEEVE),), "left_arm", "arms"),
        Segment("left_forearm", "left_upper_arm", joint_plan("left_elbow", "elbow", "y"), (0.0, 0.0, -upper),
                *_hanging_mass(p, tables.FOREARM, lower),
                (shapes.hanging_capsule("left_forearm_shape", lower, 0.78 * thick, shapes.SKIN),), "left_arm", "arms"),
        Segment("left_hand", "left_forearm", joint_plan("left_wrist", "wrist", "xy"), (0.0, 0.0, -lower), mass,
                (0.0, 0.0, -tables.HAND.com * length), tables.hand_inertia(mass, length),
                shapes.hand_geoms(length, thick), "left_arm")
    )  # fmt: skip


def palm_point(p: Proportions) -> Hand:
    """The left hand with its contact point in the middle of the palm."""
    return Hand("left_hand", readonly([0.0, 0.0, -0.5 * p.metres(p.hand)]))


def clavicle_segment(p: Proportions, parent: str, height: float) -> Segment:
    """The left shoulder girdle, from breastbone to shoulder; its joint is at `height` (m) in the parent's frame."""
    root, mass, thick = 0.25 * p.metres(p.shoulder_half), CLAVICLE_MASS * p.mass, p.metres(0.032) * p.girth
    reach = p.metres(p.shoulder_half) - root
    bone = shapes.capsule_geom("left_clavicle_shape", (0.0, 0.3 * reach, 0.0), (0.0, reach, 0.0), thick, shapes.SHIRT)
    return Segment("left_clavicle", parent, joint_plan("left_clavicle", "clavicle", "zx"), (0.0, root, height), mass,
                   (0.0, 0.6 * reach, 0.0), tables.ellipsoid_inertia(mass, (thick, 0.6 * reach, thick)),
                   (bone,), "left_arm")  # fmt: skip
