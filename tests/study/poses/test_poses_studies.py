"""The studies of poses."""

import pickle

import numpy as np
import pytest
from PIL import Image

from poise.animate.read_script import shipped_scripts
from poise.study.catalogue import STUDIES
from poise.study.experiment.runner import Findings
from poise.study.experiment.study import NamedCase
from poise.study.poses import pd, scripts
from poise.study.poses.pd import JointSwingTrial, exact_joint_swing_trial, simulate_joint_swing_trial

FRAMES = {case.panel: case for case in pd.damping_cases(pd.STUDY.quick)}


@pytest.fixture(scope="module")
def rows():
    return {panel: pd.run_damping_case(case) for panel, case in FRAMES.items()}


@pytest.mark.parametrize("study", [pd.STUDY, scripts.SHOOTING, scripts.VARIATIONS], ids=lambda study: study.name)
def test_cases_are_distinct_and_can_be_sent_to_workers(study):
    assert STUDIES[study.name] is study
    cases = study.cases(study.whole)
    assert len(set(cases)) == len(cases)
    assert pickle.loads(pickle.dumps(cases)) == cases
    assert pickle.loads(pickle.dumps(study.run_case)) is study.run_case


# -- damping -------------------------------------------------------------------------------------------------------


def test_the_figure_has_four_panels_with_the_gains_of_the_paper():
    assert pd.PANELS == {"a": (0.25, True), "b": (1.5, True), "c": (1.5, False), "d": (3.0, False)}
    assert pd.STIFFNESS == 0.15
    assert list(FRAMES) == list("abcd")


def test_nonlinear_damping_peaks_three_times_as_high(rows):
    found = {row["panel"]: row for row in pd.damping_summary(list(rows.values()))}
    assert found["c"]["peak_ratio"] == pytest.approx(3.0, abs=0.15)
    assert found["c"]["exact_peak_ratio"] == pytest.approx(3.0, abs=0.15)
    assert found["b"]["peak_ratio"] == 1.0


def test_low_damping_vibrates_and_high_damping_creeps(rows):
    assert rows["a"]["overshoot_deg"] > 0.3 * pd.SHOWN
    assert rows["b"]["overshoot_deg"] == 0.0


def test_more_damping_takes_the_overshoot_away(rows):
    assert 0.5 < rows["c"]["overshoot_deg"] < 4.0
    assert rows["d"]["overshoot_deg"] < 0.1


def test_our_steps_are_near_the_exact_solution(rows):
    for row in rows.values():
        assert row["off_deg"] < 0.03 * pd.SHOWN
        assert row["peak_deg_s"] == pytest.approx(row["exact_peak_deg_s"], rel=0.07)


def test_linear_damping_is_solved_exactly_by_its_formula():
    """Critically damped: 1 - (1 + w t) exp(-w t)."""
    swing = JointSwingTrial(2.0, 2.0 * 49.0, 2.0 * 2.0 * 7.0, True, 30.0, 1.0)
    true = exact_joint_swing_trial(swing)
    wt = 7.0 * true.time
    np.testing.assert_allclose(np.degrees(true.angle), 30.0 * (1 - (1 + wt) * np.exp(-wt)), atol=1e-5)
    np.testing.assert_allclose(simulate_joint_swing_trial(swing).angle, true.angle, atol=np.radians(1.0))


def test_the_plot_shows_something(rows, tmp_path):
    findings = Findings(pd.STUDY, pd.STUDY.quick, tuple(rows.values()))
    picture = findings.write(tmp_path)[2]
    assert np.asarray(Image.open(picture)).std() > 1


# -- shooting ------------------------------------------------------------------------------------------------------


def test_a_solve_is_shown_beside_the_papers(tmp_path):
    (case,) = scripts.SHOOTING.cases(scripts.SHOOTING.quick)
    row = scripts.run_shooting_case(case)
    assert row["solved"]
    assert row["stood"]
    assert row["passed"]
    assert row["goals"] == 5
    assert 0 < row["iterations"] <= 5
    (found,) = scripts.shooting_summary([row])
    assert (found["script"], found["paper_iterations"], found["paper_seconds"]) == ("lamp", 6, 2.5)
    findings = Findings(scripts.SHOOTING, scripts.SHOOTING.quick, (row,))
    assert np.asarray(Image.open(findings.write(tmp_path)[2])).std() > 1


# -- variations ----------------------------------------------------------------------------------------------------


def test_all_scripts_are_varied():
    cases = scripts.VARIATIONS.cases(scripts.VARIATIONS.whole)
    assert {case.name for case in cases} == set(shipped_scripts())
    assert len(cases) == 20 * len(shipped_scripts())


def test_every_script_has_a_goal():
    assert set(scripts.GOALS) == set(shipped_scripts())


def test_a_variation_is_judged():
    row = scripts.run_variation_case(NamedCase("blow-arms", 60.0, 3))
    assert row["solved"]
    assert row["done"]
    assert row["passed"]
    assert row["iterations"] is None


def test_shares_are_counted_by_script(tmp_path):
    row = {"seed": 0, "solved": True, "passed": True, "iterations": None, "simulations": None}
    made = [{"script": "punch", **row, "done": done} for done in (True, True, False)]
    (found,) = scripts.VARIATIONS.summary(made)
    assert (found["script"], found["variations"], found["done"]) == ("punch", 3, 2)
    findings = Findings(scripts.VARIATIONS, scripts.VARIATIONS.quick, tuple(made))
    assert np.asarray(Image.open(findings.write(tmp_path)[2])).std() > 1
