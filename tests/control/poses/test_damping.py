"""Damping that is reduced far from the target, averaged over a step."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.integrate import quad

from poise.control.poses.rig import pose_spring_damping_share
from poise.study.poses.pd import JointSwingTrial, exact_joint_swing_trial, simulate_joint_swing_trial

LAMBDA = np.radians(1.0)
ERRORS = st.floats(-3.0, 3.0)
RATES = st.floats(0.1, 2.0)


def kept(error, way=0.0, reach=LAMBDA, rate=1.0):
    return pose_spring_damping_share(error, way, reach, rate)


def f(error, rate=1.0):
    """The damping reduction of [Fattal2006], after Eq. (3)."""
    return 1.0 if abs(error) < LAMBDA else rate * LAMBDA / abs(error)


@given(ERRORS, RATES)
def test_without_displacement_it_is_the_papers(error, rate):
    assert kept(error, 0.0, rate=rate) == pytest.approx(f(error, rate))


@given(ERRORS, st.floats(-2.0, 2.0), RATES)
def test_over_a_displacement_it_is_the_mean(error, way, rate):
    assume(abs(way) > 1e-3)
    ends = sorted((error, error - way))
    kinks = [kink for kink in (-LAMBDA, 0.0, LAMBDA) if ends[0] < kink < ends[1]]
    total, _ = quad(f, *ends, args=(rate,), points=kinks or None, limit=200)
    assert kept(error, way, rate=rate) == pytest.approx(total / abs(way), rel=1e-6, abs=1e-9)


@given(ERRORS, st.floats(1e-8, 1e-5))
def test_a_short_displacement_changes_nothing(error, way):
    assume(abs(abs(error) - LAMBDA) > 1e-4)
    assert kept(error, way) == pytest.approx(f(error), rel=1e-2)


@given(ERRORS, st.floats(-2.0, 2.0))
def test_it_is_symmetric(error, way):
    assert kept(error, way) == pytest.approx(kept(-error, -way), rel=1e-9)


@given(ERRORS, st.floats(-2.0, 2.0))
def test_forward_and_backward_are_damped_alike(error, way):
    assume(abs(way) > 1e-6)
    assert kept(error, way) == pytest.approx(kept(error - way, -way), rel=1e-6)


@given(ERRORS, st.floats(-2.0, 2.0))
def test_it_lies_between_0_and_1(error, way):
    assert 0.0 < kept(error, way) <= 1.0 + 1e-12


def test_within_reach_it_is_1():
    assert kept(0.9 * LAMBDA, 1.8 * LAMBDA) == pytest.approx(1.0)


def test_a_step_across_the_target_is_damped():
    """A limb that passes its target in one step is damped as in many small steps."""
    whole = kept(0.2, 0.4)
    parts = [kept(0.2 - part, 0.01) for part in np.arange(0.0, 0.4, 0.01)]
    assert whole == pytest.approx(np.mean(parts))
    assert f(0.2) < whole < 1.0


GAINS = {
    "figure": (1.5, 135.0, 45.0),
    "shoulder": (0.4, 200.0, 40.0),
    "hip with a leg": (3.0, 1000.0, 300.0),
    "hip with a body": (12.0, 1000.0, 300.0),
    "knee": (0.4, 1000.0, 300.0),
    "wrist": (0.004, 30.0, 3.0),
}


@pytest.mark.parametrize("name", GAINS)
def test_steps_of_a_120th_follow_the_differential_equation(name):
    swing = JointSwingTrial(*GAINS[name], linear=False, degrees=20.0, seconds=1.0)
    ours, true = simulate_joint_swing_trial(swing), exact_joint_swing_trial(swing)
    assert np.sqrt(np.mean((ours.angle - true.angle) ** 2)) < np.radians(0.5)
    assert ours.angle[-1] == pytest.approx(true.angle[-1], abs=np.radians(0.2))


@pytest.mark.parametrize("linear", [True, False])
def test_smaller_steps_follow_it_more_closely(linear):
    def off(rate):
        swing = JointSwingTrial(1.5, 135.0, 45.0, linear, 20.0, 1.0, rate)
        return np.abs(simulate_joint_swing_trial(swing).angle - exact_joint_swing_trial(swing).angle).max()

    assert off(480.0) < 0.6 * off(120.0)
    assert off(1920.0) < 0.6 * off(480.0)


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7])
@pytest.mark.parametrize("damping", [0.0, 0.01, 1.0])
def test_any_stiffness_is_stable(stiffness, damping):
    swung = simulate_joint_swing_trial(JointSwingTrial(0.01, stiffness, damping * stiffness, False, 60.0, 2.0))
    assert np.all(np.isfinite(swung.angle))
    assert np.abs(swung.angle).max() < np.radians(121.0)
    assert np.ptp(swung.angle[-60:]) <= np.ptp(swung.angle[:60])
