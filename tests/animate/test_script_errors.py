"""Errors in a script are one line that names the file and the line of the error."""

import re
import textwrap
from math import degrees

import pytest

from poise import Body
from poise.animate.read_script import read_script
from poise.errors import PoiseError
from poise.toml_reader import TomlError

GOOD = """\
title = "A hop"
body = "lamp14"
seconds = 1.0

[[pose]]
time = 0.4
name = "crouch"
angles = { base_joint_y = -70, elbow_y = 130 }

[[pose]]
time = 0.5
name = "stretch"
angles = { base_joint_y = 10, elbow_y = 20 }
"""
GOAL = """
[[goal]]
free = ["crouch.elbow_y", "stretch.elbow_y"]
want = [
    { what = "base.x", at = 0.6, is = 0.1 },
    { what = "base.z", at = "apex", is = 0.3 },
]
"""
CYCLE = """
[[cycle]]
period = 0.5
pose = [
    { at = 0.0, angles = { elbow_y = 20 } },
    { at = 0.5, angles = { elbow_y = 60 } },
]
"""


def read(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return read_script(path)


def refused(tmp_path, text, marked, *words):
    """Check that reading fails and that the error names the line that contains the mark."""
    (line,) = [number for number, each in enumerate(text.splitlines(), start=1) if marked in each]
    with pytest.raises(TomlError) as error:
        read(tmp_path, text)
    message = str(error.value)
    assert message.startswith(f"mine.toml, line {line}: "), message
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("text", [GOOD, GOOD + GOAL, GOOD + CYCLE], ids=["poses", "goal", "cycle"])
def test_valid_scripts_are_read(tmp_path, text):
    assert read(tmp_path, text).name == "mine"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("seconds = 1.0", "seconds = -1.0", ["at least 0.01"]),
        ("seconds = 1.0", 'seconds = "long"', ["must be a number", "'long'"]),
        ("seconds = 1.0", "seconds = 1\nsecond = 2", ["'second'", "seconds"]),
        ('body = "lamp14"', 'body = "lamp15"', ["'lamp15'", "lamp14"]),
        ('body = "lamp14"', 'body = "lamp14"\nlimits = "giant"', ["'giant'"]),
        ('body = "lamp14"', 'body = "lamp14"\nmass = 0', ["'mass'"]),
        ("seconds = 1.0", "seconds = 1.0\nstep = 1.0", ["'step'", "at most 0.02"]),
        ("seconds = 1.0", 'seconds = 1.0\npush = "hard"', ["'hard'"]),
        ("seconds = 1.0", 'seconds = 1.0\npush = "3@0.1,body=knee"', ["'knee'"]),
        ("seconds = 1.0", "seconds = 1.0\nstart = { lift = -1 }", ["'lift'"]),
        ("seconds = 1.0", "seconds = 1.0\nsettings = { reach = 0 }", ["reach"]),
        ("seconds = 1.0", "seconds = 1.0\nsettings = { raech = 1 }", ["'raech'", "reach"]),
        ("seconds = 1.0", "seconds = 1.0\nstabilise = { during = [[0.5, 0.2]] }", ["'during'", "earlier"]),
        ("seconds = 1.0", "seconds = 1.0\nstabilise = { during = [1] }", ["'during'"]),
        ("seconds = 1.0", 'seconds = 1.0\nscene = { terrain = "sea" }', ["'sea'"]),
        ("seconds = 1.0", 'seconds = 1.0\nscene = { prop = [{ kind = "cat" }] }', ["'cat'", "ball"]),
        ("seconds = 1.0", "seconds = 1.0\nscene = { gravity = -1 }", ["'gravity'", "at least 0"]),
        ("seconds = 1.0", "seconds = 1.0\nstabilise = { during = [[true, 1]] }", ["'during'", "True"]),
        ("elbow_y = 130", "elbow_y = 190", ["elbow_y cannot be 190 degrees", "limits are"]),
        ("time = 0.4", "time = -0.4", ["'time'", "at least 0"]),
        ("time = 0.5", 'time = "soon"', ["'time'", "'soon'"]),
        ("time = 0.5", "time = 0.5\ntimes = 2", ["'times'"]),
        ("elbow_y = 130", "elbow_q = 130", ["'elbow_q'", "elbow_y"]),
        ("elbow_y = 130", "elbow_y = 1300", ["'elbow_y'", "at most 720"]),
        ("elbow_y = 130", "elbow_y = [1, 2]", ["'elbow_y'", "cycle"]),
        ("elbow_y = 130 }", "elbow_y = 130 }\nreach = { knee = [0, 0, 0] }", ["'knee'", "cannot reach"]),
        ("elbow_y = 130 }", "elbow_y = 130 }\nreach = { shade = [9, 0, 0] }", ["'shade'", "away"]),
    ],
)
def test_the_wrong_line_is_named(tmp_path, before, after, words):
    refused(tmp_path, GOOD.replace(before, after), after.splitlines()[-1], *words)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"stretch.elbow_y"]', "]", ["2 constraints", "only 1 free parameters"]),
        ("crouch.elbow_y", "couch.elbow_y", ["'couch'", "crouch"]),
        ("crouch.elbow_y", "crouch.elbow_q", ["'elbow_q'", "elbow_y"]),
        ("crouch.elbow_y", "crouch.neck_y", ["does not set neck_y"]),
        ('["crouch.elbow_y", "stretch.elbow_y"]', '"crouch.elbow_y"', ["'free'", "list"]),
        ('"crouch.elbow_y",', '{ what = "crouch.elbow_y", much = 3 },', ["'much'"]),
        ('what = "base.x"', 'what = "bass.x"', ["'bass'", "base"]),
        ('what = "base.x"', 'what = "base.q"', ["'q'"]),
        ("at = 0.6", 'at = "noon"', ["'noon'", "apex"]),
        ("at = 0.6", 'at = "knee down"', ["'knee'"]),
        ("at = 0.6", "at = nan", ["'at'", "nan"]),
        ("is = 0.3", "is = nan", ["'is'", "nan"]),
        ('"apex", is = 0.3', '"apex"', ["'is' is missing"]),
        ("is = 0.3", "is = true", ["'is'", "True"]),
        ("is = 0.3", "wants = 0.3", ["'wants'"]),
    ],
)
def test_the_wrong_line_of_a_goal_is_named(tmp_path, before, after, words):
    refused(tmp_path, GOOD + GOAL.replace(before, after), after if after != "]" else "free =", *words)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("period = 0.5", "period = 0", ["'period'", "at least 0.05"]),
        ("period = 0.5", "period = 0.5\nmirrored = 1", ["'mirrored'", "true or false"]),
        ("period = 0.5", "period = 0.5\nuntil = -1", ["'until'"]),
        ("at = 0.5,", "at = 1.5,", ["'at'", "at most 1"]),
        ("at = 0.5,", "time = 0.5,", ["'time'", "at"]),
        ("elbow_y = 60", "elbow_k = 60", ["'elbow_k'"]),
    ],
)
def test_the_wrong_line_of_a_cycle_is_named(tmp_path, before, after, words):
    refused(tmp_path, GOOD + CYCLE.replace(before, after), after.splitlines()[-1], *words)


@pytest.mark.parametrize(
    ("table", "marked", "words"),
    [
        ('[[gains]]\njoints = ["elbow", "toe"]', "joints", ["'toe'", "elbow"]),
        ("[[gains]]\nstiffness = -1", "stiffness", ["'stiffness'"]),
        ("[[gains]]\nfrom = 2\nuntil = 1", "until", ["must not be before 'from'"]),
        ('[[objective]]\nkind = "fly"', "fly", ["'fly'", "level"]),
        ('[[objective]]\nkind = "follow"', "[[objective]]", ["'joints'"]),
        ('[[objective]]\nkind = "follow"\njoints = { elbow_y = "elbow_y" }', "joints", ["'elbow_y'", "itself"]),
        ('[[objective]]\nkind = "look"\nlink = "shade"\njoints = "neck"', "[[objective]]", ["'at' is missing"]),
        ("[settings]\nreach = 2\nrate = 0", "rate", ["rate must be more than 0"]),
        ("[settings]\nlet_go = 30\nstiffness = -1", "stiffness", ["stiffness must be at least 0"]),
        ("[gains]\nstiffness = 2", "[gains]", ["must be written as [[gains]]"]),
        ('[scene.prop]\nkind = "ball"', "[scene.prop]", ["must be written as [[scene.prop]]"]),
        ("[[settings]]\nreach = 1", "[[settings]]", ["'settings' must be a table"]),
        ('[[objective]]\nkind = "level"\nlink = "shade"', "[[objective]]", ["joints"]),
        ('[[hold]]\nlink = "hand"\nwhat = "world"', "hand", ["'hand'"]),
        ('[[hold]]\nlink = "shade"\nwhat = "world"\npoints = [[1, 2]]', "points", ["three numbers"]),
        ('[[hold]]\nlink = "shade"\nwhat = "shade" # itself', "itself", ["'shade' cannot hold itself"]),
        ('[[gains]]\nname = "soft"\n[[gains]]\nname = "soft" # again', "again", ["two gains", "'soft'"]),
        ('[scene]\nfriction = 1\nterrain = "hills"', "hills", ["'hills'", "stairs"]),
        ("[[cycle]]\npose = [{ at = 0 }]", "[[cycle]]", ["'period' is missing"]),
        ("[[cycle]]\nperiod = 1", "[[cycle]]", ["no pose"]),
        ("[[goal]]\nfree = []", "[[goal]]", ["has no constraint"]),
        ('[[scene.prop]]\nkind = "ball"\nradius = "big"', "radius", ["'radius'"]),
        ('[[scene.prop]]\nkind = "ball"\nrudius = 1', "rudius", ["'rudius'", "radius"]),
        ('[[scene.prop]]\nkind = "ball"\nradius = -1', "radius", ["'radius'", "at least", "-1"]),
        ('[[scene.prop]]\nkind = "ball"\nmass = 0', "mass", ["'mass'", "at least", "0"]),
        ('[[scene.prop]]\nkind = "box"\nsize = [1, 0, 1]', "size", ["'size'", "at least", "0"]),
        ('[[scene.prop]]\nkind = "ball"\nname = "shade"', '"shade"', ["'shade' is taken"]),
        ('[[scene.prop]]\nkind = "ball"\n[[scene.prop]] # too\nkind = "ball"', "# too", ["'ball' is taken"]),
        ("[[pose]] # limp\ntime = 0.7", "limp", ["'pose 3' sets no angle"]),
        ("[[pose]] # when?\nangles = {}", "when?", ["'time' is missing"]),
        ('[[pose]]\ntime = 0.7\nangles = { elbow_y = 5 }\nname = "crouch" # again', "again", ["two poses", "'crouch'"]),
        ("[[pose]]\ntime = 0.7\n[pose.angles]\nelbow_y = 5\nelbow_p = 3", "elbow_p", ["'elbow_p'"]),
    ],
)
def test_the_wrong_line_of_a_table_is_named(tmp_path, table, marked, words):
    refused(tmp_path, f"{GOOD}\n{table}\n", marked, *words)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("solved = 3", ["table", "3"]),
        ("solved = [1, 2]", ["table", "[1, 2]"]),
        ('solved = { "crouch.elbow_x" = 3.0 }', ["'crouch.elbow_x'", "crouch.elbow_y"]),
        ('solved = { "crouch.elbow_y" = "much" }', ["'crouch.elbow_y'", "'much'"]),
        ("each = 1.7", ["'each'", "whole number"]),
        ("first = 1.5", ["'first'", "whole number"]),
    ],
)
def test_invalid_entries_of_a_goal_are_refused(tmp_path, entry, words):
    refused(tmp_path, f"{GOOD}{GOAL}{entry}\n", entry, *words)


@pytest.mark.parametrize("header", ["goal = [{ name = 'x' }]", '[["goal"]]\nname = "x"'], ids=["inline", "quoted"])
def test_goals_need_a_header_of_their_own(tmp_path, header):
    text = f"{header}\n{GOOD}" if "{" in header else f"{GOOD}\n{header}\n"
    with pytest.raises(TomlError, match=re.escape("must be written as [[goal]]")):
        read(tmp_path, text)


def test_solved_must_be_an_inline_table(tmp_path):
    text = f'{GOOD}{GOAL}[goal.solved]\n"crouch.elbow_y" = 1\n'
    refused(tmp_path, text, "[[goal]]", "solved = { ... }")


def test_flight_needs_gravity(tmp_path):
    goal = GOAL.replace('what = "base.x", at = 0.6', 'what = "flight.x"')
    refused(tmp_path, f"{GOOD}{goal}[scene]\ngravity = 0\n", "flight.x", "gravity")


@pytest.mark.parametrize("what", ["crouch.elbow_y", "crouch.time"])
def test_the_initial_pose_cannot_be_changed(tmp_path, what):
    text = GOOD.replace("time = 0.4", "time = 0.0") + GOAL.replace("crouch.elbow_y", what)
    refused(tmp_path, text, what, "'crouch' is the initial pose")


def test_a_free_time_stays_after_the_start(tmp_path):
    text = GOOD.replace("time = 0.4", "time = 0.1") + GOAL.replace("crouch.elbow_y", "crouch.time")
    assert read(tmp_path, text).goals[0].free[0].most == pytest.approx(0.099)


def test_a_target_a_little_beyond_the_limit_presses_against_it(tmp_path):
    body = Body.named("lamp14")
    limit = degrees(body.upper[body.dof_names.index("elbow_y")])
    assert read(tmp_path, GOOD.replace("elbow_y = 130", f"elbow_y = {limit + 15}")).poses


def test_the_file_of_a_body_is_relative_to_the_script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/lamp.xml").write_text(Body.named("lamp14").mjcf)
    (tmp_path / "mine/mine.toml").write_text(GOOD.replace("lamp14", "lamp.xml"))
    assert read_script("mine/mine.toml").scene.body.links == Body.named("lamp14").links


def test_the_file_of_a_terrain_is_relative_to_the_script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/stage.toml").write_text("[[platform]]\nx = [-1, 1]\ny = [-1, 1]\nz = 0.5\n")
    (tmp_path / "mine/mine.toml").write_text(f'{GOOD}[scene]\nterrain = "stage.toml"\n')
    assert read_script("mine/mine.toml").scene.terrain.height(0.0, 0.0) == 0.5


def test_a_script_needs_a_pose(tmp_path):
    with pytest.raises(TomlError, match="no pose"):
        read(tmp_path, 'body = "lamp14"\nseconds = 1\n')


def test_a_cycle_has_a_limited_number_of_poses(tmp_path):
    text = GOOD.replace("seconds = 1.0", "seconds = 600") + CYCLE.replace("period = 0.5", "period = 0.06")
    refused(tmp_path, text, "period", "make the period longer")


def test_invalid_toml_is_reported_with_its_line(tmp_path):
    with pytest.raises(PoiseError, match=r"mine.toml is not a TOML file: .*line 2"):
        read(tmp_path, "seconds = 1\nbody = = 2\n")


@pytest.mark.parametrize("name", ["no-such.toml", "folder.toml"])
def test_unreadable_files_are_reported(tmp_path, name):
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(PoiseError, match=f"cannot read .*{name}"):
        read_script(tmp_path / name)


def test_an_unknown_script_is_refused_with_the_valid_ones():
    with pytest.raises(PoiseError, match=re.escape("'punsh'")) as error:
        read_script("punsh")
    assert "punch" in str(error.value)


def test_names_do_not_hide_the_line_number(tmp_path):
    """An angle named `line` is not mistaken for a line number."""
    refused(tmp_path, textwrap.dedent(GOOD).replace("elbow_y = 130", "line = 130"), "line = 130", "'line'")
