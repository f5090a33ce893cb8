"""The command line seen from outside: what it prints, what it writes, and how it refuses."""

import io
import json
import pickle
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import mujoco
import numpy as np
import pytest

from poise import Actuation, Body, PoiseError, Recording, Scene, World, named_controller, named_motion, perform
from poise.cli import main
from poise.cli.command import near
from poise.motion import read_motion
from poise.reference import load_prepared
from poise.session import Session
from poise.world.recording import ARRAYS

WALK, JUMP, SQUAT = (Path(__file__).parents[1] / f"examples/motions/{name}.bvh" for name in ("walk", "jump", "squat"))
COMMANDS = ("perform", "animate", "prepare", "audit", "export", "motions", "study", "list", "bench")
BODIES = ("baby", "biped29", "human37", "human42", "human43", "human58", "lamp14")
NO_ROOT = '<mujoco><worldbody><body name="torso"><joint/><geom size=".1"/></body></worldbody></mujoco>'
BALL = '<mujoco><worldbody><body name="torso"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
PLATFORM = "[[platform]]\nx = [-1, 1]\ny = [-1, 1]\nz = 0.5\n"


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


def refuse(arguments, capfd, *words):
    """Run a command that must fail; its one line of complaint."""
    before = set(Path.cwd().rglob("*"))
    code = main([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    assert code == 1
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert err.startswith("poise: ")
    assert "Traceback" not in err
    for word in words:
        assert word in err
    assert set(Path.cwd().rglob("*")) == before  # nothing is left behind
    return err


# -- help --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_every_help_has_an_example(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])
    assert left.value.code == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert re.search(r"^Example: poise ", out, re.MULTILINE)


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_examples_are_understood(command, capsys):
    from poise.cli import build_parser

    with pytest.raises(SystemExit):
        main([*command, "--help"])
    example = capsys.readouterr().out.split("Example: poise ")[1].split()
    chosen = build_parser().parse_args(example)
    assert chosen.run is not None
    if command:
        assert example[0] == command[0]


def test_no_command_shows_the_help_and_fails(capsys):
    assert main([]) == 2
    assert "perform" in capsys.readouterr().out


def test_the_version_is_printed(capsys):
    import poise

    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"poise {poise.__version__}\n"


# -- perform -----------------------------------------------------------------------------------------------------


def test_perform_prints_one_json_object_and_writes_its_files(here, capfd):
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "0.5", "--push", "40@0.1"]
    assert main([*arguments, "--out", "a/b", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    summary = json.loads(out, parse_constant=pytest.fail)
    assert {
        "seconds", "fell_at", "real_time_factor", "setup_s", "step_ms", "tracking", "foot_slip_mm_s", "penetration_mm",
        "jitter", "peak_torque_ratio", "files",
    } <= set(summary)  # fmt: skip
    assert set(summary["step_ms"]) == {"median", "p99"}
    assert set(summary["tracking"]) == {"joint_rms_deg", "root_rms_m"}
    assert summary["seconds"] == pytest.approx(0.5)
    assert summary["fell_at"] is None
    assert summary["real_time_factor"] > 0
    assert 0 < summary["step_ms"]["median"] <= summary["step_ms"]["p99"]
    assert 0 < summary["peak_torque_ratio"] <= 1
    assert sorted(path.name for path in (here / "a/b").iterdir()) == ["motion.bvh", "page.html", "recording.npz"]
    assert [str(here / name) for name in summary["files"]] == [
        str(here / "a/b" / name) for name in ("recording.npz", "motion.bvh", "page.html")
    ]
    assert (here / "a/b/motion.bvh").read_text().startswith("HIERARCHY")
    assert "<html" in (here / "a/b/page.html").read_text()


def test_the_recording_is_as_the_design_says(performed):
    with np.load(performed / "recording.npz", allow_pickle=False) as file:
        data = {name: file[name] for name in file.files}
    assert set(data) == {
        "model_xml", "time", "qpos", "qvel", "torque", "external", "contact_step", "contact_body", "contact_other",
        "contact_point", "contact_normal", "contact_force", "contact_friction", "contact_kind", "reference_qpos",
        "meta",
    }  # fmt: skip
    model = mujoco.MjModel.from_xml_string(str(data["model_xml"]))
    steps, contacts = 24, len(data["contact_step"])
    assert contacts > 0
    shapes = {
        "time": (steps + 1,),
        "qpos": (steps + 1, model.nq),
        "qvel": (steps + 1, model.nv),
        "torque": (steps, model.nv),
        "external": (steps, model.nv),
        "reference_qpos": (steps + 1, model.nq),
        **dict.fromkeys(("contact_point", "contact_normal", "contact_force"), (contacts, 3)),
        **dict.fromkeys(
            ("contact_step", "contact_body", "contact_other", "contact_friction", "contact_kind"), (contacts,)
        ),
    }
    whole = {"contact_step", "contact_body", "contact_other", "contact_kind"}
    for name, shape in shapes.items():
        assert data[name].shape == shape, name
        assert data[name].dtype == (np.int64 if name in whole else np.float64), name
    assert not data["torque"][:, :6].any()
    assert not data["external"].any()
    np.testing.assert_allclose(data["time"], np.arange(steps + 1) / 120, atol=1e-12)
    meta = json.loads(str(data["meta"]), parse_constant=pytest.fail)
    for key in ("version", "settings", "step", "torque_limits", "events"):
        assert key in meta
    assert (meta["body"], meta["motion"], meta["controller"], meta["seed"]) == ("lamp14", "stand", "hold", 0)
    assert len(meta["torque_limits"]) == model.nv


def test_without_json_progress_goes_to_stderr_and_a_summary_to_stdout(here, capsys):
    assert main(["perform", "stand", "--body", "lamp14", "--seconds", "0.1", "--out", "o"]) == 0
    out = capsys.readouterr().out
    assert "stayed up" in out
    assert out.count("wrote ") == 3


def test_the_folder_is_named_after_the_motion_unless_told(here):
    assert main(["perform", "stand", "--body", "lamp14", "--seconds", "0.05", "--json"]) == 0
    assert sorted(path.name for path in here.iterdir()) == ["poise-stand"]


def test_a_users_own_body_performs(here, capsys):
    (here / "ball.xml").write_text(BALL)
    assert main(["perform", "stand", "--body", "ball.xml", "--seconds", "0.1", "--out", "o", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seconds"] == pytest.approx(0.1)


def test_a_named_set_of_limits_is_used(here, capsys):
    for limits in ("human", "athlete"):
        arguments = ["perform", "stand", "--seconds", "0.05", "--limits", limits, "--out", limits, "--json"]
        assert main(arguments) == 0
    loose, tight = (Recording.load(here / name / "recording.npz") for name in ("athlete", "human"))
    body = Body.named("human37")
    np.testing.assert_array_equal(loose.meta["torque_limits"], body.torque_limits["athlete"])
    np.testing.assert_array_equal(tight.meta["torque_limits"], body.torque_limits["human"])


# -- motion files -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """More than a cycle of the example walk, prepared by the command line."""
    folder = tmp_path_factory.mktemp("prepared") / "walk"
    assert main(["prepare", str(WALK), "--span", "0.5:1.9", "--out", str(folder), "--json"]) == 0
    return folder


def finite(text):
    """One JSON object, all of whose numbers are finite."""
    assert text.count("\n") == 1
    return json.loads(text, parse_constant=pytest.fail)


def test_prepare_prints_one_json_object_and_writes_its_files(here, capfd):
    arguments = ["prepare", WALK, "--span", "0.5:1.5", "--edit", "warp:0.8", "--mass", "70", "--clearance", "0.03"]
    assert main([*map(str, arguments), "--out", "a/b", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    summary = finite(out)
    assert (summary["body"], summary["rate"], summary["cyclic"]) == ("walk", 60.0, False)
    assert summary["mass_kg"] == pytest.approx(70.0)
    assert summary["seconds"] == pytest.approx(1 / 0.8, abs=0.02)  # of the edited motion, which is what is written
    assert summary["edits"] == ["warp:0.8"]
    assert summary["findings"]["unit"]["value"] == 0.01
    assert max(summary["retarget_error_m"].values()) < 1e-3
    assert 0 < max(summary["cleaned_m"].values()) < 0.1
    assert 0 < summary["contacts"]["left_foot_heel"] < 1
    files = [here / name for name in summary["files"]]
    assert [path.name for path in files] == ["reference.npz", "motion.bvh", "page.html"]
    assert load_prepared(files[0]).frames == summary["frames"]
    assert read_motion(files[1]).clip.skeleton.names == read_motion(WALK).clip.skeleton.names
    assert "<html" in files[2].read_text()


def test_prepare_speaks_to_people(here, capfd):
    assert main(["prepare", str(JUMP), "--body", "human58", "--span", "0.1:0.7"]) == 0
    out, err = capfd.readouterr()
    assert err == ""  # progress is for terminals
    assert "1 unit = 0.0254 m (inch)" in out
    assert "60 frames per second, by flight" in out  # no rate is changed silently
    assert re.search(
        r"^retargeting: \w+ \w+ \d\.\d cm off, [\w ]+ \d+\.\d degrees off, all else less$", out, re.MULTILINE
    )
    assert "on the ground: left foot 100 %, right foot 100 % of the time, nothing 0 %" in out
    assert sorted(path.name for path in here.iterdir()) == ["prepared-jump"]
    assert out.count("wrote prepared-jump/") == 3


def test_the_report_has_every_error_and_names_overrides_as_they_are_typed(here, capfd):
    assert main(["prepare", str(JUMP), "--report", "--body", "human58", "--span", "0.1:0.5"]) == 0
    out = capfd.readouterr().out
    assert re.search(r"^  left foot +\d+\.\d\d cm +\d+\.\d\d degrees$", out, re.MULTILINE)
    told = re.findall(r"override: (--\w+)=", out)
    assert len(told) > 5
    with pytest.raises(SystemExit):
        main(["prepare", "--help"])
    helped = capfd.readouterr().out
    assert [name for name in told if name not in helped] == []


def test_overrides_decide(here, capfd):
    arguments = [
        "prepare",
        JUMP,
        "--tpose",
        "keep",
        "--rate",
        "120",
        "--facing",
        "-z",
        "--unit",
        "0.03",
        "--thorax",
        "no",
    ]
    assert main([*map(str, arguments), "--leading", "3", "--floor", "0.01", "--span", "0.2:0.6", "--json"]) == 0
    findings = finite(capfd.readouterr().out)["findings"]
    found = {name: finding["value"] for name, finding in findings.items()}
    assert findings["tpose"]["done"] == "nothing"
    assert found["facing"] == "-z"
    assert (found["unit"], found["rate"]["rate"], found["floor"]) == (0.03, 120.0, 0.01)
    assert (found["leading"], found["thorax"]) == (3, False)


def test_a_body_may_be_that_of_another_file(here, capfd):
    arguments = ["prepare", WALK, "--body", SQUAT, "--mass", "60", "--span", "0.5:1", "--out", "o", "--json"]
    assert main([str(argument) for argument in arguments]) == 0
    summary = finite(capfd.readouterr().out)
    assert (summary["body"], summary["mass_kg"]) == ("squat", pytest.approx(60.0))
    assert read_motion(here / "o/motion.bvh").clip.skeleton.names == read_motion(SQUAT).clip.skeleton.names


def test_motion_files_are_performed_and_go_back_to_their_skeleton(here, capfd):
    arguments = ["perform", JUMP, "--seconds", "0.1", "--edit", "reach:left_hand=0.1:0:0.2", "--edit", "mirror"]
    assert main([*map(str, arguments), "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    summary = finite(out)
    assert summary["findings"]["rate"]["value"]["rate"] == 60.0
    recording = Recording.load(here / "poise-jump/recording.npz")
    edits = [event["text"] for event in recording.meta["events"] if event["kind"] == "edit"]
    assert edits == ["reach:left_hand=0.1:0:0.2", "mirror"]
    back = read_motion(here / "poise-jump/motion.bvh").clip
    assert back.skeleton.names == read_motion(JUMP).clip.skeleton.names
    assert main([*map(str, arguments)]) == 0
    assert "60 frames per second, by flight" in capfd.readouterr().out


def test_prepared_motions_are_performed_edited_and_exported(prepared, here, capfd):
    path = str(prepared / "reference.npz")
    assert main(["perform", path, "--edit", "stride:+0.1", "--seconds", "0.1", "--json"]) == 0
    assert "findings" not in finite(capfd.readouterr().out)
    assert (here / "poise-walk/recording.npz").is_file()  # named after the folder that it was prepared in
    for name in ("walk.bvh", "walk.csv", "walk.glb", "walk.npz", "walk.html"):
        assert main(["export", path, name, "--json"]) == 0
        assert finite(capfd.readouterr().out) == {"files": [name]}
    assert main(["perform", "walk.npz", "--seconds", "0.1", "--out", "again", "--json"]) == 0


@pytest.mark.parametrize("edit", ["carry:front", "trunk:-0.1@0.2-0.8", "turn:30@0.2-0.8", "loop:2", "stairs:0.1:0.3:3"])
def test_edits_change_what_is_performed(edit, prepared, here, capfd):
    arguments = ["perform", str(prepared / "reference.npz"), "--seconds", "0.05", "--out", "o", "--json"]
    assert main([*arguments, "--edit", edit]) == 0
    assert finite(capfd.readouterr().out)["seconds"] == pytest.approx(0.05)


@pytest.mark.parametrize("arguments", [("prepare", "motion.bvh"), ("perform", "motion.bvh", "--seconds", "0.05")])
def test_a_motion_is_not_written_over(arguments, here, capfd):
    (here / "motion.bvh").write_bytes(WALK.read_bytes())
    refuse([*arguments, "--out", "."], capfd, "motion.bvh", "itself")
    refuse(["export", "motion.bvh", "motion.bvh"], capfd, "motion.bvh", "itself")
    assert (here / "motion.bvh").read_bytes() == WALK.read_bytes()


@pytest.mark.parametrize("command", ["prepare", "perform"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gone.bvh",), ("gone.bvh", "No such file")),
        (("folder.bvh",), ("folder.bvh", "directory")),
        (("empty.bvh",), ("empty.bvh, line 1",)),
        (("empty.npz",), ("empty.npz",)),
        (("empty.amc",), ("empty.amc", "empty.asf")),
        (("half.bvh",), ("half.bvh, line",)),
        (("walk.fbx",), ("walk.fbx", ".bvh", ".amc", ".npz")),
        (("walk.bvh", "--body", "lamp14"), ("'lamp14'", "no humanoid")),
        (("walk.bvh", "--body", "humna37"), ("'humna37'", "human37")),
        (("walk.bvh", "--body", "gone.bvh"), ("gone.bvh", "No such file")),
        (("walk.bvh", "--body", "gone.xml"), ("gone.xml", "No such file")),
        (("walk.bvh", "--edit", "hop:1"), ("'hop'", "stride")),
        (("walk.bvh", "--edit", "stride"), ("'stride'", "character 7")),
        (("walk.bvh", "--edit", "warp:fast"), ("'warp:fast'", "character 6", "'fast'")),
        (("walk.bvh", "--edit", "reach:tail=0:0:0"), ("'tail'", "left_hand")),
        (("walk.bvh", "--edit", "offset:tail=10"), ("'tail'", "left_knee")),
        (("walk.bvh", "--edit", "blend:gone.bvh@0.2"), ("gone.bvh", "No such file")),
        (("walk.bvh", "--out", "empty.bvh"), ("empty.bvh", "in the way")),
        (("walk.bvh", "--out", "taken"), ("motion.bvh", "folder is in the way")),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else value,
)
def test_motion_files_and_edits_are_refused_in_one_line(command, arguments, words, here, capfd):
    for name in ("empty.bvh", "empty.npz", "empty.amc"):
        (here / name).touch()
    (here / "folder.bvh").mkdir()
    (here / "taken/motion.bvh").mkdir(parents=True)
    (here / "half.bvh").write_bytes(WALK.read_bytes()[:20000])
    (here / "walk.bvh").write_bytes(WALK.read_bytes())
    part = ("--span", "0.5:0.9") if command == "prepare" else ("--seconds", "0.05")
    refuse([command, *arguments, *part, *(() if "--out" in arguments else ("--out", "out"))], capfd, *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--span", "1"), ("'1'", "FROM:TO")),
        (("--span", "a:b"), ("'a:b'", "FROM:TO")),
        (("--span", "2:1"), ("walk.bvh", "2 to 1 s", "4.32 s")),
        (("--span", "-1:1"), ("walk.bvh", "-1 to 1 s")),
        (("--span", "nan:1"), ("walk.bvh", "nan to 1 s")),
        (("--mass", "-1"), ("-1.0 kg",)),
        (("--mass", "70", "--body", "human37"), ("'human37'", "its own mass")),
        (("--clearance", "nan"), ("clearance", "nan")),
        (("--smoothing", "inf"), ("smoothing", "inf")),
        (("--clearance", "-0.1"), ("clearance", "-0.1")),
        (("--unit", "furlong"), ("'furlong'", "inch")),
        (("--unit", "m"), ("walk.bvh", "171 m", "unit")),
        (("--up", "+y", "--facing", "-y"), ("+y", "-y")),
        (("--up", "up"), ("--up", "'up'")),
        (("--rate", "0"), ("rate", "0")),
        (("--leading", "-1"), ("leading", "-1")),
        (("--floor", "nan"), ("floor", "nan")),
        (("--terrain", "lava"), ("'lava'", "stairs")),
        (("--thorax", "maybe"), ("--thorax", "'maybe'")),
    ],
    ids=" ".join,
)
def test_prepare_refuses_in_one_line(arguments, words, here, capfd):
    (here / "walk.bvh").write_bytes(WALK.read_bytes())
    refuse(["prepare", "walk.bvh", *arguments, "--out", "out"], capfd, *words)


def test_what_cannot_be_prepared_or_performed_as_asked(prepared, here, capfd):
    reference = prepared / "reference.npz"
    refuse(["prepare", reference], capfd, "reference.npz", "prepared already")
    refuse(["perform", reference, "--body", "human37"], capfd, "reference.npz", "'walk'", "'human37'")
    refuse(["perform", "stand", "--body", "own"], capfd, "'own'", "motion file")
    refuse(["perform", "stand", "--body", "lamp14", "--edit", "carry:front"], capfd, "'lamp14'", "hands")
    refuse(["perform", "stand", "--edit", "stride:+0.1"], capfd, "'stand'", "feet")


def test_whoever_watches_a_terminal_sees_the_stages(here, capfd, monkeypatch):
    arguments = ["prepare", str(WALK), "--span", "0.5:1", "--edit", "mirror"]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(arguments) == 0
    told = capfd.readouterr().err
    for stage in ("reading walk.bvh", "31 frames", "contacts", "feet", "mirror", "writing"):
        assert stage in told
    assert main([*arguments, "--json"]) == 0
    assert capfd.readouterr().err == ""


def test_whoever_watches_a_terminal_sees_how_a_search_goes(here, capfd, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["prepare", str(WALK), "--body", "biped29", "--span", "1:1.5", "--dynamic"]) == 0
    told = capfd.readouterr().err
    before, bar = told[: told.index("obeying physics")], told[told.index("obeying physics") :]
    assert "optimising" in before  # no bar before there is a search
    assert re.search(r"obeying physics   0%\|", bar)
    assert re.search(r"obeying physics 100%\|.*\| iteration \d+, off by \d+e-\d+ \[", bar)
    assert "writing ..." in bar.splitlines()  # on a line of its own


def test_a_search_is_near_its_end_when_constraints_hold_and_the_barrier_is_low():
    assert near(3.0, 1e-2) == 0.0
    assert near(1e-9, 1e-7) == pytest.approx(1.0)
    assert near(1e-3, 1e-2) == pytest.approx(0.25)
    assert near(1.0, 1e-7) == pytest.approx(0.5)


# -- what perform refuses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("juggle",), ("motion", "'juggle'", "fall", "stand")),
        (("stand", "--body", "humna37"), ("body", "'humna37'", "Did you mean 'human37'", *BODIES)),
        (("stand", "--body", "gone.xml"), ("gone.xml", "No such file")),
        (("stand", "--body", "broken.xml"), ("broken.xml", "not well-formed")),
        (("stand", "--body", "no_root.xml"), ("no_root.xml", "no free root", "'torso'")),
        (("stand", "--body", "text.xml"), ("text.xml", "XML")),
        (("stand", "--body", "nan.xml"), ("nan.xml", "nan")),
        (("stand", "--controller", "modle"), ("controller", "'modle'", "hold", "limp")),
        (("stand", "--terrain", "lava"), ("terrain", "'lava'", "flat", "slope", "stairs", "rough", "drop")),
        (("stand", "--terrain", "stairs:1"), ("'stairs:1'", "stairs:RISE:RUN:COUNT")),
        (("stand", "--terrain", "slope:steep"), ("'slope:steep'", "slope:DEG")),
        (("stand", "--terrain", "slope:nan"), ("'slope:nan'",)),
        (("stand", "--terrain", "rough:0.1:-1"), ("rough:0.1:-1",)),
        (("stand", "--terrain", "gone.toml"), ("gone.toml", "No such file")),
        (("stand", "--terrain", "broken.toml"), ("broken.toml",)),
        (("stand", "--terrain", "base.toml"), ("base.toml", "base")),
        (("stand", "--terrain", "base_nan.toml"), ("base_nan.toml", "base")),
        (("stand", "--seconds", "-1"), ("-1",)),
        (("stand", "--seconds", "0"), ("seconds",)),
        (("stand", "--seconds", "nan"), ("nan",)),
        (("stand", "--seconds", "inf"), ("inf",)),
        (("stand", "--seconds", "long"), ("--seconds", "'long'")),
        (("stand", "--step", "0"), ("step", "0.0")),
        (("stand", "--step", "nan"), ("step", "nan")),
        (("stand", "--step", "1"), ("step", "1.0")),
        (("stand", "--friction", "-0.1"), ("friction", "-0.1")),
        (("stand", "--friction", "nan"), ("friction", "nan")),
        (("stand", "--noise", "nan"), ("noise",)),
        (("stand", "--noise", "inf"), ("noise",)),
        (("stand", "--noise", "0.1", "--seed", "-1"), ("seed", "-1")),
        (("stand", "--seed", "many"), ("--seed", "'many'")),
        (("stand", "--limits", "giant"), ("'giant'", "athlete", "human")),
        (("stand", "--set", "stiffness"), ("'stiffness'", "KEY=VALUE")),
        (("stand", "--set", "stifness=1"), ("'stifness'", "Did you mean 'stiffness'", "damping")),
        (("stand", "--set", "stiffness=soft"), ("stiffness", "'soft'")),
        (("stand", "--controller", "nqr", "--set", "cycles=1.5"), ("cycles", "'1.5' is not a whole number")),
        (("stand", "--set", "stiffness=nan"), ("stiffness",)),
        (("stand", "--set", "stiffness=inf"), ("stiffness",)),
        (("stand", "--set", "damping=-1"), ("damping",)),
        (("stand", "--load", "right_hand"), ("'right_hand'", "LINK=KG")),
        (("stand", "--load", "tail=3"), ("'tail'", "right_hand")),
        (("stand", "--load", "head=-3"), ("-3.0 kg", "'head'")),
        (("stand", "--controller", "pendulum", "--body", "lamp14"), ("'lamp14'", "1 feet")),
        (("stand", "--controller", "pendulum", "--steer", "0s:0@5"), ("pendulum", "-0.6 to 1.8 m/s", "5")),
        (("stand", "--controller", "pendulum", "--steer", ""), ("steer", "TIMEs:DEG")),
        (("stand", "--push", "hard"), ("'hard'", "FORCE[@TIME]")),
        (("stand", "--push", "nan"), ("push", "nan")),
        (("stand", "--push", "50,body=tail"), ("'tail'", "pelvis", "left_foot")),
        (("stand", "--push", "50@-1"), ("push", "time >= 0")),
        (("stand", "--push", "50,duration=0"), ("push", "duration > 0")),
        (("stand", "--push", "50,dir=0:0:0"), ("'50,dir=0:0:0'",)),
        (("stand", "--out", "file"), ("file",)),
        (("stand", "--out", "file/below/it"), ("file/below/it",)),
        (("stand", "--out", "n" * 300), ("too long",)),
        ((), ("motion",)),
        (("stand", "--nonsense"), ("--nonsense",)),
        (("sta\nnd",), ("motion",)),
    ],
    ids=lambda value: " ".join(value)[:40].replace("\n", " ") if isinstance(value, tuple) else None,
)
def test_perform_refuses_in_one_line(arguments, words, here, capfd):
    for name, text in {
        "file": "in the way",
        "broken.xml": "<mujoco><worldbody>",
        "text.xml": "just text",
        "no_root.xml": NO_ROOT,
        "nan.xml": BALL.replace(".1", "nan"),
        "broken.toml": "platform = ",
        "base.toml": 'base = "low"\n' + PLATFORM,
        "base_nan.toml": "base = nan\n" + PLATFORM,
    }.items():
        (here / name).write_text(text)
    extra = () if "--out" in arguments else ("--out", "out")
    extra += () if "--seconds" in arguments else ("--seconds", "0.05")
    refuse(["perform", *arguments, *extra], capfd, *words)


def test_a_refusal_with_json_leaves_stdout_empty(here, capfd):
    refuse(["perform", "stand", "--body", "nobody", "--json"], capfd, "'nobody'")


def test_an_unknown_command_is_refused_with_the_choices(here, capfd):
    refuse(["dance"], capfd, "'dance'", *COMMANDS)


def test_unknown_kinds_are_refused_with_the_choices(here, capfd):
    refuse(["list", "hats"], capfd, "'hats'", "bodies", "motions", "controllers", "scripts", "terrains", "formats")


def test_a_bench_without_steps_is_refused(here, capfd):
    refuse(["bench", "--steps", "0"], capfd, "0 steps")


def test_unknown_joints_are_refused_with_the_choices():
    body = Body.named("biped29")
    for ask in (body.joint, body.index, lambda name: body.qpos_from({name: 0.0})):
        with pytest.raises(PoiseError, match=r"unknown joint 'tail'.*left_hip"):
            ask("tail")


def test_not_a_number_in_a_pose_is_refused():
    body = Body.named("biped29")
    with pytest.raises(PoiseError, match="left_knee"):
        body.qpos_from({"left_knee": np.nan})
    world = World(Scene.of(body))
    for index, number in ((9, np.nan), (12, np.inf)):
        pose = np.array(body.standing)
        pose[index] = number
        with pytest.raises(PoiseError, match=f"pose: number {index} is not finite"):
            world.reset(pose, np.zeros(body.nv))
        velocity = np.zeros(body.nv)
        velocity[index] = number
        with pytest.raises(PoiseError, match=f"velocity: number {index} is not finite"):
            world.reset(np.array(body.standing), velocity)
    with pytest.raises(PoiseError, match="pose has 3 numbers"):
        world.reset(np.zeros(3), np.zeros(body.nv))


@pytest.mark.parametrize("seconds", [-1.0, 0.0, np.nan, np.inf, -np.inf])
def test_perform_in_python_refuses_impossible_durations(seconds):
    body = Body.named("lamp14")
    with pytest.raises(PoiseError, match="seconds"):
        perform(World(Scene.of(body)), named_controller("hold"), named_motion("stand", body), seconds=seconds)


# -- a step that blows up ----------------------------------------------------------------------------------------


def test_a_blow_up_stops_cleanly_and_saves_what_there_is(here, capfd):
    push = "1e8@0.1,duration=1,body=left_hand"
    code = main(["perform", "stand", "--body", "biped29", "--seconds", "1", "--push", push, "--out", "o", "--json"])
    out, err = capfd.readouterr()
    assert code == 1
    assert "Traceback" not in err
    summary = json.loads(out, parse_constant=pytest.fail)
    assert summary["stopped"]["step"] == 12
    assert summary["stopped"]["culprit"] in Body.named("biped29").dof_names
    recording = Recording.load(here / "o/recording.npz")
    assert recording.steps == 12
    assert recording.reference_qpos.shape == recording.qpos.shape == (13, Body.named("biped29").nq)
    assert np.isfinite(recording.qpos).all()
    assert {"kind": "blow-up", **summary["stopped"]} in recording.meta["events"]
    assert main(["audit", "o/recording.npz"]) == 0
    capfd.readouterr()
    assert sorted(path.name for path in (here / "o").iterdir()) == ["motion.bvh", "page.html", "recording.npz"]


def test_a_blow_up_says_step_and_culprit_to_people(here, capfd):
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "1", "--push", "1e8@0.1", "--out", "o"]
    assert main(arguments) == 1
    out, err = capfd.readouterr()
    said = out + err
    assert "step 12" in said
    assert any(name in said for name in Body.named("biped29").dof_names)
    assert "Traceback" not in said


def test_a_blow_up_in_the_first_step_leaves_a_readable_recording(here, capfd):
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "1", "--noise", "1e7", "--out", "o", "--json"]
    assert main(arguments) == 1
    summary = json.loads(capfd.readouterr().out, parse_constant=pytest.fail)
    assert summary["stopped"]["step"] == 0
    recording = Recording.load(here / "o/recording.npz")
    assert recording.steps == 0
    assert len(recording.qpos) == len(recording.reference_qpos) == 1


def test_absurd_gains_stay_within_the_limits(here, capfd):
    settings = ["--set", "stiffness=1e12", "--set", "damping=0"]
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "0.3", *settings, "--push", "60@0.1"]
    code = main([*arguments, "--out", "o", "--json"])
    summary = json.loads(capfd.readouterr().out, parse_constant=pytest.fail)
    assert code == (summary["stopped"] is not None)
    assert summary["peak_torque_ratio"] <= 1 + 1e-9


@pytest.mark.parametrize("torque", [1e12, np.nan, np.inf], ids=str)
def test_absurd_torques_without_limits_stop_with_step_and_culprit(torque):
    from poise.performance import perform

    class Absurd:
        name, settings, needs_physics = "absurd", {}, False

        def reset(self, world, reference):
            self.reference = reference
            self.limp = np.zeros(world.scene.model.nv)
            self.knee = world.scene.body.index("left_knee")[0]

        def act(self, state):
            now = self.limp.copy()
            now[self.knee] = torque if state.time > 0.05 else 0.0
            return Actuation(torque=now)

        def target(self, time):
            return self.reference.at(time).qpos

    body = Body.named("biped29")
    body = body.with_torque_limits(np.full(body.nv, np.inf))
    world = World(Scene.of(body))
    done = perform(world, Absurd(), named_motion("stand", body), seconds=1)
    assert done.blow_up is not None
    assert done.blow_up.step == done.recording.steps == 7
    assert done.blow_up.culprit in body.dof_names
    assert str(done.blow_up.step) in str(done.blow_up)
    assert done.blow_up.culprit in str(done.blow_up)
    assert len(done.recording.reference_qpos) == 8
    np.testing.assert_array_equal(world.qpos, done.recording.qpos[-1])  # the world still holds the last good state
    np.testing.assert_array_equal(world.qvel, done.recording.qvel[-1])
    world.step()
    assert np.isfinite(world.qpos).all()


# -- audit, export, list -----------------------------------------------------------------------------------------


def test_audit_of_a_good_recording(performed, capfd):
    assert main(["audit", str(performed / "recording.npz")]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert "FAIL" not in out
    assert out.endswith("\nphysical\n")
    assert main(["audit", str(performed / "recording.npz"), "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert json.loads(out)["passed"] is True


def test_the_folder_of_a_performance_stands_for_its_recording(performed, here, capfd):
    shutil.copytree(performed, "walk")  # called like a motion that comes with Poise: the folder counts
    told = []
    for file in ("walk", "walk/recording.npz"):
        assert main(["audit", file, "--json"]) == 0
        told.append(json.loads(capfd.readouterr().out))
    assert told[0] == told[1]
    assert main(["export", "walk", "walk.csv"]) == 0
    assert main(["export", "walk/recording.npz", "same.csv"]) == 0
    assert Path("walk.csv").read_bytes() == Path("same.csv").read_bytes()


def test_audit_of_a_tampered_recording_fails(performed, here, capfd):
    rewrite(performed, here / "t.npz", qvel=lambda qvel: 1.1 * qvel + 0.01)
    assert main(["audit", "t.npz"]) == 1
    out, err = capfd.readouterr()
    assert err == ""
    assert "FAIL" in out
    assert "NOT physical" in out
    assert main(["audit", "t.npz", "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["passed"] is False


@pytest.mark.parametrize("ending", ["bvh", "glb", "usda", "csv", "npz", "html", "png"])
def test_export_writes_each_format(ending, performed, here, capfd):
    assert main(["export", str(performed / "recording.npz"), f"x.{ending}", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert json.loads(out) == {"files": [f"x.{ending}"]}
    assert [path.name for path in here.iterdir()] == [f"x.{ending}"]
    assert (here / f"x.{ending}").stat().st_size > 500


@pytest.mark.parametrize("target", ["x.mp5", "x", "x.", "folder.bvh", "file/x.bvh", "gone/x.csv", "n" * 300 + ".bvh"])
def test_export_refuses_what_it_cannot_write(target, performed, here, capfd):
    (here / "folder.bvh").mkdir()
    (here / "file").write_text("")
    line = refuse(["export", performed / "recording.npz", target], capfd)
    if target.startswith("x"):
        for word in ("format", "bvh", "csv", "html", "png"):
            assert word in line


def rewrite(performed, path, **changes):
    """A copy of the recording with some arrays changed, or left out (None)."""
    with np.load(performed / "recording.npz", allow_pickle=False) as file:
        data = {name: file[name] for name in file.files}
    for name, change in changes.items():
        value = data.pop(name)
        if change is not None:
            data[name] = change(value)
    np.savez(path, **data)


def with_meta(**changes):
    """A change of meta: None removes an entry."""

    def change(text):
        meta = {**json.loads(str(text)), **changes}
        return np.array(json.dumps({key: value for key, value in meta.items() if value is not None}))

    return change


def flipped(raw, place):
    out = bytearray(raw)
    out[place] ^= 0xFF
    return bytes(out)


def zipped(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name in entries:
            file.writestr(name, "x")
    return out.getvalue()


def saved(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


NOT_RECORDINGS = {
    "empty": lambda raw: b"",
    "cut early": lambda raw: raw[:100],
    "cut in half": lambda raw: raw[: len(raw) // 2],
    "cut at the end": lambda raw: raw[:-1],
    "damaged": lambda raw: flipped(raw, 200),
    "damaged later": lambda raw: flipped(raw, 2000),
    "text": lambda raw: b"hello\n",
    "pickle": lambda raw: pickle.dumps({"time": [1.0]}),
    "plain npy": lambda raw: saved(np.zeros(3)),
    "other zip": lambda raw: zipped(["readme.txt"]),
    "zip of nonsense": lambda raw: zipped([f"{name}.npy" for name in (*ARRAYS, "model_xml", "meta")]),
}
WRONG_CONTENTS = {
    **{f"no {name}": {name: None} for name in ("time", "qpos", "contact_kind", "model_xml", "meta")},
    "pickled array": {"qpos": lambda a: np.array([{}], dtype=object)},
    "meta is no JSON": {"meta": lambda a: np.array("{")},
    "meta is a list": {"meta": lambda a: np.array("[1]")},
    "meta without step": {"meta": with_meta(step=None)},
    "step is a word": {"meta": with_meta(step="x")},
    "step is zero": {"meta": with_meta(step=0)},
    "model is no XML": {"model_xml": lambda a: np.array("<mujoco>")},
    "another model": {"model_xml": lambda a: np.array("<mujoco/>")},
    "poses too narrow": {"qpos": lambda a: a[:, :-1]},
    "too few poses": {"qpos": lambda a: a[:-2]},
    "too few velocities": {"qvel": lambda a: a[:-2]},
    "words for poses": {"qpos": lambda a: np.full(a.shape, "a")},
    "contacts after the end": {"contact_step": lambda a: a + 1000},
    "contacts of no body": {"contact_body": lambda a: a + 1000},
    "too few contact forces": {"contact_force": lambda a: a[:-1]},
    "poses not finite": {"qpos": lambda a: a * np.nan},
}


@pytest.mark.parametrize("command", ["audit", "export"])
@pytest.mark.parametrize("kind", NOT_RECORDINGS)
def test_files_that_are_no_recordings_are_refused(kind, command, performed, here, capfd):
    (here / "odd.npz").write_bytes(NOT_RECORDINGS[kind]((performed / "recording.npz").read_bytes()))
    refuse([command, "odd.npz", *(["x.bvh"] if command == "export" else [])], capfd, "odd.npz")


@pytest.mark.parametrize("target", [None, "x.bvh", "x.csv", "x.html"])
@pytest.mark.parametrize("kind", WRONG_CONTENTS)
def test_recordings_with_wrong_contents_are_refused(kind, target, performed, here, capfd):
    rewrite(performed, here / "odd.npz", **WRONG_CONTENTS[kind])
    line = refuse(["export", "odd.npz", target] if target else ["audit", "odd.npz"], capfd)
    if kind.startswith("no "):
        assert kind.removeprefix("no ") in line


@pytest.mark.parametrize("path", ["gone.npz", ".", ""])
def test_missing_recordings_are_refused(path, here, capfd):
    refuse(["audit", path], capfd, "cannot read")
    refuse(["export", path, "x.bvh"], capfd, "cannot read")


def test_list_names_everything(capsys):
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert main(["list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    kinds = ("bodies", "motions", "captures", "controllers", "scripts", "terrains", "edits", "formats", "studies")
    assert tuple(found) == kinds
    assert set(found["bodies"]) == set(BODIES)
    for kind, items in found.items():
        assert kind in text
        for name, what in items.items():
            assert name in text
            assert what
    assert main(["list", "motions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"motions": found["motions"]}


def test_bench_reports_ratios(capfd):
    assert main(["bench", "--steps", "10", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    cases = json.loads(out)["cases"]
    assert len(cases) >= 2
    for case in cases:
        assert case["ratio"] == pytest.approx(case["poise_us"] / case["mujoco_us"])


# -- as a process ------------------------------------------------------------------------------------------------


def test_the_program_as_a_process_fails_with_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "poise", "perform", "stand", "--body", "nobody"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"poise: unknown body 'nobody'. Valid: {', '.join(BODIES)}.",
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_early_is_no_error():
    writer = subprocess.Popen(
        [sys.executable, "-m", "poise", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    writer.stdout.close()
    err = writer.stderr.read()
    writer.stderr.close()
    writer.wait()
    assert "Traceback" not in err
    assert "Exception" not in err


def test_perform_is_a_function_whatever_was_imported_before():
    code = "import poise.session, poise; assert callable(poise.perform), type(poise.perform)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_demo_is_a_physical_fall_to_the_foot_of_the_stairs(tmp_path):
    """`make demo`, whole: a rag doll that tumbles down eight steps and comes to rest below."""
    outcome = Session("fall", "human37", "limp", terrain="stairs:0.15:0.3:8").run(tmp_path)
    assert outcome.summary["physical"]
    pelvis = outcome.performance.recording.qpos[:, 2]
    assert pelvis[0] > 2.0
    assert pelvis[-1] < 0.6
    assert np.abs(outcome.performance.recording.qvel[-1]).max() < 1.0


def test_prepare_makes_a_motion_obey_physics(here, capfd):
    arguments = ["prepare", str(WALK), "--body", "biped29", "--span", "1:2", "--dynamic", "--out", "walk"]
    assert main([*arguments, "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    found = finite(out)["dynamic"]
    assert found["equations"] < 1e-6
    assert found["slip_mm"] < 0.5
    assert found["cone"] == found["torque_excess"] == found["joint_excess_deg"] == 0.0
    assert found["root_rms_m"] < 0.05
    assert found["joint_rms_deg"] < 6.0
    assert main(["audit", "walk/reference.npz"]) == 0
    assert "physical" in capfd.readouterr().out
    assert main(["audit", "walk/reference.npz", "--terrain", "slope:8"]) == 1  # it was not made for that
    assert "FAIL contact_normal" in capfd.readouterr().out
    page = (here / "walk/page.html").read_text()
    assert main(["export", "walk/reference.npz", "again.html"]) == 0
    assert (here / "again.html").read_text() == page  # both show the forces
    assert main(["perform", "walk/reference.npz", "--seconds", "0.1", "--json"]) == 0


def test_variations_are_for_the_optimiser(here, capfd):
    refuse(["prepare", str(WALK), "--vary", "speed:1.2"], capfd, "--dynamic")
    refuse(["prepare", str(WALK), "--dynamic", "--vary", "pace:2"], capfd, "pace", "speed")
    assert not list(here.iterdir())


def test_a_motion_without_forces_cannot_be_audited(prepared, here, capfd):
    refuse(["audit", str(prepared / "reference.npz")], capfd, "reference.npz", "--dynamic")


def test_motions_that_come_with_poise_are_exported_and_audited_by_name(here, capfd):
    (here / "walk").mkdir()  # a folder of that name is no motion
    assert main(["audit", "walk", "--json"]) == 0
    assert finite(capfd.readouterr().out)["passed"]
    assert main(["export", "walk", "walk.csv"]) == 0
    assert capfd.readouterr().out == "wrote walk.csv\n"
    assert "left_knee_y_torque" in (here / "walk.csv").read_text().splitlines()[0]
    refuse(["audit", "fall"], capfd, "fall")


def test_motions_are_built_for_other_bodies(here, capfd):
    assert main(["motions", "build", "stand", "--body", "human37", "--out", "made", "--json"]) == 0
    found = finite(capfd.readouterr().out)["stand"]
    assert found["equations"] < 1e-6
    assert load_prepared(here / found["file"]).body.name == "human37"
    refuse(["motions", "build", "strut"], capfd, "strut")
    refuse(["motions", "build", "walk", "--body", "lamp14"], capfd, "lamp14")


def test_motions_are_listed_with_length_speed_and_contacts(capfd):
    assert main(["list", "motions"]) == 0
    lines = {line.split()[0]: line for line in capfd.readouterr().out.splitlines()[1:]}
    assert "1.30 m/s, contacts: feet; for biped29" in lines["walk"]
    assert "hands on a bar" in lines["hang"]
    assert "in the air" in lines["run"]
