"""AMASS-style archives against a plain walk down the tree in the file's own frames."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from poise.errors import PoiseError
from poise.motion.amass import ORDERS, smpl_skeleton
from poise.motion.files import read_motion

PARENTS = {
    24: [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21],
    22: [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19],
}
STAND = [np.pi / 2, 0, 0]  # from y up to z up; the figure then faces -y


@pytest.fixture
def read(tmp_path):
    def from_arrays(rate=None, **arrays):
        np.savez(tmp_path / "m.npz", **arrays)
        return read_motion(tmp_path / "m.npz", rate=rate)

    return from_arrays


def standing(count, frames=1):
    poses = np.zeros((frames, count, 3))
    poses[:, 0] = STAND
    return poses


@pytest.mark.parametrize("count", ORDERS)
def test_an_average_adult_stands_up(read, count):
    motion = read(poses=standing(count).reshape(1, -1), trans=np.array([[1.0, 2.0, 0.935]]), mocap_framerate=100.0)
    assert (motion.kind, motion.unit, motion.clip.rate) == ("amass", 1.0, 100)
    assert np.array_equal(motion.axes, np.eye(3))
    clip = motion.clip
    assert set(clip.skeleton.names) == set(ORDERS[count])
    assert all(parent < joint for joint, parent in enumerate(clip.skeleton.parents))
    at = {name: clip.places.position[0, j] for j, name in enumerate(clip.skeleton.names)}
    np.testing.assert_allclose(at["pelvis"], [1, 2, 0.935])
    np.testing.assert_allclose(at["left_ankle"], [1 + 0.052 * 1.7, 2, 0.039 * 1.7], atol=1e-9)  # its left is +x
    assert at["left_foot"][1] < 1.9  # it faces -y
    assert at["head"][2] == pytest.approx(0.9 * 1.7)
    tips = {clip.skeleton.names[end.joint]: p for end, p in zip(clip.skeleton.ends, clip.places.ends[0], strict=True)}
    assert tips["head"][2] == pytest.approx(1.7)
    assert min(p[2] for p in tips.values()) > 0
    lengths = np.linalg.norm(clip.skeleton.offsets[1:], axis=1)
    assert lengths.min() > 0.01


def test_the_figure_is_symmetric_and_faces_forward():
    skeleton = smpl_skeleton(ORDERS[55])
    for j, name in enumerate(skeleton.names):
        if name.startswith("left_"):
            right = skeleton.index(name.replace("left", "right"))
            assert np.array_equal(skeleton.offsets[right], skeleton.offsets[j] * [1, -1, 1])
            assert skeleton.offsets[j][1] >= 0
    assert skeleton.offsets[skeleton.index("left_foot")][0] > 0.1
    assert skeleton.upright is None


def walk(poses, trans, places, parents):
    """World positions (T, k, 3) of a SMPL figure with rest joints (k, 3), frame by frame."""
    out = np.empty(poses.shape)
    for t, pose in enumerate(poses):
        turns = []
        for j, parent in enumerate(parents):
            own = Rotation.from_rotvec(pose[j])
            if parent < 0:
                out[t, j] = trans[t] + places[0]
                turns.append(own)
            else:
                out[t, j] = out[t, parent] + turns[parent].apply(places[j] - places[parent])
                turns.append(turns[parent] * own)
    return out


@pytest.mark.parametrize("count", PARENTS)
def test_joints_are_where_the_file_s_own_frames_put_them(read, count):
    rng = np.random.default_rng(count)
    poses, trans, places = rng.normal(size=(5, count, 3)), rng.normal(size=(5, 3)), rng.normal(size=(count, 3))
    clip = read(poses=poses.reshape(5, -1), trans=trans, J=places, mocap_frame_rate=np.array([60])).clip
    expected = walk(poses, trans, places, PARENTS[count])
    order = [ORDERS[count].index(name) for name in clip.skeleton.names]
    np.testing.assert_allclose(clip.places.position, expected[:, order], atol=1e-9)


def test_a_skeleton_of_the_file_s_own(read):
    rng = np.random.default_rng(1)
    poses, trans, offsets = rng.normal(size=(4, 5, 3)), rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    parents = [-1, 0, 0, 1, 2]
    names = np.array(["hip", "left", "right", "left toe", "tail"])
    motion = read(
        poses=poses.reshape(4, -1), trans=trans, offsets=offsets, parents=parents, names=names, mocap_framerate=50
    )
    clip = motion.clip
    assert clip.skeleton.names == ("hip", "left", "left_toe", "right", "tail")
    places = offsets.copy()
    for j, parent in enumerate(parents[1:], 1):
        places[j] += places[parent]
    expected = walk(poses, trans, places, parents)
    np.testing.assert_allclose(clip.places.position, expected[:, [0, 1, 3, 2, 4]], atol=1e-9)
    assert "own" in motion.notes[0]


def test_the_other_spelling(read):
    rng = np.random.default_rng(2)
    poses = rng.normal(size=(3, 52, 3))
    flat = poses.reshape(3, -1)
    whole = read(poses=flat, trans=np.zeros((3, 3)), mocap_framerate=30)
    parts = {"root_orient": flat[:, :3], "pose_body": flat[:, 3:66], "pose_hand": flat[:, 66:]}
    split = read(**parts, trans=np.zeros((3, 3)), mocap_framerate=30)
    assert np.array_equal(whole.clip.rotation, split.clip.rotation)


def test_what_is_not_used_is_said(read):
    poses = standing(24).reshape(1, -1)
    motion = read(poses=poses, trans=np.zeros((1, 3)), fps=30, betas=np.ones(16))
    assert "average adult of 1.7 m" in motion.notes[0]
    assert motion.notes[1] == "the body shape of the file (betas) is not used"


def test_wrong_files_say_so(read):
    good = {"poses": standing(22, 2).reshape(2, -1), "trans": np.zeros((2, 3)), "mocap_framerate": 30}
    read(**good)
    for changes, message in [
        ({"poses": np.zeros((2, 65))}, "65 numbers per frame"),
        ({"poses": np.zeros((2, 63))}, "has 21 joints; it needs 22, 24, 52, 55"),
        ({"poses": np.zeros((0, 66))}, r"poses is float64 of shape \(0, 66\)"),
        ({"poses": np.zeros(66)}, "not numbers of shape"),
        ({"poses": np.array(3.0)}, "not numbers of shape"),
        ({"poses": np.full((2, 66), np.nan)}, "not finite or too large"),
        ({"poses": np.full((2, 66), "a")}, "<U1"),
        ({"trans": np.zeros((3, 3))}, r"not numbers of shape \(2, 3\)"),
        ({"mocap_framerate": 0}, "mocap_framerate must be positive"),
        ({"mocap_framerate": np.array([])}, "mocap_framerate"),
        ({"J": np.zeros((24, 3))}, r"J is float64 of shape \(24, 3\)"),
        ({"offsets": np.zeros((22, 3)), "parents": np.arange(22)}, "do not form a tree"),
        ({"offsets": np.zeros((22, 3)), "parents": np.arange(-1, 21), "names": ["a"]}, "do not form a tree"),
    ]:
        with pytest.raises(PoiseError, match=message) as caught:
            read(**{**good, **changes})
        assert "m.npz" in str(caught.value)
    del good["mocap_framerate"]
    with pytest.raises(PoiseError, match="does not state its frame rate"):
        read(**good)
    assert read(rate=25.0, **good).clip.rate == 25
    with pytest.raises(PoiseError, match="no root_orient"):
        read(pose_body=np.zeros((2, 63)))
