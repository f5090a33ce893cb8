"""The studies of modal-space control: their cases, short runs of each, and their summaries and plots."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from poise import Body, Scene, World
from poise.control.modal.modal import Modal, ModalSettings
from poise.study.catalogue import STUDIES
from poise.study.experiment.runner import Findings
from poise.study.experiment.study import Scope
from poise.study.experiment.trial import Trial, stage_trial
from poise.study.modal import push, threshold_and_window
from poise.study.modal.case import OURS, ModalCase, run_modal_trial
from poise.study.modal.modes import PLANNED, SelectedModal, component_spectra, mode_sets_for_cases
from poise.study.modal.push import LinearWorldOfTrial
from poise.study.timing import STAGES, TimedModal

MODAL = [study for name, study in STUDIES.items() if name.startswith("modal-")]


@pytest.mark.parametrize("study", MODAL, ids=lambda study: study.name)
@pytest.mark.parametrize("quick", [False, True])
def test_modal_cases_are_distinct_and_can_be_sent_to_workers(study, quick):
    cases = study.cases(study.scope(quick))
    assert len({repr(case) for case in cases}) == len(cases)
    assert pickle.loads(pickle.dumps(cases)) == cases


def shortened(case):
    match case:
        case ModalCase():
            return replace(case, trial=replace(case.trial, seconds=0.1))
        case _:
            return replace(case, seconds=0.1) if hasattr(case, "seconds") else case


@pytest.mark.parametrize("study", MODAL, ids=lambda study: study.name)
def test_a_short_run_of_each_modal_study_makes_a_summary_and_a_plot(study, tmp_path):
    scope = study.scope(quick=True)
    cases = study.cases(scope)
    rows = tuple(study.run_case(shortened(case)) for case in (cases[0], cases[-1]))
    findings = Findings(study, scope, rows)
    assert findings.summary
    assert np.asarray(Image.open(findings.write(tmp_path)[2])).std() > 1


def actuations(controller, steps=8):
    run = stage_trial(Trial("walk", "human42", seed=3), controller)
    torques = []
    for _ in range(steps):
        torques.append(controller.act(run.world.state).torque)
        run.step()
    return np.array(torques)


def test_choosing_the_slow_modes_themselves_changes_nothing():
    fourteen = SelectedModal(OURS, range(14))
    np.testing.assert_array_equal(actuations(fourteen), actuations(Modal(OURS)))


def test_the_order_in_which_modes_are_chosen_does_not_matter():
    chosen = mode_sets_for_cases(36)["random 1"]
    one, other = (actuations(SelectedModal(OURS, order)) for order in (chosen, chosen[::-1]))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)
    assert np.abs(one - actuations(Modal(OURS))).max() > 1


def test_timing_changes_nothing():
    timed = TimedModal(OURS)
    np.testing.assert_array_equal(actuations(timed), actuations(Modal(OURS)))
    assert all(timed.spent[stage] > 0 for stage in STAGES)


def test_sets_of_modes_begin_with_the_papers_and_are_as_many():
    sets = mode_sets_for_cases(36)
    assert next(iter(sets)) == "6 to 18"
    assert sets["26 to 38"] == tuple(range(20, 33))
    assert {len(set(modes)) for modes in sets.values()} == {PLANNED}
    assert len(set(sets.values())) == len(sets)


def test_components_that_move_little_are_separated_from_those_that_move_much():
    time = np.arange(120) / 60
    slow, fast = np.sin(2 * np.pi * 1.5 * time), 0.01 * np.cos(2 * np.pi * 9.0 * time)
    mixed = np.random.default_rng(0).standard_normal((2, 5))
    first, _ = component_spectra(np.column_stack([slow, 0 * slow]), 2.0)
    assert first.centre == pytest.approx(1.5)
    first, last = component_spectra(np.outer(slow, [1, 0, 0]) + np.outer(fast, [0, 1, 0]), 2.0)
    assert last.share.sum() == pytest.approx(1)
    assert first.centre == pytest.approx((1.5 + 9.0) / 2)  # there are only two components, fewer than FEW
    joints = np.column_stack([slow, fast]) @ mixed
    assert component_spectra(joints, 2.0)[1].share.argmax() in (2, 17)


def test_a_body_on_a_bar_must_keep_to_the_motion():
    row = run_modal_trial(ModalCase({}, Trial("swing", "human42", seconds=0.3, phase=0.4), replace(OURS, window=12)))
    assert row["survived"]
    assert row["physical"]
    assert row["end_m"] < 0.01
    thrown = run_modal_trial(
        ModalCase(
            {},
            Trial("swing", "human42", seconds=0.4, pushes=(replace(push.push_of_modal_case(0, 3000.0, 40), time=0.0),)),
        )
    )
    assert thrown["end_m"] > 0.2
    assert not thrown["survived"]


def test_the_papers_latency_is_among_the_reactions():
    settings = {case.settings for case in push.modal_push_cases(Scope(1, 2.0, ("squat",), coarse=True))}
    assert ModalSettings(believed=0.0, capture=0.0, window=16) in settings
    assert {each.latency for each in settings} == {0.0, 0.2}


def test_squats_are_caught_and_only_walks_move_their_footholds():
    steps = {
        motion: {case.labels["steps"] for case in push.modal_push_cases(Scope(1, 2.0, (motion,), coarse=True))}
        for motion in ("walk", "squat", "swing")
    }
    assert steps == {"walk": {"moved", "kept"}, "squat": {"kept", "caught"}, "swing": {"kept"}}
    caught = next(case for case in push.modal_push_cases(Scope(1, 1.2, ("squat",), coarse=True)) if case.caught)
    row = run_modal_trial(replace(caught, trial=replace(caught.trial, pushes=(push.push_of_modal_case(0, 250.0, 20),))))
    assert row["survived"]
    assert row["physical"]


def test_a_fitted_window_is_in_the_row():
    case = next(
        case
        for case in threshold_and_window.window_cases(threshold_and_window.WINDOW.quick)
        if not case.settings.window
    )
    row = threshold_and_window.run_window_case(shortened(case))
    assert row["chosen"] == "as fits"
    assert row["window"] == 12


def test_the_papers_world_has_no_velocity_dependent_forces():
    body, spin = Body.named("human42"), np.zeros(42)
    spin[3:6] = 1.0, 2.0, 3.0  # rad/s, about no principal axis
    changed = {}
    for kind in (World, LinearWorldOfTrial):
        world = kind(Scene.of(body))
        pose = np.array(body.standing)
        pose[2] += 2.0
        world.reset(pose, spin)
        world.step()
        changed[kind] = world.qvel[6:] - spin[6:]
    assert np.abs(changed[World]).max() > 1e-2  # limbs are flung out
    assert np.abs(changed[LinearWorldOfTrial]).max() < 1e-6
