"""Foothold offsets: their dead zone, the pendulum's height, and feet that creep."""

from types import SimpleNamespace

import numpy as np
import pytest

from poise import Body, Scene, World
from poise.body.surface import contact_parts
from poise.control.modal.footholds import DEAD_ZONE, FLAT, ModalFootholds, modal_capture_error
from poise.control.modal.frames import ModalWindowFrames
from poise.reference.reference import Still, Target


@pytest.mark.parametrize("size", [0.0, 0.5 * DEAD_ZONE, DEAD_ZONE])
def test_small_errors_of_the_capture_point_move_no_foothold(size):
    np.testing.assert_array_equal(modal_capture_error(size * np.array([0.6, -0.8])), 0.0)


def test_only_the_part_beyond_the_dead_zone_counts():
    np.testing.assert_allclose(modal_capture_error(np.array([0.06, -0.08])), (0.1 - DEAD_ZONE) * np.array([0.6, -0.8]))


@pytest.mark.parametrize("terrain", ["flat", "slope:5", "slope:-5"])
def test_the_pendulum_has_the_height_of_the_body_above_the_ground(terrain):
    body = Body.named("human42")
    ground = World(Scene.of(body, terrain)).scene.terrain
    stands = Still("stand", np.array(body.standing), np.zeros(body.nv))
    footholds = ModalFootholds(body, ground, ModalWindowFrames(body, stands, 1 / 120, ()), 1 / 120, 9.81, 1.0)
    for x in (0.0, 4.0, 12.0):
        com = np.array([x, 0.3, ground.height(x, 0.3) + 0.9])
        assert footholds._pendulum_rate(com) == pytest.approx(np.sqrt(9.81 / 0.9))


@pytest.mark.parametrize(("lifted", "followed"), [(0.0, True), (0.5 * FLAT, True), (2.0 * FLAT, False)])
def test_in_a_motion_without_steps_offsets_follow_flat_feet_only(lifted, followed):
    body, step = Body.named("human42"), 1 / 120
    world = World(Scene.of(body))
    frames = ModalWindowFrames(body, _Standing(body), step, ())
    footholds = ModalFootholds(body, world.scene.terrain, frames, step, 9.81, 0.3)
    corner = frames.at(0).corner.copy()
    left = np.isin(frames.link, [body.link_id(body.feet[0].link)])
    corner[left] += [0.01, -0.02, 0.0]
    corner[np.flatnonzero(left)[0], 2] += lifted
    on_feet = SimpleNamespace(body=frames.link, touching=np.ones(len(frames.link), bool))
    load = np.tile([0.0, 0.0, 1.0], (len(frames.link), 1))
    for _ in range(round(5.0 / step)):
        footholds.update(0, np.zeros(12), corner, on_feet, load)
    np.testing.assert_allclose(footholds.offset[0], [0.01, -0.02, 0.0] if followed else np.zeros(3), atol=1e-3)
    np.testing.assert_allclose(footholds.offset[1], 0.0, atol=1e-9)
    np.testing.assert_allclose(footholds.root, footholds.offset[0] / 2, atol=1e-3)


class _Standing:
    """A reference that stands on both feet."""

    duration = None

    def __init__(self, body):
        self._target = Target(np.array(body.standing), np.zeros(body.nv), np.ones(len(contact_parts(body)), bool))

    def at(self, _time):
        return self._target
