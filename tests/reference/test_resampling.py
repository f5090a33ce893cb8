"""Motions at a lower rate."""

import numpy as np
import pytest

from poise import PoiseError
from poise.library.motions import shipped_dynamic
from poise.library.repertoire import Roaming, build_repertoire
from poise.reference.played import Played, reference_at_rate, reference_motion_at_rate


@pytest.fixture(scope="module")
def walk():
    return shipped_dynamic("walk", "biped29")


@pytest.mark.parametrize("every", [2, 3, 6])
def test_states_are_kept_and_impulses_stay(walk, every):
    slow = reference_motion_at_rate(walk, walk.clip.rate / every)
    assert slow.step == pytest.approx(every * walk.step)
    assert slow.clip.seconds == pytest.approx(walk.clip.seconds)
    np.testing.assert_array_equal(slow.clip.qpos[[0, 1, -1]], walk.clip.qpos[[0, every, -1]])
    np.testing.assert_array_equal(slow.qvel[[0, 1, -1]], walk.qvel[[0, every, -1]])
    np.testing.assert_array_equal(slow.contacts.down[1], walk.contacts.down[every])
    np.testing.assert_allclose(
        slow.step * slow.contacts.force[1], walk.step * walk.contacts.force[every : 2 * every].sum(axis=0), atol=1e-9
    )
    np.testing.assert_allclose(slow.step * slow.torque.sum(axis=0), walk.step * walk.torque.sum(axis=0), atol=1e-9)


def test_twice_by_two_is_once_by_four_in_torque():
    stand = shipped_dynamic("stand", "biped29")
    np.testing.assert_allclose(
        reference_motion_at_rate(reference_motion_at_rate(stand, 60), 30).torque,
        reference_motion_at_rate(stand, 30).torque,
        atol=1e-12,
    )


def test_at_its_own_rate_it_is_itself(walk):
    assert reference_motion_at_rate(walk, walk.clip.rate) is walk


@pytest.mark.parametrize(
    ("rate", "cause"), [(50.0, "does not divide"), (240.0, "does not divide"), (30.0, "at a time")]
)
def test_other_rates_are_refused(walk, rate, cause):
    with pytest.raises(PoiseError, match=cause):
        reference_motion_at_rate(walk, rate)


def test_a_reference_goes_with_all_that_it_is_made_of(walk):
    turn = shipped_dynamic("turn-45", "biped29")
    slow = reference_at_rate(Played(turn.clip, turn, then=walk), 60.0)
    assert [motion.clip.rate for motion in slow.motions.values()] == [60.0, 60.0]
    assert list(slow.motions) == ["turn-45", "walk"]
    np.testing.assert_allclose(slow.at(0.5).qpos, Played(turn.clip).at(0.5).qpos, atol=1e-12)


def test_a_reference_that_fits_is_itself(walk):
    played = Played(walk.clip, walk, begin=0.3)
    assert reference_at_rate(played, 120.0) is played
    assert reference_at_rate(played, 1 / 0.00833) is played
    assert reference_at_rate(played, 60.0).begin == 0.3


def test_what_is_steered_keeps_its_rate(walk):
    with pytest.raises(PoiseError, match="'walk' can be steered only at 120 steps a second, not 60"):
        reference_at_rate(Roaming(build_repertoire({"walk": walk}, {})), 60.0)
