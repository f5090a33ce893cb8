"""Cycles of poses."""

import numpy as np
import pytest

from poise.animate.read_script import read_script
from poise.body.body import Body

PERSON = Body.named("human37")
STRIDE = """
body = "human37"
seconds = {seconds}

[[cycle]]
from = 0.3
period = 0.5
{more}
pose = [
    {{ at = 0.0, name = "lift", angles = {{ left_hip = [3, -40, 5], right_knee_y = 6, yaw = 4, pitch = 2 }} }},
    {{ at = 0.6, name = "reach", angles = {{ left_knee_y = [6, 12, 18] }} }},
]
"""


def read(tmp_path, seconds=2.0, more=""):
    path = tmp_path / "stride.toml"
    path.write_text(STRIDE.format(seconds=seconds, more=more))
    return read_script(path)


def of(script, name):
    (pose,) = [pose for pose in script.poses if pose.name == name]
    return pose


def degrees(pose, name):
    return np.degrees(pose.angles[PERSON.dof_names.index(name)])


def test_cycles_repeat_until_the_end(tmp_path):
    script = read(tmp_path)
    times = {pose.name: pose.time for pose in script.poses}
    assert times == pytest.approx({
        **{f"lift#{lap + 1}": 0.3 + 0.5 * lap for lap in range(4)},
        **{f"reach#{lap + 1}": 0.6 + 0.5 * lap for lap in range(3)},
    })  # fmt: skip
    assert [pose.time for pose in script.poses] == sorted(times.values())


def test_until_ends_a_cycle_early(tmp_path):
    assert {pose.name for pose in read(tmp_path, more="until = 0.9").poses} == {"lift#1", "reach#1", "lift#2"}


def test_a_longer_performance_has_more_repetitions(tmp_path):
    read(tmp_path)
    assert of(read_script(tmp_path / "stride.toml", 5.0), "lift#10").time == pytest.approx(4.8)


def test_every_second_repetition_is_mirrored(tmp_path):
    script = read(tmp_path, more="mirrored = true")
    for lap, side, sign in ((1, "left", 1), (2, "right", -1), (3, "left", 1)):
        lift = of(script, f"lift#{lap}")
        found = [degrees(lift, f"{side}_hip_{axis}") for axis in "xyz"]
        assert found == pytest.approx([sign * 3, -40, sign * 5])
        assert degrees(lift, "root_rz") == pytest.approx(sign * 4)
        assert degrees(lift, "root_ry") == pytest.approx(2)
        assert len(lift.angles) == 6


def test_without_mirrored_all_repetitions_are_equal(tmp_path):
    script = read(tmp_path)
    assert of(script, "lift#2").angles == of(script, "lift#1").angles


def test_repetitions_may_turn(tmp_path):
    script = read(tmp_path, more="turned = 10")
    assert [degrees(of(script, f"lift#{lap}"), "root_rz") for lap in (1, 2, 3)] == pytest.approx([4, 14, 24])


def test_an_angle_may_change_with_the_repetitions(tmp_path):
    script = read(tmp_path, seconds=3.0)
    assert [degrees(of(script, f"reach#{lap}"), "left_knee_y") for lap in (1, 2, 3, 4)] == pytest.approx(
        [6, 12, 18, 18]
    )
