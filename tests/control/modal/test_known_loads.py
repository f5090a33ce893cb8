"""Loads that are known: what they weigh is in the plan from the frame on in which they are taken up."""

import mujoco
import numpy as np
import pytest

from poise import Body, named_motion
from poise.control.modal.frames import Frames
from poise.control.modal.horizon import Ahead
from poise.control.modal.load import Load
from poise.errors import PoiseError

STEP, GRAVITY = 1 / 120, 9.81


def test_contact_forces_carry_a_load_from_when_it_is_taken_up():
    body = Body.named("human42")
    loads = [Load(hand.link, 5.0, 6 * STEP, tuple(hand.point)) for hand in body.hands]
    reference = named_motion("squat", body)  # which stands for the first quarter of a second
    plain, laden = (
        Ahead(Frames(body, reference, STEP, some), 12, body.mass, GRAVITY, STEP).at(0) for some in ((), loads)
    )
    np.testing.assert_array_equal(laden.force[:6], plain.force[:6])
    assert not laden.burden[:6].any()
    lifted = laden.force[6:].sum(axis=1) - plain.force[6:].sum(axis=1)
    np.testing.assert_allclose(lifted[:, 2], 10.0 / body.mass, rtol=1e-2)
    hands = np.mean([np.cross(h - laden.com[8], [0, 0, -10.0 / body.mass]) for h in _hands(body, reference)], axis=0)
    np.testing.assert_allclose(laden.burden[8, 3:], hands, atol=1e-3)


def _hands(body, reference):
    data = mujoco.MjData(body.model)
    data.qpos[:] = reference.at(8 * STEP).qpos
    mujoco.mj_kinematics(body.model, data)
    links = [body.link_id(hand.link) for hand in body.hands]
    return [data.xpos[k] + data.xmat[k].reshape(3, 3) @ hand.point for k, hand in zip(links, body.hands, strict=True)]


@pytest.mark.parametrize("wrong", [{"mass": 0.0}, {"mass": float("nan")}, {"since": -1.0}])
def test_nonsense_is_no_load(wrong):
    with pytest.raises(PoiseError, match="load"):
        Load(**{"link": "left_hand", "mass": 5.0, "since": 1.0, **wrong})
