"""The cost of [Muico2009] Eq. (18)."""

from types import SimpleNamespace

import numpy as np
import pytest

from poise.control.nqr.weights import nqr_weights
from poise.library.motions import shipped_dynamic
from poise.study.experiment.trial import Trial, Verdict
from poise.study.nqr import case
from poise.study.nqr.case import NqrCase, nqr_step_cost, run_nqr_trial

WALK = shipped_dynamic("walk", "biped29")
WEIGHTS = nqr_weights(WALK.clip.body, effort="size")


def cost_of(deviation, torque, frame=4):
    controller = SimpleNamespace(
        segment=SimpleNamespace(motion=WALK), frame=frame, output=SimpleNamespace(deviation=deviation)
    )
    return nqr_step_cost(controller, SimpleNamespace(torque=torque))


def test_the_motion_itself_costs_what_its_torques_cost():
    expected = 0.5 * np.sum(WEIGHTS.size * WALK.torque[3, 6:] ** 2)
    assert cost_of(np.zeros(58), WALK.torque[3]) == pytest.approx(expected)


def test_each_part_is_a_weighted_square():
    torque = np.zeros(29)
    torque[6:] = 2.0
    deviation = np.linspace(-1, 1, 58)
    change = 2.0 - WALK.torque[3, 6:]
    expected = np.sum(WEIGHTS.state * deviation**2) + np.sum(WEIGHTS.change * change**2 + 4.0 * WEIGHTS.size)
    assert cost_of(deviation, torque) == pytest.approx(0.5 * expected)


def test_a_performance_without_noise_costs_little_more_than_the_motion():
    row = run_nqr_trial(NqrCase({}, Trial("walk", seconds=1.0, noise=0.0, phase=0.0)))
    own = 0.5 * np.mean(WALK.torque[:120, 6:] ** 2 @ WEIGHTS.size)
    assert own < row["cost"] < 1.2 * own


def test_who_falls_at_once_has_no_cost(monkeypatch):
    fallen = Verdict(0.0, 0.0, (), 0, 0, 0.0, None, 0.0, 0.0)
    monkeypatch.setattr(case, "attempt_trial", lambda *_: fallen)
    assert run_nqr_trial(NqrCase({}, Trial("walk")))["cost"] is None
