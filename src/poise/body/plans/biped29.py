"""`biped29`: the character of contact-aware nonlinear control [Muico2009], 29 degrees of freedom, 71.36 kg.

Masses and inertias are from Table 1 of the paper. The table gives moments about x lateral, y up, z forward; here the
order is (forward, lateral, up). Clavicles, neck, head and hands have no joints; they are welded links, so that each row
of the table is a link of the model. The paper gives no lengths and no torque limits. The lengths are those with which
the paper's walks were reproduced; centres of mass are in the middle of the shapes.
"""

from poise.arrays import readonly
from poise.body.parts import Hand
from poise.body.plans import shapes
from poise.body.plans.anatomy import FREE, WELD, joint_plan
from poise.body.plans.plan import BodyPlan, Geom, JointPlan, Limb, Segment, Vector, human_plan, right_segment

# [Muico2009] Table 1: mass (kg); moments of inertia (kg m^2) about the paper's x (lateral), y (up), z (forward).
TABLE: dict[str, tuple[float, float, float, float]] = {
    "pelvis": (12.8, 0.120, 0.148, 0.174),
    "thigh": (9.01, 0.208, 0.0356, 0.204),
    "shank": (3.91, 0.0600, 8.70e-3, 0.0585),
    "foot": (0.757, 1.99e-3, 1.99e-3, 1.16e-4),
    "torso": (17.0, 0.281, 0.167, 0.335),
    "clavicle": (2.51, 6.91e-3, 0.0111, 0.0111),
    "upper_arm": (1.42, 0.0133, 1.40e-3, 0.0132),
    "forearm": (0.570, 3.00e-3, 3.00e-4, 3.00e-3),
    "hand": (0.451, 2.18e-4, 1.30e-5, 2.18e-4),
    "neck": (0.230, 2.00e-4, 2.00e-4, 2.00e-4),
    "head": (4.07, 0.0248, 0.0176, 0.0200),
}

# Lengths, m.
HIP, THIGH, SHANK = 0.09, 0.43, 0.42  # half the distance between the hips; lengths from joint to joint
ANKLE, HEEL, TOE, FOOT = 0.08, -0.06, 0.15, 0.04  # ankle's height; contacts behind and in front of it; half-width
WAIST, CHEST, SHOULDER = 0.12, 0.34, 0.18  # trunk joint above the hips; shoulders above and beside the trunk joint
UPPER_ARM, FOREARM = 0.30, 0.26


def body_plan() -> BodyPlan:
    """The plan of `biped29`: pelvis, two legs, trunk with head, two arms."""
    foot = shapes.left_foot("left_ankle", HEEL, TOE, FOOT, ANKLE)
    hand = Hand("left_hand", readonly([0.0, 0.0, -0.10]))
    core, leg, trunk, arm = (_pelvis_segment(),), _leg_segments(), _trunk_segments(), _arm_segments()
    return human_plan("biped29", core, leg, trunk, arm, foot=foot, hand=hand)


def _table_segment(
    name: str, parent: str | None, joint: JointPlan, offset: Vector, com: Vector,
    geoms: tuple[Geom, ...], group: str, limb: Limb | None = None
) -> Segment:  # fmt: skip
    mass, lateral, up, forward = TABLE[name.removeprefix("left_")]
    return Segment(name, parent, joint, offset, mass, com, (forward, lateral, up), geoms, group, limb)


def _pelvis_segment() -> Segment:
    looks = (
        shapes.lateral_capsule("pelvis_hips", 0.02, 0.075, 0.095, shapes.TROUSERS),
        shapes.lateral_capsule("pelvis_waist", 0.10, 0.06, 0.09, shapes.SHIRT),
    )
    return _table_segment("pelvis", None, FREE, (0.0, 0.0, ANKLE + SHANK + THIGH), (0.0, 0.0, 0.04), looks, "trunk")


def _leg_segments() -> tuple[Segment, ...]:
    thigh = (
        shapes.hanging_capsule("left_thigh_shape", THIGH, 0.058, shapes.TROUSERS),
        shapes.ellipsoid_geom("left_thigh_muscle", (0.0, 0.0, -0.15), (0.078, 0.074, 0.21), shapes.TROUSERS),
    )
    shank = (
        shapes.hanging_capsule("left_shank_shape", SHANK - 0.02, 0.045, shapes.TROUSERS),
        shapes.ellipsoid_geom("left_shank_calf", (-0.007, 0.0, -0.13), (0.057, 0.056, 0.17), shapes.TROUSERS),
    )
    foot = shapes.foot_geoms(HEEL, TOE, FOOT, ANKLE)
    return (
        _table_segment("left_thigh", "pelvis", joint_plan("left_hip", "hip"), (0.0, HIP, 0.0),
                       (0.0, 0.0, -0.43 * THIGH), thigh, "left_leg", "legs"),
        _table_segment("left_shank", "left_thigh", joint_plan("left_knee", "knee", "y"), (0.0, 0.0, -THIGH),
                       (0.0, 0.0, -0.43 * SHANK), shank, "left_leg", "legs"),
        _table_segment("left_foot", "left_shank", joint_plan("left_ankle", "ankle", "yx"), (0.0, 0.0, -SHANK),
                       ((HEEL + TOE) / 2, 0.0, -ANKLE / 2), foot, "left_leg")
    )  # fmt: skip


def _trunk_segments() -> tuple[Segment, ...]:
    torso = (
        shapes.lateral_capsule("torso_belly", 0.06, 0.06, 0.095, shapes.SHIRT),
        shapes.lateral_capsule("torso_ribs", 0.17, 0.07, 0.105, shapes.SHIRT),
        shapes.lateral_capsule("torso_chest", 0.28, 0.085, 0.10, shapes.SHIRT),
        shapes.lateral_capsule("torso_flank", 0.115, 0.065, 0.101, shapes.SHIRT, solid=False),
        shapes.lateral_capsule("torso_breast", 0.225, 0.08, 0.104, shapes.SHIRT, solid=False),
    )
    bone = shapes.capsule_geom("left_clavicle_shape", (0.0, 0.0, 0.0), (0.0, SHOULDER - 0.06, 0.0), 0.06, shapes.SHIRT)
    left = _table_segment("left_clavicle", "torso", WELD, (0.0, 0.06, CHEST), (0.0, 0.06, 0.0), (bone,), "left_arm")
    neck = (shapes.capsule_geom("neck_shape", (0.0, 0.0, -0.03), (0.0, 0.0, 0.10), 0.05, shapes.SKIN),)
    head, spine = shapes.face_geoms("head", (0.02, 0.0, 0.10), (0.095, 0.078, 0.125)), joint_plan("spine", "spine")
    return (
        _table_segment("torso", "pelvis", spine, (0.0, 0.0, WAIST), (0.0, 0.0, 0.18), torso, "trunk"),
        _table_segment("neck", "torso", WELD, (0.0, 0.0, CHEST + 0.05), (0.0, 0.0, 0.04), neck, "head"),
        _table_segment("head", "neck", WELD, (0.0, 0.0, 0.07), (0.01, 0.0, 0.10), head, "head"),
        left,
        right_segment(left),
    )


def _arm_segments() -> tuple[Segment, ...]:
    upper = (shapes.hanging_capsule("left_upper_arm_shape", UPPER_ARM, 0.045, shapes.SLEEVE),)
    fore = (shapes.hanging_capsule("left_forearm_shape", FOREARM, 0.036, shapes.SKIN),)
    hand = (shapes.capsule_geom("left_hand_shape", (0.0, 0.0, -0.04), (0.0, 0.0, -0.12), 0.034, shapes.SKIN),)
    return (
        _table_segment("left_upper_arm", "torso", joint_plan("left_shoulder", "shoulder"), (0.0, SHOULDER, CHEST),
                       (0.0, 0.0, -UPPER_ARM / 2), upper, "left_arm", "arms"),
        _table_segment("left_forearm", "left_upper_arm", joint_plan("left_elbow", "elbow", "y"), (0.0, 0.0, -UPPER_ARM),
                       (0.0, 0.0, -FOREARM / 2), fore, "left_arm", "arms"),
        _table_segment("left_hand", "left_forearm", WELD, (0.0, 0.0, -FOREARM), (0.0, 0.0, -0.08), hand, "left_arm")
    )  # fmt: skip
