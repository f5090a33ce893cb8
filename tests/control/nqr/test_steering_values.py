"""The value function, on graphs so small that the best choice is known."""

from math import inf, pi, radians

import numpy as np
import pytest

from poise.control.nqr.segment import DISCOUNT, EFFORT, HEADING, SPEED, nqr_step_value_function
from poise.library.repertoire import BoundaryStance, RepertoireStep

HERE = BoundaryStance("walk", "left")


def step(name, degrees=0.0, seconds=1.0, speed=1.0):
    return RepertoireStep(name, name, 0, 1, HERE, HERE, radians(degrees), speed, seconds)


def free(steps):
    """Every step may follow every other without risk."""
    return np.zeros((len(steps), len(steps)))


def test_the_wanted_heading_and_speed_cost_nothing():
    found = nqr_step_value_function([step("walk")], np.zeros((1, 1)), speed=1.0)
    assert found.onward[0, 0] == pytest.approx(0.0, abs=1e-5)


def test_a_lasting_error_costs_a_geometric_series():
    """Its sum is error * duration / (1 - discount)."""
    found = nqr_step_value_function([step("walk", seconds=0.5)], np.zeros((1, 1)), speed=1.0)
    assert found.onward[0, 18] == pytest.approx(HEADING * 0.5 * pi / 2 / (1 - DISCOUNT**0.5), abs=1e-4)


def test_a_wrong_speed_costs():
    found = nqr_step_value_function([step("walk")], np.zeros((1, 1)), speed=1.5)
    assert found.onward[0, 0] == pytest.approx(SPEED * 0.5 / (1 - DISCOUNT), abs=1e-4)


def test_a_turn_that_fits_is_taken_and_costs_its_error_and_effort():
    steps = [step("walk"), step("turn", 90.0, seconds=2.0)]
    found = nqr_step_value_function(steps, free(steps), speed=1.0)
    assert found.best_step(0, pi / 2) == 1
    assert found.best_step(0, 0.0) == 0
    assert found.onward[1, 18] == pytest.approx(2.0 * HEADING * pi / 4 + EFFORT * pi / 2, rel=1e-3)


def test_the_shorter_way_round_is_taken():
    steps = [step("walk"), step("left", 60.0), step("right", -60.0)]
    found = nqr_step_value_function(steps, free(steps), speed=1.0)
    assert found.best_step(0, radians(120.0)) == 1
    assert found.best_step(0, radians(200.0)) == 2
    assert found.best_step(0, radians(-120.0 + 720.0)) == 2


def test_a_turn_that_does_not_help_is_not_taken():
    steps = [step("walk"), step("turn", 45.0)]
    assert nqr_step_value_function(steps, free(steps), speed=1.0).best_step(0, radians(15.0)) == 0


def test_a_transition_that_falls_is_avoided():
    steps = [step("walk"), step("turn", 90.0), step("half", 45.0)]
    risk = free(steps)
    assert nqr_step_value_function(steps, risk, speed=1.0).best_step(0, pi / 2) == 1
    risk[0, 1] = inf
    assert nqr_step_value_function(steps, risk, speed=1.0).best_step(0, pi / 2) == 2


def test_dead_ends_are_avoided():
    """After the turn it can only fall."""
    steps = [step("walk"), step("turn", 90.0)]
    risk = free(steps)
    risk[1] = inf
    assert nqr_step_value_function(steps, risk, speed=1.0).best_step(0, pi / 2) == 0


def test_a_small_risk_is_taken_and_a_large_one_is_not():
    steps = [step("walk"), step("turn", 90.0), step("half", 45.0)]
    risk = free(steps)
    risk[0, 1] = 0.1
    assert nqr_step_value_function(steps, risk, speed=1.0).best_step(0, pi / 2) == 1
    risk[0, 1] = 10.0
    assert nqr_step_value_function(steps, risk, speed=1.0).best_step(0, pi / 2) == 2


def test_any_heading_is_right_for_standing():
    steps = [step("walk"), step("turn", 90.0), step("stand", speed=0.0)]
    assert nqr_step_value_function(steps, free(steps), speed=0.0).best_step(0, pi / 2) == 2
