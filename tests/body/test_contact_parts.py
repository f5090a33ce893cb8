"""Contact parts: they lie on the floor when the body stands on it."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.surface import contact_parts


@pytest.mark.parametrize("name", ["biped29", "human37", "human42", "human58", "baby"])
def test_feet_rest_on_the_floor_heel_behind_ball_behind_tip(name):
    body = Body.named(name)
    middles = {
        part.name: LinkKinematics(body, [(part.link, p) for p in part.points])
        .at(body.standing[None])[0][0]
        .mean(axis=0)
        for part in contact_parts(body)
    }
    for side in ("left", "right"):
        heel, ball = middles[f"{side}_foot_heel"], middles[f"{side}_foot_ball"]
        assert np.abs([heel[2], ball[2]]).max() < 2e-3
        assert heel[0] < ball[0]
        tip = middles.get(f"{side}_toes_tip")
        assert tip is None or (abs(tip[2]) < 5e-3 and tip[0] > ball[0])
    assert {"left_hand", "right_hand"} <= set(middles)


def test_what_stands_on_a_foot_is_no_toe():
    assert {part.link for part in contact_parts(Body.named("lamp14"))} == {Body.named("lamp14").links[0]}


def test_parts_tell_their_limb():
    limbs = {part.name: part.limb for part in contact_parts(Body.named("human37"))}
    assert limbs["left_foot_heel"] == limbs["left_toes_tip"] == "left_foot"
    assert limbs["right_hand"] == "right_hand"
