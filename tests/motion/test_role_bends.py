"""The roll of arms is found from how elbows bend."""

import numpy as np
import pytest

import skeletons
from poise.body import Body
from poise.motion import clip_from
from poise.motion.kinematics import forward
from poise.motion.role_bends import with_bends
from poise.motion.roles import find_roles
from poise.spatial import mirror_axial, quat_exp


def waving(skeleton, axis, most=1.6):
    """Elbows that bend about an axis (left; mirrored on the right) of the upright pose."""
    frames = np.linspace(0, 1, 9)
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (len(frames), skeleton.count, 1))
    joints = find_roles(skeleton).joints
    for side, turn in (("left", np.array(axis)), ("right", mirror_axial(axis))):
        zero[:, joints[f"{side}_forearm"]] = quat_exp(most * frames[:, None] * turn)
    return clip_from("waving", skeleton, 30.0, np.zeros((len(frames), 3)), zero)


@pytest.mark.parametrize("roll", [-1.2, -0.5, 0.0, 0.3, 1.5])
@pytest.mark.parametrize("family", ["mixamo", "topology"])
def test_elbows_bend_exactly_about_the_hinge(family, roll):
    """In a T-pose a left forearm that comes forward turns about -z; the roll tilts that axis about the arm."""
    clip = waving(skeletons.PEOPLE[family](), [np.sin(roll), 0.0, -np.cos(roll)])
    rolled = with_bends(clip, find_roles(clip.skeleton))
    body = Body.from_skeleton(rolled.skeleton)
    qpos = body.rigging.poses(body, rolled)
    back = body.rigging.clip(body.model, qpos, 30.0, "back")
    np.testing.assert_allclose(back.places.position, clip.places.position, atol=1e-9)
    elbow = list(body.joint("left_elbow").qpos)
    np.testing.assert_allclose(qpos[:, elbow], np.outer(np.linspace(0, -1.6, 9), [1, 0]), atol=1e-9)


def test_no_joint_of_the_upright_pose_moves():
    skeleton = skeletons.mixamo()
    rolled = with_elbows(waving(skeleton, [0.6, 0.0, -0.8])).skeleton
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (1, skeleton.count, 1))
    before, after = (forward(skeleton, np.zeros((1, 3)), pose) for pose in (zero, rolled.upright[None]))
    joints = [skeleton.index(f"mixamorig:{name}") for name in ("LeftArm", "RightForeArm", "LeftHand", "LeftFoot")]
    np.testing.assert_allclose(after.position[0, joints], before.position[0, joints], atol=1e-12)
    assert np.abs(rolled.upright[joints[0], 0]) < 0.99


@pytest.mark.parametrize("name", ["dog", "mixamo"])
def test_nothing_told_nothing_changed(name):
    skeleton = {**skeletons.PEOPLE, **skeletons.CREATURES}[name]()
    still = clip_from("still", skeleton, 30.0, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, skeleton.count, 1)))
    assert with_elbows(still) is still
