"""Impulses of the ground."""

import numpy as np
import pytest

from poise import Body, Scene, World, named_controller, named_motion, perform
from poise.measure.metrics import ground_impulse


@pytest.fixture(scope="module")
def standing():
    body = Body.named("human37")
    return perform(World(Scene.of(body)), named_controller("poses"), named_motion("stand", body), seconds=0.5).recording


def test_feet_that_stand_get_the_weight(standing):
    feet = ("left_foot", "right_foot", "left_toes", "right_toes")
    weight = 9.81 * Body.named("human37").mass
    assert sum(ground_impulse(standing, foot) for foot in feet) == pytest.approx(0.5 * weight, rel=0.05)


def test_what_does_not_touch_gets_nothing(standing):
    assert ground_impulse(standing, "head") == 0.0


def test_the_parts_are_all_there_is(standing):
    links = Body.named("human37").links
    whole = standing.step * np.linalg.norm(standing.contact_force, axis=1).sum()
    assert sum(ground_impulse(standing, link) for link in links) == pytest.approx(whole)
