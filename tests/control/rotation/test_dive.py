"""The dive: into the air, onto the hands, and over."""

from dataclasses import replace

import pytest

from poise.errors import PoiseError
from poise.measure import audit
from poise.reference.behaviours import read_behaviour
from poise.study.rotation.diving import AIRBORNE, dive
from poise.study.rotation.rehearsal import Rehearsal, score, staged


def test_it_leaps_onto_its_hands_and_rolls_over():
    rehearsal = Rehearsal(read_behaviour("dive-roll"), seconds=3.2, noise=0.0)
    dived = dive(rehearsal)
    assert dived.flew > AIRBORNE
    assert dived.on_hands
    assert dived.turns > 0.5
    assert audit(dived.performance.recording).passed
    assert not dived.performance.recording.external.any()


def test_a_dive_that_has_not_left_the_ground_scores_nothing():
    assert score(Rehearsal(read_behaviour("dive-roll"), seconds=0.5, noise=0.0)) == 0.0


def test_a_dive_ends_in_a_roll():
    behaviour = replace(read_behaviour("dive-roll"), into="back-flip")
    with pytest.raises(PoiseError, match="goes on into a roll"):
        staged(Rehearsal(behaviour))
