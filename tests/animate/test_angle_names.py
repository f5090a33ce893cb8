"""Angles by name, and mirrored poses."""

from math import radians

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bodies import NAMES, body_of
from poise.animate.read_poses import mirrored_angles, read_script_angles, script_angle_dofs, script_joint_dofs
from poise.body.body import Body
from poise.errors import PoiseError
from poise.reference.key_poses import pose_from_coordinates
from poise.toml_reader import TomlTable

PERSON = Body.named("human37")
LEFT_HIP, RIGHT_HIP = PERSON.index("left_hip"), PERSON.index("right_hip")
SOME = st.dictionaries(st.integers(3, PERSON.nv - 1), st.floats(-3.0, 3.0), max_size=12)


def angles_of(values):
    return read_script_angles(PERSON, TomlTable("script.toml", {}, "", 0, values))


def test_a_name_with_a_side_is_one_dof():
    assert angles_of({"left_knee_y": 90}) == {PERSON.index("left_knee")[0]: pytest.approx(radians(90))}


def test_a_name_without_a_side_is_both_sides():
    found = angles_of({"hip_x": 10, "hip_y": 20, "hip_z": 30})
    assert [found[dof] for dof in LEFT_HIP] == pytest.approx(np.radians([10, 20, 30]))
    assert [found[dof] for dof in RIGHT_HIP] == pytest.approx(np.radians([-10, 20, -30]))


def test_the_root_has_three_angles():
    assert angles_of({"roll": 1, "pitch": 2, "yaw": 3}) == pytest.approx({3 + k: radians(1 + k) for k in range(3)})


@pytest.mark.parametrize("name", ["left_hip", "hip", "spine"])
def test_a_joint_takes_all_its_angles_in_a_list(name):
    single = {f"{name}_{axis}": angle for axis, angle in zip("xyz", (5, 6, 7), strict=True)}
    assert angles_of({name: [5, 6, 7]}) == pytest.approx(angles_of(single))


def test_the_later_of_two_names_counts():
    found = angles_of({"knee_y": 10, "left_knee_y": 40})
    assert np.degrees(list(found.values())) == pytest.approx([40, 10])


@pytest.mark.parametrize("name", ["knee", "left_kneey", "x", "root_x"])
def test_unknown_angles_are_refused(name):
    with pytest.raises(PoiseError, match=f"'{name}'"):
        script_angle_dofs(PERSON, name)


@given(SOME)
def test_mirroring_twice_gives_the_same_pose(angles):
    twice = mirrored_angles(PERSON, mirrored_angles(PERSON, angles))
    assert twice == pytest.approx(angles)


@pytest.mark.parametrize("name", NAMES)
def test_mirrored_angles_are_those_of_the_mirrored_pose(name):
    body = body_of(name)
    angles = np.random.default_rng(3).uniform(-0.6, 0.6, body.nv)
    angles[:3] = 0.0
    seen = np.zeros(body.nv)
    for dof, angle in mirrored_angles(body, dict(enumerate(angles))).items():
        seen[dof] = angle
    expected = body.mirrored(pose_from_coordinates(body, angles))
    found = pose_from_coordinates(body, seen)
    found[:3], expected[:3] = 0.0, 0.0
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-9)  # q and -q are the same rotation


@pytest.mark.parametrize(
    ("name", "joints"),
    [
        ("left_knee", ["left_knee"]),
        ("knee", ["left_knee", "right_knee"]),
        ("spine", ["spine"]),
        ("left_leg", ["left_hip", "left_knee", "left_ankle", "left_toe"]),
    ],
)
def test_joints_and_parts_by_name(name, joints):
    assert set(script_joint_dofs(PERSON, name)) == {dof for joint in joints for dof in PERSON.index(joint)}


def test_all_means_all_joints():
    assert script_joint_dofs(PERSON, "all") == tuple(range(6, PERSON.nv))


def test_single_angles_are_accepted_as_joints():
    assert set(script_joint_dofs(PERSON, "hip_x")) == {LEFT_HIP[0], RIGHT_HIP[0]}


def test_unknown_parts_are_refused_with_the_valid_ones():
    with pytest.raises(PoiseError, match="'tail'") as error:
        script_joint_dofs(PERSON, "tail")
    assert "spine" in str(error.value)
