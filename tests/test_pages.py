"""Pages whose Python is run: the game loop, and a controller of one's own."""

import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.cli.main import main
from poise.control import catalogue
from poise.control.catalogue import controller_entry, controller_names

DOCS = Path(__file__).parent.parent / "docs"


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)


def test_the_game_loop_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for block in blocks("live.md"):
        exec(compile(block, "live.md", "exec"), space)
    run, frames = space["run"], np.array(space["frames"])
    assert len(frames) == 60
    assert run.time == pytest.approx(1.0 + 59 / 60, abs=run.step_s + 1e-9)
    assert np.linalg.norm(np.diff(frames, axis=0), axis=1).max() < 0.1  # m between frames: drawn without jumps
    assert np.allclose(np.linalg.norm(run.bones.quaternions, axis=1), 1.0)
    assert len(run.recording.time) * run.step_s < 5.1


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The page's controllers as a module outside the package."""
    module, *_, guided = blocks("controllers.md")
    (tmp_path / "my_controllers.py").write_text(f"{module}\n\n{guided}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("my_controllers", None)


def test_a_controller_of_ones_own_performs_in_python(own):
    space: dict[str, object] = {"poise": poise}
    exec(blocks("controllers.md")[1], space)
    performance = space["performance"]
    assert performance.recording.meta["settings"] == {"stiffness": 400.0, "damping": 20.0}
    assert poise.audit(performance.recording).passed


def test_a_controller_of_ones_own_performs_on_the_command_line(own, tmp_path):
    command = ["-m", "poise", "perform", "stand", "--controller", "my_controllers:Springs"]
    command += ["--set", "stiffness=400", "--seconds", "0.2", "--out", "springs"]
    path = f"{tmp_path}:{Path(poise.__file__).parents[1]}"
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "springs" / "recording.npz").is_file()


def test_an_entry_says_what_suits_a_controller(own):
    run = poise.stage("stand", controller="my_controllers:Guided", record=False)
    assert run.step_s == 1 / 240
    run.steer(heading=0.5)
    run.step()
    assert run.controller.heading == 0.5


def test_installed_controllers_are_known_by_name(own, monkeypatch):
    point = EntryPoint("springs", "my_controllers:Springs", catalogue.GROUP)
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [point] if group == catalogue.GROUP else [])
    catalogue._controller_homes.cache_clear()
    try:
        assert controller_names()[-1] == "springs"
        assert controller_entry("springs").what == "Plain joint springs towards the reference."
        assert catalogue.controller_entries()["springs"].settings_type().__name__ == "SpringSettings"
    finally:
        monkeypatch.undo()
        catalogue._controller_homes.cache_clear()


@pytest.mark.parametrize(
    ("name", "cause"),
    [("nowhere:Springs", "nowhere"), ("my_controllers:Nothing", "Nothing"), ("my_controllers:SpringSettings", "reset")],
)
def test_what_is_no_controller_is_refused_in_one_line(own, name, cause, capsys):
    assert main(["perform", "stand", "--controller", name]) == 1
    error = capsys.readouterr().err
    assert cause in error
    assert error.count("\n") == 1


def test_a_broken_installed_controller_harms_nothing_else(monkeypatch):
    point = EntryPoint("broken", "no_such_module:Springs", catalogue.GROUP)
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [point] if group == catalogue.GROUP else [])
    catalogue._controller_homes.cache_clear()
    try:
        assert "broken" not in catalogue.controller_entries()
        assert catalogue.fallback_controller() == "pendulum"
        with pytest.raises(poise.PoiseError, match="no_such_module"):
            controller_entry("broken")
    finally:
        monkeypatch.undo()
        catalogue._controller_homes.cache_clear()
