"""The command `poise animate`."""

import json
from pathlib import Path

import pytest

from poise import Recording
from poise.animate.animate import KEYFRAMES
from poise.animate.read_script import shipped_scripts
from poise.cli.main import main
from poise.performance.report import FILES

STAND = """
title = "A lamp that stands"
body = "lamp14"
seconds = 0.2
[[pose]]
time = 0.1
name = "nod"
angles = { neck_y = -20 }
"""
GOAL = """
[[goal]]
name = "look down"
free = ["nod.neck_y"]
want = [{ what = "neck_y", at = 0.15, is = %s, within = 0.5 }]
"""
SOLVING = {"converged", "iterations", "simulations", "solve_s", "constraints"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder with a script in it."""
    monkeypatch.chdir(tmp_path)
    Path("nod.toml").write_text(STAND)
    return tmp_path


def json_of(capfd, *arguments, code=0):
    """The JSON of a command."""
    assert main(["animate", *arguments, "--json"]) == code
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 1, out
    assert "Traceback" not in err
    return json.loads(out, parse_constant=pytest.fail)


def refused(capfd, *arguments):
    before = sorted(Path.cwd().rglob("*"))
    assert main(["animate", *arguments]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert sorted(Path.cwd().rglob("*")) == before  # no files are written
    return err


def test_json_has_the_keys_of_perform_and_of_solving(here, capfd):
    assert main(["perform", "stand", "--body", "lamp14", "--seconds", "0.1", "--json"]) == 0
    performed = json.loads(capfd.readouterr().out)
    animated = json_of(capfd, "nod.toml")
    assert set(performed) | SOLVING <= set(animated)
    assert animated["converged"] is None
    assert animated["constraints"] == []
    assert animated["seconds"] == pytest.approx(0.2)
    assert set(animated["stabiliser"]) == {"peak_nm", "mean_nm", "share"}


def test_the_files_of_a_performance_are_written(here, capfd):
    animated = json_of(capfd, "nod.toml", "--out", "o")
    written = [*FILES, *KEYFRAMES]
    assert animated["files"] == [str(Path("o") / name) for name in written]
    assert sorted(path.name for path in (here / "o").iterdir()) == sorted(written)
    assert Recording.load(here / "o/recording.npz").steps == 24


def test_the_folder_is_named_after_the_script(here, capfd):
    json_of(capfd, "nod.toml")
    assert (here / "poise-nod").is_dir()


def test_seconds_can_be_given(here, capfd):
    assert json_of(capfd, "nod.toml", "--seconds", "0.1")["seconds"] == pytest.approx(0.1)


def test_solving_reports_targets_and_results(here, capfd):
    Path("nod.toml").write_text(STAND + GOAL % "-15")
    solved = json_of(capfd, "nod.toml", "--solve")
    (constraint,) = solved["constraints"]
    assert solved["converged"] is constraint["met"] is True
    assert constraint["what"] == "neck_y"
    assert constraint["unit"] == "deg"
    assert constraint["target"] == pytest.approx(-15)
    assert constraint["reached"] == pytest.approx(-15, abs=0.5)
    assert solved["simulations"] > solved["iterations"] > 0
    assert solved["solve_s"] > 0


def test_the_solved_script_is_written_beside_the_original(here, capfd):
    Path("nod.toml").write_text(STAND + GOAL % "-15")
    first = json_of(capfd, "nod.toml", "--solve")
    assert str(here / "nod-solved.toml") in first["files"] or "nod-solved.toml" in first["files"]
    assert Path("nod.toml").read_text() == STAND + GOAL % "-15"
    again = json_of(capfd, "nod-solved.toml", "--solve")
    assert again["converged"]
    assert again["iterations"] == 0
    assert not Path("nod-solved-solved.toml").exists()


def test_the_solved_script_meets_its_goals_without_solving(here, capfd):
    Path("nod.toml").write_text(STAND + GOAL % "-15")
    json_of(capfd, "nod.toml", "--solve", "--out", "a")
    json_of(capfd, "nod-solved.toml", "--out", "b")
    one, two = (Recording.load(here / folder / "recording.npz").qpos for folder in "ab")
    assert abs(one - two).max() < 1e-9


def test_constraints_that_cannot_be_met_are_reported(here, capfd):
    Path("nod.toml").write_text(STAND + GOAL % "500")
    assert main(["animate", "nod.toml", "--solve"]) == 1
    out = capfd.readouterr().out
    assert "look down: NOT met" in out
    assert "wanted 500 deg" in out
    failed = json_of(capfd, "nod.toml", "--solve", code=1)
    assert failed["converged"] is False
    assert not failed["constraints"][0]["met"]


def test_a_failed_solution_does_not_replace_a_solved_script(here, capfd):
    Path("nod.toml").write_text(STAND + GOAL % "500")
    Path("nod-solved.toml").write_text("an earlier one")
    assert main(["animate", "nod.toml", "--solve"]) == 1
    out = capfd.readouterr().out.splitlines()
    assert Path("nod-solved.toml").read_text() == "an earlier one"
    assert "nod-solved.toml is not written: not all goals are met" in out
    assert "wrote nod-solved.toml" not in out


def test_an_unwritable_target_is_found_before_solving(here, capfd):
    Path("nod.toml").write_text(STAND + GOAL % "-15")
    Path("nod-solved.toml").mkdir()
    assert "a folder is in the way" in refused(capfd, "nod.toml", "--solve")


def test_solving_without_goals_is_reported(here, capfd):
    assert main(["animate", "nod.toml", "--solve"]) == 0
    assert "the script has no goals: nothing to solve" in capfd.readouterr().out.splitlines()


def test_unsolved_goals_are_reported(here, capfd):
    remark = "unsolved goals: 1 (use --solve)"
    Path("nod.toml").write_text(STAND + GOAL % "-15")
    for arguments, expected in ((["nod.toml"], True), (["nod.toml", "--solve"], False), (["nod-solved.toml"], False)):
        assert main(["animate", *arguments]) == 0
        assert (remark in capfd.readouterr().out.splitlines()) is expected


def test_stabilising_torques_are_no_forces(here, capfd):
    Path("lean.toml").write_text(STAND.replace("lamp14", "human37").replace("neck_y = -20", "pitch = 20"))
    leaning = json_of(capfd, "lean.toml")
    assert leaning["stabiliser"]["peak_nm"] > 1
    assert leaning["peak_external_n"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody"], ["'nobody'", *shipped_scripts()]),
        (["gone.toml"], ["cannot read", "gone.toml"]),
        (["wrong.toml"], ["wrong.toml, line 4", "'seconds'"]),
        (["nod.toml", "--seconds", "-1"], ["-1"]),
        (["nod.toml", "--seconds", "nan"], ["nan"]),
        (["nod.toml", "--out", "nod.toml"], ["nod.toml"]),
    ],
)
def test_refusals(here, capfd, arguments, words):
    Path("wrong.toml").write_text(STAND.replace("0.2", "'long'"))
    error = refused(capfd, *arguments)
    for word in words:
        assert word in error


def test_the_summary_names_the_stabilising_torques(here, capfd):
    assert main(["animate", "nod.toml"]) == 0
    lines = capfd.readouterr().out.splitlines()
    (torques,) = [line for line in lines if line.startswith("stabilising torques: ")]
    assert "N m" in torques
    assert lines[-1].startswith("wrote ")
    assert all(line.startswith("wrote ") for line in lines[lines.index(torques) + 1 :])


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit) as left:
        main(["animate", "--help"])
    assert left.value.code == 0
    assert "Example: poise animate " in capsys.readouterr().out
