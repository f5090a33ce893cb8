"""Sensors against finite differences of positions and orientations."""

import mujoco
import numpy as np
import pytest

from poise.control.poses.sensors import PoseControlSensor
from poise.errors import PoiseError
from poise.rotations import quat_conjugate, quat_log, quat_multiply, quat_rotate

EPS = 1e-6


def read(world, name):
    sensor = PoseControlSensor(name)
    sensor.reset(world.scene)
    return sensor.read(world.state)


def at(world, time):
    """MuJoCo data after some time (s) at the present velocity."""
    data = mujoco.MjData(world.model)
    data.qpos[:] = world.qpos
    mujoco.mj_integratePos(world.model, data.qpos, np.array(world.qvel), time)
    mujoco.mj_kinematics(world.model, data)
    mujoco.mj_comPos(world.model, data)
    return data


def rate(world, what):
    """Rate by central differences."""
    return (what(at(world, EPS)) - what(at(world, -EPS))) / (2 * EPS)


def turning(world, link):
    """(3,) angular velocity (rad/s) of a link in the world."""
    before, after = (np.array(at(world, time).xquat[link]) for time in (-EPS, EPS))
    return quat_rotate(before, quat_log(quat_multiply(quat_conjugate(before), after))) / (2 * EPS)


def test_the_velocity_of_the_centre_of_mass_is_that_of_the_body_alone(world):
    velocity = rate(world, lambda data: data.subtree_com[1].copy())
    assert [read(world, f"com.v{axis}") for axis in "xyz"] == pytest.approx(velocity, abs=1e-6)


def test_heading_velocities_are_those_of_the_centre_of_mass(world):
    world.qpos[3:7] = np.cos(1.0), 0, 0, np.sin(1.0)  # 2 rad to the left
    world.reset(world.qpos.copy(), world.qvel.copy())
    x, y = read(world, "com.vx"), read(world, "com.vy")
    ahead, left = np.array([np.cos(2.0), np.sin(2.0)]), np.array([-np.sin(2.0), np.cos(2.0)])
    assert read(world, "com.vahead") == pytest.approx(ahead @ [x, y])
    assert read(world, "com.vleft") == pytest.approx(left @ [x, y])


@pytest.mark.parametrize("link", ["root", "right_foot", "head", "ball"])
def test_link_velocities_are_the_rates_of_their_poses(world, link):
    body = 1 if link == "root" else world.scene.link_id(link)
    assert [read(world, f"{link}.v{axis}") for axis in "xyz"] == pytest.approx(
        rate(world, lambda data: data.xpos[body].copy()), abs=1e-6
    )
    assert [read(world, f"{link}.w{axis}") for axis in "xyz"] == pytest.approx(turning(world, body), abs=1e-6)


def test_the_spin_of_the_body_is_its_angular_momentum_over_its_inertia(world):
    model, here = world.model, at(world, 0.0)
    links = np.flatnonzero(model.body_rootid == 1)
    velocity = rate(world, lambda data: data.xipos.copy())
    centre, drift = here.subtree_com[1], rate(world, lambda data: data.subtree_com[1].copy())
    momentum, inertia = np.zeros(3), np.zeros((3, 3))
    for link in links:
        axes, lever = here.ximat[link].reshape(3, 3), here.xipos[link] - centre
        own = axes @ np.diag(model.body_inertia[link]) @ axes.T
        momentum += own @ turning(world, link) + model.body_mass[link] * np.cross(lever, velocity[link] - drift)
        inertia += own + model.body_mass[link] * (lever @ lever * np.eye(3) - np.outer(lever, lever))
    spin = np.linalg.solve(inertia, momentum)
    assert [read(world, f"com.spin{axis}") for axis in "xyz"] == pytest.approx(spin, abs=1e-6)


def test_joint_angles_are_rotation_vectors_or_hinge_angles(world):
    body = world.scene.body
    joint = next(joint for joint in body.joints if joint.name == "left_hip")
    quat = world.qpos[list(joint.qpos)]
    assert [read(world, f"left_hip_{axis}") for axis in "xyz"] == pytest.approx(quat_log(quat))
    knee = next(joint for joint in body.joints if joint.name == "left_knee")
    assert read(world, "left_knee_y") == world.qpos[knee.qpos[0]]
    assert read(world, "left_knee_y.rate") == world.qvel[knee.dofs[0]]


def test_roll_pitch_and_yaw_are_those_of_the_link(world):
    quat = at(world, 0.0).xquat[world.scene.link_id("head")]
    yaw, pitch, roll = (read(world, f"head.{turn}") for turn in ("yaw", "pitch", "roll"))
    turned = np.array([1.0, 0, 0, 0])
    for angle, axis in ((yaw, 3), (pitch, 2), (roll, 1)):
        step = np.zeros(4)
        step[0], step[axis] = np.cos(angle / 2), np.sin(angle / 2)
        turned = quat_multiply(turned, step)
    assert abs(turned @ quat) == pytest.approx(1.0)


def test_only_orientations_of_links_wrap():
    assert all(
        PoseControlSensor(f"{link}.{turn}").wraps for link in ("root", "ball") for turn in ("roll", "pitch", "yaw")
    )
    assert not any(
        PoseControlSensor(name).wraps for name in ("left_hip_x", "left_hip_x.rate", "root.wz", "com.spinz", "com.x")
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [("left_kne_y", "left_knee_y"), ("com.speed", "com.speed"), ("hed.x", "head"), ("head.up", "head.up")],
)
def test_unknown_sensors_are_refused(world, name, expected):
    with pytest.raises(PoiseError, match=expected):
        read(world, name)
