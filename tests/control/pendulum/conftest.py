"""Fixtures: the paper's body in a world of its own, and the shipped walk."""

from functools import cache

import pytest

from bodies import body_of
from poise.control.pendulum.reference_gait import ReferenceWalk
from poise.control.pendulum.walker import Walker
from poise.library.motions import named_motion
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

STEP = 0.02
"""Time step (s) of the paper."""


@pytest.fixture(scope="session")
def walks():
    """The shipped walk by the name of a body; for most bodies it takes seconds to make."""
    return cache(lambda name: named_motion("walk", body_of(name)))


@pytest.fixture
def body():
    return body_of("human58")


@pytest.fixture
def world(body):
    return World(Scene.of(body), WorldSettings(step=STEP))


@pytest.fixture
def walker(world):
    return Walker(world)


@pytest.fixture
def reference(body, walks):
    return walks(body.name)


@pytest.fixture
def walk(body, walker, reference):
    return ReferenceWalk(reference, body, walker.legs)
