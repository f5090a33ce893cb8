"""Rolls of a lying body: a log roll, and a baby that rolls over if it is strong enough."""

import numpy as np
import pytest

from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.rotations import quat_rotate
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour_trial

FORWARD = np.array([1.0, 0.0, 0.0])


def _facing(recording):
    """(T,) vertical component of the pelvis' forward axis: 1 on the back, -1 on the belly."""
    return np.array([quat_rotate(turn, FORWARD)[2] for turn in recording.qpos[:, 3:7]])


def _performed(name, seconds):
    run, world, _ = stage_behaviour_trial(BehaviourTrial(read_behaviour(name), noise=0.0))
    while world.time < seconds:
        run.step()
    return run.take(None).recording


@pytest.fixture(scope="module")
def strong():
    return _performed("baby-roll", 8.0)


@pytest.fixture(scope="module")
def weak():
    return _performed("baby-too-weak", 5.0)


def test_it_rolls_over_and_stays_there(strong):
    facing = _facing(strong)
    assert facing[0] > 0.99
    assert np.all(facing[-120:] < -0.7)
    assert audit(strong).passed


def test_a_weak_baby_moves_but_does_not_roll_over(weak):
    assert _facing(weak)[-120:].min() > 0.5
    assert np.abs(weak.qvel[-240:, 6:]).max() > 0.5
    assert audit(weak).passed


def test_strength_scales_the_torque_limits(strong, weak):
    limit = np.array(weak.meta["torque_limits"])[6:]
    assert np.all(np.abs(weak.torque[:, 6:]) <= 0.12 * limit + 1e-9)
    assert np.any(np.abs(strong.torque[:, 6:]) > 0.12 * limit)


def test_a_log_roll_goes_over_back_and_belly():
    recording = _performed("sideways-roll", 8.0)
    facing = _facing(recording)
    assert facing.min() < -0.9
    assert facing[np.argmax(facing < -0.9) :].max() > 0.9
    assert audit(recording).passed
