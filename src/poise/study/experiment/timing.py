"""Step times of a controller that performs a motion.

All timing studies measure processor time. On an otherwise idle machine it equals wall-clock time.
"""

from __future__ import annotations

from poise.control.catalogue import entry_of
from poise.control.controller import Controller
from poise.measure.speed import StepTimes, timed_steps
from poise.performance.start import PlacedReference, start
from poise.study.experiment.study import NamedCase
from poise.study.experiment.trial import NOISE, cast_once
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World


def timed_motion(case: NamedCase, controller: Controller, body: str | None, rate: float) -> StepTimes:
    """Times of control, of simulation at a rate (Hz), and of MuJoCo's own steps from states on the way."""
    performer, reference = cast_once(case.name, body, entry_of(controller).needs_physics)
    world = World(Scene.of(performer), WorldSettings(step=1.0 / rate))
    controller.reset(world, PlacedReference(reference, start(world, reference, case.seed, NOISE)))
    return timed_steps(world, controller, max(1, round(case.seconds * rate)))
