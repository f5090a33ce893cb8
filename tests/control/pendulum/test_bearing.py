"""Feed-forward torques that carry the body, against inverse dynamics."""

import mujoco
import numpy as np
import pytest

from poise.control.pendulum.stand import FootLoad, support_torque


@pytest.fixture
def standing(world, body):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    return world.state


def pushed_by(walker, state, force, load):
    """Generalised force (nv,) of a force on a foot, from MuJoCo."""
    out = np.zeros(walker.model.nv)
    link = walker.feet[load.side]
    mujoco.mj_applyFT(walker.model, state.data, force, np.zeros(3), load.point, link, out)
    return out


def forces(walker, com, pull, loads):
    """Forces (N) through the centre of mass that together carry the weight and its acceleration."""
    weight = walker.body.mass * (walker.gravity + pull)
    return [load.share * weight * (com - load.point) / (com - load.point)[2] for load in loads]


@pytest.mark.parametrize("pull", [0.0, 3.0, -2.0])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_with_the_forces_put_in_only_the_root_is_left_over(walker, standing, pull, share):
    """At rest M a + bias = torque + J'f: torques balance all joints, and no moment about the centre of mass is left."""
    seen = walker.observe(standing)
    loads = [FootLoad(0, share, seen.pressed[0]), FootLoad(1, 1.0 - share, seen.ball[1])]
    torque = support_torque(walker, standing, seen.com, pull, loads)
    found = forces(walker, seen.com, pull, loads)
    pushes = sum(pushed_by(walker, standing, force, load) for force, load in zip(found, loads, strict=True))
    rest = torque + pushes - standing.bias
    scale = walker.body.mass * walker.gravity
    np.testing.assert_allclose(rest[6:], 0.0, atol=1e-9 * scale)
    total = np.sum(found, axis=0) - [0.0, 0.0, scale]
    np.testing.assert_allclose(rest[:3], total, atol=1e-9 * scale)
    assert rest[2] == pytest.approx(walker.body.mass * pull, abs=1e-6)
    turn = standing.data.xmat[1].reshape(3, 3)
    arm = seen.com - standing.qpos[:3]
    np.testing.assert_allclose(turn @ rest[3:6], np.cross(arm, rest[:3]), atol=1e-9 * scale)


def test_nothing_acts_on_the_root(walker, standing):
    seen = walker.observe(standing)
    assert not support_torque(walker, standing, seen.com, 0.0, [FootLoad(0, 1.0, seen.pressed[0])])[:6].any()


def test_a_foot_that_bears_nothing_or_is_not_below_does_not_count(walker, standing):
    seen = walker.observe(standing)
    alone = support_torque(walker, standing, seen.com, 0.0, [])
    for load in (FootLoad(0, 0.0, seen.pressed[0]), FootLoad(0, 1.0, seen.com)):
        np.testing.assert_array_equal(support_torque(walker, standing, seen.com, 0.0, [load]), alone)
    np.testing.assert_array_equal(alone[6:], standing.bias[6:])


def test_where_the_ground_presses_is_what_the_ankle_pushes_against(walker, standing):
    """A centre of pressure further ahead makes the ankle press the toes down, by weight times arm."""
    seen = walker.observe(standing)
    ahead = np.array([0.03, 0.0, 0.0])
    near, far = (
        support_torque(walker, standing, seen.com, 0.0, [FootLoad(0, 1.0, seen.pressed[0] + shift)])
        for shift in (0.0, ahead)
    )
    pitch = walker.ankle_dofs[0][1]
    assert (far - near)[pitch] == pytest.approx(0.03 * walker.body.mass * walker.gravity, rel=0.1)
