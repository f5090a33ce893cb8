"""Trials: performances that are measured and not kept."""

import numpy as np
import pytest

from poise import Push, Scene, World, metrics, named_controller, perform
from poise.control.modal.modal import Modal
from poise.control.nqr.nqr import Nqr
from poise.library.motions import shipped_dynamic
from poise.reference.played import cycle_from_step
from poise.study.experiment import trial as trials
from poise.study.experiment.trial import NOISE, Trial, attempt_trial, cached_cast, stage_trial

STAND = Trial("stand", body="biped29", seconds=1.0)


def test_it_is_a_performance_like_any_other():
    trial = Trial("walk", seconds=1.0, seed=3, phase=0.0)
    verdict = attempt_trial(trial, Nqr())
    body, _ = cached_cast("walk", None, True)
    reference = cycle_from_step(shipped_dynamic("walk", "biped29"), 0)
    world = World(Scene.of(body))
    found = metrics(perform(world, Nqr(), reference, seconds=1.0, seed=3, noise=NOISE).recording)
    assert verdict.fell_at is found["fell_at"] is None
    assert verdict.seconds == pytest.approx(1.0)
    quality = found["jitter"], found["foot_slip_mm_s"]
    assert (verdict.jitter, verdict.slip) == pytest.approx(quality)  # summed in pieces
    assert verdict.penetration == found["penetration_mm"]
    assert verdict.failed == ()
    assert verdict.approximate == 0


def test_pieces_do_not_change_what_happens(monkeypatch):
    seen = {}
    for piece in (10.0, 0.35):
        monkeypatch.setattr(trials, "PIECE", piece)
        torques = []
        verdict = attempt_trial(
            STAND, named_controller("hold"), lambda result, kept=torques: kept.append(result.torque)
        )
        seen[piece] = np.array(torques), verdict
    np.testing.assert_array_equal(seen[10.0][0], seen[0.35][0])
    assert len(seen[10.0][0]) == 120
    assert seen[0.35][1].penetration == pytest.approx(seen[10.0][1].penetration)
    assert seen[0.35][1].approximate == seen[10.0][1].approximate


def test_a_fall_ends_it():
    steps = []
    verdict = attempt_trial(Trial("stand", body="biped29", seconds=20.0), named_controller("limp"), steps.append)
    assert 0.2 < verdict.fell_at < 3.0
    assert verdict.seconds == verdict.fell_at
    assert len(steps) < 4 * 120


def test_who_goes_down_as_low_as_the_motion_has_not_fallen(monkeypatch):
    monkeypatch.setattr(trials, "SUNK", 0.95)
    assert attempt_trial(Trial("squat", body="human42", seconds=1.0, phase=0.3), Modal()).fell_at is None


def test_a_hard_push_fells_what_stands_otherwise():
    pushed = Trial("stand", body="biped29", seconds=3.0, pushes=(Push(3000.0, 0.2),))
    assert attempt_trial(pushed, named_controller("hold")).fell_at is not None
    assert attempt_trial(STAND, named_controller("hold")).fell_at is None


def test_phases_are_drawn_from_the_seed():
    walk = shipped_dynamic("walk", "biped29")
    steps = [Trial("walk", seed=seed).first_step(walk) for seed in range(40)]
    assert len(set(steps)) > 30
    assert 0 <= min(steps) < 20
    assert 106 < max(steps) < len(walk.torque) == 126
    assert steps == [Trial("walk", seed=seed).first_step(walk) for seed in range(40)]
    assert Trial("walk", phase=0.5).first_step(walk) == 63
    assert Trial("walk", phase=1.0).first_step(walk) == 0


def test_half_the_rate_takes_half_the_steps():
    steps = []
    verdict = attempt_trial(Trial("walk", seconds=0.5, rate=60.0), Nqr(), steps.append)
    assert len(steps) == 30
    assert verdict.fell_at is None


def test_pieces_weigh_as_much_as_they_last():
    long = trials.Verdict(0.9, None, (), 0, 1, 1.0, None, slip=2.0, penetration=2.0)
    short = trials.Verdict(0.1, 0.8, ("pull",), 1, 2, 11.0, None, slip=12.0, penetration=1.0)
    verdict = trials._verdict_of_pieces([long, short], [90, 10], 1.0, cached_cast("stand", "human37", False)[1])
    assert (verdict.jitter, verdict.slip, verdict.penetration) == pytest.approx((2.0, 3.0, 2.0))
    assert (verdict.seconds, verdict.fell_at, verdict.failed) == (0.8, 0.8, ("pull",))
    assert (verdict.approximate, verdict.weakened, verdict.jitter_ratio) == (1, 3, None)


def test_edits_meanwhile_are_made_in_their_time_and_not_before():
    plain, slowed = (
        Trial("walk", body="human42", seconds=1.0, phase=0.0, meanwhile=edits)
        for edits in ((), ((0.1, "warp:0.5@0.1-5,ease=0.01"),))
    )
    usual, run = (stage_trial(trial, Modal()) for trial in (plain, slowed))
    usual, edited = usual.reference, run.reference
    np.testing.assert_array_equal(edited.at(0.5).qpos, usual.at(0.5).qpos)  # the edit has no effect before its time
    while run.time < 0.11:
        run.step()
    np.testing.assert_allclose(edited.at(0.5).qpos, usual.at(0.3).qpos, atol=0.02)
    assert np.abs(usual.at(0.5).qpos - usual.at(0.3).qpos).max() > 0.1
