"""The window that fits a motion."""

import numpy as np
import pytest

from poise import Body, named_controller, named_motion
from poise.control.modal.horizon import LONGEST, SHORTEST, fitting_modal_window
from poise.reference.reference import Target
from poise.world.scene import Scene
from poise.world.world import World


class Turning:
    """A reference whose joints all turn at one speed."""

    def __init__(self, speed):
        self._speed = speed

    def at(self, time):
        return Target(np.zeros(43), np.append(np.full(6, 9.0), np.full(36, self._speed)))


@pytest.mark.parametrize(("speed", "window"), [(1.0, 12), (-0.75, 16), (0.0, LONGEST), (100.0, SHORTEST)])
def test_joints_turn_a_tenth_of_a_radian_in_the_window(speed, window):
    assert fitting_modal_window(Turning(speed), 1 / 120) == window


def test_shorter_steps_give_more_frames():
    assert fitting_modal_window(Turning(1.0), 1 / 240) == 24


@pytest.mark.parametrize(("motion", "paper"), [("walk", 12), ("squat", 16), ("swing", 24)])
def test_it_is_close_to_the_papers_choice(motion, paper):
    """Within a fifth: the motions are not those of the paper; their arms move more or less."""
    assert fitting_modal_window(named_motion(motion, Body.named("human42")), 1 / 120) == pytest.approx(paper, rel=0.2)


def test_a_window_of_0_chooses_the_fitting_one():
    body = Body.named("human42")
    chosen, given = named_controller("modal", {"window": 0}), named_controller("modal", {"window": 20})
    for controller in (chosen, given):
        world, squat = World(Scene.of(body)), named_motion("squat", body)
        world.reset(squat.at(0.0).qpos, squat.at(0.0).qvel)
        controller.reset(world, squat)
    assert chosen.window == fitting_modal_window(named_motion("squat", body), 1 / 120)
    assert given.window == 20
