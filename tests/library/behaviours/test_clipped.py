"""Behaviours that are like others, or whose poses are a motion file's."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body.body import Body
from poise.errors import PoiseError
from poise.export.clips import performer_clip
from poise.library.authoring.figure import SourceFigure
from poise.library.behaviours.clip_poses import flip_behaviour_times, roll_behaviour_times
from poise.library.behaviours.files import behaviour_text, read_behaviour
from poise.motion.bvh import write_bvh
from poise.reference.body_clip import BodyClip

BENT = {"trunk_flexion": 20.0, "hip_flexion": 60.0, "knee_flexion": 90.0, "shoulder_flexion": 40.0}


def test_flexions_are_those_that_were_posed():
    figure = SourceFigure(Body.named("human43"))
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
    text = behaviour_text(own.varied(np.array([1.0, 1.0])), path.read_text(), {"score": 1.0})
    path.write_text(text)
    again = read_behaviour(str(path))
    assert again.control["speed"] == pytest.approx(base.control["speed"] * np.exp(0.05), rel=1e-3)


def test_a_file_cannot_be_like_itself(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('like = "own.toml"\n')
    with pytest.raises(PoiseError, match="leads back to the file itself"):
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
    return BodyClip("leap", body, 60.0, SourceFigure(body).poses({**sides, "trunk_flexion": 20.0 * bent}, root))


def test_poses_of_a_flip_are_found(leap):
    found = flip_behaviour_times(leap)
    assert np.all(np.diff(found) > 0)
    np.testing.assert_allclose(np.array(found)[1:6], [0.6, 0.9, 1.15, 1.4, 1.6], atol=0.08)


def test_what_does_not_fly_is_refused(leap):
    still = BodyClip("still", leap.body, 60.0, np.tile(leap.qpos[0], (100, 1)))
    with pytest.raises(PoiseError, match="give the"):
        flip_behaviour_times(still)


def test_poses_come_from_a_motion_file(tmp_path, leap):
    grounded = np.array(leap.qpos)
    grounded[:, 2] = leap.qpos[0, 2]  # nothing falls, by which the rate of a file is judged
    write_bvh(performer_clip(replace(leap, qpos=grounded)), tmp_path / "leap.bvh")
    path = tmp_path / "own.toml"
    path.write_text('like = "back-flip"\n[clip]\nmotion = "leap.bvh"\nat = ["-", "-", 1.15, "-", "-", "-", 2.4]\n')
    base, own = read_behaviour("back-flip"), read_behaviour(str(path))
    for name in ("hip_flexion", "knee_flexion"):
        assert own.poses[name][2] == pytest.approx(1.4 * BENT[name], abs=6.0)
        assert own.poses[name][:2] == base.poses[name][:2]
    path.write_text(path.read_text().replace("2.4", "99"))
    with pytest.raises(PoiseError, match="no pose at 99"):
        read_behaviour(str(path))


@pytest.fixture
def tumble():
    """A turn and more over 2 m to the left, the left hip bent further all the way and the right one not: made up."""
    body = Body.named("human43")
    pitch = np.linspace(0.0, 400.0, 201)
    posed = SourceFigure(body).poses(
        {"left_hip_flexion": 0.25 * pitch, "pelvis_tilt": pitch, "pelvis_rotation": 90.0},
        np.column_stack([0.0 * pitch, pitch / 200.0, 1.0 + 0.0 * pitch]),
    )
    return BodyClip("tumble", body, 100.0, posed)


def test_a_roll_is_found_by_the_pitch_of_the_pelvis(tumble):
    found = roll_behaviour_times(tumble, np.array([90.0, 150.0, 250.0, 300.0]))
    assert found[0] is found[3] is None  # the leap in and the way out
    np.testing.assert_allclose(found[1:3], [0.75, 1.25], atol=0.011)


def test_what_does_not_turn_over_is_no_roll(tumble):
    for clip in (
        BodyClip("half", tumble.body, 100.0, tumble.qpos[:100]),
        BodyClip("on the spot", tumble.body, 100.0, np.where(np.arange(tumble.qpos.shape[1]) < 2, 0.0, tumble.qpos)),
    ):
        with pytest.raises(PoiseError, match="give the times"):
            roll_behaviour_times(clip, np.array([150.0]))


def test_a_roll_takes_each_side_as_captured(tmp_path, tumble):
    write_bvh(performer_clip(tumble), tmp_path / "tumble.bvh")
    path = tmp_path / "own.toml"
    path.write_text('like = "shoulder-roll"\n[clip]\nmotion = "tumble.bvh"\n')
    base, own = read_behaviour("shoulder-roll"), read_behaviour(str(path))
    begin = base.start["pelvis_tilt"] - 360.0 * base.start["at"]
    for k in (2, 3, 4, 5):
        pitch = begin + 360.0 * base.at[k]
        assert own.poses["left_hip_flexion"][k] == pytest.approx(0.25 * pitch, abs=6.0)
        assert own.poses["right_hip_flexion"][k] == pytest.approx(0.0, abs=6.0)
    for k in (0, 1, 6, 7):
        assert own.poses["left_hip_flexion"][k] == base.poses["hip_flexion"][k]
    assert own.poses["neck_flexion"] == base.poses["neck_flexion"]


def test_a_limb_told_anew_is_told_for_both_sides(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('like = "shoulder-roll"\n[poses]\nelbow_flexion = [1, 2, 3, 4, 5, 6, 7, 8]\n')
    own = read_behaviour(str(path))
    assert "right_elbow_flexion" not in own.poses
    assert "right_shoulder_flexion" in own.poses


CLIPPED = '\n[clip]\nmotion = "tumble.bvh"\n'


@pytest.mark.parametrize("clip", ["", CLIPPED])
def test_sides_outlive_what_a_search_writes(tmp_path, tumble, clip):
    write_bvh(performer_clip(tumble), tmp_path / "tumble.bvh")
    path = tmp_path / "own.toml"
    path.write_text(f'like = "shoulder-roll"{clip}\n')
    own = read_behaviour(str(path))
    path.write_text(behaviour_text(own, path.read_text(), {"score": 1.0}))
    again = read_behaviour(str(path))
    assert again.poses.keys() == own.poses.keys()
    for name, values in own.poses.items():
        assert again.poses[name] == pytest.approx(values, rel=1e-3, abs=1e-3)


def test_of_a_captured_roll_each_side_may_be_tuned(tmp_path, tumble):
    write_bvh(performer_clip(tumble), tmp_path / "tumble.bvh")
    path = tmp_path / "own.toml"
    path.write_text(f'like = "shoulder-roll"{CLIPPED}')
    own = read_behaviour(str(path))
    assert {"left_hip_flexion", "right_hip_flexion"} <= own.free.keys()
    assert "hip_flexion" not in {*own.poses, *own.free}


def test_what_another_file_frees_may_be_gone(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('like = "sideways-roll"\n[poses]\nhip_flexion = [1, 2, 3, 4, 5, 6, 7, 8]\n')
    own = read_behaviour(str(path))
    assert own.poses["hip_flexion"][0] == 1.0
    assert "left_hip_flexion" not in {*own.poses, *own.free}
    path.write_text(path.read_text() + "[tune]\nleft_hip_flexion = 5\n")
    with pytest.raises(PoiseError, match=r"own\.toml, line 5: unknown entry 'left_hip_flexion'"):
        read_behaviour(str(path))


@pytest.mark.parametrize(
    ("like", "at", "said"),
    [("shoulder-roll", f"at = {['-'] * 8}", "none of its poses is used"), ("sideways-roll", "", "cannot be found")],
)
def test_a_clip_of_which_nothing_can_be_taken_is_refused(tmp_path, tumble, like, at, said):
    write_bvh(performer_clip(tumble), tmp_path / "tumble.bvh")
    path = tmp_path / "own.toml"
    path.write_text(f'like = "{like}"{CLIPPED}{at}\n')
    with pytest.raises(PoiseError, match=f"tumble.*{said}"):
        read_behaviour(str(path))
