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


@pytest.mark.parametrize(("ground", "slack"), [("stairs:0.1:0.6:4", 1e-6), ("slope:4", 0.002)])
def test_a_walk_edited_to_fit_the_terrain_is_not_raised_again(ground, slack):
    """The slack (m) is needed on slopes, where the ground of a motion is level below each part of a foot."""
    walker = cast("walk", "biped29", physics=True)
    reference = walker.reference
    for edit in ("loop:3", ground):
        reference = parse_edit(edit).on(take_of(reference, walker.body))
    climbing = dynamic_reference(reference, walker.body, ships=False)
    clip = next(iter(climbing.motions.values())).clip
    world = World(Scene.of(walker.body, ground))
    recording = perform(world, Nqr(), climbing, seconds=clip.seconds, noise=0.02).recording
    assert fell_at(recording) is None
    assert clip.qpos[-1, 2] > clip.qpos[0, 2] + 0.15
    np.testing.assert_allclose(recording.reference_qpos[:, 2], clip.qpos[:, 2], atol=slack)
    np.testing.assert_allclose(recording.qpos[:, 2], clip.qpos[:, 2], atol=0.01)
