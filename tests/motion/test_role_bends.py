"""The roll of arms and legs is found from how elbows and knees bend."""

from dataclasses import replace

import numpy as np
import pytest

import skeletons
from poise.arrays import readonly
from poise.body.body import Body
from poise.motion.clip import clip_from
from poise.motion.repair.upright import with_repaired_limb_bends
from poise.motion.roles import find_roles
from poise.motion.skeleton import skeleton_kinematics
from poise.rotations import mirror_axial, quat_exp


def bending(skeleton, part, axis, most=1.6):
    """Both elbows or knees bend about an axis (left; mirrored on the right) of the upright pose."""
    frames = np.linspace(0, 1, 9)
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (len(frames), skeleton.count, 1))
    joints = find_roles(skeleton).joints
    for side, turn in (("left", np.array(axis)), ("right", mirror_axial(axis))):
        zero[:, joints[f"{side}_{part}"]] = quat_exp(most * frames[:, None] * turn)
    return clip_from("bending", skeleton, 30.0, np.zeros((len(frames), 3)), zero)


def with_plumb_legs(skeleton):
    """Without the slant of thighs and shanks, which a hinge that is rolled could not follow."""
    joints, offsets = find_roles(skeleton).joints, np.array(skeleton.offsets)
    offsets[[joints[f"{side}_{part}"] for side in ("left", "right") for part in ("shank", "foot")], 0] = 0.0
    return replace(skeleton, offsets=readonly(offsets))


def rolled(clip):
    return with_repaired_limb_bends(clip, find_roles(clip.skeleton))


@pytest.mark.parametrize("roll", [-1.2, -0.5, 0.0, 0.3, 1.5])
@pytest.mark.parametrize("family", ["mixamo", "topology"])
@pytest.mark.parametrize(
    ("part", "joint", "sign", "axis"),
    [
        ("forearm", "left_elbow", -1, lambda roll: [np.sin(roll), 0.0, -np.cos(roll)]),
        ("shank", "left_knee", 1, lambda roll: [np.sin(roll), np.cos(roll), 0.0]),
    ],
    ids=["elbow", "knee"],
)
def test_limbs_bend_exactly_about_the_hinge(family, roll, part, joint, sign, axis):
    """In a T-pose a left forearm that comes forward turns about -z, a shank that goes back about y; the roll tilts."""
    clip = bending(with_plumb_legs(skeletons.PEOPLE[family]()), part, axis(roll))
    there = rolled(clip)
    body = Body.from_skeleton(there.skeleton)
    qpos = body.rigging.poses(body, there)
    back = body.rigging.clip(body.model, qpos, 30.0, "back")
    np.testing.assert_allclose(back.places.position, clip.places.position, atol=1e-9)
    bend = qpos[:, list(body.joint(joint).qpos)]
    np.testing.assert_allclose(bend[:, 0], sign * np.linspace(0, 1.6, 9), atol=1e-9)
    np.testing.assert_allclose(bend[:, 1:], 0.0, atol=1e-9)


def test_no_joint_of_the_upright_pose_moves():
    skeleton = skeletons.mixamo()
    upright = rolled(bending(skeleton, "forearm", [0.6, 0.0, -0.8])).skeleton.upright
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (1, skeleton.count, 1))
    before, after = (skeleton_kinematics(skeleton, np.zeros((1, 3)), pose) for pose in (zero, upright[None]))
    joints = [skeleton.index(f"mixamorig:{name}") for name in ("LeftArm", "RightForeArm", "LeftHand", "LeftFoot")]
    np.testing.assert_allclose(after.position[0, joints], before.position[0, joints], atol=1e-12)
    assert np.abs(upright[joints[0], 0]) < 0.99


def test_nothing_told_nothing_changed():
    skeleton = skeletons.mixamo()
    still = clip_from("still", skeleton, 30.0, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, skeleton.count, 1)))
    assert rolled(still) is still
