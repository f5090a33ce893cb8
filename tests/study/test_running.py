"""Running a study as a whole, and writing its files."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from toys import TOYS

from poise import PoiseError
from poise.study.experiment import runner as running
from poise.study.experiment.runner import run_study
from poise.study.experiment.study import Scope


def test_findings_do_not_depend_on_the_number_of_workers():
    assert run_study(TOYS, workers=1).rows == run_study(TOYS, workers=2).rows


def test_a_study_that_is_timed_runs_in_this_process_alone(monkeypatch):
    asked = []
    monkeypatch.setattr(
        running, "local_case_rows", lambda run_case, cases, workers: asked.append(workers) or map(run_case, cases)
    )
    run_study(replace(TOYS, alone=True), workers=2)
    run_study(TOYS, workers=2)
    assert asked == [1, 2]


def test_a_study_that_is_timed_does_not_run_on_a_cluster():
    with pytest.raises(PoiseError, match="toys measures time"):
        run_study(replace(TOYS, alone=True), cluster="tcp://127.0.0.1:1")


def test_files_hold_what_was_found(tmp_path):
    findings = run_study(TOYS, TOYS.scope(quick=True), workers=1)
    written = findings.write(tmp_path / "new")
    assert [path.name for path in written] == ["toys.json", "toys.csv", "toys.png"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["toys.csv", "toys.json", "toys.png"]
    found = json.loads(written[0].read_text())
    assert found["rows"] == list(findings.rows)
    assert found["summary"] == [{"kind": "even", "rows": 2, "sum": 4}, {"kind": "odd", "rows": 2, "sum": 10}]
    assert found["scope"]["seeds"] == 1
    assert written[1].read_text().splitlines()[:2] == ["kind,number,square", "even,0,0"]
    assert np.asarray(Image.open(written[2])).std() > 1  # something is drawn


def test_the_same_findings_make_the_same_files(tmp_path):
    findings = run_study(TOYS, workers=1)
    first, second = ([path.read_bytes() for path in findings.write(tmp_path / name)] for name in "ab")
    assert first == second


def test_what_is_asked_for_replaces_what_the_study_has():
    assert TOYS.scope() == TOYS.whole
    assert TOYS.scope(quick=True) == TOYS.quick
    walking = replace(TOYS, whole=Scope(seeds=3, seconds=1.0, motions=("walk", "stand")))
    assert walking.scope(seeds=7, motions=["run"]) == Scope(seeds=7, seconds=1.0, motions=("run",))
    assert walking.scope(seconds=2.0) == Scope(seeds=3, seconds=2.0, motions=("walk", "stand"))


def test_motions_are_refused_where_none_are_asked_for():
    with pytest.raises(PoiseError, match="toys always uses its own motions"):
        TOYS.scope(motions=["walk"])


@pytest.mark.parametrize("wrong", [{"seeds": 0}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_scopes_of_nothing_are_refused(wrong):
    with pytest.raises(PoiseError):
        TOYS.scope(**wrong)
