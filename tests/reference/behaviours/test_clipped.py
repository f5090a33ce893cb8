"""Behaviours that are like others, or whose poses are a motion file's."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body import Body
from poise.errors import PoiseError
from poise.export.clips import clip_of
from poise.motion.bvh import write_bvh
from poise.reference.authoring.figure import Figure
from poise.reference.behaviours import read_behaviour
from poise.reference.behaviours.clipped import flip_times
from poise.reference.behaviours.writing import written
from poise.reference.bodyclip import BodyClip

BENT = {"trunk_flexion": 20.0, "hip_flexion": 60.0, "knee_flexion": 90.0, "shoulder_flexion": 40.0}


def test_flexions_are_those_that_were_posed():
    figure = Figure(Body.named("human43"))
    asked = {"trunk_flexion": 20.0, "left_hip_flexion": 60.0, "right_hip_flexion": 30.0, "right_knee_flexion": 80.0}
    found = figure.flexions(figure.poses({**asked, "left_hip_abduction": 10.0}))
    for name, value in asked.items():
        assert found[name] == pytest.approx([value], abs=1e-6)
    assert found["left_knee_flexion"] == pytest.approx([0.0], abs=1e-6)


def test_a_file_that_is_like_another_tells_only_what_is_different(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('like = "forward-roll"\n[control]\nspin = 4.0\n[tune]\nspin = "10%"\nspeed = "5%"\n')
    base, own = read_behaviour("forward-roll"), read_behaviour(str(path))
    assert own.control["spin"] == 4.0
    assert own.control["speed"] == base.control["speed"]
    assert own.poses == base.poses
    text = written(own.varied(np.array([1.0, 1.0])), path.read_text(), {"score": 1.0})
    path.write_text(text)
    again = read_behaviour(str(path))
    assert again.control["speed"] == pytest.approx(base.control["speed"] * np.exp(0.05), rel=1e-3)


def test_a_file_cannot_be_like_itself(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('like = "own.toml"\n')
    with pytest.raises(PoiseError, match="like itself"):
        read_behaviour(str(path))


@pytest.fixture
def leap():
    """A crouch, a leap of 0.5 s with a tuck in it, a crouch: made up, at 60 Hz."""
    body = Body.named("human43")
    knots = np.array([0.0, 0.6, 0.9, 1.15, 1.4, 1.6, 2.5])
    times = np.arange(0.0, 2.5, 1 / 60)
    bent = np.interp(times, knots, [0.0, 1.0, 0.0, 1.4, 0.0, 1.0, 0.0])
    height = np.interp(times, knots, [1.0, 0.6, 1.05, 0.0, 1.05, 0.6, 1.0])
    flying = (times >= 0.9) & (times <= 1.4)
    height[flying] = 1.05 + 0.5 * 9.81 * (0.25**2 - (times[flying] - 1.15) ** 2)
    sides = {f"{side}_{name}": BENT[name] * bent for side in ("left", "right") for name in BENT if "trunk" not in name}
    root = np.column_stack([0 * times, 0 * times, height])
    return BodyClip("leap", body, 60.0, Figure(body).poses({**sides, "trunk_flexion": 20.0 * bent}, root))


def test_poses_of_a_flip_are_found(leap):
    found = flip_times(leap)
    assert np.all(np.diff(found) > 0)
    np.testing.assert_allclose(np.array(found)[1:6], [0.6, 0.9, 1.15, 1.4, 1.6], atol=0.08)


def test_what_does_not_fly_is_refused(leap):
    still = BodyClip("still", leap.body, 60.0, np.tile(leap.qpos[0], (100, 1)))
    with pytest.raises(PoiseError, match="tell the"):
        flip_times(still)


def test_poses_come_from_a_motion_file(tmp_path, leap):
    grounded = np.array(leap.qpos)
    grounded[:, 2] = leap.qpos[0, 2]  # nothing falls, by which the rate of a file is judged
    write_bvh(clip_of(replace(leap, qpos=grounded)), tmp_path / "leap.bvh")
    path = tmp_path / "own.toml"
    path.write_text('like = "back-flip"\n[clip]\nmotion = "leap.bvh"\nat = ["-", "-", 1.15, "-", "-", "-", 2.4]\n')
    base, own = read_behaviour("back-flip"), read_behaviour(str(path))
    for name in ("hip_flexion", "knee_flexion"):
        assert own.poses[name][2] == pytest.approx(1.4 * BENT[name], abs=6.0)
        assert own.poses[name][:2] == base.poses[name][:2]
    path.write_text(path.read_text().replace("2.4", "99"))
    with pytest.raises(PoiseError, match="no pose at 99"):
        read_behaviour(str(path))
