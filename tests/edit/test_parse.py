import re
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from poise.edit.blend import Blend
from poise.edit.cycle import Loop, TimeWarpEdit
from poise.edit.parse import parse_edit
from poise.edit.pose import Carry, Mirror, Offset, TrunkEdit
from poise.edit.reach import Reach, ReachGoal
from poise.edit.take import Span
from poise.edit.travel import PathEdit, StrideEdit, TurnEdit
from poise.edit.uneven_ground import SlopeEdit, StairsEdit
from poise.errors import PoiseError
from poise.forms import CARRY_POSES, EDIT_FORMS

number = st.floats(-1e3, 1e3, allow_nan=False)
place = st.tuples(number, number, number)
name = st.sampled_from(["left_hand", "head", "left_elbow_y"])
start = st.none() | st.floats(0, 1e3)
from_on = start.map(Span)
seconds = st.floats(0.0, 10.0)


@st.composite
def spans(draw):
    """A span without a start but with an end starts at zero, which is how it is written."""
    end = draw(st.none() | st.floats(1e-3, 1e3))
    begin = draw(start) if end is None else draw(st.floats(0, 1e3))
    return Span(begin, None if end is None else (begin or 0.0) + end, draw(seconds))


edits = st.one_of(
    st.builds(Offset, name, st.lists(number, min_size=1, max_size=3).map(tuple), spans()),
    st.builds(
        Reach,
        st.lists(st.builds(ReachGoal, name, place), min_size=1, max_size=3).map(tuple),
        st.booleans(),
        st.none() | place,
        spans(),
    ),
    st.builds(TrunkEdit, number, spans()),
    st.builds(Carry, st.sampled_from(sorted(CARRY_POSES)), spans()),
    st.builds(TimeWarpEdit, st.floats(0.05, 20), spans()),
    st.builds(StrideEdit, metres=number, span=spans()),
    st.builds(StrideEdit, factor=number, span=spans()),
    st.builds(TurnEdit, number, spans().map(lambda s: Span(s.start, s.end))),
    st.builds(PathEdit, st.lists(st.tuples(number, number), min_size=1, max_size=4).map(tuple), from_on),
    st.builds(SlopeEdit, st.floats(-45, 45), from_on),
    st.builds(StairsEdit, st.floats(-0.5, 0.5), st.floats(0.1, 2), st.integers(1, 99), number, from_on),
    st.builds(Mirror, seconds, from_on),
    st.builds(Loop, st.none() | st.integers(1, 999), seconds, st.booleans(), from_on),
    st.builds(
        Blend,
        st.sampled_from(["walk.bvh", "a/b@2.bvh", "x y.amc"]),
        seconds,
        st.none() | seconds,
        st.floats(0, 1e3).map(Span),
    ),
)


@given(edits)
def test_what_is_written_reads_back_as_the_same(edit):
    back = parse_edit(str(edit))
    assert str(back) == str(edit)
    assert vars(back) == vars(edit)


@pytest.mark.parametrize(
    "text",
    [
        "offset:left_elbow_y=-30@1-2.5,ease=0.2",
        "reach:left_hand=0.1:0:0.2@1-2",
        "warp:0.75@2-3",
        "stride:+0.1",
        "stride:x1.2",
        "turn:90@1-3",
        "slope:-5",
        "stairs:0.15:0.3:4",
        "trunk:-0.1@2-4",
        "carry:front@1",
        "mirror",
        "loop:4",
        "blend:run.bvh@3,over=0.6",
    ],
)
def test_the_forms_of_the_documentation_read_and_write(text):
    assert str(parse_edit(text)) == text


def test_an_open_end_may_keep_its_dash():
    assert parse_edit("carry:front@1-") == parse_edit("carry:front@1")


@pytest.mark.parametrize(
    ("text", "place", "cause"),
    [
        ("offset:left_elbow_y=-3x@1-2", 21, "'-3x' is not a number"),
        ("offset:left_elbow_y", 8, "must be NAME=NUMBERS"),
        ("reach:left_hand=1:2", 17, "3 number"),
        ("reach:left_hand=1:2:3,to=body", 26, "can only be 'world'"),
        ("warp", 5, "needs a value"),
        ("warp:0.75@2-1", 1, "cannot end"),
        ("stride:0.1", 8, "+M or -M"),
        ("turn:90@1-3,ease=0.1", 13, "no option 'ease'"),
        ("slope:5@1-2", 11, "a start but no end"),
        ("stairs:0.1:0.3:2.5", 8, "must be whole"),
        ("loop:1.5", 6, "must be whole"),
        ("mirror:x", 8, "no value"),
        ("blend:run.bvh", 14, "needs a start"),
        ("carry:sideways", 1, "unknown carry pose"),
        ("trunk:nan", 7, "out of range"),
    ],
)
def test_mistakes_are_told_in_one_line_with_their_place(text, place, cause):
    with pytest.raises(PoiseError, match=re.escape(cause)) as told:
        parse_edit(text)
    assert str(told.value).startswith(f"edit '{text}', character {place}:")
    assert "\n" not in str(told.value)


def test_unknown_edits_are_told_with_a_suggestion():
    with pytest.raises(PoiseError, match=r"unknown edit 'strid'\. Did you mean 'stride'"):
        parse_edit("strid:+0.1")


@given(
    st.text(max_size=40) | st.sampled_from(sorted(EDIT_FORMS)).flatmap(lambda n: st.text(max_size=20).map(n.__add__))
)
def test_any_text_is_an_edit_or_an_error(text):
    try:
        parse_edit(text)
    except PoiseError:
        pass


def test_forms_load_nothing_heavy():
    code = "import sys, poise.forms; print({'mujoco', 'scipy', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"
