"""From the pendulum back to the whole body."""

import mujoco
import numpy as np
import pytest

from poise.control.pendulum.foothold_ground import stance_foot_rotation
from poise.control.pendulum.posture import Posture, StanceFoot
from poise.rotations import quat_conjugate, quat_log, quat_multiply


@pytest.fixture
def moment(walk):
    return walk.step_style(0, 0.0).at(0.3)


@pytest.fixture
def feet(walker):
    """Both feet flat on the ground, one a little ahead."""
    turn = stance_foot_rotation(walker, 0, np.zeros(3), 0.0)
    left, right = np.array([0.2, 0.1, 0.0]), np.array([0.05, -0.1, 0.0])
    return StanceFoot(left, turn, 0.0, 0.3), StanceFoot(right, turn, 0.0, 0.3)


COM = np.array([0.0, 0.0, 0.93])


def settled(walker, moment, feet, lean, yaw=0.0):
    """A pose solved repeatedly until it no longer changes."""
    posture = Posture(walker)
    for _ in range(20):
        qpos, _ = posture.pose(moment, 0, yaw, lean, COM, feet, 0.985)
    return qpos


def centre(body, qpos):
    data = mujoco.MjData(body.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(body.model, data)
    mujoco.mj_comPos(body.model, data)
    return np.array(data.subtree_com[1])


@pytest.mark.parametrize("lean", [0.0, 0.15, 0.3])
def test_the_centre_of_mass_is_where_it_is_told_however_it_leans(body, walker, moment, feet, lean):
    np.testing.assert_allclose(centre(body, settled(walker, moment, feet, lean)), COM, atol=1e-5)


@pytest.mark.parametrize("lean", [0.15, 0.3])
def test_who_leans_tips_the_root_forward_and_nothing_else_above_the_legs(body, walker, moment, feet, lean):
    straight, leans = (settled(walker, moment, feet, angle) for angle in (0.0, lean))
    turn = quat_multiply(leans[3:7], quat_conjugate(straight[3:7]))
    np.testing.assert_allclose(quat_log(turn), [0.0, lean, 0.0], atol=1e-9)
    legs = [q for name in body.groups["legs"] for q in body.joint(name).qpos]
    upper = np.setdiff1d(np.arange(7, body.nq), legs)
    np.testing.assert_array_equal(leans[upper], straight[upper])
    assert np.abs(leans[legs] - straight[legs]).max() > 0.5 * lean  # the legs keep to the feet


def test_who_heads_elsewhere_leans_forward_there(walker, moment, feet):
    yaw, lean = 0.3, 0.2
    straight, leans = (settled(walker, moment, feet, angle, yaw) for angle in (0.0, lean))
    turn = quat_multiply(leans[3:7], quat_conjugate(straight[3:7]))
    np.testing.assert_allclose(quat_log(turn), lean * np.array([-np.sin(yaw), np.cos(yaw), 0.0]), atol=1e-9)


def test_feet_stay_where_they_stand(body, walker, moment, feet):
    data = mujoco.MjData(body.model)
    for lean in (0.0, 0.2):
        data.qpos[:] = settled(walker, moment, feet, lean)
        mujoco.mj_kinematics(body.model, data)
        for side, foot in enumerate(feet):
            link = walker.feet[side]
            ball = data.xpos[link] + data.xmat[link].reshape(3, 3) @ walker.legs.ball[side]
            np.testing.assert_allclose(ball, foot.ball, atol=1e-6)
