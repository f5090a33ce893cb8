"""Predictions of a flight against simulation."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise import Actuation, Body, Motors, Scene, World
from poise.animate.goals import predict_flight_of_goal, predict_turns_of_goal

STAND = 0.9  # m: height at which the flight ends


@pytest.fixture
def thrown():
    """A body in the air that rises and tumbles about all axes, its arms held unevenly."""
    body = Body.named("human37")
    world = World(replace(Scene.of(body), self_contact=False))  # a thigh is in the torso, and stays there
    pose, velocity = np.array(body.standing), np.zeros(body.nv)
    pose[2] += 1.0
    pose[7:] += 0.3 * np.sin(np.arange(body.nq - 7))
    mujoco.mj_normalizeQuat(body.model, pose)
    velocity[:6] = [0.8, -0.3, 2.5, 1.5, 4.0, -2.0]
    world.reset(pose, velocity)
    return world


def landed(world):
    """Simulate with the joints held until the body has come down; return apex, place and rotation of the root."""
    pose, rigid, error = world.qpos.copy(), np.full(world.model.nv, 1e6), np.zeros(world.model.nv)
    world.torque_limit[6:] = np.inf
    rigid[:6] = 0.0
    heights, turned, h = [], np.zeros(3), world.settings.step
    while not heights or heights[-1] > STAND:
        mujoco.mj_differentiatePos(world.model, error, 1.0, world.qpos, pose)
        held = Motors.spring_damper(error, np.zeros(world.model.nv), rigid, 0.01 * rigid, h)
        assert not world.step(Actuation(motors=held)).impulse.any()
        heights.append(float(world.state.data.subtree_com[1, 2]))
        turned += h * world.qvel[3:6]
    return max(heights), np.array(world.state.data.subtree_com[1, :2]), turned


def test_predicted_apex_and_place_are_the_simulated_ones(thrown):
    apex, x, y = predict_flight_of_goal(thrown.state, STAND)
    highest, place, _ = landed(thrown)
    h = thrown.settings.step
    assert highest == pytest.approx(apex, abs=2.5 * h)  # Euler steps fall short by g h / 2 times the rise time
    np.testing.assert_allclose(place, [x, y], atol=1.5 * h)


def test_predicted_rotation_of_a_rigid_body_is_the_simulated_one(thrown):
    """More than a full turn about one axis, at a varying rate about all of them."""
    predicted = predict_turns_of_goal(thrown.state, STAND)
    first = thrown.qvel[3:6].copy()
    highest, _, turned = landed(thrown)
    seconds = thrown.time
    np.testing.assert_allclose(turned, predicted, atol=0.02 * np.abs(turned).max())
    assert np.abs(turned).max() > 3.0
    assert np.abs(turned - seconds * first).max() > 0.2  # a constant rate would give another rotation
    assert highest > STAND


def test_rotation_about_a_principal_axis_is_uniform():
    """The lamp is symmetric, so it pitches about a principal axis at a constant rate."""
    body = Body.named("lamp14")
    world = World(Scene.of(body))
    velocity = np.zeros(body.nv)
    velocity[[2, 4]] = 3.0, -2.0
    pose = np.array(body.standing)
    pose[2] += 1.0
    world.reset(pose, velocity)
    com = float(world.state.data.subtree_com[1, 2])
    rises = float(world.state.mass[2] @ world.qvel / world.state.mass[0, 0])
    np.testing.assert_allclose(predict_turns_of_goal(world.state, com), [0.0, -2.0 * 2 * rises / 9.81, 0.0], atol=1e-6)
