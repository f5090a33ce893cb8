"""Who comes to stand hands over to another controller, which goes on from there."""

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.handover import Handover
from poise.measure import audit
from poise.session import Session


@pytest.fixture(scope="module")
def flipped():
    session = Session("back-flip", controller="rotation", then="walk:pendulum", seconds=6.0, seed=1, noise=0.1)
    staged = session.staged()
    assert isinstance(staged.controller, Handover)
    return session.perform().recording


def test_after_a_flip_it_walks_away(flipped):
    third = round(3.6 / flipped.step)
    assert flipped.qpos[-1, 0] - flipped.qpos[third, 0] > 0.3
    assert flipped.qpos[-1, 2] > 0.8
    late = flipped.contact_step > third
    touched = {flipped.model.body(int(body)).name for body in np.unique(flipped.contact_body[late])}
    assert touched <= {"left_foot", "left_toes", "right_foot", "right_toes"}


def test_the_body_is_handed_over_as_it_is(flipped):
    assert audit(flipped).passed
    assert "then pendulum" in flipped.meta["controller"]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"then": "walk"}, "MOTION:CONTROLLER"),
        ({"then": "walk:nqr"}, "cannot take over"),
        ({"then": "walk:pendulum", "motion": "stand", "controller": "hold"}, "does not tell"),
    ],
)
def test_who_cannot_take_over_is_told_so(told, said):
    with pytest.raises(PoiseError, match=said):
        Session(**{"motion": "back-flip", "controller": "rotation", **told}).staged()
