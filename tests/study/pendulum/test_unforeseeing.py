"""A pendulum controller that takes the ground to be level."""

import pytest

from poise import Scene, World
from poise.control.pendulum.pendulum import Pendulum
from poise.study.pendulum.case import UnforeseeingTrialPendulum


@pytest.fixture
def shown(monkeypatch):
    """A world, and what the pendulum controller is given when it is reset in that world."""
    given = []
    monkeypatch.setattr(Pendulum, "reset", lambda _, world, reference: given.append((world, reference)))
    world = World(Scene.of("human58", "drop:0.05:1.5"))
    UnforeseeingTrialPendulum().reset(world, "a motion")
    return world, *given[0]


def test_the_ground_has_the_height_under_the_root_everywhere(shown):
    world, level, _ = shown
    ground = level.scene.terrain
    assert [ground.height(x, 0.3) for x in (-1.0, 0.0, 1.0, 9.0)] == [0.0] * 4
    qpos = world.qpos.copy()
    qpos[0] = 1.0
    world.reset(qpos, world.qvel.copy())
    assert [ground.height(x, 0.3) for x in (-1.0, 0.0, 9.0)] == [-0.05] * 3


def test_everything_else_is_unchanged(shown):
    world, level, reference = shown
    assert reference == "a motion"
    assert level.scene.body is world.scene.body
    assert level.scene.model is world.scene.model
    assert level.torque_limit is world.torque_limit
    assert level.state.qpos.tolist() == world.state.qpos.tolist()
