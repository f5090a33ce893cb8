"""The dive: a leap onto the hands that continues into a roll."""

from dataclasses import replace

import pytest

from poise.errors import PoiseError
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.study.rotation.attempts import behaviour_trial_score, run_dive_trial
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour_trial


@pytest.fixture(scope="module")
def dived():
    return run_dive_trial(BehaviourTrial(read_behaviour("dive-roll"), seconds=5.0, noise=0.0))


def test_it_leaps_rolls_and_stands_up(dived):
    assert dived.succeeded
    assert dived.flew > 0.25


def test_it_is_physical(dived):
    assert audit(dived.performance.recording).passed
    assert not dived.performance.recording.external.any()


def test_a_dive_that_has_not_left_the_ground_scores_zero():
    assert behaviour_trial_score(BehaviourTrial(read_behaviour("dive-roll"), seconds=0.5, noise=0.0)) == 0.0


def test_a_dive_ends_in_a_roll():
    behaviour = replace(read_behaviour("dive-roll"), into="back-flip")
    with pytest.raises(PoiseError, match="must name a roll"):
        stage_behaviour_trial(BehaviourTrial(behaviour))


def test_a_dive_onto_lower_ground_lands_on_the_hands_and_rolls_on():
    dived = run_dive_trial(BehaviourTrial(read_behaviour("dive-down"), terrain="drop:0.5", seconds=3.6, noise=0.0))
    assert dived.on_hands
    assert dived.flew > 0.4
    assert dived.turns > 1.0
    assert dived.height < 1.0
    assert audit(dived.performance.recording).passed
