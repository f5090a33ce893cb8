"""Rising from the ground after a fall."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.self_contact import SelfDistances
from poise.control.rotation.rise import Rise
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.measure.metrics import metrics
from poise.performance.request import Request
from poise.performance.start import thrown_start
from poise.study.rotation.attempts import behaviour_trial_score
from poise.study.rotation.stage import BehaviourTrial


def risen(request, seconds=20.0):
    """The run of a request, performed until the body has stood for half a second, and the stages that it passed."""
    run, stages = request.stage().run, []
    performing = run.controller.performing
    assert isinstance(performing, Rise)
    stood = None
    while run.time < seconds and (stood is None or run.time < stood + 0.5):
        run.step()
        if performing.stage not in stages[-1:]:
            stages.append(performing.stage)
        if performing.stands() and stood is None:
            stood = run.time
    return run, stages, stood


@pytest.mark.parametrize("body", ["human58", "human43", "examples/motions/walk.bvh"])
def test_a_thrown_body_rises_and_stands_with_human_torques(body):
    run, stages, stood = risen(Request("get-up", body=body, limits="human", seed=101))
    assert stages[0] == "limp"
    assert stages[-4:] == ["fours", "fold", "squat", "stood"]
    assert stood < 15.0
    measured = metrics(run.recording)
    assert measured["on_feet_at_end"]
    assert measured["overlap_mm"] < 10.0
    assert audit(run.recording).passed


def test_a_body_that_is_knocked_down_rises_again():
    request = Request("get-up", limits="human", seed=101)
    _, _, stood = risen(request)
    run, stages, again = risen(replace(request, pushes=(f"600@{stood - 0.3:.2f},duration=0.3,dir=90",)), seconds=30.0)
    assert stages.count("limp") == 2
    assert again > stood
    assert audit(run.recording).passed


def test_the_seed_decides_how_the_body_is_thrown():
    body = Body.named("human58")
    starts = [thrown_start(body, seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(starts[0].qpos, starts[1].qpos)
    assert np.abs(starts[0].qpos - starts[2].qpos).max() > 0.1
    assert np.linalg.norm(starts[0].qvel) > 0
    assert not np.any(SelfDistances(body, 0.0).at(np.array([start.qpos for start in starts])).distance < 0)


def test_the_score_of_a_rise_is_the_time_left():
    trial = BehaviourTrial(read_behaviour("get-up"), seconds=15.0, seed=101)
    assert behaviour_trial_score(replace(trial, seconds=3.0)) == 0.0
    assert 3.0 < behaviour_trial_score(trial) < 8.0


def test_a_behaviour_needs_no_named_controller():
    assert Request("get-up").stage().run.controller.name == "rotation"
    assert Request("stand").stage().run.controller.name == "hold"
