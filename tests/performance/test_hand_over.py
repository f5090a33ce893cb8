"""A controller that ends standing hands over to another one."""

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.measure.audit import audit
from poise.performance.hand_over import Handover
from poise.performance.request import Request
from poise.rotations import yaw_of


@pytest.fixture(scope="module")
def flipped():
    session = Request("back-flip", controller="rotation", then="walk:pendulum", seconds=6.0, seed=1, noise=0.1)
    staged = session.stage()
    assert isinstance(staged.run.controller, Handover)
    return session.perform().recording


def test_after_a_flip_it_walks_away(flipped):
    third = round(3.6 / flipped.step)
    ahead, aside = flipped.qpos[-1, :2] - flipped.qpos[third, :2]
    assert ahead > 0.3
    assert abs(aside) < 0.5 * ahead, "it faces ahead, and goes there"
    assert flipped.qpos[-1, 2] > 0.8
    late = flipped.contact_step > third
    touched = {flipped.model.body(int(body)).name for body in np.unique(flipped.contact_body[late])}
    assert touched <= {"left_foot", "left_toes", "right_foot", "right_toes"}


def test_commands_before_the_hand_over_steer_the_second_controller():
    session = Request("back-flip", controller="rotation", then="walk:pendulum", steer="1s:60@0.8", seconds=8.0)
    performed = session.perform().recording
    assert np.degrees(yaw_of(performed.qpos[-1, 3:7])) == pytest.approx(60.0, abs=15.0)
    assert np.linalg.norm(performed.qvel[-60:, :2].mean(axis=0)) == pytest.approx(0.8, abs=0.15)


def test_the_hand_over_is_physical(flipped):
    assert audit(flipped).passed
    assert "then pendulum" in flipped.meta["controller"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"then": "walk"}, "MOTION:CONTROLLER"),
        ({"then": "walk:nqr"}, "cannot take over"),
        ({"then": "stand:hold", "steer": "1s:20"}, "hold cannot be steered"),
        ({"then": "walk:pendulum", "steer": "1s:0@5"}, "pendulum goes at -0.6 to 1.8"),
        ({"then": "walk:pendulum", "motion": "stand", "controller": "hold"}, "does not report"),
    ],
)
def test_controllers_that_cannot_take_over_are_refused(arguments, message):
    with pytest.raises(PoiseError, match=message):
        Request(**{"motion": "back-flip", "controller": "rotation", **arguments}).stage()
