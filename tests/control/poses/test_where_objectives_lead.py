"""Objective controllers in simulations of a standing person."""

import numpy as np
import pytest

from poise import Body, Scene, World
from poise.control.poses.objectives import (
    PoseControlAim,
    PoseControlCorrection,
    PoseControlFollower,
    PoseControlPoint,
    PoseControlTouch,
)
from poise.control.poses.poses import Poses, PosesSettings
from poise.control.poses.rig import GainChange, TimeSpan
from poise.control.poses.sensors import PoseControlSensor
from poise.reference.key_poses import KeyPoseReference, PoseKeys, standing_coordinates
from poise.world.props import Ball

BEND = {"right_elbow_y": -80.0, "right_shoulder_y": -30.0}


def performed(objectives, angles=(), props=(), seconds=1.5, throw=(0.0, 0.0, 0.0), changes=()):
    """The world after a person stood with objectives and a pose of a few angles; a prop is thrown at the start."""
    body = Body.named("human37")
    world = World(Scene((body,), props=props))
    first = standing_coordinates(body)
    pose = dict(angles)
    keys = PoseKeys(
        np.full(len(pose) + 1, 0.3),
        np.array([*(body.dof_names.index(name) for name in pose), 20], np.int64),
        np.radians([*pose.values(), 0.0]),
    )
    reference = KeyPoseReference(body, "standing", keys, first, np.zeros(body.nv), seconds)
    controller = Poses(PosesSettings(), changes, objectives=objectives)
    qpos, qvel = np.array(world.model.qpos0), np.zeros(world.model.nv)
    qpos[: body.nq] = reference.at(0.0).qpos
    if props:
        qvel[body.nv : body.nv + 3] = throw
    world.reset(qpos, qvel)
    controller.reset(world, reference)
    while world.time < seconds:
        world.step(controller.act(world.state))
    return world


def angle(world, name):
    sensor = PoseControlSensor(name)
    sensor.reset(world.scene)
    return np.degrees(sensor.read(world.state))


def test_a_hand_reaches_a_fixed_point():
    target = (0.35, 0.25, 1.25)
    hand = PoseControlPoint((0.0, 0.0, -0.09), "left_hand")
    world = performed(
        [PoseControlTouch(hand, PoseControlPoint(target), {"left_shoulder": 1.0, "left_elbow": 1.0}, kept=0.0)]
    )
    assert hand.position_and_velocity(world.state)[0] == pytest.approx(
        target, abs=0.03
    )  # the arm sags a little under its own weight


def test_a_head_follows_a_flying_ball():
    ball = Ball(at=(2.0, -0.5, 2.0), radius=0.1)
    look = PoseControlAim(
        "head", {"neck_z": 1.0, "neck_y": 1.0}, (1.0, 0.0, 0.0), PoseControlPoint(link="ball"), 60.0, 8.0, 0.0
    )
    headings = []
    for seconds in (0.3, 0.9):
        world = performed([look], props=(ball,), seconds=seconds, throw=(0.0, 1.0, 4.0))
        data, head = world.state.data, world.scene.link_id("head")
        way = data.xpos[world.scene.link_id("ball")] - data.xpos[head]
        gaze = data.xmat[head].reshape(3, 3)[:, 0]
        assert np.degrees(np.arccos(gaze @ way / np.linalg.norm(way))) < 5.0
        headings.append(np.degrees(np.arctan2(gaze[1], gaze[0])))
    assert headings[1] - headings[0] > 10.0


def test_a_hand_follows_a_moving_point():
    """The hand stays 12 cm above a flying ball; with damping relative to the world it would lag by 120/800 s."""
    ball = Ball(at=(0.45, 0.2, 0.9), radius=0.02, mass=0.01)
    hand = PoseControlPoint((0.0, 0.0, -0.09), "left_hand")
    touch = PoseControlTouch(
        hand, PoseControlPoint((0.0, 0.0, 0.12), "ball"), {"left_shoulder": 1.0, "left_elbow": 1.0}, kept=0.0
    )
    world = performed([touch], props=(ball,), seconds=0.5, throw=(0.0, 0.0, 3.2))
    assert hand.position_and_velocity(world.state)[0] == pytest.approx(
        touch.to.position_and_velocity(world.state)[0], abs=0.06
    )


@pytest.mark.parametrize(("factor", "offset"), [(1.0, 0.0), (-0.5, -60.0)])
def test_a_joint_follows_another(factor, offset):
    follow = PoseControlFollower({"left_elbow_y": "right_elbow_y"}, factor, np.radians(offset))
    world = performed([follow], BEND)
    assert angle(world, "right_elbow_y") == pytest.approx(-80.0, abs=6.0)
    assert angle(world, "left_elbow_y") == pytest.approx(factor * angle(world, "right_elbow_y") + offset, abs=3.0)


def test_a_joint_without_gains_does_not_follow():
    elbow = Body.named("human37").index("left_elbow_y")
    limp = GainChange(TimeSpan(), tuple(elbow), 0.0, 0.0)
    world = performed([PoseControlFollower({"left_elbow_y": "right_elbow_y"})], BEND, changes=[limp])
    assert angle(world, "left_elbow_y") > 0.5 * angle(world, "right_elbow_y")


def test_ball_joints_mirror_each_other():
    body = Body.named("human37")
    pairs = {f"left_shoulder_{axis}": f"right_shoulder_{axis}" for axis in "xyz"}
    signs = {name: float(body.mirror_signs[body.dof_names.index(name)]) for name in pairs}
    follows = [PoseControlFollower({name: leader}, signs[name]) for name, leader in pairs.items()]
    world = performed(follows, {"right_shoulder_x": -50.0, "right_shoulder_y": -40.0})
    assert abs(angle(world, "right_shoulder_x")) > 30.0
    for name, leader in pairs.items():
        assert angle(world, name) == pytest.approx(signs[name] * angle(world, leader), abs=4.0)


def test_a_level_hand_stays_level_when_the_body_bends():
    """The trunk bends by 30 degrees, the hand stays level."""
    angles = {"spine_y": 30.0, "left_elbow_y": -90.0}
    level = PoseControlAim(
        "left_hand", {"left_shoulder": 1.0, "left_elbow": 1.0, "left_wrist": 1.0}, (1.0, 0.0, 0.0), kept=0.15
    )

    def tilt(world):
        return np.degrees(np.arccos(world.state.data.xmat[world.scene.link_id("left_hand")].reshape(3, 3)[2, 0]))

    assert tilt(performed([level], angles)) < 4.0
    assert tilt(performed([], angles)) > 20.0


def test_a_heading_is_corrected_by_the_given_joints():
    """The chest turns to a heading although its poses face straight ahead."""
    turn = PoseControlCorrection(PoseControlSensor("torso.yaw"), np.radians(20.0), {"spine_z": 4.0}, most=1.0)
    world = performed([turn])
    assert angle(world, "torso.yaw") == pytest.approx(20.0 * 4 / 5, abs=3.0)  # proportional control: gain 4 of 1 + 4
