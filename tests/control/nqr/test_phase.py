"""Landings before and after their time."""

import numpy as np
import pytest

from poise.body import Body
from poise.control.nqr import Nqr, NqrSettings
from poise.control.nqr.footholds import feet_of
from poise.control.nqr.phase import NEVER, is_late, landings_of, steps_early
from poise.errors import PoiseError
from poise.measure.metrics import fell_at
from poise.performance import perform
from poise.reference.begun import begun
from poise.reference.shipping import finished
from poise.world import Scene, World

STEP = 1 / 120


@pytest.fixture(scope="module")
def body():
    return Body.named("biped29")


@pytest.fixture(scope="module")
def run(body):
    motion = finished("run", "biped29")
    return landings_of(motion, feet_of(body))


def test_steps_until_a_landing_are_those_of_the_contacts(run):
    for foot, down in enumerate(run.down):
        for step in np.flatnonzero(~down):
            until = run.until[foot, step]
            if until < NEVER and step + until < len(down):
                assert not down[step : step + until].any()
                assert down[step + until]
                assert run.just[foot, step + until]
        assert np.all(run.until[foot, down] == NEVER)


def flight(run):
    """A step in the air, and the foot that lands next."""
    until = np.where(run.down.any(axis=0), NEVER, run.until.min(axis=0))
    step = int(np.flatnonzero((until >= 4) & (until <= 8))[0])
    return step, int(np.argmin(run.until[:, step]))


def test_a_foot_that_ends_a_flight_takes_the_motion_to_its_landing(run):
    step, foot = flight(run)
    stands = np.arange(len(run.down)) == foot
    early = steps_early(run, step, stands, STEP)
    assert run.down[foot, step + early]
    assert steps_early(run, step, np.zeros(len(run.down), bool), STEP) == 0


def test_a_foot_that_touches_while_another_stands_does_not(run):
    step = int(np.flatnonzero(run.down.any(axis=0))[0])
    assert steps_early(run, step, np.ones(len(run.down), bool), STEP) == 0


def test_a_foot_is_late_only_when_it_should_just_have_landed(run):
    foot, step = np.argwhere(run.just)[0]
    nowhere = np.zeros(len(run.down), bool)
    assert is_late(run, step, nowhere)
    assert not is_late(run, step, np.arange(len(run.down)) == foot)
    assert not is_late(run, step + 1, nowhere)


def test_a_run_goes_on_over_a_rise_that_ends_its_flights_early(body):
    world = World(Scene.of(body, "drop:-0.04:5"))
    recording = perform(world, Nqr(), begun(finished("run", "biped29"), 0), seconds=2.5).recording
    assert fell_at(recording) is None
    assert recording.qpos[-1, 2] > recording.qpos[0, 2] + 0.02


def test_unknown_words_are_refused():
    with pytest.raises(PoiseError, match="phase 'soon' must be one of clock, early, late, both"):
        NqrSettings(phase="soon")
    with pytest.raises(PoiseError, match="ground 'smelt' must be one of seen, felt"):
        NqrSettings(ground="smelt")
