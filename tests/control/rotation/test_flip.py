"""The back flip: a full turn onto the feet to standing; it fails without planning or momentum objectives."""

import numpy as np
import pytest

from poise.control.rotation.program import TorqueProgram
from poise.control.rotation.settings import RotationSettings
from poise.library.behaviours.files import read_behaviour
from poise.measure.audit import audit
from poise.measure.metrics import on_feet_at_end
from poise.performance.request import Request
from poise.study.rotation.attempts import run_flip_trial
from poise.study.rotation.indices import rotation_of_recording
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour_trial


@pytest.fixture(scope="module")
def flipped():
    return run_flip_trial(BehaviourTrial(read_behaviour("back-flip"), seconds=5.0, noise=0.0))


def test_it_turns_over_and_stands(flipped):
    assert flipped.on_feet
    assert flipped.turned < -290
    assert flipped.succeeded


def test_it_is_physical_without_external_forces(flipped):
    recording = flipped.performance.recording
    assert audit(recording).passed
    assert not np.any(recording.external)


def test_angular_momentum_is_constant_in_flight(flipped):
    recording = flipped.performance.recording
    found = rotation_of_recording(recording)
    bearing = np.isin(np.arange(recording.steps), recording.contact_step)
    flight = np.flatnonzero(~bearing)
    longest = max(np.split(flight, np.flatnonzero(np.diff(flight) > 1) + 1), key=len)
    assert len(longest) > 25
    momentum = found.angular_momentum[longest[0] : longest[-1] + 2]
    assert np.abs(momentum - momentum[0]).max() < 1e-8
    assert momentum[0, 1] < -35


@pytest.mark.parametrize("off", ["planning", "momentum"])
def test_without_planning_or_momentum_it_fails(off):
    settings = RotationSettings(**{off: 0})
    assert not run_flip_trial(
        BehaviourTrial(read_behaviour("back-flip"), seconds=5.0, noise=0.0, settings=settings)
    ).succeeded


def test_after_a_failed_landing_the_body_lies_at_rest():
    failed = Request("back-flip", controller="rotation", limits="human", noise=0.2, seed=2, step=1 / 60, seconds=5.0)
    recording = failed.perform().recording
    assert not on_feet_at_end(recording)
    assert np.abs(recording.qvel[-10:]).max() < 0.5
    assert audit(recording).passed


def test_it_stands_after_a_disturbance_at_take_off():
    assert run_flip_trial(
        BehaviourTrial(read_behaviour("back-flip"), seconds=5.0, noise=0.2, jolt=0.2, seed=1)
    ).succeeded


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_the_ground_reaction_equals_the_planned_force(rate, monkeypatch):
    """In most steps: the program does not model joint limits, so a joint that reaches one disturbs a step."""
    planned = []

    def solve(program, aim, weights, supports, com, solve=TorqueProgram.solve):
        found = solve(program, aim, weights, supports, com)
        planned.append(found.force[:, 0].sum())
        return found

    monkeypatch.setattr(TorqueProgram, "solve", solve)
    run, world, controller = stage_behaviour_trial(BehaviourTrial(read_behaviour("back-flip"), noise=0.0, rate=rate))
    pairs = []
    while world.time < 1.2:
        result = run.step()
        if controller.performing.stage == "push":
            pairs.append((planned[-1], rate * result.impulse[:, 0].sum()))
    expected, measured = np.array(pairs).T
    assert measured.max() > 2.0 * world.scene.body.mass * 9.81
    assert np.quantile(np.abs(measured - expected), 0.8) < 0.02 * measured.max()


def test_at_another_rate_it_arrives_with_the_same_pitch(flipped):
    finer = run_flip_trial(BehaviourTrial(read_behaviour("back-flip"), seconds=2.2, noise=0.0, rate=120.0))
    assert finer.on_feet
    assert finer.turned == pytest.approx(flipped.turned, abs=8.0)


def test_a_jolt_changes_the_flight_within_torque_limits(flipped):
    jolted = run_flip_trial(
        BehaviourTrial(read_behaviour("back-flip"), seconds=1.4, noise=0.0, jolt=0.2)
    ).performance.recording
    smooth = flipped.performance.recording
    same = np.all(jolted.qvel == smooth.qvel[: len(jolted.qvel)], axis=1)
    first = int(np.argmin(same))
    assert not same.all()
    assert first * jolted.step == pytest.approx(1.24, abs=0.05)
    change = jolted.qvel[first, 6:] - smooth.qvel[first, 6:]
    assert 0.02 < change.std() < 0.4
    assert np.all(np.abs(jolted.torque) <= np.array(jolted.meta["torque_limits"]) + 1e-9)
