"""Poses of any humanoid body from anatomical angles in degrees, with the names that motion sources use.

If all angles are 0 the body is in its standing pose. The angles of a limb rotate the limb relative to its parent in the
listed order (flexion, abduction, rotation about the limb's length). The first axis is fixed in the parent.
"""

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.body.body import Body
from poise.body.parts import Joint
from poise.body.pose_space import PoseSpace
from poise.body.rigging import hinge_angles
from poise.errors import known_name
from poise.reference.body_clip import posed_data
from poise.retarget.figure import SIDES, figure_of_body
from poise.rotations import (
    mirror_axial,
    quat_conjugate,
    quat_exp,
    quat_from_axis_angle,
    quat_log,
    quat_multiply,
    quat_to_matrix,
)

X, Y, Z = np.eye(3)  # forward, left, up
_PELVIS = (("pelvis_rotation", Z), ("pelvis_tilt", Y), ("pelvis_list", X))
_TRUNK = (("trunk_rotation", Z), ("trunk_flexion", Y), ("trunk_bend", -X))
_NECK = (("neck_rotation", Z), ("neck_flexion", Y))
_LIMBS = {  # angles and axes of each part of the left side; for parts in _LONG, Z stands for the bone's direction
    "thigh": (("hip_flexion", -Y), ("hip_abduction", X), ("hip_rotation", Z)),
    "shank": (("knee_flexion", Y),),
    "foot": (("ankle_dorsiflexion", -Y), ("ankle_inversion", -X)),
    "toes": (("toe_extension", -Y),),
    "upper_arm": (("shoulder_flexion", -Y), ("shoulder_abduction", X), ("shoulder_rotation", -Z)),
    "forearm": (("elbow_flexion", -Y),),
    "hand": (("wrist_flexion", -X),),
}
_LONG = ("thigh", "upper_arm")

Axes = Sequence[tuple[str, Array]]  # names of angles and their unit rotation axes, outermost first

MIDDLE_ANGLES = tuple(name for name, _ in (*_PELVIS, *_TRUNK, *_NECK))
LIMB_ANGLES = tuple(name for axes in _LIMBS.values() for name, _ in axes)
ANGLES = (*MIDDLE_ANGLES, *(f"{side}_{name}" for side in SIDES for name in LIMB_ANGLES))  # Full names of all angles


def both_sides_of_source_angle(name: str) -> list[str]:
    """Full names of an angle: for a limb angle without a side the left and right name, otherwise the name itself."""
    return [f"{side}_{name}" for side in SIDES] if name in LIMB_ANGLES else [name]


class SourceFigure:
    """A humanoid body posed by anatomical angles."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._space = PoseSpace(body)
        standing = next(posed_data(body, body.standing[None]))
        self._facing = np.array(standing.xquat)  # (nbody, 4) orientations of the links in the standing pose
        self._turned = _driven_joint_chains(body)

    def has(self, angle: str) -> bool:
        """Whether the body has a joint that an angle, given by its full name, turns."""
        return any(name == angle for axes, _ in self._turned for name, _ in axes)

    def poses(self, angles: Mapping[str, ArrayLike], root: ArrayLike | None = None) -> Array:
        """Poses (T, nq) with the given angles by full name, (T,) or one number, in degrees; other angles are 0.

        Clamped to joint limits. `root` (T, 3) m: pelvis position, by default that of the standing pose.
        """
        place = np.atleast_2d(self.body.standing[:3] if root is None else np.asarray(root, float))
        frames = max([len(place), *(np.size(value) for value in angles.values())])
        qpos = np.tile(self.body.standing, (frames, 1))
        qpos[:, :3] = place
        return self.bent(qpos, angles)

    def bent(self, qpos: Array, angles: Mapping[str, ArrayLike]) -> Array:
        """Poses `qpos` with parts rotated further by angles, (T,) or a number, in degrees; clamped to joint limits."""
        for name in angles:
            known_name("angle", name, ANGLES)
        radians = {name: np.broadcast_to(np.radians(value), len(qpos)) for name, value in angles.items()}
        out = np.array(qpos)
        out[:, 3:7] = quat_multiply(_source_angles_rotation(_PELVIS, radians, len(qpos)), qpos[:, 3:7])
        for axes, joints in self._turned:
            vector = quat_log(_source_angles_rotation(axes, radians, len(qpos))) / len(joints)
            for joint in joints:
                out[:, joint.qpos] = self._joint_coordinates(joint, quat_exp(vector), qpos[:, joint.qpos])
        return self._space.clamped(out)

    def _joint_coordinates(self, joint: Joint, turn: Array, before: Array) -> Array:
        """Coordinates (T, k) of a joint after its link is rotated by `turn` (T, 4) relative to the parent link.

        `turn` is in the world axes of the standing pose. `before` (T, k): coordinates before the rotation.
        """
        mounted = self._joint_mounting(joint)
        local = quat_multiply(quat_multiply(quat_conjugate(mounted), turn), mounted)
        if joint.kind == "ball":
            return quat_multiply(local, before)
        return hinge_angles(quat_multiply(local, _hinge_rotation(joint, before)), joint.axes)

    def flexions(self, qpos: Array) -> dict[str, Array]:
        """By name: each angle of flexion (about the lateral axis) in poses (T, nq), as (T,) degrees."""
        out = {}
        for axes, joints in self._turned:
            for name, axis in axes:
                if abs(axis[1]) == 1.0:
                    bent = sum(self._sagittal_bend(joint, qpos) for joint in joints)
                    out[name] = np.degrees(axis[1] * bent)
        return out

    def _sagittal_bend(self, joint: Joint, qpos: Array) -> Array:
        """(T,) rad: rotation about y of a joint's link relative to the parent link, from standing to `qpos` (T, nq)."""
        mounted = self._joint_mounting(joint)
        now, before = qpos[:, joint.qpos], self.body.standing[None, joint.qpos]
        if joint.kind != "ball":
            now, before = _hinge_rotation(joint, now), _hinge_rotation(joint, before)
        local = quat_multiply(now, quat_conjugate(before))
        turn = quat_to_matrix(quat_multiply(quat_multiply(mounted, local), quat_conjugate(mounted)))
        return np.asarray(np.arctan2(turn[:, 0, 2], turn[:, 2, 2]))

    def _joint_mounting(self, joint: Joint) -> Array:
        """(4,) orientation in the world of a joint's frame at zero rotation, when the parent link is as in standing."""
        link = self.body.link_id(joint.link)
        parent = int(self.body.model.body_parentid[link])
        return quat_multiply(self._facing[parent], self.body.model.body_quat[link])


def _hinge_rotation(joint: Joint, angles: Array) -> Array:
    """(T, 4) rotation of k hinges in series at angles (T, k) rad."""
    turns = (quat_from_axis_angle(axis, angle) for axis, angle in zip(joint.axes, angles.T, strict=True))
    return reduce(quat_multiply, turns)


def _driven_joint_chains(body: Body) -> list[tuple[Axes, tuple[Joint, ...]]]:
    """Angles, and the joints in series that each take an equal part of them; angles without a joint are left out."""
    found = figure_of_body(body)
    chains: list[tuple[Axes, tuple[int, ...]]] = [(_TRUNK, found.spine), (_NECK, found.neck)]
    for side in SIDES:
        for part, axes in _LIMBS.items():
            role = f"{side}_{part}"
            if role in found.joints:
                bone = found.bone(role) if part in _LONG else None
                chains.append((_source_angle_axes(axes, side, bone), (found.joints[role],)))
    joint_of = {joint.link: joint for joint in body.joints[1:]}
    named = [(axes, dict.fromkeys(body.links[link] for link in links)) for axes, links in chains]
    turned = [(axes, tuple(joint_of[link] for link in links if link in joint_of)) for axes, links in named]
    return [(axes, joints) for axes, joints in turned if joints]


def _source_angle_axes(axes: Axes, side: str, bone: Array | None) -> Axes:
    """Full names and axes of the angles of one side. The direction of `bone` (3,), if given, replaces the z axis."""
    out = []
    for name, axis in axes:
        along = axis if bone is None or not axis[2] else -axis[2] * bone / np.linalg.norm(bone)
        if side == "right":
            along = -along if bone is not None and axis[2] else mirror_axial(along)
        out.append((f"{side}_{name}", along))
    return out


def _source_angles_rotation(axes: Axes, radians: Mapping[str, Array], frames: int) -> Array:
    """(T, 4) product of the rotations about `axes`, in order, by the angles `radians` (T,); other angles are 0."""
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1))
    for name, axis in axes:
        if name in radians:
            turn = quat_multiply(turn, quat_from_axis_angle(axis, radians[name]))
    return turn
