"""The forward roll: it rolls on, physically and within torque limits."""

from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import Frozen
from poise.control.rotation.settings import RotationSettings
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.rotations import quat_log, quat_multiply, quat_rotate
from poise.study.rotation.attempts import run_roll_trial
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour_trial
from poise.world.recorder import SELF


@pytest.fixture(scope="module")
def rolled():
    return run_roll_trial(BehaviourTrial(read_behaviour("forward-roll"), seconds=5.0))


def test_it_keeps_rolling(rolled):
    assert rolled.turns > 2.5
    assert not rolled.stalled


def test_it_is_physical(rolled):
    assert [check.name for check in audit(rolled.performance.recording).checks if not check.passed] == []


def test_momentum_changes_by_contacts_alone(rolled):
    recording = rolled.performance.recording
    assert not np.any(recording.external)
    assert np.all(np.abs(recording.torque[:, 6:]) <= np.array(recording.meta["torque_limits"])[6:] + 1e-9)


def test_without_momentum_objectives_it_does_not_roll():
    settings = RotationSettings(momentum=0)
    assert run_roll_trial(BehaviourTrial(read_behaviour("forward-roll"), seconds=4.0, settings=settings)).turns < 1.0


def test_the_phase_follows_the_root():
    """Over a turn, the phase equals the rotation of the root on average; the excursion alone would drift."""
    run, world, controller = stage_behaviour_trial(BehaviourTrial(read_behaviour("forward-roll")))
    phase, root = [], [world.state.qpos[3:7].copy()]
    while world.time < 5.0:
        run.step()
        phase.append(controller.performing.phase)
        root.append(world.state.qpos[3:7].copy())
    moved = quat_log(quat_multiply(np.array(root[1:]), np.array(root[:-1]) * np.array([1.0, -1.0, -1.0, -1.0])))
    turns = np.cumsum(moved[:, 1]) / (2 * np.pi)
    apart = np.array(phase) - read_behaviour("forward-roll").start["at"] - turns
    assert abs(apart[turns > turns[-1] - 1.0].mean()) < 0.02


def test_a_height_can_be_controlled():
    behaviour = read_behaviour("forward-roll")

    def height(target):
        control = Frozen({**behaviour.control, "hold": 60.0, "height": target, "heave": 0.0})
        return run_roll_trial(
            BehaviourTrial(replace(behaviour, control=control), seconds=0.5, noise=0.0)
        ).performance.recording.qpos

    assert height(0.7)[:, 2].max() > height(0.3)[:, 2].max() + 0.03


def test_a_shoulder_roll_goes_over_one_arm():
    rolled = run_roll_trial(BehaviourTrial(read_behaviour("shoulder-roll"), seconds=2.0))
    assert rolled.turns > 1.0
    recording = rolled.performance.recording
    pressed = np.linalg.norm(recording.contact_force, axis=1)
    pressed[recording.contact_kind == SELF] = 0.0
    names = np.array([recording.model.body(int(body)).name for body in recording.contact_body])
    arms = {side: [f"{side}_hand", f"{side}_forearm", f"{side}_upper_arm"] for side in ("left", "right")}
    over = {side: pressed[np.isin(names, links)].sum() for side, links in arms.items()}
    assert over["right"] > 2.0 * over["left"] > 0.0
    assert audit(recording).passed


def test_the_phase_settles_to_the_orientation_of_the_root():
    """Also after a turn about the vertical, which the accumulated rotation about the axis does not show."""
    behaviour = read_behaviour("sideways-roll")

    def error(settle):
        control = Frozen({**behaviour.control, "settle": settle})
        rolled = run_roll_trial(BehaviourTrial(replace(behaviour, control=control), seconds=4.0, noise=0.0))
        face = quat_rotate(rolled.performance.recording.qpos[-1, 3:7], np.array([1.0, 0.0, 0.0]))
        expected = np.array([np.sin(2 * np.pi * rolled.phase), np.cos(2 * np.pi * rolled.phase)])  # along, up
        return np.degrees(np.arccos(np.clip(expected @ face[[0, 2]] / np.hypot(face[0], face[2]), -1.0, 1.0)))

    assert error(20.0) < 30.0
