"""Tuning of a behaviour: resumed from its journal, and written into the behaviour's file."""

import json

import pytest

from poise.cli.main import main
from poise.errors import PoiseError
from poise.library.behaviours.files import _FOLDER, read_behaviour
from poise.study.rotation.tune import TuneSettings, tune_rotation_behaviour

SHORT = TuneSettings(generations=2, population=4, trials=1, seconds=0.1, check=1)


def silence(_):
    pass


def test_a_search_that_was_stopped_is_resumed(tmp_path):
    behaviour = read_behaviour("forward-roll")
    whole = tune_rotation_behaviour(behaviour, SHORT, tmp_path / "a.json", 1, silence)
    tune_rotation_behaviour(behaviour, TuneSettings(1, 4, 1, seconds=0.1, check=1), tmp_path / "b.json", 1, silence)
    rest = tune_rotation_behaviour(behaviour, SHORT, tmp_path / "b.json", 1, silence)
    assert whole.score == rest.score
    assert dict(whole.behaviour.control) == dict(rest.behaviour.control)
    with pytest.raises(PoiseError, match="another search"):
        tune_rotation_behaviour(behaviour, TuneSettings(2, 4, 2, seconds=0.1, check=1), tmp_path / "a.json", 1, silence)


def test_the_command_writes_the_file_with_its_score(tmp_path, capsys):
    path = tmp_path / "roll.toml"
    path.write_text((_FOLDER / "forward-roll.toml").read_text())
    short = ["--generations", "1", "--population", "4", "--trials", "1", "--seconds", "0.1", "--check", "1"]
    assert main(["tune", str(path), *short, "--workers", "1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["files"][0] == str(path)
    assert printed["score"] >= printed["before"]
    assert "[found]" in path.read_text()
    read_behaviour(str(path))
