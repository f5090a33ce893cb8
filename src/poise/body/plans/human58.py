"""`human58`: the character of the inverted-pendulum balance filter, 30 joints, 58 joint degrees of freedom, 81.4 kg.

[Tsai2010] Table 1 lists the skeleton of the CMU motion database with a third angle at the ankle: 58 degrees of freedom
in its joints, to which the free root adds six (nv = 64). Torque limits (the set "paper") and response rates are the
table's. The two "hip" joints of the table have no degrees of freedom: their links are welded to the pelvis.

| table | here | table | here |
|---|---|---|---|
| femur, tibia, foot, toe | hip, knee, ankle, toe | clavicle, humerus | clavicle, shoulder |
| lower back, upper back, thorax | spine, upper_spine, chest | radius, wrist | elbow, forearm (a twist) |
| lower neck, upper neck, head | neck, upper_neck, head | hand, fingers, thumb | wrist, fingers, thumb |
"""

from dataclasses import replace

from poise.arrays import Frozen, readonly
from poise.body.parts import Hand
from poise.body.plans import anthropometry as tables, human, shapes
from poise.body.plans.anatomy import WELD, joint_plan
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, JointPlan, Segment, Vector, human_plan

ADULT = Proportions(stature=1.78, mass=81.4)  # the paper gives the mass only; the stature is chosen to match

# [Tsai2010] Table 1: torque limit (N m), response rate c_i (1/s).
TABLE: dict[str, tuple[float, float]] = {
    "hip": (800, 10), "knee": (900, 10), "ankle": (500, 8), "toe": (300, 10),
    "spine": (1000, 10), "upper_spine": (1000, 10), "chest": (1000, 10),
    "neck": (1000, 10), "upper_neck": (1000, 10), "head": (1000, 10),
    "clavicle": (1000, 10), "shoulder": (1000, 10), "elbow": (1000, 10), "forearm": (300, 10),
    "wrist": (300, 10), "fingers": (300, 10), "thumb": (300, 10)
}  # fmt: skip

THIRD = 0.4  # of the whole range: share of each of three consecutive joints
HIP_MASS = 0.15  # of the lower trunk: mass of each welded hip link
HIP_REACH = 0.6  # of the distance from the middle to the hip joint: start of the welded link
NECK_MASS = (0.07, 0.07)  # of head and neck: lower and upper neck
FOREARM_SPLIT = 0.6  # of the forearm: the part above the twist joint
HAND_MASS = (0.65, 0.25, 0.10)  # of the hand: palm, fingers, thumb
PALM = 0.5  # of the hand's length


def body_plan(p: Proportions = ADULT) -> BodyPlan:
    """The plan of `human58`, with the torque limits and response rates of `TABLE`."""
    foot, toes, contact = human.jointed_foot(p, joint_plan("left_ankle", "ankle"), shapes.SOLE)
    socket = (0.0, (1 - HIP_REACH) * p.metres(p.hip_half), 0.0)
    full = human_plan(
        "human58",
        core=(_pelvis_segment(p),),
        leg=(_hip_bone_segment(p), *human.thigh_and_shank(p, "left_hip_bone", socket), foot, toes),
        trunk=(*_trunk_segments(p), *_neck_segments(p)),
        arm=_arm_segments(p),
        foot=contact,
        hand=Hand("left_hand", readonly([0.0, 0.0, -0.5 * PALM * p.metres(p.hand)])),
        default_torque="paper",
    )
    return replace(full, segments=tuple(_segment_with_table_torque(s) for s in full.segments))


def _segment_with_table_torque(segment: Segment) -> Segment:
    if segment.joint.kind in ("free", "weld"):
        return segment
    torque, rate = TABLE[segment.joint.name.removeprefix("left_").removeprefix("right_")]
    sets = Frozen({"paper": float(torque), **segment.joint.torque})
    return replace(segment, joint=replace(segment.joint, torque=sets, numbers=Frozen({"response_rate": float(rate)})))


def _pelvis_segment(p: Proportions) -> Segment:
    """The pelvis without the mass of the welded hip links."""
    whole, left = human.pelvis_segment(p), 1 - 2 * HIP_MASS
    a, b, c = whole.inertia
    return replace(whole, mass=left * whole.mass, inertia=(left * a, left * b, left * c))


def _hip_bone_segment(p: Proportions) -> Segment:
    """The welded link between pelvis and thigh."""
    mass, reach = HIP_MASS * p.segment_mass(tables.LOWER_TRUNK), p.metres(p.hip_half)
    thick = p.metres(0.036) * p.girth
    looks = (shapes.sphere_geom("left_hip_bone_shape", (0.0, 0.4 * reach, 0.0), thick, shapes.TROUSERS, solid=False),)
    return Segment("left_hip_bone", "pelvis", WELD, (0.0, HIP_REACH * reach, 0.0), mass, (0.0, 0.2 * reach, 0.0),
                   tables.ellipsoid_inertia(mass, (thick, thick, thick)), looks, "left_leg")  # fmt: skip


def _trunk_segments(p: Proportions) -> tuple[Segment, ...]:
    """The middle trunk in two halves, and the upper trunk without the clavicles' mass."""
    lower, middle, upper = (p.trunk * part for part in p.trunk_split)
    half, ribs = middle / 2, tables.UPPER_TRUNK
    belly = p.segment_mass(tables.MIDDLE_TRUNK) / 2
    across = tables.ellipsoid_inertia(belly, (p.metres(0.06), p.metres(0.09), 0.65 * half))
    chest = p.segment_mass(ribs) - 2 * human.CLAVICLE_MASS * p.mass
    wide, thick = p.metres(0.037) * p.girth, p.metres(0.053) * p.girth
    low = (shapes.lateral_capsule("lower_back_side", 0.0, wide, thick, shapes.SHIRT, solid=False),
           shapes.lateral_capsule("lower_back_shape", half / 2, wide, thick, shapes.SHIRT))  # fmt: skip
    high = (shapes.lateral_capsule("upper_back_side", 0.0, 1.05 * wide, 1.02 * thick, shapes.SHIRT, solid=False),
            shapes.lateral_capsule("upper_back_shape", half / 2, 1.1 * wide, 1.05 * thick, shapes.SHIRT))  # fmt: skip
    return (
        Segment("lower_back", "pelvis", joint_plan("spine", "spine", share=THIRD), (0.0, 0.0, lower), belly,
                (0.0, 0.0, half / 2), across, low, "trunk"),
        Segment("upper_back", "lower_back", joint_plan("upper_spine", "spine", share=THIRD), (0.0, 0.0, half), belly,
                (0.0, 0.0, half / 2), across, high, "trunk"),
        Segment("thorax", "upper_back", joint_plan("chest", "spine", share=THIRD), (0.0, 0.0, half), chest,
                (0.0, 0.0, (1 - ribs.com) * upper), tables.upright_segment_inertia(ribs, chest, upper),
                shapes.thorax_geoms(p, "thorax", 0.0, upper), "trunk")
    )  # fmt: skip


def _neck_segments(p: Proportions) -> tuple[Segment, ...]:
    """Two short neck links and the head."""
    whole, length = p.segment_mass(tables.HEAD), p.metres(1.0 - p.c7)
    a, b, c = (p.metres(s) for s in p.skull)
    step, thick = (length - 1.6 * c) / 2, 0.66 * b
    chain = []
    parent, offset = "thorax", p.trunk * p.trunk_split[2]
    for link, name, share in zip(("lower_neck", "upper_neck"), ("neck", "upper_neck"), NECK_MASS, strict=True):
        looks = (shapes.capsule_geom(f"{link}_shape", (0.0, 0.0, 0.0), (0.0, 0.0, step), thick, shapes.SKIN),)
        mass = share * whole
        chain.append(Segment(link, parent, joint_plan(name, "neck", share=THIRD), (0.0, 0.0, offset), mass,
                             (0.0, 0.0, step / 2), tables.cylinder_inertia(mass, thick, step),
                             looks, "head"))  # fmt: skip
        parent, offset = link, step
    skull, mass, centre = (a, b, c), (1 - sum(NECK_MASS)) * whole, (0.25 * a, 0.0, length - c - 2 * step)
    top = Segment("head", parent, joint_plan("head", "neck", share=THIRD), (0.0, 0.0, step), mass, centre,
                  tables.ellipsoid_inertia(mass, skull), shapes.face_geoms("head", centre, skull), "head")  # fmt: skip
    return (*chain, top)


def _arm_segments(p: Proportions) -> tuple[Segment, ...]:
    lower, middle, _ = (p.trunk * part for part in p.trunk_split)
    girdle = human.clavicle_segment(p, "thorax", p.metres(p.shoulder - p.hip) - lower - middle)
    upper_arm, _, _ = human.arm_segments(p, "left_clavicle", (0.0, p.metres(p.shoulder_half) - girdle.offset[1], 0.0))
    return (girdle, upper_arm, *_forearm_segments(p), *_hand_segments(p))


def _forearm_segments(p: Proportions) -> tuple[Segment, Segment]:
    """The forearm as two cylinders with a twist joint between them."""
    whole, length, thick = p.segment_mass(tables.FOREARM), p.metres(p.forearm), p.metres(0.020) * p.girth
    near, far = FOREARM_SPLIT * length, (1 - FOREARM_SPLIT) * length
    # The masses are such that both cylinders together have the centre of mass of the table.
    heavy = whole * (0.5 * (1 + FOREARM_SPLIT) - tables.FOREARM.com) / 0.5
    elbow, twist = joint_plan("left_elbow", "elbow", "y"), joint_plan("left_forearm", "forearm", "z")
    return (
        Segment("left_forearm", "left_upper_arm", elbow, (0.0, 0.0, -p.metres(p.upper_arm)), heavy,
                (0.0, 0.0, -near / 2), tables.cylinder_inertia(heavy, thick, near),
                (shapes.hanging_capsule("left_forearm_shape", near, thick, shapes.SKIN),), "left_arm", "arms"),
        Segment("left_wrist", "left_forearm", twist, (0.0, 0.0, -near), whole - heavy,
                (0.0, 0.0, -far / 2), tables.cylinder_inertia(whole - heavy, 0.85 * thick, far),
                (shapes.hanging_capsule("left_wrist_shape", far, 0.88 * thick, shapes.SKIN),), "left_arm", "arms")
    )  # fmt: skip


def _hand_segments(p: Proportions) -> tuple[Segment, Segment, Segment]:
    """Palm, fingers and thumb as ellipsoids."""
    whole, length, thick = p.segment_mass(tables.HAND), p.metres(p.hand), p.metres(0.014) * p.girth
    palm, fingers, thumb = (share * whole for share in HAND_MASS)
    wrist, knuckles = (0.0, 0.0, -(1 - FOREARM_SPLIT) * p.metres(p.forearm)), (0.0, 0.0, -PALM * length)
    side = (1.2 * thick, 0.0, -0.2 * length)
    flat = (1.5 * thick, 0.8 * thick, PALM * length / 2)
    return (
        _digit_segment("left_hand", "left_wrist", joint_plan("left_wrist", "wrist", "xy"), wrist, palm, flat, thick),
        _digit_segment("left_fingers", "left_hand", joint_plan("left_fingers", "fingers", "x"), knuckles, fingers,
                       (1.4 * thick, 0.6 * thick, (1 - PALM) * length / 2), 0.75 * thick),
        _digit_segment("left_thumb", "left_hand", joint_plan("left_thumb", "thumb", "xy"), side, thumb,
                       (0.6 * thick, 0.6 * thick, 0.3 * length / 2), 0.5 * thick)
    )  # fmt: skip


def _digit_segment(
    name: str, parent: str, hinge: JointPlan, offset: Vector, mass: float, half: Vector, radius: float
) -> Segment:
    """A part of the hand that hangs from its joint, with half-sizes `half` (m) and a capsule of `radius` (m)."""
    top, middle, end = (0.0, 0.0, -radius), (0.0, 0.0, -half[2]), (0.0, 0.0, -2 * half[2] + radius)
    bone = shapes.capsule_geom(f"{name}_shape", top, end, radius, shapes.SKIN)
    back = shapes.ellipsoid_geom(f"{name}_back", middle, (half[0], 1.05 * radius, half[2]), shapes.SKIN)
    looks = (bone,) if name == "left_thumb" else (bone, back)
    return Segment(name, parent, hinge, offset, mass, middle, tables.ellipsoid_inertia(mass, half), looks, "left_arm")
