"""Poses carried along the ground."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement, displace_poses, planar_displacement, yaw_quat
from poise.rotations import quat_exp, quat_multiply, yaw_of


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.9])
def test_an_advance_carries_one_pose_to_another(yaw):
    first = np.array(Body.named("biped29").standing)
    first[:3] += (0.3, -1.2, 0.1)
    first[3:7] = quat_multiply(first[3:7], quat_exp(np.array([0.2, -0.1, 0.4])))
    last = displace_poses(first, yaw_quat(yaw), np.array([2.0, 1.0, 0.0]))
    found, way = planar_displacement(first, last)
    assert found == pytest.approx(yaw)
    assert np.allclose(way, (2.0, 1.0, 0.0))
    assert np.allclose(displace_poses(first, yaw_quat(found), way), last)


def test_what_is_carried_turns_left_and_keeps_its_joints():
    pose = np.array(Body.named("biped29").standing)
    pose[:2] = (1.0, 0.0)
    moved = displace_poses(np.stack([pose, pose]), yaw_quat(np.pi / 2), np.array([0.0, 0.0, 0.5]))
    assert np.allclose(moved[:, :3], [0.0, 1.0, pose[2] + 0.5])
    assert np.allclose(yaw_of(moved[:, 3:7]), np.pi / 2)
    assert np.array_equal(moved[0, 7:], pose[7:])


def leaning(seed):
    """(9,) a root that leans, and two joints."""
    random = np.random.default_rng(seed)
    turn = quat_multiply(yaw_quat(random.uniform(-3, 3)), quat_exp([0.1, -0.2, 0.0]))
    return np.concatenate([random.standard_normal(3), turn, random.standard_normal(2)])


def test_an_advance_keeps_to_the_ground():
    yaw, way = planar_displacement(leaning(1), leaning(2))
    assert way[2] == 0.0
    np.testing.assert_allclose(displace_poses(leaning(1), yaw_quat(yaw), way)[:2], leaning(2)[:2], atol=1e-12)


def test_a_carriage_carries_up_as_well():
    first = leaning(0)
    last = displace_poses(first, yaw_quat(2.0), np.array([3.0, -4.0, 0.3]))
    found = PoseDisplacement.between(first, last)
    assert (found.yaw, found.way[2]) == pytest.approx((2.0, 0.3))
    np.testing.assert_allclose(found.pose(first), last, atol=1e-12)


def test_what_follows_is_carried_by_both():
    one, yaw, way = PoseDisplacement(0.7, np.array([1.0, 2.0, 3.0])), -1.9, np.array([0.5, -0.6, 0.0])
    both = one.pose(PoseDisplacement(yaw, way).pose(leaning(3)))
    np.testing.assert_allclose(one.then(yaw, way).pose(leaning(3)), both, atol=1e-12)


def test_velocities_turn_with_the_motion():
    """Only those of the root's place: its spin is told in its own frame."""
    here, there = PoseDisplacement(0.4, np.array([1.0, 2.0, 0.0])), leaning(4)
    velocity = np.array([1.0, 2.0, 3.0, 0.4, 0.5, 0.6, 0.7])
    moved = there.copy()
    moved[:3] += 0.01 * velocity[:3]
    told = here.velocity(velocity)
    np.testing.assert_allclose(here.pose(there)[:3] + 0.01 * told[:3], here.pose(moved)[:3], atol=1e-12)
    np.testing.assert_array_equal(told[3:], velocity[3:])
