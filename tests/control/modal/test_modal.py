"""The modal controller in short performances."""

import numpy as np
import pytest

from poise import Body, Push, Scene, World, audit, metrics, named_controller, named_motion, perform
from poise.control.modal.modal import Modal
from poise.control.modal.modes import modal_stiffness
from poise.dynamics.actuation import PASSIVE
from poise.errors import PoiseError
from poise.measure.metrics import fell_at
from poise.performance.request import Request


def performed(motion, seconds, pushes=(), **settings):
    body = Body.named("human42")
    return perform(
        World(Scene.of(body)),
        named_controller("modal", settings),
        named_motion(motion, body),
        seconds=seconds,
        pushes=pushes,
        noise=0.05,
    ).recording


def test_it_tracks_a_walk_and_obeys_physics():
    recording = performed("walk", 2.5)
    found = metrics(recording)
    assert found["fell_at"] is None
    assert found["tracking"]["joint_rms_deg"] < 4
    assert found["tracking"]["root_rms_m"] < 0.06
    assert found["foot_slip_mm_s"] < 10
    assert audit(recording).passed
    assert not recording.external.any()


def test_it_walks_on_a_body_with_softer_ankles():
    recording = Request("walk", body="biped29", controller="modal", seconds=2.5).perform().recording
    assert metrics(recording)["fell_at"] is None
    assert metrics(recording)["tracking"]["joint_rms_deg"] < 3


@pytest.mark.parametrize("window", [12, 36])
def test_it_squats_with_short_and_long_windows_and_the_same_weights(window):
    recording = performed("squat", 1.5, window=window)
    assert metrics(recording)["fell_at"] is None
    assert metrics(recording)["tracking"]["root_rms_m"] < 0.03
    assert audit(recording).passed


def test_a_body_that_has_fallen_lies_at_rest():
    push = ("292@0.36,dir=-89,body=pelvis",)
    recording = Request("walk", controller="modal", pushes=push, noise=0.1, seed=50, seconds=5.0).perform().recording
    assert fell_at(recording) is not None
    assert np.abs(recording.qvel[-10:]).max() < 0.5
    assert audit(recording).passed


def test_it_survives_a_push_that_moves_its_footholds():
    push = Push(100.0, 0.6, 10 / 120, (0.0, 1.0, 0.0))
    recording = performed("walk", 3.0, pushes=(push,))
    assert metrics(recording)["fell_at"] is None
    assert np.ptp(recording.qpos[:, 1]) > 0.05  # it was pushed


@pytest.mark.parametrize(
    ("name", "value"), [("window", 241), ("window", -1), ("place", 0), ("adapt", -1), ("threshold", float("nan"))]
)
def test_impossible_settings_are_refused(name, value):
    with pytest.raises(PoiseError, match=name):
        named_controller("modal", {name: value})


def test_the_message_names_the_limits_of_the_window():
    with pytest.raises(PoiseError, match=r"^modal: window -1 must be at least 0 and at most 240$"):
        named_controller("modal", {"window": -1})


def test_the_given_stiffness_is_used():
    """Equal stiffness gives equal torques, another stiffness others."""
    body = Body.named("human42")
    walk = named_motion("walk", body)

    def first_torque(**options):
        world = World(Scene.of(body))
        return perform(world, Modal(**options), walk, seconds=0.05).recording.torque[-1]

    usual = first_torque()
    np.testing.assert_array_equal(first_torque(stiffness=modal_stiffness), usual)
    assert np.abs(first_torque(stiffness=lambda body: 3.0 * modal_stiffness(body)) - usual).max() > 0.1


class Unready(Modal):
    """A controller that does not act during its reset."""

    def reset(self, world, reference):
        self._ready = False
        super().reset(world, reference)
        self._ready = True

    def act(self, state):
        return super().act(state) if self._ready else PASSIVE


def test_the_compiling_step_of_reset_leaves_no_trace():
    body = Body.named("human42")
    torques = []
    for controller in (Modal(), Unready()):
        world, walk = World(Scene.of(body)), named_motion("walk", body)
        world.reset(walk.at(0.0).qpos, walk.at(0.0).qvel + 0.1)
        controller.reset(world, walk)
        torques.append(controller.act(world.state).torque)
    np.testing.assert_array_equal(*torques)


@pytest.mark.parametrize("bad", [np.ones(3), np.zeros(36), np.full(36, np.nan)])
def test_impossible_stiffness_is_refused_in_one_line(bad):
    world = World(Scene.of(Body.named("human42")))
    with pytest.raises(PoiseError, match=r"^modal: stiffness must be 36 numbers[^\n]*$"):
        Modal(stiffness=lambda body: bad).reset(world, named_motion("stand", world.scene.body))
