"""`poise study`."""

import json

import pytest
from toys import TOYS

from poise.cli.main import main
from poise.study import catalogue


@pytest.fixture
def toys(monkeypatch):
    monkeypatch.setitem(catalogue.STUDIES, "toys", TOYS)


def test_it_writes_files_and_prints_a_table(toys, tmp_path, capfd):
    assert main(["study", "toys", "--quick", "--workers", "1", "--out", str(tmp_path / "here")]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[:3] == ["squares of numbers (arithmetic)", "kind  rows  sum", "even     2    4"]
    assert out.count("wrote ") == len(list((tmp_path / "here").iterdir())) == 3
    assert err == ""


def test_json_is_one_object_and_nothing_else(toys, tmp_path, capfd):
    assert main(["study", "toys", "--seeds", "2", "--workers", "1", "--json", "--out", str(tmp_path)]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["study"] == "toys"
    assert printed["scope"] == {"seeds": 2, "seconds": 1.0, "motions": [], "coarse": False}
    assert sum(row["rows"] for row in printed["summary"]) == 8
    assert len(printed["files"]) == 3


@pytest.mark.parametrize(
    ("arguments", "causes"),
    [
        (["tois"], ["unknown study 'tois'", "Did you mean 'toys'?", "nqr-endurance"]),
        (["toys", "--seeds", "0"], ["0 seeds"]),
        (["toys", "--seconds", "-1"], ["-1.0 seconds"]),
        (["toys", "--workers", "0"], ["0 workers"]),
        (["toys", "--motion", "walk"], ["always uses its own motions"]),
        (["nqr-timing", "--motion", "wolk"], ["unknown motion 'wolk'"]),
        (["toys", "--out", "/proc/none"], ["cannot write to /proc/none"]),
    ],
)
def test_errors_are_one_line(toys, tmp_path, monkeypatch, capfd, arguments, causes):
    monkeypatch.chdir(tmp_path)
    assert main(["study", *arguments]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert all(cause in err for cause in causes)
    assert not list(tmp_path.iterdir())


def test_studies_are_listed(capfd):
    assert main(["list", "studies", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)["studies"]
    assert {"nqr-endurance", "nqr-timing", "nqr-rate", "nqr-horizon", "nqr-ground", "nqr-push"} <= set(listed)
