"""Jacobians of supports against MuJoCo's, and pose tracking."""

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.surface import lowest_geom_height
from poise.control.rotation.actor import RotationActor
from poise.control.rotation.program import RotationSupportFinder
from poise.dynamics.actuation import Actuation
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World


@pytest.fixture
def world():
    body = Body.named("human43")
    world = World(Scene((body,), gravity=0.0), WorldSettings(step=1 / 60))
    qpos = np.array(body.standing)
    mujoco.mj_integratePos(body.model, qpos, 0.3 * np.random.default_rng(1).standard_normal(body.nv), 1.0)
    qpos[2] += 3.0
    world.reset(qpos, np.zeros(body.nv))
    return world


def test_jacobians_equal_mujocos(world):
    finder = RotationSupportFinder(world.model, world.model.nv, ())
    bodies, points = np.array([3, 7, 12]), np.random.default_rng(2).standard_normal((3, 3))
    jacobians = finder.point_jacobians(world.state, bodies, points)
    for k, body in enumerate(bodies):
        linear, angular = np.zeros((3, world.model.nv)), np.zeros((3, world.model.nv))
        mujoco.mj_jac(world.model, world.terms.data, linear, angular, points[k], int(body))
        np.testing.assert_allclose(jacobians[k], linear, atol=1e-12)
        np.testing.assert_allclose(finder.angular_jacobian(world.state, int(body)), angular, atol=1e-12)


def test_the_head_never_supports():
    body = Body.named("human43")
    world = World(Scene.of(body), WorldSettings(step=1 / 60))
    qpos = np.array(body.standing)
    qpos[3:7] = 0.0, 1.0, 0.0, 0.0  # upside down
    qpos[2] -= lowest_geom_height(body.model, qpos)
    world.reset(qpos, np.zeros(body.nv))
    head = body.link_id("head")
    everything = RotationSupportFinder(world.model, body.nv, ()).supports_near(world.state, 1.0)
    without = RotationSupportFinder(world.model, body.nv, (head,)).supports_near(world.state, 1.0)
    assert head in everything.body
    assert head not in without.body


def test_a_body_without_gravity_reaches_the_pose(world):
    body = world.scene.body
    actor = RotationActor(world)
    for _ in range(60):
        torque = np.zeros(body.nv)
        torque[6:] = actor.pose_torques(world.state, np.array([body.standing]), 900.0)[0]
        world.step(Actuation(torque=torque))
    error = PoseSpace(body).difference(world.qpos[None], np.array(body.standing)[None])[0, 6:]
    assert np.abs(error).max() < 0.02
