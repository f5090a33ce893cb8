"""The pose editor: keys, handles, goals, solving, and the resulting text."""

import json
import tomllib

import mujoco
import numpy as np
import pytest
from hypothesis import given, strategies as st

from poise import Body, PoiseError
from poise.animate.read_script import find_script, read_script, shipped_scripts
from poise.reference.key_poses import standing_coordinates
from poise.studio.desk import Desk
from poise.studio.handles import angles_of_drag, pose_handles, pose_on_ground
from poise.studio.script_sheet import ScriptSheet, dof_of_angle, script_coordinates_at, toml_text

plain = st.one_of(
    st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20)
)
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), values, max_size=5))
def test_toml_is_read_back_as_it_was(table):
    assert tomllib.loads(toml_text(table)) == table


@pytest.mark.parametrize("name", shipped_scripts())
def test_shipped_scripts_say_the_same_when_they_are_written_anew(name, tmp_path):
    sheet = ScriptSheet.read(find_script(name).read_text(), tmp_path, name)
    anew = sheet.changed()
    before, after = read_script(name), anew.script
    assert [pose.name for pose in before.poses] == [pose.name for pose in after.poses]
    for one, other in zip(before.poses, after.poses, strict=True):
        assert one.time == pytest.approx(other.time, abs=1e-6)
        assert one.angles.keys() == other.angles.keys()
        assert [*one.angles.values()] == pytest.approx([other.angles[dof] for dof in one.angles], abs=1e-6)
    assert [goal.name for goal in before.goals] == [goal.name for goal in after.goals]
    assert [push.force for push in before.pushes] == [push.force for push in after.pushes]


@pytest.fixture
def sheet(tmp_path):
    blank = ScriptSheet.blank("human37", tmp_path)
    return blank.with_key(1.0, script_coordinates_at(blank, 1.0))


def test_keys_are_added_moved_copied_mirrored_named_and_deleted(sheet):
    body = sheet.body
    left, right = (dof_of_angle(body, f"{side}_knee_y") for side in ("left", "right"))
    bent = sheet.bent(1, {left: 0.7})
    assert bent.script.poses[1].angles[left] == pytest.approx(0.7)
    mirrored = bent.mirrored(1)
    assert mirrored.keys[1].angles[right] == pytest.approx(0.7)
    assert left not in mirrored.keys[1].angles
    copied = bent.copied(1, 2.0)
    assert [key.time for key in copied.keys] == [0.0, 1.0, 2.0]
    assert len({key.name for key in copied.keys}) == 3
    moved = copied.moved(1, 2.5)
    assert [key.time for key in moved.keys] == [0.0, 2.0, 2.5]
    assert [key.name for key in moved.named(2, "bend").keys][2] == "bend"
    assert len(moved.without(1).keys) == 2
    assert left not in bent.freed(1, left).keys[1].angles
    assert script_coordinates_at(bent, 0.5)[left] == pytest.approx(0.35)


def test_both_sides_alike_are_written_as_one(sheet):
    body = sheet.body
    knees = {dof_of_angle(body, f"{side}_knee_y"): 0.5 for side in ("left", "right")}
    assert " knee_y = 28.64" in sheet.bent(1, knees).text


def test_goals_go_along_with_names(sheet):
    knee = dof_of_angle(sheet.body, "left_knee_y")
    goal = {
        "name": "g",
        "free": ["pose 1.left_knee_y", {"what": "pose 1.time", "most": 0.1}],
        "want": [{"what": "com.z", "at": 1.0, "is": 0.9}],
    }
    named = sheet.bent(1, {knee: 0.2}).changed(goal=[goal]).named(1, "crouch")
    assert [free.name for free in named.script.goals[0].free] == ["crouch.left_knee_y", "crouch.time"]
    with pytest.raises(PoiseError, match="crouch"):
        named.without(1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title = ", "not a TOML"),
        ('body = "/etc/passwd.xml"\nseconds = 1', "bodies"),
        ('body = "human37"\nseconds = 1\nscene = { terrain = "/etc/x.toml" }', "terrains"),
        ("seconds = 1e6", "too long"),
        ("seconds = 2", "no pose"),
        ("seconds = 2\n[[pose]]\ntime = 1\nangles = { knee_y = 500 }", "line 4"),
        ("x = " + "[" * 5000, "not a TOML"),
    ],
)
def test_scripts_that_make_no_sense_or_ask_for_files_are_refused(text, told, tmp_path):
    with pytest.raises(PoiseError, match=told):
        ScriptSheet.read(text, tmp_path)


@pytest.mark.parametrize("name", ["human37", "human58", "biped29"])
def test_handles_come_to_where_they_are_drawn(name):
    body = Body.named(name)
    start = standing_coordinates(body)
    data = mujoco.MjData(body.model)

    def place(coordinates, handle):
        data.qpos[:] = pose_on_ground(body, coordinates)
        mujoco.mj_kinematics(body.model, data)
        link = body.link_id(handle.link)
        return data.xpos[link] + data.xmat[link].reshape(3, 3) @ handle.point

    for handle in pose_handles(body):
        way = {"pelvis": [0, 0, -0.2], "head": [0.04, 0, -0.01], "chest": [0.04, 0, -0.005]}.get(
            handle.name, [0.1, 0, 0.08]
        )
        wanted = place(start, handle) + way
        angles = angles_of_drag(body, start, handle.name, wanted)
        bent = start.copy()
        bent[list(angles)] = list(angles.values())
        assert np.linalg.norm(place(bent, handle) - wanted) < 0.04, handle.name
        assert np.all(bent[6:] >= body.lower[6:] - 1e-6)
        assert np.all(bent[6:] <= body.upper[6:] + 1e-6)


def test_a_script_is_solved_performed_and_taken_away(tmp_path):
    said = []
    desk = Desk(said.append, tmp_path)

    def do(name, **more):
        said.clear()
        desk.execute({"do": f"pose.{name}", **more})
        told = [json.loads(message) for message in said if isinstance(message, str)]
        assert not [message for message in told if message["say"] == "error"], told
        return {message["say"]: message for message in told}

    do("new", body="human37")
    do("key", time=0.8)
    do("drag", index=1, handle="pelvis", place=[0, 0, 0.8], done=True)
    do("entries", title="A bow", seconds=1.5)
    goal = {"name": "low", "free": ["pose 1.knee_y"], "want": [{"what": "com.z", "at": 1.2, "is": 0.8, "within": 0.01}]}
    do("goals", goals=[goal])
    told = do("solve")
    assert told["performed"]["converged"]
    [want] = told["performed"]["constraints"]
    assert want["reached"] == pytest.approx(0.8, abs=0.01)
    assert desk.posing.sheet.script.goals[0].solved[0] != 0
    names = [json.loads(m[8 : 8 + int.from_bytes(m[4:8], "little")])["name"] for m in said if isinstance(m, bytes)]
    assert names == ["keyframes", "performed"]
    do("save")
    saved = said[0][said[0].index(b"title") :].decode()
    (tmp_path / "saved.toml").write_text(saved)
    assert read_script(str(tmp_path / "saved.toml")).goals[0].solved[0] != 0
    do("download", format="bvh")
    assert b"HIERARCHY" in said[0]
    do("undo")
    assert desk.posing.sheet.script.goals[0].solved[0] == 0


def test_a_downloaded_script_tells_of_its_fall(tmp_path):
    said = []
    desk = Desk(said.append, tmp_path)
    desk.execute({"do": "pose.new", "body": "human37"})
    desk.execute({"do": "pose.key", "time": 0.3})
    desk.execute({"do": "pose.entries", "title": "Sit", "seconds": 1.5})
    for side in ("left", "right"):
        desk.execute({"do": "pose.angle", "index": 1, "dof": f"{side}_hip_y", "degrees": -80})
    desk.execute({"do": "pose.perform"})
    fell = json.loads(said[-1])["fell_at"]
    desk.execute({"do": "pose.download", "format": "html"})
    assert f"fell at {fell:.2f} s".encode() in said[-1]
