"""Steps of poses against MuJoCo's."""

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.dynamics.tree import advance_pose, link_tree_of, tangent_step


@pytest.fixture(params=["biped29", "human37"])  # with balls, and with hinges only
def body(request):
    return Body.named(request.param)


@pytest.mark.parametrize("size", [1e-8, 1e-3, 1.0])
def test_a_pose_moves_as_in_mujoco_and_the_difference_leads_back(body, size):
    random, tree = np.random.default_rng(4), link_tree_of(body.model)
    start = np.array(body.standing)
    mujoco.mj_integratePos(body.model, start, random.standard_normal(body.nv), 0.3)
    velocity = size * random.standard_normal(body.nv)
    expected, found = start.copy(), start.copy()
    mujoco.mj_integratePos(body.model, expected, velocity, 0.5)
    advance_pose(tree, found, velocity, 0.5)
    np.testing.assert_allclose(found, expected, atol=1e-14)
    difference = np.zeros(body.nv)
    tangent_step(tree, start, found, difference)
    np.testing.assert_allclose(difference, 0.5 * velocity, rtol=1e-7, atol=1e-15 + 1e-15 / size)


def test_a_quaternion_and_its_negative_are_one_pose(body):
    tree, start = link_tree_of(body.model), np.array(body.standing)
    end = start.copy()
    mujoco.mj_integratePos(body.model, end, np.full(body.nv, 0.4), 1.0)
    other = end.copy()
    other[3:7] *= -1.0
    ahead, again = np.zeros(body.nv), np.zeros(body.nv)
    tangent_step(tree, start, end, ahead)
    tangent_step(tree, start, other, again)
    np.testing.assert_allclose(again, ahead, atol=1e-14)


def test_a_moved_quaternion_keeps_its_length(body):
    tree, pose = link_tree_of(body.model), np.array(body.standing)
    for _ in range(1000):
        advance_pose(tree, pose, np.full(body.nv, 3.0), 1 / 120)
    assert np.linalg.norm(pose[3:7]) == pytest.approx(1.0, abs=1e-14)
