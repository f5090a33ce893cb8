"""Poses lead a body that turns too slowly, and swing back where it is stuck."""

import pytest

from poise.control.rotation.roll import RollPhaseLead

STEP = 0.1


def _course(lead, steps, phase=0.0, share=0.0):
    out = []
    for _ in range(steps):
        lead.update(phase, share, STEP)
        out.append(lead.ahead)
    return out


def test_poses_lead_a_stuck_body_and_then_swing_back():
    course = _course(RollPhaseLead(lead=0.1, swing=0.3, again=0.95, phase=0.0), 12)
    assert max(course) == pytest.approx(0.1)
    assert course.index(-0.3) == 9
    assert course[10] > -0.3


def test_successive_swings_grow_up_to_the_longest():
    course = _course(RollPhaseLead(lead=0.0, swing=0.1, again=0.95, phase=0.0), 45)
    assert [round(ahead, 6) for ahead in course[9::10]][:4] == [-0.1, -0.2, -0.3, -0.1]


def test_progress_resets_the_swing():
    lead = RollPhaseLead(lead=0.0, swing=0.1, again=0.95, phase=0.0)
    _course(lead, 10)
    assert _course(lead, 11, phase=0.5)[-1] == pytest.approx(-0.1)


def test_no_lead_at_the_target_angular_velocity():
    lead = RollPhaseLead(lead=0.1, swing=0.3, again=1.0, phase=0.0)
    for k in range(30):
        lead.update(0.05 * k, 1.0, STEP)
        assert lead.ahead == 0.0


def test_the_lead_shrinks_when_the_body_turns_faster():
    lead = RollPhaseLead(lead=0.1, swing=0.0, again=1.0, phase=0.0)
    _course(lead, 5)
    ahead = lead.ahead
    lead.update(0.1, 3.0, STEP)
    assert 0.0 <= lead.ahead < ahead


def test_the_default_numbers_give_no_lead():
    assert set(_course(RollPhaseLead(0.0, 0.0, float("inf"), 0.0), 50)) == {0.0}
