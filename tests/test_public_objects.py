"""Public objects print in a line or two, and misuse is told in one."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.control.catalogue import controller_names
from poise.export.formats import export

WALK = Path(__file__).parent.parent / "examples/motions/walk.bvh"


@pytest.fixture(scope="module")
def run():
    made = poise.stage("stand", body="human37")
    made.step()
    return made


def public_objects(run):
    clip = poise.import_motion(WALK).clip
    biped = poise.Body.named("biped29")
    walk = poise.named_motion("walk", biped)
    repertoire = poise.shipped_repertoire(biped)
    yield from (run, run.bones, run.world, run.world.scene, run.world.state, run.world.contacts, run.step(), run.mark())
    yield from (run.recording, run.so_far(), run.reference, run.controller, run.controller.act(run.world.state))
    yield from (clip, clip.skeleton, biped, walk, walk.clip, walk.at(0.1), repertoire)
    yield from (poise.Roaming(repertoire, "walk"), poise.audit(run.recording), poise.named_controller("pendulum"))
    yield from (poise.parse_push("100@1"), poise.parse_edit("turn:30"), poise.parse_terrain("stairs:0.1:0.3:8"))
    yield from (next(iter(repertoire.values())), poise.WorldSettings(), poise.Variation(), poise.ImportSettings())


def test_printing_takes_a_line_or_two(run):
    for each in public_objects(run):
        text = repr(each)
        assert " object at 0x" not in text, text
        assert text.count("\n") < 3, type(each)
        assert len(text) < 600, type(each)


@pytest.mark.parametrize("name", controller_names())
def test_acting_before_reset_says_what_to_do(run, name):
    controller = poise.named_controller(name)
    with pytest.raises(poise.PoiseError, match="reset"):
        controller.target(0.0)
    if name != "limp":
        with pytest.raises(poise.PoiseError, match="reset"):
            controller.act(run.world.state)


def test_names_are_taken_where_objects_belong():
    world = poise.World(poise.Scene.of("human37"))
    assert poise.perform(world, "hold", "stand", seconds=0.05).recording.steps == 6
    with pytest.raises(poise.PoiseError, match=r"poise\.stage"):
        poise.perform("walk", "hold", "stand", seconds=0.05)
    with pytest.raises(poise.PoiseError, match="list"):
        poise.stage("stand", pushes="100@1")


def test_paths_are_taken_where_recordings_belong(run, tmp_path):
    run.recording.save(tmp_path / "recording.npz")
    for source in (run.recording, tmp_path / "recording.npz", str(tmp_path / "recording.npz"), tmp_path):
        assert poise.audit(source).passed
        assert poise.metrics(source)["fell_at"] is None
        assert export(source, tmp_path / "same.csv").is_file()
    with pytest.raises(poise.PoiseError, match="not a recording"):
        poise.audit(5)
    with pytest.raises(poise.PoiseError, match="nowhere"):
        export("nowhere.npz", tmp_path / "x.bvh")


def test_a_run_keeps_as_much_as_it_is_told(tmp_path):
    run = poise.stage("fall", body="human37", controller="limp", record=0.1)
    early = run.mark()
    for _ in range(60):
        run.step()
    recording = run.recording
    assert recording.steps == 12
    assert recording.time[-1] == pytest.approx(run.time)
    assert recording.contact_step.min(initial=0) >= 0
    run.go_back(early)
    assert run.time == 0.0
    run.step()
    assert np.array_equal(run.recording.qpos[-1], run.world.qpos)
    silent = poise.stage("fall", body="human37", controller="limp", record=False)
    with pytest.raises(poise.PoiseError, match="record"):
        _ = silent.recording


def test_a_fall_is_noticed():
    run = poise.stage("fall", body="human37", controller="limp", record=False)
    while not run.fell and run.time < 5.0:
        run.step()
    assert run.fell_at == pytest.approx(run.time)


def test_marks_that_no_longer_hold_are_refused():
    run = poise.stage("fall", body="human37", controller="limp")
    first = run.mark()
    run.step()
    later = run.mark()
    run.go_back(first)
    for stale in (later, poise.stage("fall", body="human37", controller="limp").mark(), None):
        with pytest.raises(poise.PoiseError, match="another run"):
            run.go_back(stale)
    run.perform(0.05)
    with pytest.raises(poise.PoiseError, match="taken"):
        run.go_back(first)
    for seconds in (0.0, float("inf")):
        with pytest.raises(poise.PoiseError, match="seconds"):
            run.perform(seconds)


def test_the_installed_command_can_be_called():
    import tomllib

    script = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]["scripts"]["poise"]
    module, _, name = script.partition(":")
    assert callable(getattr(importlib.import_module(module), name))
