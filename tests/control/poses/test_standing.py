"""The standing sensor: on its feet, and not leaning too far."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise import Body, Scene, World
from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.control.poses.poses import StandingSensor
from poise.world.pushes import parse_push

LEAN = np.radians(60.0)


def leaning(degrees, axis):
    """A world with a standing person tilted as a whole about an axis on the ground; the feet penetrate a little."""
    body = Body.named("human37")
    world = World(Scene.of(body))
    qpos, turn = np.array(body.standing), np.zeros(4)
    mujoco.mju_axisAngle2Quat(turn, np.asarray(axis, float), np.radians(degrees))
    mujoco.mju_rotVecQuat(qpos[:3], qpos[:3].copy(), turn)
    mujoco.mju_mulQuat(qpos[3:7], turn, qpos[3:7].copy())
    world.reset(qpos, np.zeros(body.nv))
    return world


@pytest.mark.parametrize("axis", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)])
@pytest.mark.parametrize(("degrees", "stands"), [(0, True), (40, True), (75, False)])
def test_a_body_that_leans_too_far_does_not_stand(degrees, stands, axis):
    world = leaning(degrees, axis)
    assert world.contacts.touching.any()
    assert StandingSensor(world.scene.body, world.model, LEAN).stands(world.state) is stands


def test_a_body_in_the_air_does_not_stand():
    body = Body.named("human37")
    world = World(Scene.of(body))
    qpos = np.array(body.standing)
    qpos[2] += 0.05
    world.reset(qpos, np.zeros(body.nv))
    assert not StandingSensor(body, world.model, LEAN).stands(world.state)


def test_a_walker_pushed_over_sideways_is_not_held_up():
    script = replace(read_script("strut"), pushes=(parse_push("800@3,duration=0.3,dir=-90"),))
    recording = animate(script, 7.0).recording
    assert recording.qpos[-1, 2] < 0.3
    assert not recording.external[-120:].any()
