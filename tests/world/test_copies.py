"""Copies of a world: kernels work on addresses, and each world must have its own."""

import copy
import pickle

import numpy as np
import pytest

from poise import Body, Scene, World


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_copied_world_goes_on_alone_and_alike(clone):
    body = Body.named("biped29")
    world = World(Scene.of(body))
    world.reset(np.array(body.standing), np.full(body.nv, 0.3))
    for _ in range(20):
        world.step()
    twin = clone(world)
    before = world.qpos.copy()
    for _ in range(20):
        twin.step()
    assert np.array_equal(world.qpos, before)
    assert (twin.steps, world.steps) == (40, 20)
    for _ in range(20):
        world.step()
    assert np.array_equal(world.qpos, twin.qpos)


def test_what_follows_a_snapshot_is_the_same_to_the_last_bit():
    body = Body.named("biped29")
    world = World(Scene.of(body))
    world.reset(np.array(body.standing), np.full(body.nv, 0.3))
    for _ in range(20):
        world.step()
    here = world.snapshot
    ends = []
    for _ in range(2):
        for _ in range(20):
            world.step()
        ends.append((world.time, world.steps, *world.qpos, *world.qvel))
        world.go_back(here)
    assert ends[0] == ends[1]
    assert (world.time, world.steps) == (here.time, 20)
