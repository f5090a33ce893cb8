"""Motions made to climb a terrain, performed on that terrain."""

import numpy as np
import pytest

from poise.control.nqr.nqr import Nqr
from poise.edit.parse import parse_edit
from poise.edit.take import take_of
from poise.library.motions import dynamic_reference
from poise.measure.metrics import fell_at
from poise.performance.cast import cast
from poise.performance.stage import perform
from poise.world.scene import Scene
from poise.world.world import World


@pytest.fixture(scope="module", params=["stairs:0.1:0.6:4", "slope:4"])
def climbed(request):
    """A walk edited to fit the terrain: its clip, and its performance."""
    walker = cast("walk", "biped29", physics=True)
    reference = walker.reference
    for edit in ("loop:3", request.param):
        reference = parse_edit(edit).on(take_of(reference, walker.body))
    climbing = dynamic_reference(reference, walker.body, ships=False)
    clip = next(iter(climbing.motions.values())).clip
    world = World(Scene.of(walker.body, request.param))
    return clip, perform(world, Nqr(), climbing, seconds=clip.seconds, noise=0.02).recording


def test_a_walk_edited_to_fit_the_terrain_is_not_raised_again(climbed):
    """Some millimetres are needed on slopes, where the ground of a motion is level below each part of a foot."""
    clip, recording = climbed
    assert fell_at(recording) is None
    assert clip.qpos[-1, 2] > clip.qpos[0, 2] + 0.15
    steps = slice(round(0.4 * clip.rate), -round(0.6 * clip.rate))
    np.testing.assert_allclose(recording.reference_qpos[steps, 2], clip.qpos[steps, 2], atol=0.003)
    np.testing.assert_allclose(recording.qpos[steps, 2], clip.qpos[steps, 2], atol=0.01)


def test_the_end_of_a_climb_is_not_raised(climbed):
    clip, recording = climbed
    np.testing.assert_allclose(recording.reference_qpos[-60:, 2], clip.qpos[-60:, 2], atol=0.01)
