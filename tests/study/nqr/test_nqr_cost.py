"""The cost of [Muico2009] Eq. (18)."""

from types import SimpleNamespace

import numpy as np
import pytest

from poise.control.nqr.nqr import Nqr
from poise.control.nqr.weights import nqr_weights
from poise.library.motions import shipped_dynamic
from poise.study.experiment.trial import Trial, attempt_trial
from poise.study.nqr.case import NqrTrialCost

WALK = shipped_dynamic("walk", "biped29")
WEIGHTS = nqr_weights(WALK.clip.body, effort="size")


def cost_of(deviation, torque, frame=4):
    controller = SimpleNamespace(
        segment=SimpleNamespace(motion=WALK), frame=frame, output=SimpleNamespace(deviation=deviation)
    )
    cost = NqrTrialCost(controller)
    cost.add(SimpleNamespace(torque=torque))
    return cost.average(1)


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
    controller = Nqr()
    cost = NqrTrialCost(controller)
    attempt_trial(Trial("walk", seconds=1.0, noise=0.0, phase=0.0), controller, cost.add)
    own = 0.5 * np.mean(WALK.torque[:120, 6:] ** 2 @ WEIGHTS.size)
    assert own < cost.average(120) < 1.2 * own
    assert cost.average(0) is None
