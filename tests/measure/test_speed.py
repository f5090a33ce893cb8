"""How long steps take."""

import numpy as np

from poise import Scene, World, named_controller, named_motion
from poise.body.body import Body
from poise.measure.speed import BATCH, timed_steps
from poise.performance.start import place_at_start


def test_every_step_is_timed_and_taken():
    body = Body.named("biped29")
    world, controller, reference = World(Scene.of(body)), named_controller("hold"), named_motion("stand", body)
    place_at_start(world, reference, 0, 0.0)
    controller.reset(world, reference)
    pace = timed_steps(world, controller, 2 * BATCH + 1)
    assert world.steps == len(pace.control) == len(pace.simulation) == len(pace.contacts) == 2 * BATCH + 1
    assert len(pace.mujoco) == 3
    assert pace.control.min() > 0
    assert pace.simulation.min() > pace.control.min()
    np.testing.assert_allclose(pace.whole, pace.control + pace.simulation)
    assert np.median(pace.contacts) == 8
