"""Marks on the ground are seen and named, and touch nothing."""

import numpy as np

from poise import Scene, World
from poise.world.props import Box, GroundMark


def test_nothing_feels_a_mark():
    ends = []
    for props in ((Box(at=(0.0, 0.0, 0.5)),), (Box(at=(0.0, 0.0, 0.5)), GroundMark(at=(0.1, 0.0), heading=30.0))):
        world = World(Scene((), props=props))
        for _ in range(120):
            result = world.step()
        ends.append(world.qpos.copy())
        assert set(result.other) == {0}
    assert np.array_equal(*ends)


def test_a_mark_is_where_it_is_told_and_its_patch_ahead_of_it():
    scene = Scene((), props=(GroundMark("print#1", at=(1.0, 2.0), heading=90.0, ahead=0.06),))
    data = World(scene).terms.data
    assert np.allclose(data.body("print#1").xpos, [1.0, 2.0, 0.0])
    assert np.allclose(data.geom("print#1_shape").xpos, [1.0, 2.06, 0.0])
    assert scene.model.geom("print#1_shape").group == 1  # drawn
