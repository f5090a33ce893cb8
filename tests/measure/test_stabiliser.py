"""Stabilising torques in a recording, told from pushes."""

from dataclasses import replace

import numpy as np
import pytest

from poise import Body, Scene, World, named_controller, named_motion, perform
from poise.measure.metrics import stabilising_effort, stabilising_torques
from poise.world.pushes import Push
from poise.world.terrain import Place

PUSHES = (Push(60.0, 0.1, 0.1, body="right_hand"), Push(40.0, 0.15, 0.2, (0.0, 1.0, 0.0), "head"))


def stood(pushes=(), **settings):
    body = Body.named("human37")
    controller = named_controller("poses", settings)
    stand = Place(x=1.0, yaw=0.7)
    return perform(
        World(Scene.of(body)), controller, named_motion("stand", body), seconds=0.4, pushes=pushes, stand=stand
    ).recording


def test_without_a_stabiliser_pushes_are_all_there_is():
    recording = stood(PUSHES, stabilise=0)
    assert np.abs(recording.external[:, 3:6]).max() > 1.0
    assert np.abs(stabilising_torques(recording)).max() < 1e-9
    assert stabilising_effort(recording) == {"peak_nm": pytest.approx(0.0, abs=1e-9), "mean_nm": 0.0, "share": 0.0}


def test_without_pushes_the_stabiliser_is_all_there_is():
    recording = stood()
    np.testing.assert_array_equal(stabilising_torques(recording), recording.external[:, 3:6])
    told = stabilising_effort(recording)
    sizes = np.linalg.norm(recording.external[:, 3:6], axis=1)
    assert told["peak_nm"] == pytest.approx(sizes.max())
    assert told["mean_nm"] == pytest.approx(sizes[sizes > 0].mean(), rel=1e-3)


def test_a_recording_without_steps_was_not_held():
    recording = stood()
    told = stabilising_effort(replace(recording, external=recording.external[:0], torque=recording.torque[:0]))
    assert told == {"peak_nm": 0.0, "mean_nm": 0.0, "share": 0.0}


def test_what_stabilises_against_a_push_is_told():
    told = stabilising_effort(stood(PUSHES))
    assert told["peak_nm"] > 1.0
    assert told["share"] > 0.9
