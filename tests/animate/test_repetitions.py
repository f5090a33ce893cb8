"""Cycles whose repetitions differ, and goals for their repetitions."""

import numpy as np
import pytest

from poise.animate.read_script import read_script
from poise.errors import PoiseError

WALK = """
body = "human37"
seconds = 4
[scene]
prop = [{ kind = "mark", name = "print#2", at = [1.5, -0.1] }, { kind = "mark", name = "print#3", at = [2.5, 0.2] }]
[[cycle]]
from = 1
period = 1
mirrored = false
pose = [
    { at = 0, name = "lift", angles = { yaw = [10, 20, 15], left_hip = [1, -30, 2] } },
    { at = 0.5, name = "reach", angles = { yaw = 0, knee_y = 5 } },
]
[[goal]]
name = "print"
each = 2
first = 2
want = [{ what = "right_foot.x", at = "right_foot down", is = "print#.x" }, { what = "com.y", at = 3, is = [0.5, 0.6] }]
free = ["lift#.yaw", "reach#.knee_y"]
"""


@pytest.fixture
def read(tmp_path):
    def read(old="", new="", seconds=0.0):
        assert old in WALK
        file = tmp_path / "walk.toml"
        file.write_text(WALK.replace(old, new) if old else WALK)
        return read_script(file, seconds)

    return read


def yaws(script, name):
    return [round(float(np.degrees(pose.angles[5])), 9) for pose in script.poses if pose.name.startswith(name)]


def test_a_dof_takes_an_angle_per_repetition_and_keeps_the_last(read):
    assert yaws(read(), "lift") == [10, 20, 15, 15]
    assert yaws(read(), "reach") == [0, 0, 0]


def test_angles_of_a_repetition_are_mirrored(read):
    assert yaws(read("mirrored = false", "mirrored = true"), "lift") == [10, -20, 15, -15]


def test_a_list_for_a_joint_is_its_angles(read):
    (hip,) = {tuple(pose.angles[dof] for dof in (6, 7, 8)) for pose in read().poses if pose.name.startswith("lift")}
    assert np.degrees(hip) == pytest.approx([1, -30, 2])


def test_a_longer_performance_repeats_more(read):
    assert [pose.time for pose in read(seconds=6.2).poses][-2:] == [5.5, 6.0]
    assert read(seconds=6.2).seconds == 6.2
    assert read(seconds=1.0).seconds == 4.0  # a shorter duration does not change the script


def test_targets_are_props_of_the_same_number(read):
    goals = read().goals
    assert [goal.wants[0].value for goal in goals] == [1.5, 2.5]
    assert [goal.wants[1].value for goal in goals] == [0.5, 0.6]
    assert [goal.free[0].name for goal in goals] == ["lift#2.yaw", "lift#3.yaw"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[10, 20, 15]", "[]", "line 11: 'yaw'"),
        ("[10, 20, 15]", '[10, "x"]', "line 11: 'yaw' must be 2 numbers"),
        ("each = 2", "each = 3", "line 19: .*reach#4"),  # the script ends before it
        ('"print#.x"', '"prnt#.x"', "line 18: .*print#2"),
        ('"print#.x"', '"print#.w"', "line 18: .*coordinate"),
    ],
)
def test_errors_in_repetitions_name_their_line(read, old, new, message):
    with pytest.raises(PoiseError, match=message):
        read(old, new)


def test_a_list_of_angles_needs_a_cycle(tmp_path):
    file = tmp_path / "stand.toml"
    file.write_text("seconds = 1\n[[pose]]\ntime = 0\nangles = { yaw = [1, 2] }\n")
    with pytest.raises(PoiseError, match="line 4: 'yaw' is one angle"):
        read_script(file)
