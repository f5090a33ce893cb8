"""Control poses in time."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bodies import NAMES, body_of
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.reference.key_poses import KeyPoseReference, PoseKeys, pose_from_coordinates, standing_coordinates
from poise.rotations import euler_to_quat

ANGLES = st.floats(-3.0, 3.0)
TIMES = st.integers(0, 20).map(lambda k: 0.25 * k)  # s; coarse, so that keys coincide


@cache
def person():
    return Body.named("human37")


def key_poses(triples, first=None, body=None, velocity=None):
    """Of (time, freedom, angle)."""
    body = body or person()
    time, dof, value = (np.array(column) for column in zip(*triples, strict=True))
    first = standing_coordinates(body) if first is None else first
    velocity = np.zeros(body.nv) if velocity is None else velocity
    keys = PoseKeys(time.astype(float), dof.astype(np.int64), value.astype(float))
    return KeyPoseReference(body, "keys", keys, first, velocity, 10.0)


def expected(triples, first, dof, time):
    """Straight lines between the keys of a freedom, the last of those at the same time."""
    own = {0.0: first[dof]} | {
        at: angle for at, freedom, angle in sorted(triples, key=lambda t: t[0]) if freedom == dof
    }
    return np.interp(time, list(own), list(own.values()))


@given(st.lists(st.tuples(TIMES, st.integers(3, 36), ANGLES), min_size=1, max_size=12), st.floats(0.0, 6.0))
def test_every_freedom_goes_straight_from_key_to_key(triples, time):
    first = standing_coordinates(person())
    coordinates = key_poses(triples, first).coordinates(time)
    for dof in range(person().nv):
        assert coordinates[dof] == pytest.approx(expected(triples, first, dof, time), abs=1e-12)


def test_it_holds_the_last_key():
    poses = key_poses([(1.0, 9, 0.5), (2.0, 9, 1.5)])
    assert poses.coordinates(2.0)[9] == poses.coordinates(99.0)[9] == 1.5


def test_it_leaves_the_first_pose_at_once():
    poses = key_poses([(2.0, 9, 1.0)])
    assert [poses.coordinates(time)[9] for time in (0.0, 1.0, 2.0)] == pytest.approx([0.0, 0.5, 1.0])


def test_freedoms_without_keys_stay():
    first = standing_coordinates(person())
    np.testing.assert_array_equal(np.delete(key_poses([(1.0, 9, 1.0)]).coordinates(0.7), 9), np.delete(first, 9))


def test_at_the_same_time_the_last_key_counts():
    poses = key_poses([(0.0, 9, 0.2), (1.0, 9, 0.1), (1.0, 9, 0.9), (0.0, 9, 0.4)])
    assert poses.coordinates(0.0)[9] == 0.4
    assert poses.coordinates(1.0)[9] == 0.9


@given(ANGLES, ANGLES, ANGLES)
def test_the_root_yaws_then_pitches_then_rolls(roll, pitch, yaw):
    poses = key_poses([(0.0, 3, roll), (0.0, 4, pitch), (0.0, 5, yaw)])
    quat = euler_to_quat(np.array([yaw, pitch, roll]), "ZYX")
    assert abs(poses.at(0.0).qpos[3:7] @ quat) == pytest.approx(1.0)


@pytest.mark.parametrize("name", NAMES)
def test_the_standing_pose_has_the_standing_coordinates(name):
    body = body_of(name)
    np.testing.assert_allclose(pose_from_coordinates(body, standing_coordinates(body)), body.standing, atol=1e-9)


@pytest.mark.parametrize("name", ["human37", "human58", "lamp14"])
def test_coordinates_are_the_angles_of_a_pose(name):
    body = body_of(name)
    angles = np.random.default_rng(1).uniform(-1.0, 1.0, body.nv)
    angles[:6] = 0.0
    np.testing.assert_allclose(
        PoseSpace(body).angles(pose_from_coordinates(body, angles)[None])[0][6:], angles[6:], atol=1e-9
    )


def test_the_velocity_is_that_of_the_beginning():
    velocity = np.arange(37.0)
    poses = key_poses([(1.0, 9, 1.0)], velocity=velocity)
    np.testing.assert_array_equal(poses.at(0.0).qvel, velocity)
    assert not poses.at(0.5).qvel.any()


def test_raised_keys_are_the_same_keys_higher():
    poses = key_poses([(1.0, 9, 1.0)])
    difference = poses.raised(0.3).at(0.5).qpos - poses.at(0.5).qpos
    np.testing.assert_allclose(difference, 0.3 * (np.arange(person().nq) == 2), atol=1e-12)
    assert poses.at(0.5).qpos[2] == person().standing[2]
