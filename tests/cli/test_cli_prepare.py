"""Motion files on the command line: prepared, performed, edited, exported, refused."""

import re
import sys

import pytest
from commanding import JUMP, SQUAT, WALK, finite, refuse

from poise import Recording
from poise.cli.command import search_share_done
from poise.cli.main import main
from poise.motion.files import read_motion
from poise.reference.archive import load_prepared


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
    assert summary["likeness"]["pelvis_cm"] is None  # the edit moves all moments
    files = [here / name for name in summary["files"]]
    assert [path.name for path in files] == ["reference.npz", "motion.bvh", "page.html"]
    assert load_prepared(files[0]).frames == summary["frames"]
    assert read_motion(files[1]).clip.skeleton.names == read_motion(WALK).clip.skeleton.names
    assert "<html" in files[2].read_text()


def test_prepare_prints_a_summary(here, capfd):
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
    assert re.search(r"^beside the file +file +retargeted +prepared$", out, re.MULTILINE)
    assert re.search(r"^pelvis worst cm +-?\d+\.\d\d +-?\d+\.\d\d$", out, re.MULTILINE)
    named = re.findall(r"override: (--\w+)=", out)
    assert len(named) > 5
    with pytest.raises(SystemExit):
        main(["prepare", "--help"])
    helped = capfd.readouterr().out
    assert [name for name in named if name not in helped] == []


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
    assert main([*map(str, arguments[:4])]) == 0
    out = capfd.readouterr().out
    assert "60 frames per second, by flight" in out
    assert re.search(r"^beside the file: pelvis [+-]\d", out, re.MULTILINE)


def test_prepared_motions_are_performed_edited_and_exported(prepared, here, capfd):
    path = str(prepared / "reference.npz")
    assert main(["perform", path, "--edit", "stride:+0.1", "--seconds", "0.1", "--json"]) == 0
    summary = finite(capfd.readouterr().out)
    assert "findings" not in summary
    assert summary["likeness"] is None
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
        (("walk.bvh", "--body", "lamp14"), ("'lamp14'", "not a humanoid")),
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
        (("--mass", "70", "--body", "human37"), ("'human37'", "a fixed mass")),
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


def test_impossible_requests_are_refused(prepared, here, capfd):
    reference = prepared / "reference.npz"
    refuse(["prepare", reference], capfd, "reference.npz", "already prepared")
    refuse(["perform", reference, "--body", "human37"], capfd, "reference.npz", "'walk'", "'human37'")
    refuse(["perform", "stand", "--body", "own"], capfd, "'own'", "motion file")
    refuse(["perform", "stand", "--body", "lamp14", "--edit", "carry:front"], capfd, "'lamp14'", "hands")
    refuse(["perform", "stand", "--edit", "stride:+0.1"], capfd, "'stand'", "feet")


def test_a_terminal_shows_the_stages(here, capfd, monkeypatch):
    arguments = ["prepare", str(WALK), "--span", "0.5:1", "--edit", "mirror"]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(arguments) == 0
    shown = capfd.readouterr().err
    for stage in ("reading walk.bvh", "31 frames", "contacts", "feet", "mirror", "writing"):
        assert stage in shown
    assert main([*arguments, "--json"]) == 0
    assert capfd.readouterr().err == ""


def test_a_terminal_shows_the_progress_of_a_search(here, capfd, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["prepare", str(WALK), "--body", "biped29", "--span", "1:1.5", "--dynamic"]) == 0
    shown = capfd.readouterr().err
    before, bar = shown[: shown.index("obeying physics")], shown[shown.index("obeying physics") :]
    assert "optimising" in before  # no bar before there is a search
    assert re.search(r"obeying physics   0%\|", bar)
    assert re.search(r"obeying physics 100%\|.*\| iteration \d+, off by \d+e-\d+ \[", bar)
    assert "writing ..." in bar.splitlines()  # on a line of its own


def test_a_search_is_near_its_end_when_constraints_hold_and_the_barrier_is_low():
    assert search_share_done(3.0, 1e-2) == 0.0
    assert search_share_done(1e-9, 1e-7) == pytest.approx(1.0)
    assert search_share_done(1e-3, 1e-2) == pytest.approx(0.25)
    assert search_share_done(1.0, 1e-7) == pytest.approx(0.5)


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
