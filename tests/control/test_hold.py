"""The plain controller that holds a pose."""

import mujoco
import numpy as np
import pytest

from poise import Body, PoiseError, Push, Scene, World, metrics, named_controller, named_motion, perform
from poise.body.assemble import body_names

WALKER = """
<mujoco model="stool"><worldbody>
  <body name="seat" pos="0 0 .5"><freejoint/><geom type="box" size=".25 .25 .03" mass="6"/>{legs}</body>
</worldbody></mujoco>"""
LEG = """
<body name="{name}_leg" pos="{x} {y} 0"><joint name="{name}_knee" axis="0 1 0" range="-60 60"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.25" size=".03" mass="1"/>
  <body name="{name}_foot" pos="0 0 -.3"><joint name="{name}_ankle" axis="0 1 0" range="-60 60"/>
    <geom type="box" size=".06 .04 .02" mass=".3"/></body></body>"""
STOOL = WALKER.format(
    legs="".join(
        LEG.format(name=f"{side}_{end}", x=x, y=y)
        for side, y in (("left", 0.2), ("right", -0.2))
        for end, x in (("fore", 0.2), ("hind", -0.2))
    )
)


def hold(body, seconds=2.0, pushes=(), **settings):
    world = World(Scene.of(body))
    return perform(
        world, named_controller("hold", settings), named_motion("stand", body), seconds=seconds, pushes=pushes
    ).recording


@pytest.mark.parametrize("name", body_names())
def test_every_body_stands_for_two_seconds(name):
    body = Body.named(name)
    recording = hold(body)
    found = metrics(recording)
    assert found["fell_at"] is None
    assert found["tracking"]["joint_rms_deg"] < 3
    assert abs(recording.qpos[-1, 2] - body.standing[2]) < 0.02
    assert found["peak_torque_ratio"] <= 1 + 1e-9
    assert recording.meta["solver"]["approximate"] == 0


@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)])
def test_a_small_push_is_survived(direction):
    body = Body.named("human37")
    recording = hold(body, pushes=[Push(20.0, 0.3, 0.1, direction)])
    assert metrics(recording)["fell_at"] is None
    sway = np.abs(recording.qpos[:, :2] - recording.qpos[0, :2]).max(axis=1)
    assert sway.max() > 1e-4  # it did move
    assert abs(recording.qpos[-1, 2] - body.standing[2]) < 0.02
    assert np.abs(recording.qvel[-1]).max() < 0.2


def test_a_body_without_torque_limits_is_held():
    body = Body.from_mjcf(STOOL)
    assert np.isinf(body.torque_limit[6:]).all()
    recording = hold(body)
    assert metrics(recording)["fell_at"] is None
    assert abs(recording.qpos[-1, 2] - body.standing[2]) < 0.02
    assert recording.meta["torque_limits"][6:] == [None] * (body.nv - 6)
    assert np.abs(recording.torque[:, 6:]).max() > 0


def test_a_displaced_joint_returns_to_its_pose():
    body = Body.named("biped29")
    world = World(Scene.of(body))
    reference = named_motion("stand", body)
    controller = named_controller("hold")
    controller.reset(world, reference)
    pose = body.qpos_from({"left_elbow": 0.8})
    pose[2] += 20
    world.reset(pose, np.zeros(body.nv))
    for _ in range(120):
        world.step(controller.act(world.state))
    error = np.zeros(body.nv)
    mujoco.mj_differentiatePos(world.model, error, 1.0, world.qpos, reference.at(0.0).qpos)
    assert np.abs(error[list(body.index("left_elbow"))]).max() < 0.02


def test_no_stiffness_is_a_rag_doll():
    body = Body.named("biped29")
    soft = hold(body, seconds=1.0, stiffness=0)
    assert not soft.torque.any()
    assert soft.qpos[-1, 2] < body.standing[2] - 0.05


def test_settings_are_numbers_whether_given_as_text_or_not():
    assert named_controller("hold", {"stiffness": "2.5"}).settings["stiffness"] == 2.5
    assert named_controller("hold", {"stiffness": 2}).settings["stiffness"] == 2.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"stifness": 1}, r"'stifness'.*Did you mean 'stiffness'"),
        ({"stiffness": "soft"}, "stiffness of hold: 'soft'"),
        ({"stiffness": None}, "stiffness"),
        ({"stiffness": [1]}, "stiffness"),
        ({"stiffness": -1}, "stiffness"),
        ({"damping": float("nan")}, "damping"),
        ({"damping": float("inf")}, "damping"),
    ],
)
def test_wrong_settings_are_refused(settings, words):
    with pytest.raises(PoiseError, match=words):
        named_controller("hold", settings)
