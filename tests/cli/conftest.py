"""Working folders of the command-line tests."""

import pytest
from commanding import WALK

from poise.cli.main import main


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def performed(tmp_path_factory):
    """A short performance written by the command line, and the text of its recording."""
    folder = tmp_path_factory.mktemp("performed") / "out"
    assert main(["perform", "stand", "--body", "lamp14", "--seconds", "0.2", "--out", str(folder), "--json"]) == 0
    return folder


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """More than a cycle of the example walk, prepared by the command line."""
    folder = tmp_path_factory.mktemp("prepared") / "walk"
    assert main(["prepare", str(WALK), "--span", "0.5:1.9", "--out", str(folder), "--json"]) == 0
    return folder
