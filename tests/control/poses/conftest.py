import mujoco
import numpy as np
import pytest

from poise import Body, Scene, World
from poise.world.props import Ball


@pytest.fixture(scope="module")
def scene():
    """A person, and a ball that moves on its own."""
    return Scene((Body.named("human37"),), props=(Ball(at=(2.0, 1.0, 1.5)),))


@pytest.fixture
def world(scene):
    """The scene in a random pose with random velocities."""
    rng = np.random.default_rng(1)
    world = World(scene)
    qpos = np.array(world.model.qpos0)
    mujoco.mj_integratePos(world.model, qpos, 0.3 * rng.standard_normal(world.model.nv), 1.0)
    qpos[2] += 1.0
    world.reset(qpos, rng.standard_normal(world.model.nv))
    return world
