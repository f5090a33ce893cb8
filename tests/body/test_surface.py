"""Points and surfaces: as MuJoCo measures the distance of a tiny ball."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from poise.body.surface import distance_to_geom, distance_to_link

TINY = 1e-5  # m
PARTS = {
    "sphere": "sphere' size='0.1",
    "capsule": "capsule' size='0.05 0.2",
    "box": "box' size='0.1 0.2 0.05",
    "cylinder": "cylinder' size='0.1 0.15",
}


def model_of(part):
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body name='b' pos='0.3 -0.1 0.2' euler='20 30 40'>"
        f"<geom type='{PARTS[part]}' pos='0.1 0.02 -0.05' euler='50 -10 70'/></body>"
        f"<body name='tiny' mocap='true'><geom type='sphere' size='{TINY}'/></body></worldbody></mujoco>"
    )


MODELS = {part: model_of(part) for part in PARTS}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(PARTS)), st.tuples(*[st.floats(-0.6, 0.6)] * 3))
def test_it_is_the_distance_that_mujoco_finds(part, place):
    model = MODELS[part]
    data, body = mujoco.MjData(model), model.body("b").id
    mujoco.mj_kinematics(model, data)
    data.mocap_pos[0] = data.xpos[body] + data.xmat[body].reshape(3, 3) @ place
    mujoco.mj_kinematics(model, data)
    found = distance_to_geom(model, 0, np.array(place))
    if found > 0.005:
        expected = mujoco.mj_geomDistance(model, data, 0, 1, 5.0, np.zeros(6)) + TINY
        assert found == pytest.approx(expected, abs=2e-4)
    assert distance_to_link(model, body, np.array(place)) == max(found, 0.0)


def test_within_a_part_it_is_negative_and_a_body_without_parts_is_infinitely_far():
    model = MODELS["box"]
    assert distance_to_geom(model, 0, model.geom_pos[0]) == pytest.approx(-0.05)
    assert distance_to_link(model, 0, np.zeros(3)) == np.inf


def test_a_plane_is_as_far_below_as_above():
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>")
    for side in (-1, 1):
        assert distance_to_geom(model, 0, np.array([5.0, 5.0, 0.3 * side])) == pytest.approx(0.3)
