"""Whether and how a figure stands in a file of any unit and axes, and its upright pose.

In the upright pose it faces +x, and its limbs are rolled to match how elbows and knees bend: elbows shall bend forward
and knees backward. Skeletons differ (CMU's arms are rolled by 30 degrees), so the roll is put into
`Skeleton.upright`; a roll moves no joint.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Mask, readonly
from poise.motion.clip import Clip
from poise.motion.repair.bones import leg_length
from poise.motion.repair.finding import Finding
from poise.motion.roles import SIDES, Roles, unit_vectors
from poise.motion.skeleton import Places, Skeleton, skeleton_kinematics
from poise.rotations import matrix_to_quat, quat_between, quat_conjugate, quat_from_axis_angle, quat_log, quat_multiply

LOPSIDED = 0.25  # of the leg: largest asymmetry of a zero pose that stands
LEANING = np.cos(np.radians(40))  # least cosine between `up` and the legs and trunk of a standing figure


@dataclass(frozen=True, eq=False)
class FigureStance:
    """Directions of a figure in T poses, in the axes of its file."""

    up: Array  # (T, 3) unit, from the feet through the trunk
    trunk: Array  # (T, 3) unit, from hips to shoulders
    left: Array  # (T, 3) unit, across hips and shoulders, perpendicular to up
    stands: Mask  # (T,) whether trunk and both legs are in line

    @property
    def forward(self) -> Array:
        """Forward direction (T, 3), unit."""
        return np.cross(self.left, self.up)


def figure_stance(position: Array, roles: Roles) -> FigureStance:
    """The stance of a figure in T poses with joint positions (T, J, 3)."""
    at = {role: position[:, joint] for role, joint in roles.joints.items()}
    legs = [unit_vectors(at[f"{side}_thigh"] - at[f"{side}_foot"]) for side in SIDES]
    hips = (at["left_thigh"] + at["right_thigh"]) / 2
    shoulders = (at["left_upper_arm"] + at["right_upper_arm"]) / 2
    trunk = unit_vectors(shoulders - hips)
    up = unit_vectors(trunk + (legs[0] + legs[1]) / 2)
    across_hips = unit_vectors(at["left_thigh"] - at["right_thigh"])
    across = across_hips + unit_vectors(at["left_upper_arm"] - at["right_upper_arm"])
    left = unit_vectors(across - _row_products(across, up)[:, None] * up)
    straight = np.min([_row_products(bone, up) for bone in (trunk, *legs)], axis=0)
    sideways = np.abs(_row_products(across_hips, up))
    return FigureStance(up, trunk, left, (straight > LEANING) & (sideways < 1 - LEANING))


def stance_of_skeleton_zero_pose(skeleton: Skeleton, roles: Roles, leg: float) -> FigureStance:
    """The stance of the zero pose; an asymmetric zero pose does not count as standing."""
    where = skeleton_zero_pose_positions(skeleton)
    seen = figure_stance(where, roles)
    return replace(seen, stands=seen.stands & (pose_asymmetry(where[0], roles) < LOPSIDED * leg))


def pose_asymmetry(position: Array, roles: Roles) -> float:
    """Largest difference between the distance of two joints in a pose (J, 3) and in the mirror image of the pose."""
    parts = [r[5:] for r in roles.joints if r.startswith("left_") and f"right_{r[5:]}" in roles.joints]
    left, right = (position[[roles.joints[f"{side}_{part}"] for part in parts]] for side in SIDES)
    straight = np.linalg.norm(left[:, None] - left, axis=-1) - np.linalg.norm(right[:, None] - right, axis=-1)
    crossed = np.linalg.norm(left[:, None] - right, axis=-1)
    return float(max(np.abs(straight).max(), np.abs(crossed - crossed.T).max()))


def skeleton_zero_pose_positions(skeleton: Skeleton) -> Array:
    """Positions (1, J, 3) of the joints with all rotations zero."""
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (1, skeleton.count, 1))
    return skeleton_kinematics(skeleton, np.zeros((1, 3)), zero).position


def sampled_clip(clip: Clip, most: int = 200) -> Clip:
    """A clip of at most `most` evenly spaced frames."""
    frames = np.unique(np.linspace(0, clip.frames - 1, min(most, clip.frames)).round().astype(int))
    moved = None if clip.translation is None else clip.translation[frames]
    return Clip(clip.name, clip.skeleton, clip.rate, clip.position[frames], clip.rotation[frames], moved)


def _row_products(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("tk,tk->t", a, b))


ASKEW = np.radians(15)  # largest rotation of a zero pose that still counts as upright
ON_GROUND = 5  # a foot is assumed to be on the ground in one of this many frames
_DOWN = np.array([0.0, 0.0, -1.0])
_LIMBS = (("thigh", "shank"), ("shank", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def find_upright_pose(sample: Clip, roles: Roles | None, tpose: Clip | None) -> tuple[Array | None, Finding]:
    """The upright pose (J, 4) of a clip in Poise's conventions, None if the zero pose is upright; and the finding."""
    skeleton = sample.skeleton
    if roles is None:
        return None, _upright_finding("not a person: the zero pose is taken as upright", "zero pose")
    zero = stance_of_skeleton_zero_pose(skeleton, roles, leg_length(sample, roles))
    if zero.stands[0]:
        rotation = _rotation_to_front(zero, 0)
        if np.linalg.norm(quat_log(rotation)) < ASKEW:
            return None, _upright_finding("the zero pose stands upright", "zero pose")
        pose = _with_root_rotated(np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1)), rotation)
        return pose, _upright_finding("the zero pose stands, but in another direction", "zero pose, turned")
    if tpose is not None and (first := figure_stance(tpose.places.position[:1], roles)).stands[0]:
        pose = _with_root_rotated(tpose.rotation[0], _rotation_to_front(first, 0))
        return pose, _upright_finding("the zero pose does not stand, the artificial first pose does", "first pose")
    moving = figure_stance(sample.places.position, roles)
    best = _straightest_frame(sample, roles, moving)
    facing = _with_root_rotated(sample.rotation[best], _rotation_to_front(moving, best))
    pose = straightened_pose(skeleton, facing, roles, _flat_foot_rotations(sample, roles, moving))
    found = "the zero pose does not stand, " + ("but the motion does" if moving.stands.any() else "nor does the motion")
    return pose, _upright_finding(found, "straightest frame of the motion, straightened")


def straightened_pose(skeleton: Skeleton, pose: Array, roles: Roles, feet: Mapping[int, Array]) -> Array:
    """The pose (J, 4) with trunk and head upright, legs and arms hanging, and the given world rotations of `feet`."""
    places = skeleton_kinematics(skeleton, np.zeros((1, 3)), pose[None])
    was, local = places.rotation[0], np.array(pose)
    world = dict(feet)  # world rotations of the joints that change
    for joint, (bone, direction) in _bones_to_straighten(places.position[0], roles).items():
        if np.any(bone):
            world[joint] = quat_multiply(quat_between(bone, direction), was[joint])
    for joint, parent in enumerate(skeleton.parents):
        if joint not in world and parent in world:
            world[joint] = quat_multiply(world[parent], local[joint])
        if joint in world and parent >= 0:
            local[joint] = quat_multiply(quat_conjugate(world.get(parent, was[parent])), world[joint])
    return readonly(local)


def _bones_to_straighten(where: Array, roles: Roles) -> dict[int, tuple[Array, Array]]:
    """For each joint to straighten: the vector (3,) of its bone in a pose (J, 3), and the bone's upright direction."""
    joints = roles.joints
    shoulders = (where[joints["left_upper_arm"]] + where[joints["right_upper_arm"]]) / 2
    bones = {roles.spine[0]: (shoulders - where[roles.spine[0]], -_DOWN)}
    if len(roles.neck) > 1:
        bones[roles.neck[0]] = (where[roles.neck[-1]] - where[roles.neck[0]], -_DOWN)
    for side in SIDES:
        for upper, lower in _LIMBS:
            if f"{side}_{lower}" in joints:
                joint = joints[f"{side}_{upper}"]
                bones[joint] = (where[joints[f"{side}_{lower}"]] - where[joint], _DOWN)
    return bones


def _straightest_frame(sample: Clip, roles: Roles, moving: FigureStance) -> int:
    """The frame, among standing ones if any, in which the trunk is most upright and the limbs hang straightest."""
    where = sample.places.position
    score = moving.up[:, 2] + np.where(moving.stands, len(_LIMBS), 0.0)
    for side in SIDES:
        for upper, lower in _LIMBS:
            if f"{side}_{lower}" in roles.joints:
                bone = where[:, roles.joints[f"{side}_{lower}"]] - where[:, roles.joints[f"{side}_{upper}"]]
                score = score + bone @ _DOWN / np.maximum(np.linalg.norm(bone, axis=-1), 1e-9)
    return int(np.argmax(score))


def _flat_foot_rotations(sample: Clip, roles: Roles, moving: FigureStance) -> dict[int, Array]:
    """World rotations (4,) of foot and toe joints, turned to +x, in a frame with ankle and ball lowest: a flat foot."""
    where, rotations = sample.places.position, sample.places.rotation
    feet: dict[int, Array] = {}
    for side in SIDES:
        joints = [roles.joints[role] for role in (f"{side}_foot", f"{side}_toes") if role in roles.joints]
        ankle, ball = where[:, joints[0]], where[:, joints[-1]]
        height = ankle[:, 2] + ball[:, 2] + np.where(moving.stands, 0.0, np.ptp(where[..., 2]))
        low = np.argsort(height)[: 1 + len(height) // ON_GROUND]
        slope = (ball - ankle)[low, 2]
        k = low[np.argsort(slope)[len(low) // 2]]
        heading = np.arctan2(moving.forward[k, 1], moving.forward[k, 0])
        for joint in joints:
            feet[joint] = quat_multiply(quat_from_axis_angle([0.0, 0.0, 1.0], -heading), rotations[k, joint])
    return feet


def _rotation_to_front(seen: FigureStance, k: int) -> Array:
    """The rotation (4,) that makes the k-th pose upright and face +x."""
    return matrix_to_quat(np.stack([seen.forward[k], seen.left[k], seen.up[k]]))


def _with_root_rotated(pose: Array, rotation: Array) -> Array:
    return readonly(np.concatenate([quat_multiply(rotation, pose[:1]), pose[1:]]))


def _upright_finding(found: str, source: str) -> Finding:
    return Finding("upright", found, f"the upright pose is the {source}", "", source)


_ENOUGH = 0.15  # rad: least mean bend from which a direction can be read
_SAMPLES = 200  # frames examined
_ROLLED_LIMBS = (  # parts that roll, the part below them, and the sign of the bend about y
    (("upper_arm", "forearm"), "hand", -1.0),
    (("thigh", "shank"), "foot", 1.0),
)


def with_repaired_limb_bends(clip: Clip, roles: Roles) -> Clip:
    """The clip with limbs rolled in the upright pose to match the bends in its motion; unchanged without bends."""
    rolls = _repaired_limb_rolls(clip, roles)
    if not rolls:
        return clip
    pose = np.array(clip.skeleton.standing.rotation[0])  # in the world; other joints keep theirs
    for joint, rotation in rolls.items():
        pose[joint] = rotation
    parents = np.array(clip.skeleton.parents[1:])
    pose[1:] = quat_multiply(quat_conjugate(pose[parents]), pose[1:])
    return replace(clip, skeleton=replace(clip.skeleton, upright=readonly(pose)))


def _repaired_limb_rolls(clip: Clip, roles: Roles) -> dict[int, Array]:
    """By joint that is rolled, its world rotation (4,) in the new upright pose."""
    upright, moving = clip.skeleton.standing, clip.rotation[:: 1 + clip.frames // _SAMPLES]
    rotations = skeleton_kinematics(clip.skeleton, np.zeros((len(moving), 3)), moving).rotation
    was = upright.rotation[0]
    rolled: dict[int, Array] = {}
    for side in SIDES:
        for parts, beyond, sign in _ROLLED_LIMBS:
            joints = [roles.joints[f"{side}_{part}"] for part in parts]
            end = roles.joints.get(f"{side}_{beyond}")
            swings = _hanging_limb_swings(clip.skeleton, upright, joints, end)
            roll = _repaired_bend_roll(rotations[:, joints], quat_multiply(swings, was[joints]), sign)
            if roll is None:
                continue
            about_bone = quat_multiply(quat_conjugate(swings), quat_multiply(roll, swings))
            rolled |= dict(zip(joints, quat_multiply(about_bone, was[joints]), strict=True))
            if end is not None and beyond == "hand":  # a hand rolls with its arm; a foot keeps its direction
                rolled[end] = quat_multiply(about_bone[1], was[end])
    return rolled


def _hanging_limb_swings(skeleton: Skeleton, upright: Places, joints: list[int], end: int | None) -> Array:
    """Rotations (2, 4) after which the two bones of a limb hang straight down."""
    upper, lower = upright.position[0, joints]
    tips = [upright.ends[0, k] for k, tip in enumerate(skeleton.ends) if tip.joint == joints[1]]
    ends = tips if end is None else [upright.position[0, end]]
    bones = np.array([lower - upper, ends[0] - lower if ends else _DOWN])
    bones[np.linalg.norm(bones, axis=1) == 0] = _DOWN
    return quat_between(bones, _DOWN)


def _repaired_bend_roll(rotations: Array, frames: Array, sign: float) -> Array | None:
    """The rotation (4,) about the hanging limb after which the limb's mean bend is about `sign` * y; None without bend.

    `rotations` (T, 2, 4) are those of upper and lower bone in the motion, `frames` (2, 4) those when the bones hang.
    """
    above, below = np.moveaxis(quat_multiply(rotations, quat_conjugate(frames)), 1, 0)
    x, y, _ = np.mean(quat_log(quat_multiply(quat_conjugate(above), below)), axis=0)
    if np.hypot(x, y) < _ENOUGH:
        return None
    return quat_from_axis_angle([0.0, 0.0, 1.0], sign * np.pi / 2 - np.arctan2(y, x))
