"""The body of the paper, in a world of its own, and how it walks."""

import pytest

from bodies import body_of
from poise.control.pendulum.figure import Figure
from poise.control.pendulum.listening import Walk
from poise.reference import named_motion
from poise.world import Scene, World
from poise.world.settings import WorldSettings

STEP = 0.02
"""s, the paper's."""


@pytest.fixture(scope="session")
def human():
    return body_of("human58")


@pytest.fixture
def world(human):
    return World(Scene.of(human), WorldSettings(step=STEP))


@pytest.fixture
def figure(world):
    return Figure(world)


@pytest.fixture(scope="session")
def reference(human):
    return named_motion("walk", human)


@pytest.fixture
def walk(human, figure, reference):
    return Walk(reference, human, figure.legs)
