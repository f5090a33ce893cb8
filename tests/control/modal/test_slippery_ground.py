"""Plans respect the friction of the ground."""

import numpy as np
import pytest

from poise import Body, Push, Scene, World, metrics, named_controller, named_motion, perform
from poise.control.modal.frames import ModalWindowFrames
from poise.control.modal.horizon import ModalHorizon

STEP, GRAVITY = 1 / 120, 9.81


@pytest.fixture(scope="module")
def body():
    return Body.named("human42")


def test_forces_of_the_reference_stay_in_narrow_cones(body):
    frames = ModalWindowFrames(body, named_motion("walk", body), STEP)
    shares = []
    for friction in (0.1, 1.0):
        force = ModalHorizon(frames, 128, body.mass, GRAVITY, STEP, friction).at(0).force
        size = np.linalg.norm(force[..., :2], axis=-1)
        assert np.all(size <= friction * force[..., 2] + 1e-9)
        shares.append(np.max(size / np.maximum(force[..., 2], 1e-3)))
    assert shares[1] > 0.15  # so that the narrow cones matter


def test_it_survives_a_push_on_slippery_ground(body):
    world = World(Scene.of(body, friction=0.3))
    push = Push(70.0, 1.5, 10 / 120, (0.0, 1.0, 0.0))
    walk = named_motion("walk", body)
    recording = perform(world, named_controller("modal"), walk, seconds=4.0, pushes=[push], noise=0.02).recording
    assert metrics(recording)["fell_at"] is None
