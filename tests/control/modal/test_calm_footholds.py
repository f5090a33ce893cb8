"""Footholds that stay: small errors are no reason to step elsewhere, large ones are."""

import numpy as np
import pytest

from poise import Body, Scene, World
from poise.control.modal.footholds import CALM, Footholds, beyond_calm
from poise.control.modal.frames import Frames
from poise.reference.reference import Still


@pytest.mark.parametrize("size", [0.0, 0.5 * CALM, CALM])
def test_small_errors_of_the_capture_point_move_no_foothold(size):
    np.testing.assert_array_equal(beyond_calm(size * np.array([0.6, -0.8])), 0.0)


def test_of_large_ones_counts_what_is_beyond():
    np.testing.assert_allclose(beyond_calm(np.array([0.06, -0.08])), (0.1 - CALM) * np.array([0.6, -0.8]))


@pytest.mark.parametrize("terrain", ["flat", "slope:5", "slope:-5"])
def test_a_pendulum_is_as_high_as_the_body_above_the_ground_wherever_it_is(terrain):
    body = Body.named("human42")
    ground = World(Scene.of(body, terrain)).scene.terrain
    stands = Still("stand", np.array(body.standing), np.zeros(body.nv))
    footholds = Footholds(body, ground, Frames(body, stands, 1 / 120, ()), 1 / 120, 9.81, 1.0)
    for x in (0.0, 4.0, 12.0):
        com = np.array([x, 0.3, ground.height(x, 0.3) + 0.9])
        assert footholds._pace(com) == pytest.approx(np.sqrt(9.81 / 0.9))
