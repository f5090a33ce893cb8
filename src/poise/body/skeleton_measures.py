"""The upright pose of a skeleton, and the measures of the person in it: in metres, from the middle of the hips."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from poise.arrays import Array, readonly
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.human import BALL
from poise.body.plans.plan import Vector
from poise.body.plans.shapes import SOLE
from poise.errors import PoiseError
from poise.motion.roles import SIDES, Roles
from poise.motion.skeleton import Skeleton
from poise.rotations import mirror_vector, quat_between, quat_from_axis_angle, quat_multiply, quat_rotate

DOWN = readonly([0.0, 0.0, -1.0])
_SPREAD = 0.2  # rad: largest sideways slant of legs with flat feet; with more, the feet slant with the legs


def zero_pose_rotations(skeleton: Skeleton, roles: Roles) -> dict[str, Array]:
    """For each role, the world rotation (4,) of its joint from the upright pose to the body's zero pose.

    In the zero pose arms and legs hang straight down and feet point forward. Trunk and clavicles do not change; hands
    rotate with their forearms and toes with their feet, so that wrists and toes stay as in the upright pose.
    """
    turns = {role: np.array([1.0, 0.0, 0.0, 0.0]) for role in roles.joints}
    place = {role: skeleton.standing.position[0, joint] for role, joint in roles.joints.items()}
    for side in SIDES:
        for upper, lower, end in (("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand")):
            for part, next_part in ((upper, lower), (lower, end)):
                role = f"{side}_{part}"
                bone = _limb_bone(skeleton, roles, role, f"{side}_{next_part}")
                turns[role] = quat_between(bone, DOWN)
        turns[f"{side}_hand"] = turns[f"{side}_forearm"]
        leg = place[f"{side}_foot"] - place[f"{side}_shank"]
        lean = turns[f"{side}_shank"] if np.arctan2(abs(leg[1]), -leg[2]) > _SPREAD else turns["pelvis"]
        x, y, _ = quat_rotate(lean, foot_bone(skeleton, roles, side))
        heading = np.arctan2(y, x) if np.hypot(x, y) > 0 else 0.0
        flat = quat_multiply(quat_from_axis_angle([0.0, 0.0, 1.0], -heading), lean)  # points forward
        soles = skeleton.soles
        if soles is not None and f"{side}_toes" in roles.joints:
            ankle, ball = soles[SIDES.index(side)]
            flat = quat_multiply(_foot_pitch(quat_rotate(flat, foot_bone(skeleton, roles, side)), ball - ankle), flat)
        turns[f"{side}_foot"] = turns[f"{side}_toes"] = flat
    return {role: turn for role, turn in turns.items() if role in roles.joints}


def foot_bone(skeleton: Skeleton, roles: Roles, side: str) -> Array:
    """Vector (3,) m from the ankle to the toe joint, else to the foot's farthest tip; zero if there is neither."""
    ankle = roles.joints[f"{side}_foot"]
    if f"{side}_toes" in roles.joints:
        return np.asarray(np.subtract(*skeleton.standing.position[0, [roles.joints[f"{side}_toes"], ankle]]))
    return farthest_tip(skeleton, ankle)


def farthest_tip(skeleton: Skeleton, joint: int) -> Array:
    """Vector (3,) m from a joint to the farthest end or joint below; zero if nothing is below."""
    below, at = skeleton.below(joint), skeleton.standing.position[0]
    ends = [skeleton.standing.ends[0, k] for k, end in enumerate(skeleton.ends) if end.joint in below]
    tips = np.reshape([*ends, *(at[j] for j in below if j != joint)], (-1, 3)) - at[joint]
    return np.asarray(tips[np.argmax(np.linalg.norm(tips, axis=1))]) if len(tips) else np.zeros(3)


def _limb_bone(skeleton: Skeleton, roles: Roles, role: str, next_role: str) -> Array:
    """Vector (3,) from the joint of `role` to that of `next_role`, else to its farthest tip, else straight down."""
    joint = roles.joints[role]
    if next_role in roles.joints:
        bone = skeleton.standing.position[0, roles.joints[next_role]] - skeleton.standing.position[0, joint]
    else:
        bone = farthest_tip(skeleton, joint)
    return np.asarray(bone) if np.linalg.norm(bone) > 0 else DOWN


def _foot_pitch(bone: Array, rise: float) -> Array:
    """The rotation (4,) about y that makes a foot's bone (3,) m rise by `rise` (m), as in flat stance."""
    length = float(np.hypot(bone[0], bone[2]))
    if length == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    wanted = float(np.arcsin(np.clip(rise / length, -1.0, 1.0)))
    return quat_from_axis_angle([0.0, 1.0, 0.0], float(np.arctan2(bone[2], bone[0])) - wanted)


MASS_DIGITS = 9  # decimals of a mass (kg), so that the same body is built from the sum of its parts
BODY_MASS_INDEX = 23.0  # kg/m^2, for the default mass of a person
ADULT = Proportions(stature=1.75, mass=70.0)  # the person for whom the tables of torques hold
_SAME_PLACE = 0.01  # of stature: joints of the spine nearer to each other count as one joint
_SIZES = (0.2, 20.0)  # m, valid statures: beyond, the unit is wrong
_LEAST_TRUNK = 0.1  # of stature: least height of the shoulders above the hips


@dataclass(frozen=True)
class LegMeasures:
    """Lengths of one leg with its foot flat on the ground, m."""

    thigh: float
    shank: float
    ankle: float  # height above the ground
    ball: float  # height of the toe joint above the ground
    forward: float  # from the ankle forward to the toe joint

    @property
    def hip(self) -> float:
        """Height (m) of the hip above the ground."""
        return self.thigh + self.shank + self.ankle

    @classmethod
    def mean(cls, legs: "Sequence[LegMeasures]") -> "LegMeasures":
        """The leg with the mean measures."""
        return cls(*np.mean([astuple(leg) for leg in legs], axis=0).tolist())


@dataclass(frozen=True)
class PersonMeasures:
    """Joint positions (m) of a person in the body's zero pose, from the middle of the hips; of arms the left."""

    proportions: Proportions
    legs: tuple[LegMeasures, LegMeasures]  # left, right
    spine: tuple[Vector, ...]
    neck: tuple[Vector, ...]  # the last is the joint of the head; empty without a head joint
    crown: float  # m, top of the head above the hips
    clavicle: Vector | None
    shoulder: Vector
    sole: float  # m, radius of the rails under the feet
    has_toes: bool
    has_hands: bool
    breadth: float = 1.0  # of the trunk, over that by the tables


def person_measures(
    skeleton: Skeleton, roles: Roles, mass: float | None, symmetric: bool = False
) -> PersonMeasures:  # fmt: skip
    """The measures of an upright skeleton; `mass` in kg, None for the default; legs are equal only if `symmetric`."""
    spine, neck = (_trunk_points(skeleton, roles, joints) for joints in (roles.spine, roles.neck))
    shoulder = _mean_left_position(skeleton, roles, "upper_arm")
    bones = _mean_bone_length(skeleton, roles, "thigh", "shank") + _mean_bone_length(skeleton, roles, "shank", "foot")
    sole = SOLE * bones / ADULT.metres(ADULT.hip - ADULT.ankle)
    turns = zero_pose_rotations(skeleton, roles)  # of flat feet that point forward
    feet = [quat_rotate(turns[f"{side}_foot"], foot_bone(skeleton, roles, side)) for side in SIDES]
    legs = [_leg_measures(skeleton, roles, side, foot, sole) for side, foot in zip(SIDES, feet, strict=True)]
    mean = LegMeasures.mean(legs)
    hip = mean.hip
    highest_end = np.max(skeleton.standing.ends[..., 2], initial=-np.inf)
    top = float(max(np.max(skeleton.standing.position[0, :, 2]), highest_end)) - float(
        middle_of_hips(skeleton, roles)[2]
    )  # m
    stature = (top + hip + hip / ADULT.hip) / 2
    _check_person(skeleton, roles, stature)
    hand = _mean_tip_distance(skeleton, roles, "hand") / stature  # limited below: fingers are often incomplete
    highest = shoulder[2] + 0.06 * stature  # of C7, which is at the lowest joint of the neck
    c7 = float(np.clip(neck[0][2], shoulder[2], highest)) if neck else highest
    proportions = Proportions(
        stature=stature,
        mass=round(BODY_MASS_INDEX * stature**2 if mass is None else mass, MASS_DIGITS),
        hip=hip / stature,
        ankle=mean.ankle / stature,
        knee=(hip - mean.thigh) / stature,
        shoulder=(hip + shoulder[2]) / stature,
        c7=(hip + c7) / stature,
        hip_half=_mean_left_position(skeleton, roles, "thigh")[1] / stature,
        shoulder_half=shoulder[1] / stature,
        upper_arm=_mean_bone_length(skeleton, roles, "upper_arm", "forearm") / stature,
        forearm=_mean_bone_length(skeleton, roles, "forearm", "hand") / stature or ADULT.forearm,
        hand=float(np.clip(hand, 0.08, 0.13)) if hand > 0 else ADULT.hand,
    )
    ball, tip = _foot_lengths(skeleton, roles, np.mean(feet, axis=0), stature)
    left, right = (replace(leg, forward=ball * stature) for leg in ([mean, mean] if symmetric else legs))
    girth = float(np.clip(np.sqrt(proportions.mass / BODY_MASS_INDEX) / stature, 0.7, 1.5))
    crown = max(top, neck[-1][2] + 1.7 * proportions.metres(proportions.skull[2])) if neck else top
    return PersonMeasures(
        proportions=replace(proportions, foot=proportions.heel + tip, girth=girth),
        legs=(left, right),
        spine=spine,
        neck=neck,
        crown=crown,
        clavicle=_mean_left_position(skeleton, roles, "clavicle") if "left_clavicle" in roles.joints else None,
        shoulder=shoulder,
        sole=sole,
        has_toes="left_toes" in roles.joints,
        has_hands="left_hand" in roles.joints,
        breadth=skeleton.breadth,
    )


def distinct_joints(skeleton: Skeleton, joints: tuple[int, ...]) -> tuple[int, ...]:
    """The joints of the spine or neck without those that coincide with the next joint."""
    near = _SAME_PLACE * float(np.ptp(skeleton.standing.position[0, :, 2]))
    gaps = np.linalg.norm(np.diff(skeleton.standing.position[0, list(joints)], axis=0), axis=1)
    return tuple(j for j, gap in zip(joints, [*gaps, np.inf], strict=True) if gap > near) if joints else ()


def middle_of_hips(skeleton: Skeleton, roles: Roles) -> Array:
    """Middle of the hips (3,) m in the upright pose, the origin of the body's root link."""
    return np.asarray(skeleton.standing.position[0, [roles.joints[f"{side}_thigh"] for side in SIDES]].mean(axis=0))


def _check_person(skeleton: Skeleton, roles: Roles, stature: float) -> None:
    """Raise if the skeleton cannot be a person that stands and faces +x."""
    if not _SIZES[0] < stature < _SIZES[1]:
        raise PoiseError(f"the skeleton is {stature:.3g} m tall, not the size of a person: is its unit right?")
    shoulder, hip = (_mean_left_position(skeleton, roles, part) for part in ("upper_arm", "thigh"))
    if shoulder[2] < _LEAST_TRUNK * stature:
        raise PoiseError("the skeleton's upright pose does not stand: its shoulders are not above its hips")
    if min(shoulder[1], hip[1]) <= 0:
        raise PoiseError("the skeleton's upright pose does not face +x: its left side lies on the right")
    for part, next_part in (("thigh", "shank"), ("shank", "foot"), ("upper_arm", "forearm")):
        if _mean_bone_length(skeleton, roles, part, next_part) < _SAME_PLACE * stature:
            names = [skeleton.names[roles.joints[f"left_{p}"]] for p in (part, next_part)]
            raise PoiseError(f"joints '{names[0]}' and '{names[1]}' coincide: a person's {part} needs a length")


def _trunk_points(skeleton: Skeleton, roles: Roles, joints: tuple[int, ...]) -> tuple[Vector, ...]:
    """Distinct positions (m) of joints of the spine or neck, moved sideways onto the body's midline."""
    places = skeleton.standing.position[0, list(distinct_joints(skeleton, joints))] - middle_of_hips(skeleton, roles)
    places[:, 1] = 0.0
    return tuple(places)


def _mean_left_position(skeleton: Skeleton, roles: Roles, part: str) -> Vector:
    """Position (m from the middle of the hips) of a left joint, averaged with the mirror image of the right joint."""
    left, right = (skeleton.standing.position[0, roles.joints[f"{side}_{part}"]] for side in SIDES)
    middle = middle_of_hips(skeleton, roles)
    return np.asarray((left - middle + mirror_vector(right - middle)) / 2)


def _mean_bone_length(skeleton: Skeleton, roles: Roles, part: str, next_part: str) -> float:
    """Mean length (m) of the left and right bones from joint `part` to `next_part`, or else to the bone's tip."""
    if f"left_{next_part}" not in roles.joints:
        return _mean_tip_distance(skeleton, roles, part)
    ends = [[roles.joints[f"{side}_{p}"] for p in (part, next_part)] for side in SIDES]
    return float(np.mean([np.linalg.norm(np.subtract(*skeleton.standing.position[0, pair])) for pair in ends]))


def _mean_tip_distance(skeleton: Skeleton, roles: Roles, part: str) -> float:
    """Mean distance (m) from the left and the right joint `part` to their farthest tips; 0 without joints or tips."""
    joints = [roles.joints[f"{side}_{part}"] for side in SIDES if f"{side}_{part}" in roles.joints]
    return float(np.mean([np.linalg.norm(farthest_tip(skeleton, joint)) for joint in joints])) if joints else 0.0


def _leg_measures(skeleton: Skeleton, roles: Roles, side: str, foot: Array, sole: float) -> LegMeasures:
    """The measures of one leg; `foot` (3,) m is its flat foot's bone, `sole` (m) the radius of the rails."""
    hip, knee, heel = skeleton.standing.position[
        0, [roles.joints[f"{side}_{part}"] for part in ("thigh", "shank", "foot")]
    ]
    thigh, shank = float(np.linalg.norm(hip - knee)), float(np.linalg.norm(knee - heel))
    soles, leg = skeleton.soles, thigh + shank
    if soles is None:
        ball = 1.5 * sole
        ankle = ball - float(foot[2])
    else:
        ankle, ball = soles[SIDES.index(side)].tolist()
    ankle, ball = float(np.clip(ankle, 0.04 * leg, 0.16 * leg)), float(np.clip(ball, 1.1 * sole, 0.1 * leg))
    return LegMeasures(thigh, shank, ankle, ball, float(foot[0]))


def _foot_lengths(skeleton: Skeleton, roles: Roles, bone: Array, stature: float) -> tuple[float, float]:
    """Distances of ball and tip of the foot in front of the ankle, as fractions of stature."""
    if "left_toes" not in roles.joints:
        tip = float(bone[0]) / stature if bone[0] > 0 else ADULT.foot - ADULT.heel
        return BALL, float(np.clip(tip, 0.09, 0.15))
    ball = float(np.clip(bone[0] / stature, 0.05, 0.11))
    return ball, ball + float(np.clip(_mean_tip_distance(skeleton, roles, "toes") / stature, 0.03, 0.06))
