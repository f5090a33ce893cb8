"""Files that something went wrong with: one line that names them, nothing else, and soon."""

import io

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_acclaim import AMC, ASF
from test_bvh_read import ARM

from poise.arrays import readonly
from poise.errors import PoiseError
from poise.motion.clip import clip_from, save_clip
from poise.motion.files import read_motion
from poise.motion.skeleton import Skeleton

WORDS = [
    b"{",
    b"}",
    b"\n",
    b" ",
    b"-",
    b"e9",
    b"nan",
    b"99999999",
    b"JOINT x\n{\n",
    b"End Site",
    b"\x00",
    b"\xff",
    b":",
]


def clip_bytes(folder):
    skeleton = Skeleton(("a", "b"), (-1, 0), readonly([[0, 0, 0], [0, 0, 1]]))
    clip = clip_from("c", skeleton, 30.0, np.zeros((3, 3)), np.tile([1.0, 0, 0, 0], (3, 2, 1)))
    return save_clip(clip, folder / "good.npz").read_bytes()


def amass_bytes(folder):
    buffer = io.BytesIO()
    np.savez(buffer, poses=np.zeros((2, 66)), trans=np.zeros((2, 3)), mocap_framerate=np.array(30.0))
    return buffer.getvalue()


GOOD = {
    "bvh": ("m.bvh", lambda folder: ARM.encode()),
    "asf": ("m.asf", lambda folder: ASF.encode()),
    "amc": ("m.amc", lambda folder: AMC.encode()),
    "clip": ("m.npz", clip_bytes),
    "amass": ("m.npz", amass_bytes),
}


@st.composite
def damages(draw):
    """A change of bytes: cut off, cut out, overwritten, or something put in between."""
    return [
        (draw(st.floats(0, 1)), draw(st.sampled_from(["end", "out", "over", "in"])), draw(st.sampled_from(WORDS)))
        for _ in range(draw(st.integers(1, 4)))
    ]


def damaged(content, changes):
    for share, how, word in changes:
        at = int(share * len(content))
        head, tail = content[:at], content[at:]
        content = {
            "end": head,
            "out": head + tail[7:],
            "over": head + word + tail[len(word) :],
            "in": head + word + tail,
        }[how]
    return content


@pytest.mark.parametrize("kind", GOOD)
def test_a_damaged_file_is_read_or_named(kind, tmp_path):
    name, make = GOOD[kind]
    (tmp_path / "m.asf").write_text(ASF)
    (tmp_path / "m.amc").write_text(AMC)
    good = make(tmp_path)

    @given(damages())
    def check(changes):
        (tmp_path / name).write_bytes(damaged(good, changes))
        fault = None
        try:
            motion = read_motion(tmp_path / (name if kind != "asf" else "m.amc"))
        except PoiseError as error:
            fault = str(error)
        if fault is None:
            assert motion.clip.fault() is None
            assert motion.clip.skeleton.fault() is None
            assert np.all(np.isfinite(motion.clip.places.position))
        else:
            assert str(tmp_path / "m.") in fault
            assert ", line " in fault or name == "m.npz"

    check()


def test_every_beginning_of_a_bvh_file(tmp_path):
    """Cut off anywhere, it is an error with the last line's number, or the whole but for its last digits."""
    for length in range(len(ARM) - 4):
        (tmp_path / "m.bvh").write_text(ARM[:length])
        last = ARM[:length].count("\n") + 1
        with pytest.raises(PoiseError, match=rf"m\.bvh, line ({last}|{max(1, last - 1)}):"):
            read_motion(tmp_path / "m.bvh")
