"""Poses made for level ground, fitted to other ground."""

import math
from dataclasses import replace

import numpy as np
import pytest

from poise import Body, Scene, World, named_motion
from poise.body.link_kinematics import LinkKinematics
from poise.edit.limbs import sole_points
from poise.edit.parse import parse_edit
from poise.edit.take import Live
from poise.performance.start import PlacedReference, fit_start_to_ground, place_at_start
from poise.reference.played import Played
from poise.world.terrain import Place
from poise.world.terrain_kinds import parse_terrain


@pytest.fixture(scope="module")
def human():
    return Body.named("human58")


@pytest.fixture(scope="module")
def stride(human):
    """The first pose of a walk: both feet on the ground, far apart."""
    return np.array(named_motion("walk", human).at(0.0).qpos)


def soles(body, qpos):
    """(F, n, 3) m: points of the feet."""
    points = [(foot.link, point) for foot, own in zip(body.feet, sole_points(body), strict=True) for point in own]
    return LinkKinematics(body, points).at(qpos[None])[0][0].reshape(len(body.feet), -1, 3)


def test_on_level_ground_of_any_height_the_pose_is_raised_as_a_whole(human, stride):
    found = fit_start_to_ground(human, stride, lambda x, _: np.full(len(x), 0.3), 0.0)
    raised = stride + np.eye(len(stride))[2] * 0.3
    np.testing.assert_allclose(found[:3], raised[:3], atol=2e-4)
    np.testing.assert_allclose(found[3:], raised[3:], atol=3e-3)  # rad: a leg that is nearly straight bends a little


@pytest.mark.parametrize("degrees", [-20, -10, 10])
def test_on_a_slope_feet_are_as_far_from_the_ground_as_they_were(human, stride, degrees):
    slope = math.tan(math.radians(degrees))
    found = fit_start_to_ground(human, stride, lambda x, _: slope * x + 0.2, 0.2)
    away = soles(human, found) @ [-slope, 0.0, 1.0] - 0.2
    was = soles(human, stride)[..., 2] - 0.2
    np.testing.assert_allclose(away * math.cos(math.radians(degrees)), was, atol=2e-3)


def test_the_root_sinks_for_the_lower_foot_and_the_trunk_keeps_its_pose(human, stride):
    slope = math.tan(math.radians(-15.0))
    found = fit_start_to_ground(human, stride, lambda x, _: slope * x, 0.0)
    assert -0.2 < found[2] - stride[2] < -0.05
    np.testing.assert_allclose(found[3:7], stride[3:7], atol=1e-3)


def test_a_foot_over_an_edge_stays_level_on_the_higher_ground(human, stride):
    before = soles(human, stride)
    front = int(np.argmax(before[:, :, 0].mean(axis=1)))
    edge = before[front, :, 0].mean()
    found = soles(human, fit_start_to_ground(human, stride, lambda x, _: np.where(x < edge, 0.12, 0.0), 0.0))
    np.testing.assert_allclose(found[front, :, 2], before[front, :, 2] + 0.12, atol=2e-3)


@pytest.mark.parametrize("terrain", ["slope:-15", "slope:8", "rough:0.1:3"])
def test_a_walk_on_uneven_ground_starts_with_both_feet_on_it(human, terrain):
    world = World(Scene.of(human, parse_terrain(terrain)))
    place_at_start(world, named_motion("walk", human), 0, 0.0)
    contacts = world.contacts
    names = np.array([world.model.body(link).name for link in contacts.body])
    for side in ("left", "right"):
        gaps = contacts.gap[np.isin(names, [f"{side}_foot", f"{side}_toes"])]
        assert gaps.min() == pytest.approx(0.0, abs=3e-3)
    assert contacts.gap.min() > -1e-5


def test_a_placed_reference_lasts_as_long_as_its_edits_make_it():
    squat = named_motion("squat", Body.named("human42")).motions["squat"]
    live = Live(Played(replace(squat.clip, cyclic=False), squat), squat.clip.body)
    placed = PlacedReference(live, Place())
    assert placed.duration == pytest.approx(squat.clip.seconds)
    live.edit(parse_edit("warp:0.5"), 0.5)
    assert placed.duration == live.duration > squat.clip.seconds + 1.0
    assert not placed.motions
