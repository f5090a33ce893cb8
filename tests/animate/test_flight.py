"""Where flight leads, told beforehand and simulated."""

import mujoco
import numpy as np
import pytest

from poise import Actuation, Body, Motors, Scene, World
from poise.animate.flight import flight_of, turns_of

STAND = 0.9  # m: the height to come down to


@pytest.fixture
def thrown():
    """A body in the air that rises and tumbles about all axes, its arms held unevenly."""
    body = Body.named("human37")
    world = World(Scene.of(body))
    pose, velocity = np.array(body.standing), np.zeros(body.nv)
    pose[2] += 1.0
    pose[7:] += 0.3 * np.sin(np.arange(body.nq - 7))
    mujoco.mj_normalizeQuat(body.model, pose)
    velocity[:6] = [0.8, -0.3, 2.5, 1.5, 4.0, -2.0]
    world.reset(pose, velocity)
    return world


def landed(world):
    """Joints are held where they are until it has come down: how high it got, where it is, how the root has turned."""
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


def test_flight_leads_where_the_simulation_does(thrown):
    apex, x, y = flight_of(thrown.state, STAND)
    highest, place, _ = landed(thrown)
    h = thrown.settings.step
    assert highest == pytest.approx(apex, abs=2.5 * h)  # steps fall short by g h / 2 for so long as it rises
    np.testing.assert_allclose(place, [x, y], atol=1.5 * h)


def test_a_body_that_keeps_its_pose_turns_as_it_is_told(thrown):
    """About each axis: more than a whole turn about one, and none of them evenly."""
    told = turns_of(thrown.state, STAND)
    first = thrown.qvel[3:6].copy()
    highest, _, turned = landed(thrown)
    seconds = thrown.time
    np.testing.assert_allclose(turned, told, atol=0.02 * np.abs(turned).max())
    assert np.abs(turned).max() > 3.0
    assert np.abs(turned - seconds * first).max() > 0.2  # a body that turned evenly would be elsewhere
    assert highest > STAND


def test_turning_about_a_principal_axis_is_even():
    """The lamp is its own mirror image: it pitches about a principal axis, at one rate."""
    body = Body.named("lamp14")
    world = World(Scene.of(body))
    velocity = np.zeros(body.nv)
    velocity[[2, 4]] = 3.0, -2.0
    pose = np.array(body.standing)
    pose[2] += 1.0
    world.reset(pose, velocity)
    com = float(world.state.data.subtree_com[1, 2])
    rises = float(world.state.mass[2] @ world.qvel / world.state.mass[0, 0])
    np.testing.assert_allclose(turns_of(world.state, com), [0.0, -2.0 * 2 * rises / 9.81, 0.0], atol=1e-6)
