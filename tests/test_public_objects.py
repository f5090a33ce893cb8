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


ODD_ARGUMENTS = [
    ({"record": "5"}, "record '5': must be True, False, or"),
    ({"record": None}, "record None"),
    ({"pushes": 5}, "pushes 5: must be a list of short forms"),
    ({"pushes": [None]}, "pushes None"),
    ({"settings": "a=1"}, "settings 'a=1': must be a mapping"),
    ({"step": "a"}, "step 'a': must be a number of seconds"),
    ({"friction": "1"}, "friction '1'"),
    ({"seed": 1.5}, "seed 1.5: must be a whole number"),
    ({"noise": None}, "noise None"),
    ({"steer": 90}, "steer 90: must be a text such as"),
    ({"controller": 5}, "controller 5: must be a name, a class or a controller"),
    ({"controller": int}, "'int' is not a class with the methods"),
    ({"terrain": 5}, "terrain 5"),
    ({"motion": 5}, "motion 5: must be a name, a file or a Reference"),
    ({"body": 5}, "body 5: must be a name, a file or a Body"),
]


@pytest.mark.parametrize(
    ("odd", "told"), ODD_ARGUMENTS, ids=lambda each: next(iter(each)) if isinstance(each, dict) else ""
)
def test_odd_arguments_of_a_stage_are_told_in_one_line(odd, told):
    with pytest.raises(poise.PoiseError) as error:
        poise.stage(**{"motion": "stand", "body": "human37", **odd})
    assert told in str(error.value)


def test_what_is_obviously_meant_is_accepted(tmp_path):
    push = poise.parse_push("20@0")
    for pushes in (push, "20@0", [push], ["20@0"]):
        run = poise.stage("stand", body="human37", pushes=pushes)
        assert [event["kind"] for event in run.events] == ["push"]
    assert (
        poise.stage("stand", body="human37", controller=type(poise.named_controller("limp"))).controller.name == "limp"
    )
    body = poise.Body.from_skeleton(poise.import_motion(WALK).clip.skeleton)
    for given in (WALK, body):
        assert poise.stage(WALK, body=given).world.scene.body.nv == body.nv


def test_odd_arguments_of_a_run_are_told_in_one_line(run):
    with pytest.raises(poise.PoiseError, match=r"three finite numbers.*poise\.stage"):
        run.push("150@2")
    with pytest.raises(poise.PoiseError, match="duration 'a'"):
        run.push([1.0, 0.0, 0.0], "a")
    with pytest.raises(poise.PoiseError, match="edit 5"):
        run.edit(5)
    with pytest.raises(poise.PoiseError, match="mass '5'"):
        run.hang("left_hand", "5")
    with pytest.raises(poise.PoiseError, match="seconds '5'"):
        run.perform("5")
    walker = poise.stage("stand", controller="pendulum")
    with pytest.raises(poise.PoiseError, match=r"goes at -0\.6 to 1\.8 m/s, not at 3"):
        walker.steer(0.0, 3)
    with pytest.raises(poise.PoiseError, match="heading 'left'"):
        walker.steer("left")
    walker.lay("slope:5", "it rises")
    assert walker.world.scene.terrain.height(10.0, 0.0) > 0.5


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
    run = poise.stage("fall", body="human37", controller="limp", terrain="drop:0.3")
    assert (run.meta["terrain"], run.meta["fell_at"]) == ("drop:0.3", None)
    while not run.fell and run.time < 5.0:
        run.step()
    assert run.fell_at == poise.metrics(run.recording)["fell_at"] == pytest.approx(run.time - run.step_s)
    assert run.recording.meta["fell_at"] == run.fell_at


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
