"""Writing BVH: what was read comes back, in the words of its own file."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from random_clips import clips

from poise.arrays import readonly
from poise.errors import PoiseError
from poise.motion.bvh import bvh_text, read_bvh, write_bvh
from poise.motion.clip import clip_from, convert_clip
from poise.motion.skeleton import JOINT_CHANNELS, ROOT_CHANNELS, Y_UP, Convention, End, Skeleton
from poise.rotations import euler_to_quat, quat_conjugate, quat_log, quat_multiply

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap"
PLACES = ROOT_CHANNELS[:3]


def degrees_apart(a, b):
    return np.degrees(np.linalg.norm(quat_log(quat_multiply(quat_conjugate(a), b)), axis=-1)).max()


def there_and_back(clip, folder):
    """Written, read, and in our conventions again."""
    convention = clip.skeleton.convention
    return convert_clip(read_bvh(write_bvh(clip, folder / "again.bvh")), convention.unit, convention.axes)


def same(a, b):
    """To 1e-4 cm and 1e-4 degrees; names and tree exactly."""
    assert a.skeleton.names == b.skeleton.names
    assert a.skeleton.parents == b.skeleton.parents
    assert [end.joint for end in a.skeleton.ends] == [end.joint for end in b.skeleton.ends]
    np.testing.assert_allclose(a.skeleton.offsets, b.skeleton.offsets, rtol=1e-14, atol=1e-14)
    assert a.rate == pytest.approx(b.rate, rel=1e-14)
    assert np.abs(a.places.position - b.places.position).max() < 1e-6
    assert np.abs(a.places.ends - b.places.ends).max(initial=0) < 1e-6
    assert degrees_apart(a.rotation, b.rotation) < 1e-4


@given(clips())
def test_any_clip_comes_back(tmp_path_factory, clip):
    again = there_and_back(clip, tmp_path_factory.mktemp("bvh"))
    same(clip, again)
    if clip.skeleton.convention.channels and clip.translation is None:
        assert again.skeleton.convention.channels == clip.skeleton.convention.channels


def joint(rotation, channels=(), offset=(0, 0, 0), position=None, translation=None):
    """A clip of two joints, of which the second turns."""
    rotation = np.asarray(rotation, float)
    still = np.tile([1.0, 0, 0, 0], (len(rotation), 1))
    convention = Convention(0.01, Y_UP, (ROOT_CHANNELS, tuple(channels)))
    skeleton = Skeleton(("a", "b"), (-1, 0), readonly([(0, 0, 0), offset]), (), convention)
    position = np.zeros((len(rotation), 3)) if position is None else position
    return clip_from("joint", skeleton, 30.0, position, np.stack([still, rotation], axis=1), translation)


def columns(clip):
    """Numbers of the second joint as written."""
    lines = bvh_text(clip).splitlines()
    return np.array([line.split()[6:] for line in lines[lines.index("MOTION") + 3 :]], float)


def spins(order):
    return tuple(f"{axis}rotation" for axis in order)


def ours(angles, order):
    """Turns of a file that is y up in our axes."""
    q = euler_to_quat(np.radians(angles), order)
    return np.concatenate([q[..., :1], q[..., 1:] @ Y_UP.T], axis=-1)


@pytest.mark.parametrize("order", ["X", "Y", "ZX", "XZ", "YX", "XX", "XXY", "YXX", "", "ZXY", "XYX", "ZXYX"])
def test_what_few_channels_can_tell_is_told_in_them(tmp_path, order):
    """Turns of more than a whole circle, told by up to three of the channels."""
    angles = np.zeros((50, len(order)))
    for k in range(min(len(order), 3)):
        angles[:, k] = 17 + 30 * k + np.linspace(0, [500, -400, 60][k], 50)
    clip = joint(ours(angles, order), spins(order), offset=(1, 2, 3))
    assert read_bvh(write_bvh(clip, tmp_path / "a.bvh")).skeleton.convention.channels[1] == spins(order)
    same(clip, there_and_back(clip, tmp_path))
    written = columns(clip)
    assert np.abs(np.diff(written, axis=0)).max(initial=0) < 90


@pytest.mark.parametrize("order", ["", "X", "ZX", "XX"])
def test_a_joint_that_turns_further_gets_the_usual_channels(tmp_path, order):
    clip = joint(ours([[10, 20, 30], [20, 30, 40]], "XYZ"), (*PLACES[:1], *spins(order)))
    again = there_and_back(clip, tmp_path)
    assert again.skeleton.convention.channels == (ROOT_CHANNELS, (*PLACES[:1], *JOINT_CHANNELS))
    same(clip, again)


def test_a_joint_that_leaves_its_offset_gets_positions(tmp_path):
    placed = np.zeros((2, 2, 3))
    placed[:, 1] = [[1, 2, 3], [1, 2, 3.5]]
    clip = joint(ours([[10, 0, 0], [20, 0, 0]], "XYZ"), spins("X"), offset=(1, 2, 3), translation=placed)
    again = there_and_back(clip, tmp_path)
    assert again.skeleton.convention.channels[1] == PLACES + spins("X")
    same(clip, again)


def test_positions_are_told_where_the_file_had_them_even_if_nothing_moves(tmp_path):
    clip = joint(ours([[10, 0, 0]], "XYZ"), PLACES + spins("XYZ"), offset=(1, 2, 3))
    np.testing.assert_allclose(columns(clip), [[200, 300, 100, 10, 0, 0]], atol=1e-9)
    assert there_and_back(clip, tmp_path).translation is None


def test_a_root_without_position_channels_that_moves(tmp_path):
    clip = joint(ours([[0, 0, 0]] * 2, "XYZ"), position=[[0, 0, 0], [1, 0, 0]])
    convention = replace(clip.skeleton.convention, channels=((), ()))
    clip = replace(clip, skeleton=replace(clip.skeleton, convention=convention))
    again = there_and_back(clip, tmp_path)
    assert again.skeleton.convention.channels == (PLACES, ())
    same(clip, again)


@given(st.sampled_from(["ZXY", "ZYX", "XYZ", "YXZ", "ZXZ"]), st.integers(0, 2**32 - 1))
def test_curves_do_not_jump(order, seed):
    """A slow tumble about a wandering axis; frames on the pole itself are allowed to be there."""
    rng = np.random.default_rng(seed)
    angles = np.cumsum(rng.uniform(-4, 4, size=3) + np.zeros((120, 3)), axis=0)
    angles[:, 1] = 60 * np.sin(np.radians(angles[:, 1]))
    clip = joint(ours(angles, order), spins(order))
    assert np.abs(np.diff(columns(clip), axis=0)).max() < 30


def test_through_the_pole(tmp_path):
    """The middle angle goes on over a quarter turn, with one frame exactly there."""
    angles = np.stack([np.linspace(10, 30, 41), np.linspace(70, 110, 41), np.linspace(0, 40, 41)], axis=1)
    clip = joint(ours(angles, "ZYX"), spins("ZYX"))
    written = columns(clip)
    np.testing.assert_allclose(np.delete(written, 20, axis=0), np.delete(angles, 20, axis=0), atol=2e-6)
    assert np.abs(np.diff(written, axis=0)).max() < 2
    same(clip, there_and_back(clip, tmp_path))


def test_the_file_reads_like_the_one_it_came_from(tmp_path):
    text = """HIERARCHY
ROOT mixamorig:Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	End Site
	{
		OFFSET 0 -0.5 0.1234567
	}
	JOINT Left Leg
	{
		OFFSET 1.65674 -1.80282 0.62477
		CHANNELS 1 Xrotation
		JOINT toe
		{
			OFFSET 0.00001 -7.13576 0
			CHANNELS 0
		}
	}
	JOINT c
	{
		OFFSET 123456.789 0 0
		CHANNELS 0
	}
}
MOTION
Frames: 2
Frame Time: 0.0083333
10.419400 16.704800 -30.100300 0.000000 -21.000000 0.000000 5.000000
10.419400 16.704801 -30.100300 0.000000 -21.000001 0.000000 -6.500000
"""
    path = tmp_path / "a.bvh"
    path.write_text(text)
    raw = read_bvh(path)
    for unit, axes in ((0.01, Y_UP), (0.01, np.eye(3)), (0.0254, Y_UP)):
        clip = convert_clip(raw, unit, axes)
        head, numbers = bvh_text(clip).split("Frame Time:")
        assert head == text.split("Frame Time:")[0]
        written = np.array([line.split() for line in numbers.splitlines()[1:]], float)
        expected = np.array([line.split() for line in text.splitlines()[-2:]], float)
        np.testing.assert_allclose(written, expected, atol=1e-9)
    assert bvh_text(convert_clip(raw, 0.01, Y_UP)) == text


def test_a_skeleton_without_channels_gets_the_usual_ones():
    skeleton = Skeleton(("a", "b"), (-1, 0), readonly([[0, 0, 0], [0, 0, 1]]), (End(1, readonly([0, 0, 1])),))
    clip = clip_from("plain", skeleton, 25.0, [[0, 0, 1.5]], [[[1, 0, 0, 0]] * 2])
    lines = bvh_text(clip).splitlines()
    assert lines[4] == "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    assert lines[7] == "\t\tOFFSET 0 100 0"
    assert lines[-2:] == ["Frame Time: 0.04", "0.000000 150.000000 0.000000 " + " ".join(["0.000000"] * 6)]


def test_a_long_chain_needs_no_recursion(tmp_path):
    count = 900
    skeleton = Skeleton(
        tuple(f"j{k}" for k in range(count)), tuple(range(-1, count - 1)), readonly(np.ones((count, 3)))
    )
    clip = clip_from("chain", skeleton, 30.0, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, count, 1)))
    assert there_and_back(clip, tmp_path).skeleton.parents == skeleton.parents


def test_no_frames():
    clip = joint(ours([[0, 0, 0]], "XYZ"))
    with pytest.raises(PoiseError, match="'joint' has no frames"):
        bvh_text(clip.cut(0, 0))


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the shared motion capture")
@pytest.mark.parametrize("name", ["02_01", "88_01", "90_36", "43_02"])
def test_captured_motion_comes_back(name, tmp_path):
    raw = read_bvh(MOCAP / "bvh" / f"{name}.bvh")
    clip = convert_clip(raw, 0.0254 / 0.45, Y_UP)
    again = there_and_back(clip, tmp_path)
    same(clip, again)
    refiled = read_bvh(tmp_path / "again.bvh")
    assert np.array_equal(refiled.skeleton.offsets, raw.skeleton.offsets)
    assert all(
        np.array_equal(a.offset, b.offset) for a, b in zip(refiled.skeleton.ends, raw.skeleton.ends, strict=True)
    )
    assert 1 / refiled.rate == 1 / raw.rate
    assert refiled.skeleton.convention.channels == raw.skeleton.convention.channels


def test_long_clips_survive_a_round_trip(tmp_path):
    """4,000 frames of 31 joints."""
    rng = np.random.default_rng(0)
    count = 31
    skeleton = Skeleton(
        tuple(f"j{k}" for k in range(count)), tuple(range(-1, count - 1)), readonly(np.ones((count, 3)))
    )
    angles = np.cumsum(rng.normal(size=(4000, count, 3)), axis=0) / 20
    clip = clip_from("long", skeleton, 120.0, np.zeros((4000, 3)), euler_to_quat(angles, "ZXY"))
    first = read_bvh(write_bvh(clip, tmp_path / "long.bvh"))
    again = read_bvh(write_bvh(first, tmp_path / "again.bvh"))
    assert again.frames == 4000
    np.testing.assert_allclose(np.abs(np.sum(again.rotation * first.rotation, axis=-1)), 1.0, atol=1e-9)
