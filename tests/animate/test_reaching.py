"""Poses given by places of hands and feet."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from poise.animate.read_poses import NEAR, angles_that_reach
from poise.body.body import Body
from poise.errors import PoiseError
from poise.reference.key_poses import pose_from_coordinates, standing_coordinates
from poise.toml_reader import TomlError, TomlTable

PERSON = Body.named("human37")
ARM = set(PERSON.index("right_shoulder") + PERSON.index("right_elbow") + PERSON.index("right_wrist"))
HAND = next(hand for hand in PERSON.hands if hand.link == "right_hand")


def reach(places, angles=None):
    return angles_that_reach(PERSON, angles or {}, TomlTable("script.toml", {}, "", 0, places))


def place(angles, link, point):
    """(3,) m: position of a link's point in a pose of angles, with the root of the standing pose."""
    coordinates = standing_coordinates(PERSON)
    coordinates[list(angles)] = list(angles.values())
    data = mujoco.MjData(PERSON.model)
    data.qpos[:] = pose_from_coordinates(PERSON, coordinates)
    mujoco.mj_kinematics(PERSON.model, data)
    body = data.body(link)
    return body.xpos + body.xmat.reshape(3, 3) @ point


@settings(max_examples=15)
@given(st.floats(0.25, 0.45), st.floats(-0.45, -0.05), st.floats(1.0, 1.6))
def test_a_hand_reaches_places_within_reach(x, y, z):
    angles = reach({HAND.link: [x, y, z]})
    assert np.linalg.norm(place(angles, HAND.link, HAND.point) - [x, y, z]) < NEAR
    assert set(angles) == ARM


def test_given_angles_are_kept():
    elbow = PERSON.index("right_elbow")[0]
    angles = reach({HAND.link: [0.5, -0.25, 1.3]}, {elbow: -1.3, 24: 0.2})
    assert angles[elbow] == -1.3
    assert angles[24] == 0.2
    assert np.linalg.norm(place(angles, HAND.link, HAND.point) - [0.5, -0.25, 1.3]) < NEAR


def test_places_are_in_the_world_frame():
    angles = reach({HAND.link: [0.3, -0.3, 1.3]}, {5: 0.5})
    assert np.linalg.norm(place(angles, HAND.link, HAND.point) - [0.3, -0.3, 1.3]) < NEAR


def test_two_limbs_reach_at_once():
    left, right = (next(hand for hand in PERSON.hands if hand.link == f"{side}_hand") for side in ("left", "right"))
    goals = {left.link: [0.35, 0.2, 1.3], right.link: [0.35, -0.2, 1.1]}
    angles = reach(goals)
    for hand in (left, right):
        assert np.linalg.norm(place(angles, hand.link, hand.point) - goals[hand.link]) < NEAR


def test_places_out_of_reach_are_refused_with_the_distance():
    with pytest.raises(TomlError, match=r"stays [\d.]+ m away"):
        reach({HAND.link: [3.0, 0.0, 1.0]})


def test_unknown_limbs_are_refused():
    with pytest.raises(PoiseError, match="'wing' cannot reach"):
        reach({"wing": [0, 0, 0]})


def test_the_root_cannot_reach():
    with pytest.raises(PoiseError, match="is the root"):
        reach({"pelvis": [0, 0, 1]})


def test_joint_limits_are_kept():
    angles = reach({HAND.link: [0.2, -0.15, 1.35]})
    for dof, angle in angles.items():
        if np.isfinite(PERSON.lower[dof]):
            assert PERSON.lower[dof] - 1e-6 <= angle <= PERSON.upper[dof] + 1e-6
