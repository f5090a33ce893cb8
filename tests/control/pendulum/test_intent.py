"""Commands, and how they are approached."""

import copy

import numpy as np
import pytest

from poise import PoiseError
from poise.control.pendulum.intent import CALM_TIME, TRUST, YAW_TOLERANCE, WalkIntent, excess_yaw
from poise.control.pendulum.settings import PendulumSettings

STEP = 0.02
PLAIN = PendulumSettings()
STRAIGHT = np.zeros(2)


def proceeded(intent, seconds):
    for _ in range(round(seconds / STEP)):
        intent.advance(STEP, intent.turning_rate(STRAIGHT), 0.0, 0.0, True)
    return intent


def test_another_speed_is_approached_no_faster_than_is_set():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    intent.steer(None, -0.5)
    assert proceeded(intent, 0.5).speed == pytest.approx(1.0 - 0.5 * PLAIN.quick)
    assert proceeded(intent, 5.0).speed == pytest.approx(-0.5)


@pytest.mark.parametrize("speed", [-0.5, 0.0, 1.3])
def test_at_first_it_aims_at_the_speed_it_has(speed):
    intent = WalkIntent(0.0, speed, PendulumSettings())
    assert intent.speed == pytest.approx(speed)
    assert proceeded(intent, 3.0).going == pytest.approx(speed)


def test_headings_are_told_from_the_first_one():
    intent = WalkIntent(0.4, 1.0, PLAIN)
    intent.steer(1.2, None)
    assert intent.turning_rate(STRAIGHT) == PLAIN.turn
    assert proceeded(intent, 0.5).heading == pytest.approx(0.4 + 0.5 * PLAIN.turn)
    assert proceeded(intent, 5.0).heading == pytest.approx(1.6, abs=1e-3)
    assert intent.turning_rate(STRAIGHT) == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("heading", [0.0, 2.0])
@pytest.mark.parametrize(("ahead", "aside", "way"), [(1.3, 1.9, 1), (1.3, -1.9, -1), (1.3, 0.3, 0), (-1.3, 1.9, -1)])
def test_a_body_that_goes_aside_turns_so_that_it_goes_ahead_or_back(heading, ahead, aside, way):
    turn = np.array([[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]])
    assert np.sign(WalkIntent(heading, 1.3, PLAIN).turning_rate(turn @ [ahead, aside])) == way


def test_what_is_not_told_stays():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    intent.adjust(0.1, None)
    intent.adjust(None, 0.7)
    intent.steer(None, None)
    assert (intent.lift, intent.duration) == (0.1, 0.7)
    assert proceeded(intent, 1.0).speed == 1.0


def noted(intent, speed, steps, heading=0.0):
    """Strikes every half second of a body that moves at a speed."""
    way = np.array([np.cos(heading), np.sin(heading), 0.0])
    for k in range(steps):
        intent.note_strike(0.5 * k, 0.5 * k * speed * way)


def test_what_two_steps_lack_in_speed_is_aimed_at_in_addition():
    for strikes, more in ((2, 0.0), (3, 0.2 * PLAIN.integral), (4, 0.4 * PLAIN.integral)):
        intent = WalkIntent(0.0, 1.0, PLAIN)
        noted(intent, 0.8, strikes)
        assert intent.speed == pytest.approx(1.0 + more)


def test_nothing_is_added_if_it_is_switched_off():
    without = WalkIntent(0.0, 1.0, PendulumSettings(integral=0.0))
    noted(without, 0.5, 100)
    assert without.speed == 1.0


def test_who_drifts_aside_aims_to_the_other_side():
    intent = WalkIntent(0.4, 1.0, PLAIN)
    for k in range(3):
        intent.note_strike(
            0.5 * k, 0.5 * k * np.array([np.cos(0.4) - 0.1 * np.sin(0.4), np.sin(0.4) + 0.1 * np.cos(0.4), 0])
        )
    np.testing.assert_allclose(intent.extra, [0.0, -0.1 * TRUST[1] * PLAIN.integral], atol=1e-12)


def test_speed_counts_along_the_heading():
    intent = WalkIntent(np.pi / 2, 1.0, PLAIN)
    noted(intent, 1.0, 10, heading=np.pi / 2)
    assert intent.speed == pytest.approx(1.0)
    noted(intent, 1.0, 10, heading=0.0)
    assert intent.speed > 1.0


def test_while_it_turns_speed_counts_along_the_mean_heading():
    """Two steps on a circle, whose chord has their mean heading."""
    intent = WalkIntent(0.0, 1.0, PLAIN)
    turn, radius = 0.3, 0.5 / 0.3  # rad per step of half a second; m
    for k in range(3):
        intent.heading = k * turn
        intent.note_strike(0.5 * k, radius * np.array([np.sin(k * turn), 1 - np.cos(k * turn), 0.0]))
    chord = 2 * radius * np.sin(turn)  # m in a second
    assert intent.speed == pytest.approx(1.0 + PLAIN.integral * (1.0 - chord))


def test_while_the_speed_changes_nothing_is_made_up_for():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    intent.steer(None, 1.5)
    for k in range(8):
        proceeded(intent, 0.06)
        intent.note_strike(0.5 * k, np.array([0.2 * k, 0.0, 0.0]))
    assert intent.speed == pytest.approx(1.48)
    proceeded(intent, 1.0)
    noted(intent, 1.3, 3)
    assert intent.speed > 1.5


def test_a_change_between_two_strikes_is_none_of_what_is_lacked():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    intent.note_strike(0.0, np.zeros(3))
    intent.note_strike(0.5, np.array([0.5, 0.0, 0.0]))
    intent.steer(None, 1.2)
    proceeded(intent, 0.3)
    intent.note_strike(1.0, np.array([1.05, 0.0, 0.0]))
    assert intent.extra[0] == 0.0


def test_what_is_aimed_at_changes_no_faster_than_is_set_between_strikes():
    """Whatever the speed correction adds."""
    intent = WalkIntent(0.0, 1.0, PLAIN)
    noted(intent, 0.6, 30)
    extra = intent.extra[0]
    intent = proceeded(intent, 0.0)
    intent.steer(None, -0.4)
    proceeded(intent, 5.0)
    intent.steer(None, 1.0)
    for _ in range(200):
        before = intent.speed
        proceeded(intent, STEP)
        assert abs(intent.speed - before) <= PLAIN.quick * STEP + 1e-12
    assert intent.speed == pytest.approx(1.0 + extra, rel=0.05)


def test_among_edges_nothing_is_learned():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    for k in range(6):
        intent.advance(STEP, 0.0, 0.0, 0.0, False)
        intent.note_strike(0.5 * k, np.array([0.3 * k, 0.0, 0.0]))
    assert intent.speed == 1.0


def test_what_a_twin_learns_is_its_own():
    """The controller is copied to compile its kernels: copies must not share state."""
    intent = WalkIntent(0.0, 1.0, PLAIN)
    twin = copy.copy(intent)
    noted(twin, 0.8, 5)
    intent.steer(None, 1.2)
    assert proceeded(intent, 1.0).speed == pytest.approx(1.2)


def test_what_was_made_up_for_is_forgotten_when_it_is_to_stop():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    noted(intent, 0.5, 10)
    assert intent.speed > 1.1
    intent.steer(None, 0.0)
    proceeded(intent, 3.0)
    intent.note_strike(20.0, np.zeros(3))
    assert intent.speed == 0.0


@pytest.mark.parametrize(("wanted", "way"), [(1.9 * np.pi, -1), (-1.9 * np.pi, 1), (2 * np.pi + 0.5, 1)])
def test_it_turns_the_shorter_way_round(wanted, way):
    intent = WalkIntent(0.3, 1.0, PLAIN)
    intent.steer(wanted, None)
    assert np.sign(intent.turning_rate(STRAIGHT)) == way
    proceeded(intent, 8.0)
    off = (intent.heading - 0.3 - wanted) / (2 * np.pi)
    assert off == pytest.approx(round(off), abs=1e-3)
    assert abs(intent.heading - 0.3) < 1.0


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_it_is_steered_nowhere_that_is_no_number(bad):
    intent = WalkIntent(0.0, 1.0, PLAIN)
    for told, name in (((bad, None), "heading"), ((None, bad), "speed")):
        with pytest.raises(PoiseError, match=rf"^pendulum: [^\n]*{name}[^\n]*$"):
            intent.steer(*told)
    assert proceeded(intent, 1.0).speed == 1.0
    assert intent.heading == 0.0


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1])
def test_lifts_and_durations_that_cannot_be_are_refused(bad):
    intent = WalkIntent(0.0, 1.0, PLAIN)
    for told, name in (((bad, None), "lift"), ((None, bad), "duration")):
        with pytest.raises(PoiseError, match=rf"^pendulum: {name} [^\n]*$"):
            intent.adjust(*told)
    assert (intent.lift, intent.duration) == (0.0, None)


def test_no_duration_is_the_references_own():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    intent.adjust(None, 0.8)
    intent.adjust(None, 0.0)
    assert not intent.duration


def turned_by_force(settings, astray, calm=0.0):
    """Turn (rad) of the heading towards a turned body, `calm` s after a step that was `astray`."""
    intent = WalkIntent(0.0, 1.0, settings)
    intent.advance(STEP, 0.0, 0.0, astray, True)
    for _ in range(round(calm / STEP)):
        intent.advance(STEP, 0.0, 0.0, intent.astray, True)
    intent.advance(STEP, 0.0, 0.6, intent.astray, True)
    return intent.heading


def test_a_body_that_was_turned_by_a_push_is_yielded_to():
    """Some time later the heading is held again."""
    pushed, recovers, calm = (turned_by_force(PLAIN, 1.0, after) for after in (0.0, 0.5 * CALM_TIME, 2 * CALM_TIME))
    assert 0.6 > pushed > recovers > calm > 0
    assert turned_by_force(PLAIN, 0.0) == pytest.approx(calm)
    assert turned_by_force(PendulumSettings(yielding=0.0), 1.0) == 0.0


def test_it_halts_only_when_it_is_to_stand_and_faces_where_it_should():
    intent = WalkIntent(0.0, 1.0, PLAIN)
    intent.steer(0.0, 0.0)
    assert not intent.halts
    assert proceeded(intent, 2.0).halts
    intent.steer(1.0, None)
    assert not intent.halts


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"gain": 0.0}, "gain"), ({"gain": -1.0}, "gain"), ({"quick": -0.1}, "quick"), ({"turn": float("nan")}, "turn"),
        ({"ankle": float("inf")}, "ankle"), ({"bearing": -1.0}, "bearing"), ({"timing": -1.0}, "timing"),
        ({"timing": 1.1}, "timing"),
        ({"sinking": 1e9}, "sinking"), ({"yielding": float("-inf")}, "yielding"), ({"integral": -1e-9}, "integral"),
        ({"law": "quadratic"}, "law"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_in_one_line(settings, name):
    with pytest.raises(PoiseError, match=rf"^pendulum: {name} [^\n]*$"):
        PendulumSettings(**settings)


@pytest.mark.parametrize("side", [-1, 1])
def test_only_what_goes_beyond_a_small_turn_is_given_way_to(side):
    assert excess_yaw(side * 0.9 * YAW_TOLERANCE) == 0.0
    assert excess_yaw(side * (YAW_TOLERANCE + 0.4)) == pytest.approx(side * 0.4)
