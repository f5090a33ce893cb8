"""Poses that go on in time where a body is slow, and try again where it is stuck."""

import pytest

from poise.control.rotation.roll import Insistence

STEP = 0.1


def _course(insistence, steps, phase=0.0, share=0.0):
    out = []
    for _ in range(steps):
        insistence.watch(phase, share, STEP)
        out.append(insistence.ahead)
    return out


def test_poses_lead_a_body_that_does_not_turn_and_go_back_after_a_while():
    course = _course(Insistence(lead=0.1, swing=0.3, again=0.95, phase=0.0), 12)
    assert max(course) == pytest.approx(0.1)
    assert course.index(-0.3) == 9
    assert course[10] > -0.3


def test_each_try_takes_a_longer_swing_until_it_begins_anew():
    course = _course(Insistence(lead=0.0, swing=0.1, again=0.95, phase=0.0), 45)
    assert [round(ahead, 6) for ahead in course[9::10]][:4] == [-0.1, -0.2, -0.3, -0.1]


def test_who_gets_on_begins_with_a_short_swing_again():
    insistence = Insistence(lead=0.0, swing=0.1, again=0.95, phase=0.0)
    _course(insistence, 10)
    assert _course(insistence, 11, phase=0.5)[-1] == pytest.approx(-0.1)


def test_poses_stay_with_a_body_that_turns_as_wanted():
    insistence = Insistence(lead=0.1, swing=0.3, again=1.0, phase=0.0)
    for k in range(30):
        insistence.watch(0.05 * k, 1.0, STEP)
        assert insistence.ahead == 0.0


def test_poses_come_back_to_a_body_that_turns_faster():
    insistence = Insistence(lead=0.1, swing=0.0, again=1.0, phase=0.0)
    _course(insistence, 5)
    ahead = insistence.ahead
    insistence.watch(0.1, 3.0, STEP)
    assert 0.0 <= insistence.ahead < ahead


def test_without_numbers_nothing_happens():
    assert set(_course(Insistence(0.0, 0.0, float("inf"), 0.0), 50)) == {0.0}
