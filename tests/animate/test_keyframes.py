"""Plain interpolation of a script's poses, for comparison with the performance."""

import numpy as np
import pytest

from poise.animate.animate import RATE, animate, keyframe_interpolation
from poise.animate.read_script import read_script

SCRIPT = """
body = "lamp14"
seconds = 1.0
[scene]
terrain = "slope:5"
[start]
place = [0.4, -0.3]
heading = 90
lift = 0.1
[[pose]]
time = 0.5
angles = { elbow_y = 90, pitch = 10 }
[[pose]]
time = 0.8
angles = { elbow_y = 30 }
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SCRIPT)
    return read_script(path)


def elbow(script, qpos):
    return np.degrees(qpos[:, int(script.scene.body.model.joint("elbow_y").qposadr[0])])


def test_poses_are_met_at_their_times_and_the_last_is_held(script):
    angle = elbow(script, keyframe_interpolation(script).qpos)
    assert angle[round(0.5 * RATE)] == pytest.approx(90)
    assert angle[round(0.8 * RATE) :] == pytest.approx(30)


def test_curves_are_smooth_and_stay_between_the_poses(script):
    angle = elbow(script, keyframe_interpolation(script).qpos)
    first = angle[0]
    assert np.all((angle >= min(first, 30) - 1e-9) & (angle <= 90 + 1e-9))
    speed = np.diff(angle) * RATE
    assert np.abs(np.diff(speed)).max() < 0.25 * np.abs(speed).max()  # linear interpolation would have corners


def test_the_root_stays_at_its_start(script):
    clip = keyframe_interpolation(script)
    begun = animate(script, 0.1).recording.qpos[0]
    assert clip.qpos[0] == pytest.approx(begun, abs=1e-9)
    assert np.ptp(clip.qpos[:, :3], axis=0) == pytest.approx([0, 0, 0], abs=1e-12)


def test_it_has_the_requested_duration(script):
    assert keyframe_interpolation(script).frames == RATE + 1
    assert keyframe_interpolation(script, 0.5).frames == RATE / 2 + 1
