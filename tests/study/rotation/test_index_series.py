"""Rotation indices of whole motions: conserved in flight, and those of a rigid turn."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.plain import Limp
from poise.performance.stage import perform
from poise.reference.body_clip import BodyClip
from poise.reference.reference import Still
from poise.rotations import quat_from_axis_angle
from poise.study.rotation.indices import rotation_of_clip, rotation_of_recording
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

AXIS = np.array([0.0, 0.6, 0.8])


@pytest.fixture
def thrown():
    """Half a second of a limp somersault, high up."""
    body = Body.named("human43")
    qpos, qvel = np.array(body.standing), np.zeros(body.nv)
    qpos[2] += 5.0
    qvel[:6] = 1.0, 0.0, 2.0, 0.5, 5.0, -0.5
    qvel[6:] = np.random.default_rng(0).standard_normal(body.nv - 6)
    world = World(Scene.of(body), WorldSettings(step=1 / 60))
    return perform(world, Limp(), Still("thrown", qpos, qvel), seconds=0.5).recording


def test_angular_momentum_stays_in_flight(thrown):
    found = rotation_of_recording(thrown)
    drift = found.angular_momentum - found.angular_momentum[0]
    assert np.abs(drift).max() < 1e-8
    assert np.ptp(np.linalg.norm(found.spin, axis=1)) > 0.1  # the spin does not: limbs fly about


def test_a_rigid_turn_is_its_own_excursion():
    body, rate, speed = Body.named("human43"), 60.0, 3.0
    time = np.arange(61) / rate
    qpos = np.tile(body.standing, (61, 1))
    qpos[:, 3:7] = quat_from_axis_angle(AXIS, speed * time)
    found = rotation_of_clip(BodyClip("turn", body, rate, qpos))
    np.testing.assert_allclose(found.axis, AXIS, atol=1e-9)
    assert found.turns == pytest.approx(speed / (2 * np.pi), rel=1e-6)
    np.testing.assert_allclose(found.excursion, quat_from_axis_angle(AXIS, speed * time), atol=1e-9)
    assert found.off_axis(found.root_turn).max() < 1e-6
