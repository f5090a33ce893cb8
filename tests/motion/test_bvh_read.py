"""Reading BVH: hand-written files whose joints are where a pencil puts them, and files that are wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.motion.bvh import read_bvh
from poise.rotations import quat_from_axis_angle, quat_multiply

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap"

ARM = """HIERARCHY
ROOT Shoulder
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Elbow
  {
    OFFSET 3 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 2 0 0
    }
  }
}
MOTION
Frames: 3
Frame Time: .0083333
1 2 3 0 0 0 0 0 0
1 2 3 90 0 0 0 0 0
0 0 0 90 0 0 0 0 -90
"""

ELBOW = "CHANNELS 3 Zrotation Xrotation Yrotation"


def arm(*frames, **changes):
    """The arm's file with other frames and other words."""
    head = ARM[: ARM.index("Frames:")]
    for old, new in changes.items():
        head = head.replace(old, new)
    return "\n".join([f"{head}Frames: {len(frames)}", "Frame Time: 0.01", *frames])


@pytest.fixture
def read(tmp_path):
    def from_text(text):
        path = tmp_path / "arm.bvh"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_bvh(path)

    return from_text


def same(a, b):
    assert a.skeleton.as_dict() == b.skeleton.as_dict()
    assert a.rate == b.rate
    assert np.array_equal(a.position, b.position)
    assert np.array_equal(a.rotation, b.rotation)


def test_joints_are_where_a_pencil_puts_them(read):
    clip = read(ARM)
    assert clip.name == "arm"
    assert clip.skeleton.names == ("Shoulder", "Elbow")
    assert clip.skeleton.parents == (-1, 0)
    assert clip.skeleton.convention.unit == 1
    assert clip.skeleton.convention.channels[1] == ("Zrotation", "Xrotation", "Yrotation")
    assert 1 / clip.rate == pytest.approx(0.0083333, abs=1e-17)
    # Turned up about z the arm points along y; then the forearm turns about the y of its own, which lies along -x.
    np.testing.assert_allclose(clip.places.position[:, 1], [[4, 2, 3], [1, 5, 3], [0, 3, 0]], atol=1e-12)
    np.testing.assert_allclose(clip.places.ends[:, 0], [[6, 2, 3], [1, 7, 3], [0, 3, 2]], atol=1e-12)


@pytest.mark.parametrize("order", ["ZXY", "YZX", "XYZ", "ZYX", "YXY", "XX", "Y", "ZY", "ZXYZ"])
def test_channels_turn_in_the_order_they_are_named(read, order):
    degrees = [20.0, -50.0, 70.0, 33.0][: len(order)]
    names = " ".join(f"{axis}rotation" for axis in order)
    text = arm("1 2 3 0 0 0 " + " ".join(map(str, degrees)), **{ELBOW: f"CHANNELS {len(order)} {names}"})
    turn = np.array([1.0, 0, 0, 0])
    for axis, angle in zip(order, degrees, strict=True):
        turn = quat_multiply(turn, quat_from_axis_angle(np.eye(3)["XYZ".index(axis)], np.radians(angle)))
    np.testing.assert_allclose(read(text).rotation[0, 1], turn, atol=1e-12)


ODD_SPELLINGS = {
    "mixed line ends": ARM.replace("{\n", "{\r\n").replace("0 0 0\n", "0 0 0\r\n"),
    "old line ends": ARM.replace("\n", "\r"),
    "mark of UTF-8": "\ufeff" + ARM,
    "tabs": ARM.replace("  ", "\t").replace("Frames: ", "Frames:\t"),
    "blanks at the ends of lines": ARM.replace("\n", "  \n"),
    "blank lines": ARM.replace("\n", "\n\n") + "\n\n  \n",
    "small letters": ARM.lower().replace("shoulder", "Shoulder").replace("elbow", "Elbow"),
    "braces beside names": ARM.replace("Shoulder\n{", "Shoulder {").replace("Site\n    {", "Site{"),
    "one line for an end": ARM.replace("Site\n    {\n      OFFSET 2 0 0\n    }", "Site { OFFSET 2 0 0 } "),
    "exponents and plus signs": ARM.replace("OFFSET 3 0 0", "OFFSET +3e0 0.0E-5 .0"),
    "no last line end": ARM.rstrip(),
}


@pytest.mark.parametrize("text", ODD_SPELLINGS.values(), ids=ODD_SPELLINGS.keys())
def test_odd_spellings_are_the_same_motion(read, text):
    same(read(text), read(ARM))


@pytest.mark.parametrize("name", ["mixamorig:LeftArm", "Left Fore Arm", "Bip01 L Thigh", "è_1", "joint", "OFFSET"])
def test_names_survive(read, name):
    assert read(ARM.replace("JOINT Elbow", f"JOINT {name}")).skeleton.names[1] == name


def test_a_file_of_an_older_encoding(read):
    assert read(ARM.replace("Elbow", "Hüfte").encode("latin-1")).skeleton.names[1] == "Hüfte"


def test_position_channels_replace_the_offset(read):
    frames = ["0 0 0 0 0 0 7 0 0 0", "0 0 0 0 0 0 8 0 0 0", "0 0 0 90 0 0 0 0 0 0"]
    clip = read(arm(*frames, **{"CHANNELS 3 ": "CHANNELS 4 Yposition "}))
    assert clip.translation is not None
    np.testing.assert_allclose(clip.translation[:, 1], [[3, 7, 0], [3, 8, 0], [3, 0, 0]])
    np.testing.assert_allclose(clip.places.position[:, 1], [[3, 7, 0], [3, 8, 0], [0, 3, 0]], atol=1e-12)


def test_positions_that_repeat_the_offset_are_no_translation(read):
    more = {"CHANNELS 3 ": "CHANNELS 6 Xposition Yposition Zposition "}
    assert read(arm("1 2 3 0 0 0 3 0 0 10 20 30", **more)).translation is None
    assert read(arm("1 2 3 0 0 0 3 0.001 0 10 20 30", **more)).translation is not None


def test_a_root_without_positions_stands_at_its_offset(read):
    text = arm("9 0 0 0 0 0 0", **{"OFFSET 0 0 0": "OFFSET 4 5 6", "6 Xposition Yposition Zposition": "4 Yposition"})
    np.testing.assert_allclose(read(text).position, [[4, 9, 6]])


def test_joints_without_channels_and_with_several_ends(read):
    ends = "End Site { OFFSET 0 1 0 }\n End Site { OFFSET 0 0 1 }\n JOINT Elbow"
    clip = read(arm("0 0 0 90 0 0", **{ELBOW: "", "JOINT Elbow": ends}))
    assert [end.joint for end in clip.skeleton.ends] == [0, 0, 1]
    np.testing.assert_allclose(clip.places.ends[0], [[-1, 0, 0], [0, 0, 1], [0, 5, 0]], atol=1e-12)


WRONG = {
    "no number": (ARM.replace("OFFSET 3 0 0", "OFFSET 3 x 0"), 8, "'x' is not a number"),
    "two numbers": (ARM.replace("OFFSET 3 0 0", "OFFSET 3 0"), 8, "2 numbers instead of 3"),
    "not finite": (ARM.replace("90 0 0 0 0 -90", "90 0 0 nan 0 -90"), 21, "nan is not finite or too large"),
    "infinite offset": (ARM.replace("OFFSET 3 0 0", "OFFSET inf 0 0"), 8, "'inf'"),
    "overflowing": (ARM.replace("90 0 0 0 0 -90", "90 0 0 1e400 0 -90"), 21, "inf is not"),
    "a word among the numbers": (ARM.replace("90 0 0 0 0 -90", "90 0 0 six 0 -90"), 21, "'six' is not a number"),
    "unknown channel": (ARM.replace("3 Zrotation", "3 Wrotation"), 9, "'Wrotation' is not a channel"),
    "miscounted channels": (ARM.replace("CHANNELS 3", "CHANNELS 2"), 9, "as many names"),
    "joint without offset": (ARM.replace("    OFFSET 3 0 0\n", ""), 13, "'Elbow' has no OFFSET"),
    "end without offset": (ARM.replace("      OFFSET 2 0 0\n", ""), 12, "End Site has no OFFSET"),
    "joint without name": (ARM.replace("JOINT Elbow", "JOINT"), 6, "without a name"),
    "joint in an end": (ARM.replace("      OFFSET 2 0 0", "JOINT a { OFFSET 0 0 0 }"), 12, "outside"),
    "no brace": (ARM.replace("Elbow\n  {\n", "Elbow\n"), 7, "expected '{'"),
    "a brace too many": (ARM.replace("}\nMOTION", "}}\nMOTION"), 15, "'}' without its '{'"),
    "a brace too few": (ARM.replace("}\nMOTION", "MOTION"), 15, "1 '}' are missing"),
    "two roots": (ARM.replace("MOTION", "ROOT b\n{\nOFFSET 0 0 0\n}\nMOTION"), 16, "second ROOT"),
    "other words": (ARM.replace("  JOINT", "  SCALE 3\n  JOINT"), 6, "'SCALE 3' does not belong"),
    "no motion": (ARM[: ARM.index("MOTION")], 15, "ends before its MOTION"),
    "motion only": (ARM[ARM.index("MOTION") :], 1, "before any ROOT"),
    "no channels": ("ROOT a {\nOFFSET 0 0 0 }\nMOTION", 3, "no motion"),
    "no frame count": (ARM.replace("Frames: 3\n", ""), 17, "expected 'Frames: '"),
    "no frames": (ARM.replace("Frames: 3", "Frames: 0"), 17, "no frames"),
    "frames below zero": (ARM.replace("Frames: 3", "Frames: -3"), 17, "expected 'Frames: '"),
    "no frame time": (ARM.replace("Frame Time: .0083333\n", ""), 18, "expected 'Frame Time: '"),
    "frame time of zero": (ARM.replace(".0083333", "0"), 18, "must be from"),
    "frame time of nothing": (ARM.replace(".0083333", ""), 18, "expected 'Frame Time: '"),
    "too few frames": (ARM.replace("Frames: 3", "Frames: 4"), 22, "ends after 3 of 4"),
    "too many frames": (ARM.replace("Frames: 3", "Frames: 2"), 21, "more lines than the 2"),
    "a number too few": (ARM.replace("1 2 3 90", "2 3 90"), 20, "8 numbers for 9 channels"),
    "many frames announced": (ARM.replace("Frames: 3", "Frames: 999999999999"), 17, "more than fit"),
    "empty": ("", 1, "ends before its MOTION"),
    "binary": (bytes(range(256)) * 9, 1, "not text"),
    "binary without zeros": (bytes(range(1, 256)) * 9, 1, "does not belong"),
    "a tree without end": ("".join(f"JOINT a{k}\n{{\nOFFSET 0 0 0\n" for k in range(99999)), 1, "outside"),
    "depth": ("ROOT r {OFFSET 0 0 0\n" + "JOINT a {OFFSET 0 0 0\n" * 100_000, 1001, "deeper than 1000"),
}


@pytest.mark.parametrize(("text", "line", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_in_one_line(read, text, line, message):
    with pytest.raises(PoiseError) as caught:
        read(text)
    said = str(caught.value)
    assert "arm.bvh" in said
    assert f"line {line}:" in said
    assert message in said
    assert len(said.splitlines()) == 1


def test_joints_without_numbers_cannot_fill_the_memory(read):
    """Channels cost bytes in the file, joints without any cost none per frame."""
    joints = "JOINT a\n{\nOFFSET 0 0 0\n}\n" * 10_000
    text = f"ROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\n{joints}}}\nMOTION\nFrames: 9999\nFrame Time: 1\n"
    with pytest.raises(PoiseError, match="more than fit into memory"):
        read(text + "0\n" * 9999)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(PoiseError, match=r"cannot read .*none\.bvh: No such file"):
        read_bvh(tmp_path / "none.bvh")
    with pytest.raises(PoiseError, match="cannot read"):
        read_bvh(tmp_path)


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the shared motion capture")
def test_captured_files():
    index = json.loads((MOCAP / "index.json").read_text())
    shortest = sorted((entry for entry in index if entry["file"].endswith(".bvh")), key=lambda e: e["bytes"])[:10]
    assert len(shortest) == 10
    for entry in shortest:
        clip = read_bvh(MOCAP / entry["file"])
        assert clip.frames == entry["frames_incl_tpose"]
        assert clip.skeleton.count == entry["joints"]
        assert len(clip.skeleton.ends) == 7
        assert round(clip.rate) == entry["header_fps"]
        hips = clip.places.position[1:, 0, 1] * entry["unit_m"]  # y is up
        np.testing.assert_allclose([hips.min(), hips.max()], entry["hip_height_range_m"], atol=0.006)
