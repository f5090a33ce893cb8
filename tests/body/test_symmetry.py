"""Left and right agree with forward kinematics."""

import mujoco
import numpy as np
import pytest

from poise.body.symmetry import mirrored_names
from poise.rotations import mirror_vector


def random_state(body, seed=1):
    rng = np.random.default_rng(seed)
    qpos = np.array(body.standing)
    mujoco.mj_integratePos(body.model, qpos, rng.normal(size=body.nv), 0.5)
    return qpos, rng.normal(size=body.nv)


def kinematics(body, qpos, qvel):
    data = mujoco.MjData(body.model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(body.model, data)
    return data


def test_twice_is_the_identity(body):
    qpos, qvel = random_state(body)
    np.testing.assert_array_equal(body.mirrored(body.mirrored(qpos)), qpos)
    once = body.mirror_signs * qvel[body.mirror_dofs]
    np.testing.assert_array_equal(body.mirror_signs * once[body.mirror_dofs], qvel)
    for name, other in body.symmetry.joints.items():
        assert body.symmetry.joints[other] == name


def test_standing_and_limits_are_symmetric(body):
    np.testing.assert_allclose(body.mirrored(body.standing), body.standing, atol=1e-12)
    np.testing.assert_array_equal(body.torque_limit[body.mirror_dofs], body.torque_limit)
    reflected = body.mirror_signs * body.lower[body.mirror_dofs], body.mirror_signs * body.upper[body.mirror_dofs]
    np.testing.assert_allclose(np.minimum(*reflected)[6:], body.lower[6:], atol=1e-12)
    np.testing.assert_allclose(np.maximum(*reflected)[6:], body.upper[6:], atol=1e-12)


def test_mirrored_pose_puts_links_in_mirrored_places(body):
    qpos, qvel = random_state(body)
    here = kinematics(body, qpos, qvel)
    there = kinematics(body, body.mirrored(qpos), body.mirror_signs * qvel[body.mirror_dofs])
    for link, other in body.link_mirror.items():
        a, b = body.link_id(link), body.link_id(other)
        np.testing.assert_allclose(there.xipos[b], mirror_vector(here.xipos[a]), atol=1e-9)
        assert abs(there.xquat[b] @ (here.xquat[a] * [1.0, -1.0, 1.0, -1.0])) == pytest.approx(1, abs=1e-9)
        assert body.model.body_mass[a] == body.model.body_mass[b]
    mujoco.mj_subtreeVel(body.model, here)
    mujoco.mj_subtreeVel(body.model, there)
    np.testing.assert_allclose(there.subtree_linvel[1], mirror_vector(here.subtree_linvel[1]), atol=1e-9)
    np.testing.assert_allclose(there.subtree_angmom[1], -mirror_vector(here.subtree_angmom[1]), atol=1e-9)


def test_many_poses_at_once(body):
    poses = np.stack([random_state(body, seed)[0] for seed in range(3)])
    np.testing.assert_array_equal(body.mirrored(poses)[2], body.mirrored(poses[2]))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_hip", "right_hip"),
        ("l_hip", "r_hip"),
        ("hip.L", "hip.R"),
        ("LeftArm", "RightArm"),
        ("lFoot", "rFoot"),
    ],
)
def test_spellings(left, right):
    assert mirrored_names([left, right, "spine"]) == {left: right, right: left, "spine": "spine"}


def test_half_a_pair_is_no_pair():
    assert mirrored_names(["left_hip", "spine"]) == {}
