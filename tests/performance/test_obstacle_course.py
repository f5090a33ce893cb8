"""The obstacle-course example: the edited walk touches nothing, the unedited walk hits the obstacles."""

import importlib.util
from pathlib import Path

import mujoco
import pytest

import poise

EXAMPLE = Path(__file__).parents[2] / "examples/08_obstacle_course.py"
THINGS = ("platform0", "bar_shape", "wall_left_shape", "wall_right_shape")


@pytest.fixture(scope="module")
def course():
    spec = importlib.util.spec_from_file_location("obstacle_course", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def recording(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    course.main(folder)
    return poise.Recording.load(folder / "recording.npz")


def test_the_edited_walk_touches_nothing(course, recording):
    model = mujoco.MjModel.from_xml_string(recording.model_xml)
    assert poise.metrics(recording)["fell_at"] is None
    assert recording.qpos[-1, 0] > 9.0
    for thing in THINGS:
        assert course.clearance(recording, model, thing) > 0.0, thing
    props = {model.body(name).id for name in ("bar", "wall_left", "wall_right")}
    assert not props & set(recording.contact_other.tolist())


def test_the_unedited_walk_is_stopped(course, monkeypatch, tmp_path):
    """The bar is lower than its head, and the walls nearer to each other than its arms."""
    monkeypatch.setattr(course, "DIRECTIONS", [])
    course.main(tmp_path / "unedited")
    recording = poise.Recording.load(tmp_path / "unedited/recording.npz")
    model = mujoco.MjModel.from_xml_string(recording.model_xml)
    assert course.clearance(recording, model, "bar_shape") < 0.0
