"""Errors in objectives name the line."""

from math import radians

import pytest

from poise.animate.read_script import read_script
from poise.errors import PoiseError

HEAD = "seconds = 1\n[[pose]]\ntime = 0\nangles = { yaw = 0 }\n[[objective]]\n"


@pytest.fixture
def refused(tmp_path):
    def refused(text):
        file = tmp_path / "aim.toml"
        file.write_text(HEAD + text)
        with pytest.raises(PoiseError) as error:
            read_script(file)
        return str(error.value)

    return refused


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ('kind = "levl"', 6, "levl"),
        ('kind = "level"\nlink = "left_hnd"\njoints = ["left_elbow"]', 7, "left_hnd"),
        ('kind = "level"\nlink = "left_hand"\njoints = ["left_elbw"]', 8, "left_elbw"),
        ('kind = "level"\nlink = "left_hand"', 5, "joints"),
        ('kind = "level"\nlink = "left_hand"\njoints = ["left_elbow"]\naxis = [0, 1]', 9, "axis"),
        ('kind = "level"\nlink = "left_hand"\njoints = ["left_elbow"]\nstifness = 3', 9, "stifness"),
        ('kind = "level"\nlink = "left_hand"\njoints = ["left_elbow"]\naxis = [0, 0, 0]', 9, "must not be zero"),
        ('kind = "look"\nlink = "head"\nat = [1, 1, 1]\naxis = [0, 0, 0]\njoints = ["neck"]', 9, "must not be zero"),
        ('kind = "level"\nlink = "left_hand"\njoints = { left_elbow = -1 }', 8, "at least 0"),
        ('kind = "look"\nlink = "head"\njoints = { neck = -0.1 }\nat = [1, 1, 1]', 8, "at least 0"),
        ('kind = "touch"\nlink = "left_hand"\njoints = { left_elbow = -1 }\nat = [1, 1, 1]', 8, "at least 0"),
        ('kind = "look"\nlink = "head"\nat = "bal"\njoints = ["neck"]', 8, "bal"),
        ('kind = "touch"\nlink = "left_hand"\nat = [1, 2]\njoints = ["left_elbow"]', 8, "at"),
        ('kind = "follow"\njoints = { left_elbow_y = "right_elbw_y" }', 7, "right_elbw_y"),
        ('kind = "correct"\nsensor = "com.speed"\njoints = { hip_x = 1 }', 7, "speed"),
        ('kind = "correct"\nsensor = "com.vy"\njoints = { hip_w = 1 }', 8, "hip_w"),
        (
            'kind = "correct"\nsensor = "com.vy"\njoints = { hip_x = 1 }\nfrom = 3\nuntil = 2',
            10,
            "must not be before 'from'",
        ),
    ],
)
def test_a_wrong_name_is_reported_with_its_line(refused, text, line, name):
    message = refused(text)
    assert message.startswith(f"aim.toml, line {line}: ")
    assert name in message


def test_corrections_may_have_negative_weights(tmp_path):
    file = tmp_path / "aim.toml"
    file.write_text(HEAD + 'kind = "correct"\nsensor = "com.z"\njoints = { left_hip_x = -1 }')
    (objective,) = read_script(file).objectives
    assert list(objective.joints.values()) == pytest.approx([-radians(1.0)])
