"""Early and late landings."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.control.nqr.footholds import (
    LEAST_EARLY,
    LONGEST_WAIT,
    is_segment_landing_late,
    nqr_contact_preview,
    segment_foot_contacts,
    segment_steps_landed_early,
)
from poise.control.nqr.ground_levels import NqrGroundLevels
from poise.control.nqr.nqr import Nqr, NqrSettings
from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.measure.metrics import fell_at
from poise.performance.run import Run
from poise.reference.played import cycle_from_step
from poise.world.scene import Scene
from poise.world.world import World

STEP = 1 / 120
NO_FOOT = np.zeros(2, bool)


@pytest.fixture(scope="module")
def body():
    return Body.named("biped29")


@pytest.fixture(scope="module")
def run():
    motion = shipped_dynamic("run", "biped29")
    return segment_foot_contacts(motion, nqr_contact_preview(motion))


def flight(run):
    """A frame of a flight phase, and the foot that lands next."""
    until = np.where(run.down.any(axis=1), np.inf, run.steps_to_landing.min(axis=1))
    step = int(np.flatnonzero((until >= 4) & (until <= 8))[0])
    return step, int(np.argmin(run.steps_to_landing[step]))


def test_an_early_landing_skips_the_rest_of_the_flight(run):
    step, foot = flight(run)
    early = segment_steps_landed_early(run, step, np.arange(2) == foot, STEP)
    assert early >= 4
    assert run.lands[step + early, foot]
    assert segment_steps_landed_early(run, step, NO_FOOT, STEP) == 0


def test_an_early_touch_while_another_foot_stands_does_not_count(run):
    step = int(np.flatnonzero(run.down.any(axis=1))[0])
    assert segment_steps_landed_early(run, step, ~NO_FOOT, STEP) == 0


def test_a_foot_is_late_only_in_the_frame_of_its_landing(run):
    step, foot = np.argwhere(run.lands)[0]
    assert is_segment_landing_late(run, step, NO_FOOT)
    assert not is_segment_landing_late(run, step, np.arange(2) == foot)
    assert not is_segment_landing_late(run, step + 1, NO_FOOT)


def performed(body, motion, terrain, seconds, ground="felt", **settings):
    """A performance, and the number of frames (modulo the cycle) by which the motion advanced in each step."""
    world, controller = World(Scene.of(body, terrain)), Nqr(NqrSettings(ground=ground, **settings))
    cycle = shipped_dynamic(motion, "biped29")
    run, frames = Run(world, controller, cycle_from_step(cycle, 0)), [controller.frame]
    for _ in range(round(seconds / STEP)):
        run.step()
        frames.append(controller.frame)
    return run.take().recording, np.diff(frames) % len(cycle.torque)


def test_a_run_on_unseen_rising_ground_skips_the_rest_of_its_flights(body):
    early, passed = performed(body, "run", "drop:-0.04:5", 2.5, phase="early")
    clock, steady = performed(body, "run", "drop:-0.04:5", 2.5, phase="clock")
    assert np.all(steady == 1)
    assert np.all(passed >= 1)
    assert passed.max() > round(LEAST_EARLY / STEP)
    for recording in (early, clock):
        assert fell_at(recording) is None
        assert recording.qpos[:, 2].max() > recording.qpos[0, 2] + 0.04


def test_a_walk_waits_for_feet_that_are_late(body):
    """Down stairs that are not seen."""
    _, gone = performed(body, "walk", "stairs:-0.06:1:12", 3.0, phase="late")
    waits = np.flatnonzero(gone == 0)
    runs = np.split(waits, np.flatnonzero(np.diff(waits) > 1) + 1)
    assert len(runs) > 1
    assert max(map(len, runs)) <= round(LONGEST_WAIT / STEP)


def test_the_target_is_the_next_tracked_pose_also_while_it_waits(body, monkeypatch):
    """Down stairs that are seen: the legs have the next step's adjustment, the root the next step's level."""
    reaches, levels = [], []
    monkeypatch.setattr(NqrGroundLevels, "leg_adjustment", _noted(NqrGroundLevels.leg_adjustment, reaches))
    monkeypatch.setattr(NqrGroundLevels, "motion_level", _noted(NqrGroundLevels.motion_level, levels))
    recording, gone = performed(body, "walk", "stairs:-0.06:1:12", 3.0, ground="seen", phase="late")
    clip = shipped_dynamic("walk", "biped29").clip
    poses = clip.qpos[(np.cumsum(gone) - 1) % (clip.frames - 1) + 1]
    target = recording.reference_qpos[1:]
    bent = PoseSpace(body).difference(poses, target)[:, 6:]
    waits = [
        step for step in np.flatnonzero(gone == 0) if np.abs(reaches[step].ahead - reaches[step].now).max() > 0.005
    ]
    assert len(waits) > 5
    for step in waits:
        np.testing.assert_allclose(bent[step], reaches[step + 1].now[6:], atol=1e-9)
        assert target[step, 2] == pytest.approx(poses[step, 2] + levels[step + 1], abs=1e-9)


def _noted(method, notes):
    def noting(*arguments):
        notes.append(method(*arguments))
        return notes[-1]

    return noting


def test_unknown_choices_are_refused():
    with pytest.raises(PoiseError, match="phase 'soon' must be one of clock, early, late, both"):
        NqrSettings(phase="soon")
    with pytest.raises(PoiseError, match="ground 'smelt' must be one of seen, felt"):
        NqrSettings(ground="smelt")
