"""The studies of nqr: their cases, short runs of each, and their summaries and plots."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from poise import PoiseError
from poise.study.catalogue import STUDIES
from poise.study.experiment.runner import Findings
from poise.study.experiment.study import Scope
from poise.study.experiment.trial import Trial
from poise.study.nqr import survival
from poise.study.nqr.case import MOTIONS, NqrCase, run_nqr_trial
from poise.world.terrain_kinds import parse_terrain

NQR = [study for name, study in STUDIES.items() if name.startswith("nqr-")]
MOVED = [study for study in NQR if study.whole.motions]
TRIED = [study for study in MOVED if not study.alone]


@pytest.mark.parametrize("study", NQR, ids=lambda study: study.name)
@pytest.mark.parametrize("quick", [False, True])
def test_cases_are_distinct_and_can_be_sent_to_workers(study, quick):
    cases = study.cases(study.scope(quick))
    assert len({repr(case) for case in cases}) == len(cases)
    assert pickle.loads(pickle.dumps(cases)) == cases
    assert pickle.loads(pickle.dumps(study.run_case)) is study.run_case


@pytest.mark.parametrize("study", TRIED, ids=lambda study: study.name)
def test_more_seeds_are_more_of_the_same(study):
    one, two = (study.cases(study.scope(quick=True, seeds=seeds)) for seeds in (1, 2))
    assert len(two) == 2 * len(one)
    assert {case.trial.seed for case in two} == {0, 1}
    assert all(case in two for case in one)


@pytest.mark.parametrize("study", MOVED, ids=lambda study: study.name)
def test_other_motions_may_be_asked_for(study):
    cases = study.cases(study.scope(motions=["turn-60"]))
    assert {case.trial.motion if isinstance(case, NqrCase) else case.name for case in cases} == {"turn-60"}


def shortened(case, seconds):
    return (
        replace(case, trial=replace(case.trial, seconds=seconds))
        if isinstance(case, NqrCase)
        else replace(case, seconds=seconds)
    )


@pytest.mark.parametrize("study", MOVED, ids=lambda study: study.name)
def test_a_short_run_of_each_study_makes_a_summary_and_a_plot(study, tmp_path):
    scope = study.scope(quick=True)
    rows = tuple(study.run_case(shortened(case, 0.2)) for case in study.cases(scope)[:2])
    findings = Findings(study, scope, rows)
    assert findings.summary
    picture = findings.write(tmp_path)[2]
    assert np.asarray(Image.open(picture)).std() > 1


def test_a_row_describes_a_trial():
    row = run_nqr_trial(NqrCase({"motion": "walk"}, Trial("walk", seconds=0.5, seed=2)))
    assert row["motion"] == "walk"
    assert row["seed"] == 2
    assert row["survived"]
    assert row["physical"]
    assert row["seconds"] == pytest.approx(0.5)
    assert 0.01 < row["cost"] < 0.03


def test_the_same_case_gives_the_same_row():
    case = NqrCase({}, Trial("walk", seconds=0.3, seed=4))
    assert run_nqr_trial(case) == run_nqr_trial(case)


def test_a_push_comes_at_the_phase_of_its_label():
    from poise.library.motions import shipped_dynamic

    walk = shipped_dynamic("walk", "biped29")
    for case in survival.nqr_push_cases(Scope(1, 4.0, ("walk",), coarse=True)):
        pushed = case.trial.first_step(walk) * walk.step + case.trial.pushes[0].time
        away = (pushed / walk.clip.seconds - case.labels["phase"] + 0.5) % 1 - 0.5
        assert abs(away) <= 0.5 / 126 + 1e-9


@pytest.mark.parametrize(
    ("scope", "cause"), [(Scope(1, 1.0, ("walk",)), "pushes come after 1 s"), (Scope(1, 4.0, ("start",)), "not cyclic")]
)
def test_pushes_that_cannot_come_as_labelled_are_refused(scope, cause):
    with pytest.raises(PoiseError, match=cause):
        survival.nqr_push_cases(scope)


def test_pushes_go_where_they_say():
    directions = {
        case.labels["direction"]: case.trial.pushes[0].direction
        for case in survival.nqr_push_cases(survival.PUSHES.quick)
    }
    np.testing.assert_allclose(directions[0], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(directions[90], [0, 1, 0], atol=1e-12)


def test_a_cost_counts_only_until_the_fall():
    standing = run_nqr_trial(
        NqrCase({}, Trial("walk", seconds=4.0, pushes=survival.nqr_push_cases(survival.PUSHES.quick)[0].trial.pushes))
    )
    hit = replace(survival.nqr_push_cases(survival.PUSHES.quick)[0].trial.pushes[0], force=5000.0, time=0.1)
    felled = run_nqr_trial(NqrCase({}, Trial("walk", seconds=4.0, pushes=(hit,))))
    assert standing["survived"]
    assert not felled["survived"]
    assert felled["seconds"] == felled["fell_at"] < 2.0
    assert felled["cost"] > standing["cost"]


def test_the_motions_ship_with_poise():
    from poise.library.authoring.source import shipped_names

    assert set(MOTIONS) <= set(shipped_names())


def test_slopes_rise_by_their_height_within_a_metre():
    for case in survival.nqr_ground_cases(Scope(1, 4.0, ("walk",))):
        what, height = case.labels["ground"], case.labels["height_cm"] / 100
        if "slope" in what:
            rise = parse_terrain(case.trial.terrain).height(1.0, 0.0)
            assert rise == pytest.approx(height if "up" in what else -height, abs=1e-5)


def test_bumps_differ_from_seed_to_seed():
    rough = [
        case.trial
        for case in survival.nqr_ground_cases(Scope(3, 4.0, ("walk",), coarse=True))
        if "rough" in case.trial.terrain
    ]
    assert [(trial.seed, trial.terrain) for trial in rough] == [(seed, f"rough:0.04:{seed}") for seed in range(3)]
