"""Poses of any humanoid body from anatomical angles in degrees, the words in which motions are written down.

All angles zero is the body's standing pose. A limb's angles turn it against what it hangs on in the order they are
listed, the first about an axis fixed in the carrier: flexion, then abduction, then rotation about its own length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.body.body import Body
from poise.body.parts import Joint
from poise.body.pose_space import PoseSpace
from poise.body.rigging import hinge_angles
from poise.errors import unknown
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
_LIMBS = {  # part of the left side to its angles and their axes; z of long bones is along the bone
    "thigh": (("hip_flexion", -Y), ("hip_abduction", X), ("hip_rotation", Z)),
    "shank": (("knee_flexion", Y),),
    "foot": (("ankle_dorsiflexion", -Y), ("ankle_inversion", -X)),
    "toes": (("toe_extension", -Y),),
    "upper_arm": (("shoulder_flexion", -Y), ("shoulder_abduction", X), ("shoulder_rotation", -Z)),
    "forearm": (("elbow_flexion", -Y),),
    "hand": (("wrist_flexion", -X),),
}
_LONG = ("thigh", "upper_arm")

Axes = Sequence[tuple[str, Array]]  # names of angles and the unit axes they turn about, outermost first

MIDDLE_ANGLES = tuple(name for name, _ in (*_PELVIS, *_TRUNK, *_NECK))
LIMB_ANGLES = tuple(name for axes in _LIMBS.values() for name, _ in axes)
ANGLES = (*MIDDLE_ANGLES, *(f"{side}_{name}" for side in SIDES for name in LIMB_ANGLES))
"""Every angle by its name."""


@dataclass(frozen=True, eq=False)
class _Turned:
    """Joints in a row that share one turn, each an equal part of it."""

    axes: Axes
    joints: tuple[Joint, ...]


class PosableFigure:
    """A humanoid body as a figure that is posed by anatomical angles."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._space = PoseSpace(body)
        model = body.model
        data = mujoco.MjData(model)
        data.qpos[:] = body.standing
        mujoco.mj_kinematics(model, data)
        self._facing = np.array(data.xquat)  # of the links in the standing pose
        self._turned = _turned_joints(body)

    def poses(self, angles: Mapping[str, ArrayLike], root: ArrayLike | None = None) -> Array:
        """Poses (T, nq) of angles (T,) or numbers, in degrees, within joint limits; unnamed ones are 0.

        `root` (T, 3) m is where the pelvis is: above the origin, as in the standing pose, if not given.
        """
        place = np.atleast_2d(self.body.standing[:3] if root is None else np.asarray(root, float))
        frames = max([len(place), *(np.size(value) for value in angles.values())])
        qpos = np.tile(self.body.standing, (frames, 1))
        qpos[:, :3] = place
        return self.bent(qpos, angles)

    def bent(self, qpos: Array, angles: Mapping[str, ArrayLike]) -> Array:
        """Poses (T, nq) with parts turned by angles (T,) or numbers, in degrees, from where they are."""
        for name in angles:
            if name not in ANGLES:
                raise unknown("angle", name, ANGLES)
        radians = {name: np.broadcast_to(np.radians(value), len(qpos)) for name, value in angles.items()}
        out = np.array(qpos)
        out[:, 3:7] = quat_multiply(_turn(_PELVIS, radians, len(qpos)), qpos[:, 3:7])
        for turned in self._turned:
            vector = quat_log(_turn(turned.axes, radians, len(qpos))) / len(turned.joints)
            for joint in turned.joints:
                out[:, joint.qpos] = self._coordinates(joint, quat_exp(vector), qpos[:, joint.qpos])
        return self._space.clamped(out)

    def _coordinates(self, joint: Joint, turn: Array, before: Array) -> Array:
        """(T, k) of a joint whose link turns (T, 4) against its carrier, told in the axes of the standing world."""
        link = self.body.link_id(joint.link)
        carrier = int(self.body.model.body_parentid[link])
        mounted = quat_multiply(self._facing[carrier], self.body.model.body_quat[link])
        local = quat_multiply(quat_multiply(quat_conjugate(mounted), turn), mounted)
        if joint.kind == "ball":
            return quat_multiply(local, before)
        return hinge_angles(quat_multiply(local, _hinged(joint, before)), joint.axes)

    def flexions(self, qpos: Array) -> dict[str, Array]:
        """(T,) degrees by name: how far parts of poses (T, nq) are bent in the plane that divides left from right."""
        out = {}
        for turned in self._turned:
            for name, axis in turned.axes:
                if abs(axis[1]) == 1.0:
                    bent = sum(self._bent(joint, qpos) for joint in turned.joints)
                    out[name] = np.degrees(axis[1] * bent)
        return out

    def _bent(self, joint: Joint, qpos: Array) -> Array:
        """(T,) rad about the left by which a joint's link is turned against its carrier, from the standing pose."""
        link = self.body.link_id(joint.link)
        carrier = int(self.body.model.body_parentid[link])
        mounted = quat_multiply(self._facing[carrier], self.body.model.body_quat[link])
        now, before = (_joint_turn(joint, poses) for poses in (qpos, self.body.standing[None]))
        local = quat_multiply(now, quat_conjugate(before))
        turn = quat_to_matrix(quat_multiply(quat_multiply(mounted, local), quat_conjugate(mounted)))
        return np.asarray(np.arctan2(turn[:, 0, 2], turn[:, 2, 2]))


def _joint_turn(joint: Joint, qpos: Array) -> Array:
    """(T, 4) by which a joint turns what hangs on it in poses (T, nq)."""
    told = qpos[:, joint.qpos]
    return told if joint.kind == "ball" else _hinged(joint, told)


def _hinged(joint: Joint, angles: Array) -> Array:
    """(T, 4) by which hinges in a row turn, at angles (T, k)."""
    turns = (quat_from_axis_angle(axis, angle) for axis, angle in zip(joint.axes, angles.T, strict=True))
    return reduce(quat_multiply, turns)


def _turned_joints(body: Body) -> list[_Turned]:
    """The joints of a body that follow the angles; what it has no joint for is left out."""
    found = figure_of_body(body)
    chains: list[tuple[Axes, tuple[int, ...]]] = [(_TRUNK, found.spine), (_NECK, found.neck)]
    for side in SIDES:
        for part, axes in _LIMBS.items():
            role = f"{side}_{part}"
            if role in found.joints:
                bone = found.bone(role) if part in _LONG else None
                chains.append((_sided(axes, side, bone), (found.joints[role],)))
    joint_of = {joint.link: joint for joint in body.joints[1:]}
    named = [(axes, dict.fromkeys(body.links[link] for link in links)) for axes, links in chains]
    turned = [_Turned(axes, tuple(joint_of[link] for link in links if link in joint_of)) for axes, links in named]
    return [each for each in turned if each.joints]


def _sided(axes: Axes, side: str, bone: Array | None) -> Axes:
    """Names and axes of one side; about the length of a bone (3,), from joint to joint, instead of about z."""
    out = []
    for name, axis in axes:
        along = axis if bone is None or not axis[2] else -axis[2] * bone / np.linalg.norm(bone)
        if side == "right":
            along = -along if bone is not None and axis[2] else mirror_axial(along)
        out.append((f"{side}_{name}", along))
    return out


def _turn(axes: Axes, radians: Mapping[str, Array], frames: int) -> Array:
    """(T, 4) turns about the axes, one after the other."""
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1))
    for name, axis in axes:
        if name in radians:
            turn = quat_multiply(turn, quat_from_axis_angle(axis, radians[name]))
    return turn
