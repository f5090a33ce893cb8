"""ASF and AMC: a small figure by hand, CMU's against the BVH of the same trials, and files that are wrong."""

from pathlib import Path

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.motion.acclaim import read_amc, read_asf
from poise.motion.clip import convert_clip
from poise.motion.files import read_motion
from poise.rotations import quat_from_axis_angle, quat_multiply

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap"

ASF = """# a figure of two bones
:version 1.10
:name figure
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  begin here and end there
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name thigh
     direction 0 -2 0
     length 5
     axis 0 0 90 XYZ
     dof rx ry
     limits (-160.0 20.0)
            (-70.0 70.0)
  end
  begin
     id 2
     name shin
     direction 0 -1 0
     length 4
     axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh
    thigh shin
  end
"""
AMC = """#!OML:ASF somewhere
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 0 0 0
thigh 0 0
2
root 1 2 3 0 0 90
thigh 90 0
"""


@pytest.fixture
def read(tmp_path):
    def from_text(asf=ASF, amc=AMC, **options):
        (tmp_path / "figure.asf").write_text(asf)
        (tmp_path / "figure.amc").write_text(amc)
        return read_motion(tmp_path / "figure.amc", **options)

    return from_text


def turn(axis, degrees):
    return quat_from_axis_angle(np.eye(3)["xyz".index(axis)], np.radians(degrees))


def test_bones_become_joints_at_their_starts(read):
    motion = read()
    clip = motion.clip
    assert motion.kind == "amc"
    assert motion.unit == pytest.approx(0.0254 / 0.45)
    assert motion.axes is None
    assert clip.rate == 120
    assert read(rate=60.0).clip.rate == 60
    assert clip.skeleton.names == ("root", "thigh", "shin")
    assert clip.skeleton.parents == (-1, 0, 1)
    np.testing.assert_allclose(clip.places.position[0], [[1, 2, 3], [1, 2, 3], [1, -3, 3]], atol=1e-12)
    np.testing.assert_allclose(clip.places.ends[0], [[1, -7, 3]], atol=1e-12)
    # The thigh's x is the figure's y, along which it points: turning about it moves nothing, the root's turn does.
    np.testing.assert_allclose(clip.places.position[1], [[1, 2, 3], [1, 2, 3], [6, 2, 3]], atol=1e-12)


def test_degrees_of_freedom_are_applied_in_their_order_and_in_the_axes_of_the_bone(read):
    asf = ASF.replace("axis 0 0 90 XYZ", "axis 10 20 30 XYZ").replace("dof rx ry", "dof rz rx")
    clip = read(asf, AMC.replace("thigh 90 0", "thigh 40 50")).clip
    frame = quat_multiply(turn("z", 30), quat_multiply(turn("y", 20), turn("x", 10)))
    moved = quat_multiply(turn("x", 50), turn("z", 40))
    expected = quat_multiply(quat_multiply(frame, moved), frame * [1, -1, -1, -1])
    np.testing.assert_allclose(clip.rotation[1, 1], expected, atol=1e-12)


def test_the_order_of_the_root(read):
    asf = ASF.replace("order TX TY TZ RX RY RZ", "order RZ RX TZ TY TX RY")
    clip = read(asf, AMC.replace("root 1 2 3 0 0 90", "root 30 40 3 2 1 50")).clip
    np.testing.assert_allclose(clip.position[1], [1, 2, 3])
    expected = quat_multiply(turn("y", 50), quat_multiply(turn("x", 40), turn("z", 30)))
    np.testing.assert_allclose(clip.rotation[1, 0], expected, atol=1e-12)


def test_where_the_root_starts(read):
    asf = ASF.replace("position 0 0 0", "position 5 0 -1").replace("orientation 0 0 0", "orientation 90 0 0")
    clip = read(asf).clip
    np.testing.assert_allclose(clip.position[0], [6, 2, 2])
    expected = quat_multiply(quat_multiply(turn("x", 90), turn("z", 90)), turn("x", -90))
    np.testing.assert_allclose(clip.rotation[1, 0], expected, atol=1e-12)


def test_bones_that_slide(read):
    clip = read(ASF.replace("dof rx ry", "dof tx ry"), AMC.replace("thigh 90 0", "thigh 7 0")).clip
    assert clip.translation is not None
    np.testing.assert_allclose(clip.translation[1, 1], [0, 7, 0], atol=1e-12)  # along the bone's own x


def test_radians_and_other_units(read):
    amc = AMC.replace("90", str(np.pi / 2)).replace(":DEGREES", ":RADIANS")
    np.testing.assert_allclose(read(amc=amc).clip.rotation, read().clip.rotation, atol=1e-12)
    asf = ASF.replace("angle deg", "angle rad").replace("0 0 90 XYZ", f"0 0 {np.pi / 2} XYZ")
    amc = amc.replace(":RADIANS\n", "")
    np.testing.assert_allclose(read(asf, amc).clip.rotation, read().clip.rotation, atol=1e-12)
    assert read(ASF.replace("length 0.45", "length 1.0")).unit is None
    assert read(ASF.replace("  length 0.45\n", "")).unit is None


def test_the_skeleton_is_found(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "02_01.amc").write_text(AMC)
    with pytest.raises(PoiseError, match=r"02_01\.amc needs its skeleton 02_01\.asf or 02\.asf"):
        read_motion(folder / "02_01.amc")
    (folder / "x.asf").write_text(ASF.replace("shin", "only"))
    assert read_motion(folder / "02_01.amc").clip.skeleton.names[2] == "only"
    (folder / "02.ASF").write_text(ASF.replace("shin", "subject"))
    assert read_motion(folder / "02_01.amc").clip.skeleton.names[2] == "subject"
    (folder / "02_01.asf").write_text(ASF.replace("shin", "same"))
    assert read_motion(folder / "02_01.amc").clip.skeleton.names[2] == "same"
    (tmp_path / "given.asf").write_text(ASF.replace("shin", "given"))
    assert read_motion(folder / "02_01.amc", skeleton=tmp_path / "given.asf").clip.skeleton.names[2] == "given"


WRONG_ASF = {
    "no hierarchy": (ASF[: ASF.index(":hierarchy")], 33, ":hierarchy"),
    "no direction": (ASF.replace("     direction 0 -2 0\n", ""), 16, "a bone without direction"),
    "direction of nothing": (ASF.replace("0 -2 0", "0 0 0"), 19, "length zero"),
    "no number": (ASF.replace("length 5", "length five"), 20, "'five' is not a number"),
    "two numbers": (ASF.replace("0 -2 0", "0 -2"), 19, "2 numbers instead of 3"),
    "bad axis": (ASF.replace("0 0 90 XYZ", "0 0 90 XYY"), 21, "such as XYZ"),
    "bad freedom": (ASF.replace("dof rx ry", "dof rx l"), 22, "degree of freedom 'l'"),
    "unknown bone": (ASF.replace("thigh shin", "thigh foot"), 36, "'foot' is not a bone"),
    "two parents": (ASF.replace("root thigh", "root thigh shin"), 36, "'shin' has two parents"),
    "loose bone": (ASF.replace("    thigh shin\n", ""), 26, "'shin' is not connected"),
    "a ring": (ASF.replace("root thigh", "shin thigh"), 16, "'thigh' is not connected"),
    "twice": (ASF.replace("name shin", "name thigh"), 26, "second bone 'thigh'"),
    "no unit": (ASF.replace("length 0.45", "length 0"), 6, "unit of length"),
}
WRONG_AMC = {
    "missing bone": (AMC.replace("thigh 90 0\n", ""), 7, "no 'thigh'"),
    "unknown bone": (AMC.replace("thigh 90 0", "foot 90 0"), 9, "'foot' is not a bone"),
    "bone that cannot move": (
        AMC.replace("thigh 90 0", "shin 90 0"),
        9,
        "'shin' is not a bone with degrees of freedom",
    ),
    "twice": (AMC + "thigh 90 0\n", 10, "second 'thigh'"),
    "too few numbers": (AMC.replace("thigh 90 0", "thigh 90"), 9, "1 numbers for the 2"),
    "no number": (AMC.replace("thigh 90 0", "thigh 90 x"), 7, "'x' is not a number"),
    "not finite": (AMC.replace("thigh 90 0", "thigh 90 nan"), 7, "not finite or too large"),
    "a frame lost": (AMC.replace("\n2\n", "\n3\n"), 7, "frame 3 after frame 1"),
    "no frame": (":DEGREES\n", 2, "before its first frame"),
    "no frame number": (AMC.replace("\n1\n", "\n"), 4, "before the number of the first frame"),
}


@pytest.mark.parametrize(("asf", "line", "message"), WRONG_ASF.values(), ids=WRONG_ASF.keys())
def test_what_is_wrong_in_a_skeleton(read, asf, line, message):
    with pytest.raises(PoiseError, match=f"figure.asf, line {line}:") as caught:
        read(asf)
    assert message in str(caught.value)


@pytest.mark.parametrize(("amc", "line", "message"), WRONG_AMC.values(), ids=WRONG_AMC.keys())
def test_what_is_wrong_in_a_motion(read, amc, line, message):
    with pytest.raises(PoiseError, match=f"figure.amc, line {line}:") as caught:
        read(amc=amc)
    assert message in str(caught.value)


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the shared motion capture")
@pytest.mark.parametrize("trial", ["02_01", "02_03", "02_04", "03_01"])
def test_legs_agree_with_the_bvh_of_the_same_trial(trial):
    """To a hundredth of a millimetre; what hangs on the thorax, which that conversion lost, is another matter."""
    asf = read_asf(MOCAP / "asfamc" / f"{trial[:2]}.asf")
    amc = convert_clip(read_amc(MOCAP / "asfamc" / f"{trial}.amc", asf), asf.unit, np.eye(3))
    bvh = convert_clip(read_motion(MOCAP / "bvh" / f"{trial}.bvh").clip, asf.unit, np.eye(3)).cut(1, None)
    assert amc.frames == bvh.frames
    for bones, side in (("lfemur ltibia lfoot ltoes", "Left"), ("rfemur rtibia rfoot rtoes", "Right")):
        for bone, joint in zip(bones.split(), ("UpLeg", "Leg", "Foot", "ToeBase"), strict=True):
            ours = amc.places.position[:, amc.skeleton.index(bone)]
            theirs = bvh.places.position[:, bvh.skeleton.index(side + joint)]
            assert np.abs(ours - theirs).max() < 1e-5, bone
