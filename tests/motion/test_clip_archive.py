"""Our own clip files: bit for bit, and one line for what is no clip."""

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from random_clips import clips

from poise.arrays import readonly
from poise.errors import PoiseError
from poise.files import read_arrays
from poise.motion.clip import CLIP_ARRAYS, clip_from, clip_from_npz, save_clip
from poise.motion.files import read_motion
from poise.motion.skeleton import Skeleton


def load_clip(path):
    return clip_from_npz(read_arrays(path, CLIP_ARRAYS, "a clip"), path)


@given(clips())
def test_everything_survives_bit_for_bit(tmp_path_factory, clip):
    path = save_clip(clip, tmp_path_factory.mktemp("clip") / "c.npz")
    again = load_clip(path)
    assert again.name == clip.name
    assert again.rate == clip.rate
    assert again.skeleton.as_dict() == clip.skeleton.as_dict()
    for name in ("position", "rotation", "translation"):
        before, after = getattr(clip, name), getattr(again, name)
        assert (before is None and after is None) or before.tobytes() == after.tobytes()
    assert again.skeleton.offsets.tobytes() == clip.skeleton.offsets.tobytes()
    assert read_motion(path).kind == "clip"


@pytest.fixture
def told(tmp_path):
    """The arrays of a good file, to be spoilt."""
    upright = readonly([[1, 0, 0, 0], [0, 1, 0, 0]])
    skeleton = Skeleton(("a", "b"), (-1, 0), readonly([[0, 0, 0], [0, 0, 1]]), (), upright=upright)
    path = save_clip(
        clip_from("good", skeleton, 30.0, np.zeros((3, 3)), np.tile([1.0, 0, 0, 0], (3, 2, 1))), tmp_path / "good.npz"
    )
    assert np.array_equal(load_clip(path).skeleton.upright, upright)
    with np.load(path) as archive:
        return dict(archive)


def spoilt(arrays, **changes):
    """The arrays with some changed, or some words of the JSON."""
    clip = json.loads(str(arrays["clip"]))
    for key, value in changes.items():
        if key in ("position", "rotation", "translation"):
            arrays = {**arrays, key: value}
        elif key in ("rate", "name", "skeleton"):
            clip[key] = value
        else:
            clip["skeleton"][key] = value
    return {**arrays, "clip": np.array(json.dumps(clip))}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rate": 0}, "rate"),
        ({"rate": "fast"}, "malformed"),
        ({"position": np.zeros((2, 3))}, "rotation has shape"),
        ({"position": np.zeros((3, 4))}, "position has shape"),
        ({"position": np.full((3, 3), np.nan)}, "position is not finite"),
        ({"position": np.array(3.0)}, "malformed"),
        ({"rotation": np.zeros((3, 2, 4))}, "unit quaternions"),
        ({"translation": np.zeros((3, 3))}, "translation has shape"),
        ({"parents": [-1, 1]}, "before its parent"),
        ({"parents": [0, 0]}, "root first"),
        ({"parents": [-1]}, "root first"),
        ({"offsets": [[0, 0, 0]]}, "offsets"),
        ({"offsets": [[0, 0, 0], [0, 0, float("nan")]]}, "offsets"),
        ({"ends": [{"joint": 2, "offset": [0, 0, 0]}]}, "end site"),
        ({"ends": [{"joint": 0, "offset": [0, 0]}]}, "end site"),
        ({"ends": [{"joint": 0, "offset": [0, 0, float("inf")]}]}, "end site"),
        ({"ends": 5}, "malformed"),
        ({"unit": -1}, "unit"),
        ({"axes": [[1, 0, 0]]}, "axes"),
        ({"axes": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "not a rotation"),
        ({"channels": [["Xrotation"]]}, "channels"),
        ({"channels": [["Xscale"], []]}, "channels"),
        ({"upright": [[1, 0, 0, 0]]}, "upright"),
        ({"skeleton": None}, "malformed"),
    ],
)
def test_what_is_no_clip(told, tmp_path, changes, message):
    np.savez(tmp_path / "bad.npz", **spoilt(told, **changes))
    with pytest.raises(PoiseError, match=rf"bad\.npz is not a clip: .*{message}"):
        load_clip(tmp_path / "bad.npz")


def test_what_is_no_archive(told, tmp_path):
    path = tmp_path / "bad.npz"
    for content in (b"", b"PK\x03\x04", b"nothing"):
        path.write_bytes(content)
        with pytest.raises(PoiseError, match=r"bad\.npz is not a clip \(a NumPy \.npz file"):
            load_clip(path)
    np.save(tmp_path / "bad.npy", np.zeros(3))
    (tmp_path / "bad.npy").rename(path)
    with pytest.raises(PoiseError, match=r"bad\.npz is not a clip \(a NumPy \.npz file"):
        load_clip(path)
    np.savez(path, clip=np.array([{"a": 1}], dtype=object))
    with pytest.raises(PoiseError, match="without pickles"):
        load_clip(path)
    np.savez(path, **{key: told[key] for key in ("clip", "position")})
    with pytest.raises(PoiseError, match="lacks rotation"):
        load_clip(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(PoiseError, match="neither a clip saved by Poise nor"):
        read_motion(path)
    with pytest.raises(PoiseError, match="cannot read"):
        load_clip(tmp_path / "none.npz")


def test_a_bomb_does_not_go_off(tmp_path):
    """A few kilobytes that unpack to gigabytes are refused before they are unpacked."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (2**29, 3)})
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("position.npy", "w") as member:
        member.write(header.getvalue())
        member.write(bytes(2**20))
    content = bytearray(path.read_bytes())
    where = content.rindex(b"PK\x01\x02") + 24  # the directory's word for the unpacked size
    content[where : where + 4] = (2**32 - 2).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(PoiseError, match="unpacks to more than 256 MB"):
        load_clip(path)
