"""Footwork: stance phases, creep and scuffs, from forces that are made up."""

import numpy as np
import pytest

from poise import Push, World, named_controller, named_motion, perform
from poise.body.body import Body
from poise.dynamics.actuation import Actuation
from poise.measure.replay import Replay
from poise.study.pendulum.imitation import (
    foot_contact_in_trial,
    scuffs_in_trial,
    stance_phases_in_trial,
    stance_slips_in_trial,
)
from poise.world.recorder import Recorder
from poise.world.scene import Scene

WEIGHT, STEP = 800.0, 0.02


def force_of(*pieces):
    """A force over time from pieces (N, steps)."""
    return np.concatenate([np.full(steps, float(force)) for force, steps in pieces])


def test_stances_are_touches_that_bear_weight():
    force = force_of((0, 10), (700, 30), (0, 20), (600, 25), (0, 5))
    assert stance_phases_in_trial(force, WEIGHT, STEP) == [(10, 40), (60, 85)]


def test_a_flicker_does_not_end_a_stance():
    force = force_of((700, 15), (0, 2), (700, 15), (0, 3), (700, 15))
    assert stance_phases_in_trial(force, WEIGHT, STEP) == [(0, 32), (35, 50)]


def test_a_touch_without_impulse_is_no_stance():
    light, brief = force_of((0, 5), (100, 30), (0, 5)), force_of((0, 5), (1500, 2), (0, 5))
    assert stance_phases_in_trial(light, WEIGHT, STEP) == stance_phases_in_trial(brief, WEIGHT, STEP) == []


def test_creep_is_summed_over_whole_stances():
    crept = np.full(100, 1e-3)
    found = [(0, 10), (20, 35), (50, 70), (90, 100)]
    assert stance_slips_in_trial(crept, found) == pytest.approx([0.015, 0.020])
    assert len(stance_slips_in_trial(crept, found[:2])) == 0


@pytest.mark.parametrize(("touched", "count"), [(30, 0), (34, 1), (40, 1), (45, 1), (48, 0)])
def test_a_scuff_is_a_touch_in_the_middle_of_a_swing(touched, count):
    """The swing lasts from step 30 to 50: its middle from 34 to 46."""
    force = force_of((700, 30), (0, 20), (700, 30))
    force[touched] = 50.0
    assert scuffs_in_trial(force, [(0, 30), (50, 80)]) == count


@pytest.fixture(scope="module")
def slid():
    """A doll that stands on ice-like ground and is pushed hard: its feet slide as its root does."""
    body = Body.named("human58")
    world = World(Scene.of(body, friction=0.0))
    push = Push(400.0, 0.0, 0.1)
    return perform(world, named_controller("hold"), named_motion("stand", body), seconds=0.25, pushes=(push,)).recording


def test_feet_that_slide_creep_as_far_as_they_go(slid):
    replay = Replay.of(slid)
    link = slid.model.body("left_foot").id
    foot = foot_contact_in_trial(replay, "left_foot")
    went = np.linalg.norm(np.diff(replay.xpos[:, link, :2], axis=0), axis=1)
    standing = foot.force > 1.0
    assert standing.sum() > 10
    assert foot.crept[standing].sum() == pytest.approx(went[standing].sum(), rel=0.1)
    assert went[standing].sum() > 0.005


def test_both_feet_bear_the_weight_while_nothing_moves_up(slid):
    replay = Replay.of(slid)
    both = sum(foot_contact_in_trial(replay, name).force for name in ("left_foot", "right_foot"))
    upward = np.bincount(slid.contact_step, slid.contact_force[:, 2], slid.steps)
    np.testing.assert_allclose(both, upward, rtol=1e-9, atol=1e-9)


def test_motion_before_touch_down_is_no_creep():
    """Dropped from 5 cm, sliding along: the step in which feet meet the ground does not count, later ones do."""
    body = Body.named("human58")
    world = World(Scene.of(body, friction=0.0))
    pose, velocity = np.array(body.standing), np.zeros(body.nv)
    pose[2], velocity[0] = pose[2] + 0.05, 1.0
    world.reset(pose, velocity)
    recorder = Recorder(world, with_reference=False)
    for _ in range(24):
        recorder.add(world.step(Actuation()))
    replay = Replay.of(recorder.finish({"step": world.settings.step, "root": "pelvis"}))
    foot = foot_contact_in_trial(replay, "left_foot")
    landed = int(np.flatnonzero(foot.force)[0])
    assert replay.slip[replay.recording.contact_step == landed].min() > 0.5
    assert foot.crept[landed] == 0.0
    assert foot.crept[landed + 1] == pytest.approx(replay.recording.step, rel=0.2)
