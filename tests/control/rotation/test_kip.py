"""The kip-up: from the back through the air onto the feet."""

from dataclasses import replace

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.study.rotation.attempts import KIP_AIRBORNE, behaviour_trial_score, run_kip_trial
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour_trial


@pytest.fixture(scope="module")
def kipped():
    return run_kip_trial(BehaviourTrial(read_behaviour("kip-up"), seconds=6.0, noise=0.0))


def test_it_comes_up_from_its_back_through_the_air(kipped):
    recording = kipped.performance.recording
    facing = recording.qpos[0, 3:7]
    assert 2.0 * np.arctan2(facing[2], facing[0]) == pytest.approx(-np.pi / 2)
    assert kipped.flew > 0.25
    assert kipped.on_feet
    assert kipped.behind > 0.1  # the feet touch down in front of the centre of mass
    assert kipped.succeeded


def test_it_is_physical_without_external_forces(kipped):
    recording = kipped.performance.recording
    assert audit(recording).passed
    assert not recording.external.any()
    assert np.all(np.abs(recording.torque) <= np.array(recording.meta["torque_limits"]) + 1e-9)


def test_only_hands_shoulders_and_trunk_push_off():
    run, world, controller = stage_behaviour_trial(BehaviourTrial(read_behaviour("kip-up"), noise=0.0))
    pushing = set()
    while controller.performing.stage != "flight":
        result = run.step()
        if controller.performing.stage == "push":
            pushing |= {world.model.body(int(body)).name for body in result.body[result.impulse[:, 0] > 0]}
    assert {"left_hand", "right_hand", "thorax"} <= pushing
    assert not {name for name in pushing if name.endswith(("_foot", "_toes", "_shank", "_thigh"))}


def test_a_kip_that_has_not_begun_scores_zero():
    rehearsal = BehaviourTrial(read_behaviour("kip-up"), seconds=0.3, noise=0.0)
    assert behaviour_trial_score(rehearsal) == 0.0
    assert not run_kip_trial(rehearsal).succeeded
    assert run_kip_trial(rehearsal).flew < KIP_AIRBORNE


def test_it_has_eight_poses():
    behaviour = read_behaviour("kip-up")
    fewer = replace(behaviour, at=behaviour.at[:7], poses={name: row[:7] for name, row in behaviour.poses.items()})
    with pytest.raises(PoiseError, match="a kip has 8 poses: lie, shoulders"):
        stage_behaviour_trial(BehaviourTrial(fewer))
