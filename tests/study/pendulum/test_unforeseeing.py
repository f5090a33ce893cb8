"""A walker that does not look where it steps."""

import pytest

from poise import Scene, World
from poise.control.controller import Controller, Steerable
from poise.study.pendulum.case import Unforeseeing


class Seer:
    """Remembers the world it was shown."""

    name, needs_physics, settings = "seer", False, {"gain": 1.0}

    def reset(self, world, reference):
        self.world, self.reference = world, reference

    def act(self, state):
        return ("acted", state)

    def target(self, time):
        return ("target", time)

    def steer(self, heading=None, speed=None):
        self.steered = heading, speed


@pytest.fixture
def shown():
    world, seer = World(Scene.of("human58", "drop:0.05:1.5")), Seer()
    Unforeseeing(seer).reset(world, "a motion")
    return world, seer


def test_all_ground_is_as_high_as_where_it_is(shown):
    world, seer = shown
    ground = seer.world.scene.terrain
    assert [ground.height(x, 0.3) for x in (-1.0, 0.0, 1.0, 9.0)] == [0.0] * 4
    qpos = world.qpos.copy()
    qpos[0] = 1.0
    world.reset(qpos, world.qvel.copy())
    assert [ground.height(x, 0.3) for x in (-1.0, 0.0, 9.0)] == [-0.05] * 3


def test_everything_else_is_as_it_is(shown):
    world, seer = shown
    assert seer.reference == "a motion"
    assert seer.world.scene.body is world.scene.body
    assert seer.world.scene.model is world.scene.model
    assert seer.world.torque_limit is world.torque_limit
    assert seer.world.state.qpos.tolist() == world.state.qpos.tolist()


def test_it_does_what_the_pendulum_does():
    seer = Seer()
    blind: Controller = Unforeseeing(seer)
    assert isinstance(blind, Steerable)
    assert (blind.name, blind.needs_physics, blind.settings) == ("seer", False, {"gain": 1.0})
    assert blind.act(3) == ("acted", 3)
    assert blind.target(2.0) == ("target", 2.0)
    blind.steer(0.5, 1.0)
    assert seer.steered == (0.5, 1.0)
