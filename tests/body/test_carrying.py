import numpy as np
import pytest

from poise.body import Body
from poise.body.carrying import advance, carried, heading
from poise.spatial import quat_exp, quat_multiply, yaw_of


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.9])
def test_an_advance_carries_one_pose_to_another(yaw):
    first = np.array(Body.named("biped29").standing)
    first[:3] += (0.3, -1.2, 0.1)
    first[3:7] = quat_multiply(first[3:7], quat_exp(np.array([0.2, -0.1, 0.4])))
    last = carried(first, heading(yaw), np.array([2.0, 1.0, 0.0]))
    found, way = advance(first, last)
    assert found == pytest.approx(yaw)
    assert np.allclose(way, (2.0, 1.0, 0.0))
    assert np.allclose(carried(first, heading(found), way), last)


def test_what_is_carried_turns_left_and_keeps_its_joints():
    pose = np.array(Body.named("biped29").standing)
    pose[:2] = (1.0, 0.0)
    moved = carried(np.stack([pose, pose]), heading(np.pi / 2), np.array([0.0, 0.0, 0.5]))
    assert np.allclose(moved[:, :3], [0.0, 1.0, pose[2] + 0.5])
    assert np.allclose(yaw_of(moved[:, 3:7]), np.pi / 2)
    assert np.array_equal(moved[0, 7:], pose[7:])
