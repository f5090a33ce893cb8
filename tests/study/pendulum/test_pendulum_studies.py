"""The studies of the pendulum: their cases, short runs of each, and their summaries and plots."""

import pickle
from dataclasses import replace
from math import hypot, sqrt

import numpy as np
import pytest
from PIL import Image

from poise import PoiseError, Push
from poise.body.body import Body
from poise.library.motions import motion_names
from poise.study.catalogue import STUDIES
from poise.study.experiment.runner import Findings
from poise.study.experiment.study import NamedCase, Scope
from poise.study.experiment.trial import Verdict, cached_cast
from poise.study.pendulum import imitation, robustness, speeds
from poise.study.pendulum.case import (
    BODY,
    STEP_RATE,
    PendulumCase,
    late_speed_of_trial,
    rest_speed_of_trial,
    run_pendulum_trial,
    walk_trial,
)
from poise.world.terrain_kinds import parse_terrain

PENDULUM = [study for name, study in STUDIES.items() if name.startswith("pendulum-")]
TRIED = [study for study in PENDULUM if not study.whole.motions]
MOVED = [study for study in PENDULUM if study.whole.motions]


def test_there_are_seven():
    kinds = ("push", "slope", "stairs", "body", "imitation", "speeds", "timing")
    assert {study.name for study in PENDULUM} == {f"pendulum-{kind}" for kind in kinds}


@pytest.mark.parametrize("study", PENDULUM, ids=lambda study: study.name)
@pytest.mark.parametrize("quick", [False, True])
def test_cases_are_distinct_and_can_be_sent_to_workers(study, quick):
    cases = study.cases(study.scope(quick))
    assert len({repr(case) for case in cases}) == len(cases)
    assert pickle.loads(pickle.dumps(cases)) == cases
    assert pickle.loads(pickle.dumps(study.run_case)) is study.run_case


@pytest.mark.parametrize("study", PENDULUM, ids=lambda study: study.name)
def test_more_seeds_are_more_of_the_same(study):
    one, two = (study.cases(study.scope(quick=True, seeds=seeds)) for seeds in (1, 2))
    assert len(two) == 2 * len(one)
    assert all(case in two for case in one)


@pytest.mark.parametrize("study", MOVED, ids=lambda study: study.name)
def test_other_motions_may_be_asked_for(study):
    cases = study.cases(study.scope(motions=["crouch-walk"]))
    assert {case.name if isinstance(case, NamedCase) else case.motion for case in cases} == {"crouch-walk"}


def test_the_motions_ship_with_poise():
    tried = {case.trial.motion for study in TRIED for case in study.cases(study.whole)}
    assert tried | {motion for study in MOVED for motion in study.whole.motions} <= set(motion_names())


def shortened(case, seconds=0.3):
    return (
        replace(case, trial=replace(case.trial, seconds=seconds))
        if isinstance(case, PendulumCase)
        else replace(case, seconds=seconds)
    )


@pytest.mark.parametrize("study", PENDULUM, ids=lambda study: study.name)
def test_a_short_run_of_each_study_makes_a_summary_and_a_plot(study, tmp_path):
    scope = study.scope(quick=True)
    cases = study.cases(scope)
    rows = tuple(study.run_case(shortened(case)) for case in (cases[0], cases[-1]))
    findings = Findings(study, scope, rows)
    assert findings.summary
    picture = findings.write(tmp_path)[2]
    assert np.asarray(Image.open(picture)).std() > 1


def walk_for(seconds, **changed):
    return PendulumCase({}, walk_trial(0.8, seconds, 0), **changed)


def test_a_row_describes_a_walk():
    row = run_pendulum_trial(walk_for(2.0))
    assert row["survived"]
    assert row["physical"]
    assert row["seconds"] == pytest.approx(2.0)
    assert row["speed"] == pytest.approx(0.8, abs=0.3)
    assert row["reached"] > 1.2
    assert run_pendulum_trial(walk_for(2.0)) == row


@pytest.mark.parametrize("goal", [{"beyond": 50.0}, {"rests": True}])
def test_a_trial_that_stays_up_without_reaching_its_goal_has_failed(goal):
    row = run_pendulum_trial(walk_for(0.5, **goal))
    assert row["fell_at"] is None
    assert not row["survived"]


def test_a_fall_has_no_speed_and_is_not_audited():
    hit = Push(5000.0, 0.1, 0.2)
    case = walk_for(3.0)
    row = run_pendulum_trial(replace(case, trial=replace(case.trial, pushes=(hit,))))
    assert not row["survived"]
    assert row["seconds"] == row["fell_at"] < 2.0
    assert row["speed"] is row["physical"] is None


def test_speeds_of_a_way():
    time = np.arange(0.0, 4.0, 1 / STEP_RATE)
    way = np.stack([np.where(time < 2.0, 3.0 * time, 6.0 + 0.5 * (time - 2.0)), np.zeros_like(time)], axis=1)
    assert late_speed_of_trial(way, STEP_RATE) == pytest.approx(0.5)
    assert rest_speed_of_trial(way, STEP_RATE) == pytest.approx(0.5)
    around = 0.1 * np.stack([np.cos(time), np.sin(time)], axis=1)
    assert rest_speed_of_trial(around, STEP_RATE) == pytest.approx(0.1, rel=1e-3)


def test_speeds_are_those_that_are_held_and_spans_that_are_cut_short_do_not_count():
    seconds = np.arange(0.0, 2.5 * speeds.HELD, 1 / STEP_RATE)
    late = seconds % speeds.HELD >= speeds.SETTLING
    velocity = np.where(late, 0.5, -3.0) * (1 + seconds // speeds.HELD)
    way = np.zeros((len(seconds) + 1, 2))
    way[1:, 0] = np.cumsum(velocity) / STEP_RATE
    np.testing.assert_allclose(speeds.mean_span_speeds(way, 3), [0.5, 1.0, np.nan], atol=1e-9)


def test_a_long_walk_keeps_the_commanded_speeds():
    row = speeds.run_speeds_case(NamedCase("walk", 24.0, 3))
    assert row["survived"]
    assert row["physical"]
    assert row["speed_error"] < 0.05


def test_a_fall_on_a_long_walk_is_not_audited(monkeypatch):
    fallen = Verdict(1.2, 1.2, ("friction_work",), 0, 0, 0.0, None, 3.0, 0.1)
    monkeypatch.setattr(speeds, "walk_path", lambda *_: (fallen, np.zeros((60, 2))))
    row = speeds.run_speeds_case(NamedCase("walk", 24.0, 0))
    assert not row["survived"]
    assert row["seconds"] == 1.2
    assert row["physical"] is row["speed_error"] is None


# -- pushes --------------------------------------------------------------------------------------------------------


def test_pushes_go_where_they_say():
    for case in robustness.pendulum_push_cases(robustness.PUSHES.quick):
        (given,) = case.trial.pushes
        angle = np.radians(case.labels["direction"])
        np.testing.assert_allclose(given.direction, [np.cos(angle), np.sin(angle), 0.0], atol=1e-12)
        assert (given.force, given.duration) == (case.labels["force"], case.labels["duration"])
        assert case.trial.seconds == pytest.approx(given.time + robustness.PUSHES.quick.seconds)


def test_seeds_push_within_their_phase_and_never_together():
    times = np.array([[robustness.push_time_of_case(phase, 8, seed) for seed in range(10)] for phase in range(8)])
    shares = (times - robustness.PUSHED_AT) / robustness.STRIDE
    assert np.array_equal(np.floor(8 * shares + 1e-9), np.arange(8)[:, None] * np.ones(10))
    assert np.diff(np.sort(times.ravel())).min() > 1e-3


def test_the_stride_is_that_of_the_walk():
    _, reference = cached_cast("walk", BODY, False)
    assert reference.clip.seconds == pytest.approx(robustness.STRIDE)


def test_a_push_changes_the_velocity_of_the_whole_body():
    case = robustness.pendulum_push_cases(robustness.PUSHES.quick)[0]
    assert case.labels["velocity_change"] == pytest.approx(350.0 * 0.4 / Body.named(BODY).mass)


def test_the_largest_push_of_the_paper_is_forward():
    assert max(robustness.PAPER, key=lambda force: hypot(*force)) == (0.0, 486.02)
    assert all(hypot(*force) > robustness.SIMBICON for force in robustness.PAPER)


def test_a_body_pushed_while_standing_must_come_to_rest():
    for case in robustness.pendulum_push_cases(robustness.PUSHES.quick):
        assert case.rests == (case.trial.motion == "stand") == (not case.trial.commands)


# -- ground and bodies ---------------------------------------------------------------------------------------------


def test_slopes_reach_beyond_those_of_others():
    degrees = {case.labels["degrees"] for case in robustness.slope_cases(robustness.SLOPE.whole)}
    assert min(degrees) == -20
    assert max(degrees) == 20
    assert all({-most, most} <= degrees for most in robustness.OTHERS.values())


def test_the_goal_is_past_the_uneven_ground():
    for name in ("stairs up", "stairs down"):
        for height in robustness.GROUNDS[name].heights:
            ground = parse_terrain(robustness.GROUNDS[name].terrain.format(height))
            ends = [ground.height(x, 0.0) for x in (robustness.GROUNDS[name].beyond - 0.5, 10.0)]
            assert ends == pytest.approx([16 * height * (1 if name == "stairs up" else -1)] * 2)


def test_rough_ground_differs_from_seed_to_seed():
    grounds = {case.trial.terrain for case in robustness.stairs_cases(Scope(3, 1.0)) if "rough" in case.trial.terrain}
    assert len(grounds) == 3 * len(robustness.GROUNDS["rough"].heights)


def test_speeds_suit_the_legs():
    for case in robustness.build_cases(robustness.BODIES.whole):
        (command,) = case.trial.commands
        assert command.speed == pytest.approx(robustness.SUITED * sqrt(case.trial.build.legs))


# -- imitation -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def imitated():
    return imitation.run_imitation_case(walk_trial(None, 9.0, 0))


def test_a_walk_is_compared_with_its_clip(imitated):
    assert imitated["survived"]
    assert 0 < imitated["upper_deg"] < 5
    assert imitated["steps"] >= 8
    assert imitated["creep_mm"] > 0
    assert imitated["stride_s"] == pytest.approx(imitated["clip_stride_s"], rel=0.08)
    assert imitated["knee_mid_deg"] - imitated["clip_knee_mid_deg"] < 12


def test_where_there_are_no_strides_there_is_nothing_to_compare():
    row = imitation.run_imitation_case(walk_trial(None, 0.3, 0))
    assert {row[name] for name in (*imitation.PARTS, imitation.UPPER, "creep_mm")} == {None}


def test_a_controller_that_cannot_be_steered_is_refused():
    from poise import named_controller
    from poise.study.experiment.trial import attempt_trial

    with pytest.raises(PoiseError, match="'hold' cannot be steered"):
        attempt_trial(walk_for(0.1).trial, named_controller("hold"))
