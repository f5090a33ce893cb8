"""Speed errors are learned by speed."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from poise.control.pendulum.intent import MAX_AIM, MAX_EXTRA, MAX_LACK, TRUST, SpeedCorrection

speeds = st.floats(-1.6, 1.6)
NEW = SpeedCorrection.initial(1.0)


def taught(habit, speed, lacked, times, learns=0.3):
    for _ in range(times):
        habit = habit.after(speed, np.asarray(lacked), learns)
    return habit


@given(speeds, st.floats(-0.4, 0.4), st.floats(-0.15, 0.15), st.floats(0.0, 1.0))
def test_of_what_is_lacked_a_share_is_known_the_next_time_at_that_speed(speed, ahead, aside, learns):
    habit = taught(NEW, speed, [ahead, aside], 1, learns)
    np.testing.assert_allclose(habit.extra(speed), learns * TRUST * [ahead, aside], atol=1e-12)


@pytest.mark.parametrize("speed", [-0.5, 0.05, 0.3, 1.5])
def test_a_walker_that_loses_a_share_of_what_it_aims_at_is_made_to_hold_its_speed(speed):
    habit = NEW
    for _ in range(60):
        mean = 0.7 * (speed + habit.extra(speed)[0])
        habit = habit.after(speed, np.array([speed - mean, 0.0]), 0.3)
    assert 0.7 * (speed + habit.extra(speed)[0]) == pytest.approx(speed, abs=1e-3)


def test_what_was_learned_ahead_holds_for_other_speeds_ahead_and_hardly_backward():
    fast = taught(NEW, 1.5, [0.1, 0.0], 5)
    assert fast.extra(0.75)[0] == pytest.approx(0.5 * fast.extra(1.5)[0], rel=0.05)
    assert abs(fast.extra(-0.6)[0]) < 0.05 * fast.extra(1.5)[0]


def test_going_back_does_not_make_forget():
    fast = taught(NEW, 1.5, [0.2, 0.0], 5)
    back = taught(fast, -0.4, [-0.05, 0.0], 5)
    assert back.extra(-0.4)[0] < -0.05
    assert back.extra(1.5)[0] == pytest.approx(fast.extra(1.5)[0], rel=0.1)


@pytest.mark.parametrize("slow", [0.7, 1.0, 1.4])
def test_one_stumble_tells_little_and_all_of_it_is_bounded(slow):
    new = SpeedCorrection.initial(slow)
    np.testing.assert_allclose(taught(new, slow, [9.0, -9.0], 1).extra(slow), 0.3 * slow * TRUST * MAX_LACK * [1, -1])
    np.testing.assert_allclose(taught(new, slow, [9.0, -9.0], 100).extra(slow), slow * MAX_EXTRA * [1, -1])


@pytest.mark.parametrize("speed", [-0.6, 0.8, 2.5])
def test_who_lacked_more_than_can_be_made_up_for_unlearns_it_at_once(speed):
    full = taught(NEW, speed, [np.sign(speed), 1.0], 100)
    less = taught(full, speed, [-np.sign(speed), -1.0], 1)
    assert (np.abs(less.extra(speed)) < np.abs(full.extra(speed))).all()


def test_a_bound_does_not_make_forget_what_was_learned_at_other_speeds():
    slow = taught(NEW, 1.0, [0.5, 0.0], 6)
    assert slow.extra(1.0)[0] > MAX_AIM - 2.5  # more than may be added there
    np.testing.assert_allclose(taught(slow, 2.5, [0.3, 0.0], 5).learned, slow.learned)


def test_nothing_is_added_beyond_what_can_be_walked():
    habit = taught(SpeedCorrection.initial(1.2), 1.0, [0.5, 0.0], 9)
    assert habit.extra(2.6)[0] == pytest.approx(1.2 * MAX_AIM - 2.6)
    assert habit.extra(4.0)[0] == 0.0
