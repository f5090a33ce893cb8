"""The upright pose of a skeleton, and the rotations from it to the zero pose of a body."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array, readonly
from poise.motion.roles import SIDES, Roles, upright_joint_places
from poise.motion.skeleton import Places, Skeleton
from poise.rotations import quat_between, quat_from_axis_angle, quat_multiply, quat_rotate

DOWN = readonly([0.0, 0.0, -1.0])
_SPREAD = 0.2  # rad: largest sideways slant of legs with flat feet; with more, the feet slant with the legs


@dataclass(frozen=True, eq=False)
class UprightSkeleton:
    """A skeleton in its upright pose: `Skeleton.upright`, or the zero pose if `Skeleton.upright` is None."""

    skeleton: Skeleton

    @cached_property
    def places(self) -> Places:
        """Places of joints and ends, as one frame with the root joint at the origin."""
        return upright_joint_places(self.skeleton)

    @property
    def position(self) -> Array:
        """Joint positions (J, 3) m."""
        return np.asarray(self.places.position[0])

    @property
    def rotation(self) -> Array:
        """Joint orientations (J, 4) in the world."""
        return np.asarray(self.places.rotation[0])

    def tips(self, joint: int) -> Array:
        """Positions (k, 3) m of all ends and joints below a joint."""
        below = self.below(joint)
        ends = [self.places.ends[0, k] for k, end in enumerate(self.skeleton.ends) if end.joint in below]
        return np.reshape([*ends, *(self.position[j] for j in below if j != joint)], (-1, 3))

    def below(self, joint: int) -> list[int]:
        """Indices of a joint and all its descendants."""
        found = [joint]
        for other in range(joint + 1, self.skeleton.count):
            if self.skeleton.parents[other] in found:
                found.append(other)
        return found


def zero_pose_rotations(upright: UprightSkeleton, roles: Roles) -> dict[str, Array]:
    """For each role, the world rotation (4,) of its joint from the upright pose to the body's zero pose.

    In the zero pose arms and legs hang straight down and feet point forward. Trunk and clavicles do not change; hands
    rotate with their forearms and toes with their feet, so that wrists and toes stay as in the upright pose.
    """
    turns = {role: np.array([1.0, 0.0, 0.0, 0.0]) for role in roles.joints}
    place = {role: upright.position[joint] for role, joint in roles.joints.items()}
    for side in SIDES:
        for upper, lower, end in (("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand")):
            for part, next_part in ((upper, lower), (lower, end)):
                role = f"{side}_{part}"
                bone = _limb_bone(upright, roles, role, f"{side}_{next_part}")
                turns[role] = quat_between(bone, DOWN)
        turns[f"{side}_hand"] = turns[f"{side}_forearm"]
        leg = place[f"{side}_foot"] - place[f"{side}_shank"]
        lean = turns[f"{side}_shank"] if np.arctan2(abs(leg[1]), -leg[2]) > _SPREAD else turns["pelvis"]
        flat = _point_foot_forward(lean, foot_bone(upright, roles, side))
        soles = upright.skeleton.soles
        if soles is not None and f"{side}_toes" in roles.joints:
            ankle, ball = soles[SIDES.index(side)]
            flat = quat_multiply(_foot_pitch(quat_rotate(flat, foot_bone(upright, roles, side)), ball - ankle), flat)
        turns[f"{side}_foot"] = turns[f"{side}_toes"] = flat
    return {role: turn for role, turn in turns.items() if role in roles.joints}


def foot_bone(upright: UprightSkeleton, roles: Roles, side: str) -> Array:
    """Vector (3,) m from the ankle to the toe joint, else to the foot's farthest tip; zero if there is neither."""
    ankle = roles.joints[f"{side}_foot"]
    if f"{side}_toes" in roles.joints:
        return np.asarray(upright.position[roles.joints[f"{side}_toes"]] - upright.position[ankle])
    return farthest_tip(upright, ankle)


def farthest_tip(upright: UprightSkeleton, joint: int) -> Array:
    """Vector (3,) m from a joint to the farthest end or joint below; zero if nothing is below."""
    tips = upright.tips(joint) - upright.position[joint]
    return np.asarray(tips[np.argmax(np.linalg.norm(tips, axis=1))]) if len(tips) else np.zeros(3)


def _limb_bone(upright: UprightSkeleton, roles: Roles, role: str, next_role: str) -> Array:
    """Vector (3,) from the joint of `role` to that of `next_role`, else to its farthest tip, else straight down."""
    joint = roles.joints[role]
    if next_role in roles.joints:
        bone = upright.position[roles.joints[next_role]] - upright.position[joint]
    else:
        bone = farthest_tip(upright, joint)
    return np.asarray(bone) if np.linalg.norm(bone) > 0 else DOWN


def _foot_pitch(bone: Array, rise: float) -> Array:
    """The rotation (4,) about y that makes a foot's bone (3,) m rise by `rise` (m), as in flat stance."""
    length = float(np.hypot(bone[0], bone[2]))
    if length == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    wanted = float(np.arcsin(np.clip(rise / length, -1.0, 1.0)))
    return quat_from_axis_angle([0.0, 1.0, 0.0], float(np.arctan2(bone[2], bone[0])) - wanted)


def _point_foot_forward(lean: Array, bone: Array) -> Array:
    """The rotation `lean` (4,) followed by the rotation about the vertical that makes a foot's bone point forward."""
    x, y, _ = quat_rotate(lean, bone)
    return quat_multiply(quat_from_axis_angle([0.0, 0.0, 1.0], -np.arctan2(y, x) if np.hypot(x, y) > 0 else 0.0), lean)
