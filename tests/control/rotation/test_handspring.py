"""The back handspring: flights onto the hands and onto the feet, then standing."""

from dataclasses import replace

import pytest

from poise.control.rotation.settings import HandspringNumbers
from poise.errors import PoiseError
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.study.rotation.attempts import (
    SPRING_AIRBORNE,
    HandspringTrialOutcome,
    SupportPhase,
    behaviour_trial_score,
    run_handspring_trial,
)
from poise.study.rotation.stage import BehaviourTrial


@pytest.fixture(scope="module")
def sprung():
    return run_handspring_trial(BehaviourTrial(read_behaviour("back-handspring"), seconds=5.0, seed=1, noise=0.2))


def test_it_springs_onto_its_hands_and_onto_its_feet_and_stands(sprung):
    assert [support.on for support in sprung.supports] == ["feet", "hands", "feet"]
    assert min(sprung.flights) > 0.1
    assert sprung.succeeded


def test_it_is_physical(sprung):
    assert audit(sprung.performance.recording).passed
    assert not sprung.performance.recording.external.any()


def test_it_springs_twice_in_a_row():
    sprung = run_handspring_trial(BehaviourTrial(read_behaviour("double-back-handspring"), seconds=7.0, noise=0.0))
    assert [support.on for support in sprung.supports] == ["feet", "hands", "feet", "hands", "feet"]
    assert min(sprung.flights) > 0.1
    assert sprung.succeeded
    assert audit(sprung.performance.recording).passed


def test_handsprings_are_judged_by_their_supports(sprung):
    def judged(*supports: SupportPhase) -> HandspringTrialOutcome:
        return replace(sprung, springs=1, supports=supports)

    feet, hands = SupportPhase("feet", 0.0, 1.5), SupportPhase("hands", 1.7, 1.9)
    assert judged(feet, hands, SupportPhase("feet", 2.1, 4.2)).succeeded
    assert not judged(feet, hands, SupportPhase("feet", 2.1, 3.0), SupportPhase("else", 3.0, 3.1)).succeeded
    assert judged(feet, hands, SupportPhase("else", 2.1, 4.2)).supports_in_order == 1
    assert (
        judged(
            feet, SupportPhase("hands", 1.5 + 0.5 * SPRING_AIRBORNE, 1.9), SupportPhase("feet", 2.1, 4.2)
        ).supports_in_order
        == 0
    )
    assert judged(feet).supports_in_order == 0


def test_a_handspring_that_has_not_left_the_ground_scores_little():
    assert behaviour_trial_score(BehaviourTrial(read_behaviour("back-handspring"), seconds=0.3, noise=0.0)) < 0.2


def test_wrong_numbers_and_poses_are_refused():
    behaviour = read_behaviour("back-handspring")
    with pytest.raises(PoiseError, match="number of a handspring"):
        HandspringNumbers.from_behaviour(replace(behaviour, control={"reach": 1.0}))
    with pytest.raises(PoiseError, match="a handspring has 11 poses"):
        HandspringNumbers.from_behaviour(replace(behaviour, at=behaviour.at[:-1]))
