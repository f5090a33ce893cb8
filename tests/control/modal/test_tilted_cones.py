"""Friction cones tilt with the ground, and forces are planned within them."""

import numpy as np
import pytest

from poise import Body, named_motion, parse_edit, parse_terrain
from poise.control.modal.frames import ModalWindowFrames
from poise.control.modal.horizon import ModalHorizon
from poise.control.modal.window import rows_in_window_cone_axes, window_cone_axes
from poise.edit.take import take_of

STEP, GRAVITY = 1 / 120, 9.81


def normals(terrain, points):
    return window_cone_axes(parse_terrain(terrain), np.array(points))[:, :, 2]


def test_cones_are_upright_on_level_ground_and_on_steps_up_to_their_edges():
    points = [[0.0, 0.0, 0.0], [0.599, 0.2, 0.0], [0.603, -0.1, 0.15], [0.75, 0.0, 0.15]]
    for terrain in ("flat", "stairs:0.15:0.3:4", "stairs:0.015:0.3:4"):
        np.testing.assert_array_equal(normals(terrain, points), np.tile([0.0, 0.0, 1.0], (4, 1)))


@pytest.mark.parametrize("degrees", [12.0, -30.0])
def test_cones_follow_the_normal_of_a_slope(degrees):
    angle = np.radians(degrees)
    found = normals(f"slope:{degrees}", [[1.0, 2.0, 0.0], [-3.0, 0.0, 0.0]])
    np.testing.assert_allclose(found, np.tile([-np.sin(angle), 0.0, np.cos(angle)], (2, 1)), atol=1e-9)


def test_axes_are_orthonormal_and_right_handed_on_rough_ground():
    points = np.random.default_rng(0).uniform([2.0, -3.0, 0.0], [9.0, 3.0, 0.0], (20, 3))
    axes = window_cone_axes(parse_terrain("rough:0.15"), points)
    np.testing.assert_allclose(np.swapaxes(axes, 1, 2) @ axes, np.tile(np.eye(3), (20, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(axes), 1.0)
    assert np.ptp(axes[:, 0, 2]) > 0.05


def test_express_in_changes_only_the_basis():
    axes = window_cone_axes(parse_terrain("slope:20"), np.zeros((1, 3)))[0]
    vectors = np.random.default_rng(0).standard_normal((4, 3))
    expressed = vectors.copy()
    rows_in_window_cone_axes(axes, expressed)
    np.testing.assert_allclose(expressed @ axes.T, vectors, atol=1e-12)


@pytest.mark.parametrize("degrees", [5.0, -5.0])
def test_forces_of_the_reference_stay_in_narrow_cones_on_slopes(degrees):
    body = Body.named("human42")
    walk = parse_edit(f"slope:{degrees}").on(take_of(named_motion("walk", body), body))
    ground, friction = parse_terrain(f"slope:{degrees}"), 0.1
    window = ModalHorizon(ModalWindowFrames(body, walk, STEP), 128, body.mass, GRAVITY, STEP, friction, ground).at(0)
    along = np.einsum("kcji,kcj->kci", window.axes[:-1], window.force)
    size = np.linalg.norm(along[..., :2], axis=-1)
    assert np.all(size <= friction * along[..., 2] + 1e-9)
    upright = np.linalg.norm(window.force[..., :2], axis=-1)
    assert np.max(upright / np.maximum(window.force[..., 2], 1e-3)) > friction + 0.05  # outside upright cones
