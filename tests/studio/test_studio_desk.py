"""Commands of the page and the replies."""

import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest

from poise.motion.bvh import read_bvh
from poise.studio.desk import RECENT, Desk
from poise.world.recording import Recording

SQUAT = Path(__file__).parents[2] / "examples" / "motions" / "squat.bvh"


class Heard:
    """A desk and its messages."""

    def __init__(self, folder):
        self.said = []
        self.desk = Desk(self.said.append, folder)

    def do(self, name, **more):
        self.said.clear()
        self.desk.execute({"do": name, **more})
        return [json.loads(message) for message in self.said if isinstance(message, str)]

    def words(self, kind):
        return [m for m in map(json.loads, (m for m in self.said if isinstance(m, str))) if m["say"] == kind]

    def file(self):
        [message] = [m for m in self.said if isinstance(m, bytes) and m[0] == 2]
        length = struct.unpack("<I", message[4:8])[0]
        return json.loads(message[8 : 8 + length])["name"], message[8 + length :]


@pytest.fixture
def heard(tmp_path):
    return Heard(tmp_path)


def test_a_stage_is_put_up_and_stepped(heard):
    heard.do("stage", motion="stand", controller="hold", paused=True)
    [stage] = heard.words("stage")
    assert stage["body"] == "human37"
    assert stage["trunk"] in stage["links"]
    assert len(stage["dofs"]) == 37
    assert not heard.desk.playing
    heard.do("step")
    assert heard.desk.show.run.time == pytest.approx(1 / 120)
    assert any(isinstance(message, bytes) for message in heard.said)


def test_time_passes_only_while_it_plays(heard):
    heard.do("stage", motion="stand", controller="hold")
    assert heard.desk.playing
    assert heard.desk.advance(0.1, lambda: False) == pytest.approx(0.1)
    heard.do("play", on=False)
    assert not heard.desk.playing
    heard.do("reset", play=False)
    assert heard.words("branched")[0]["time"] == 0.0


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("play", {"on": True}, "nothing is performed"),
        ("nothing", {}, "unknown command"),
        ("_put_on_stage", {}, "unknown command"),
        ("stage", {"motion": "jumpp"}, "unknown motion"),
        ("stage", {"controller": "jumpp"}, "unknown controller"),
        ("stage", {"motion": "hang", "controller": "nqr"}, "bar|holds"),
        ("stage", {"motion": "stand", "controller": "hold", "loads": ["tail=5"]}, "tail"),
        ("pose.key", {"time": 1}, "no script"),
        ("pose.dance", {}, "unknown command"),
    ],
)
def test_what_cannot_be_done_is_told(heard, name, more, told):
    heard.do(name, **more)
    [error] = heard.words("error")
    assert re.search(told, error["text"])


def test_a_world_that_blows_up_is_told_and_can_be_gone_back_from(heard):
    heard.do("stage", motion="stand", controller="hold", paused=True)
    heard.desk.advance(0.1, lambda: False)
    heard.desk.show.run.world.qvel[:] = np.nan
    heard.desk.advance(0.1, lambda: False)
    assert "blew up" in heard.words("error")[0]["text"]
    heard.do("branch", time=0.05, play=False)
    heard.desk.advance(0.1, lambda: False)
    assert not heard.words("error")


def test_a_motion_file_is_brought_and_performed(heard):
    heard.do("upload", upload="my squat.bvh", content=SQUAT.read_bytes())
    assert heard.words("brought")[0]["name"] == "my squat.bvh"
    heard.do("stage", motion="my squat.bvh", controller="hold")
    [stage] = heard.words("stage")
    assert stage["motion"] == "my squat.bvh"
    assert stage["found"]
    heard.desk.advance(0.2, lambda: False)
    heard.do("download", format="bvh")
    name, taken = heard.file()
    assert name == "my squat.bvh"
    (heard.desk._folder / "taken.bvh").write_bytes(taken)
    clip = read_bvh(heard.desk._folder / "taken.bvh")
    assert clip.skeleton.names == read_bvh(SQUAT).skeleton.names


def test_a_broken_file_is_told_without_the_servers_paths(heard):
    bad = b"HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zspin\n}\n"
    heard.do("upload", upload="bad.bvh", content=bad)
    heard.do("stage", motion="bad.bvh", controller="hold")
    [error] = heard.words("error")
    assert "line 5" in error["text"]
    assert str(heard.desk._folder) not in error["text"]


@pytest.mark.parametrize("form", ["bvh", "glb", "html", "npz", "csv"])
def test_all_formats_can_be_taken_away(heard, form, tmp_path):
    heard.do("stage", motion="stand", controller="hold")
    heard.desk.advance(0.2, lambda: False)
    heard.do("push", newtons=50, degrees=0)
    heard.desk.advance(0.2, lambda: False)
    heard.do("download", format=form)
    name, content = heard.file()
    assert name == f"stand.{form}"
    start = {"bvh": b"HIERARCHY", "glb": b"glTF", "html": b"<!doctype html>", "npz": b"PK", "csv": b"time"}[form]
    assert content.startswith(start)
    if form == "npz":
        (tmp_path / "r.npz").write_bytes(content)
        recording = Recording.load(tmp_path / "r.npz")
        assert [event["kind"] for event in recording.meta["events"]] == ["push"]


def test_the_verdict_is_that_of_the_command_line(heard):
    heard.do("stage", motion="stand", controller="hold")
    heard.desk.advance(0.5, lambda: False)
    heard.do("judge")
    [verdict] = heard.words("verdict")
    assert verdict["physical"]
    assert verdict["audit"]["linear_momentum"]["passed"]
    assert verdict["likeness"] == []  # there is no file


def test_the_judge_compares_with_the_file_that_was_dropped(heard):
    heard.do("upload", upload="my squat.bvh", content=SQUAT.read_bytes())
    heard.do("stage", motion="my squat.bvh", controller="hold")
    heard.desk.advance(0.5, lambda: False)
    heard.do("judge")
    [line] = heard.words("verdict")[0]["likeness"]
    assert line.startswith("beside the file: pelvis ")


def test_what_still_holds_is_told_however_much_was_done_since(heard):
    heard.do("stage", motion="stand", controller="hold", paused=True)
    heard.do("hang", body="head", mass=2.0)
    heard.do("edit", text="trunk:-0.05")
    for _ in range(RECENT):
        heard.desk.show.run.note({"kind": "steer", "time": 0.0})
    heard.do("unhang")
    [told] = heard.words("events")
    assert [event["kind"] for event in told["events"] if event["kind"] != "steer"] == ["weight", "edit", "weights off"]
