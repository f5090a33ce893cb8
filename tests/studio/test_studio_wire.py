"""Messages between server and page."""

import json

import pytest

from poise import PoiseError
from poise.studio.wire import LONGEST_COMMAND, Arguments, file_bytes, json_message, read_command


def test_infinity_is_said_as_null():
    told = json.loads(json_message("x", a=float("inf"), b=[1.0, float("nan")], c={"d": 2}))
    assert told == {"say": "x", "a": None, "b": [1.0, None], "c": {"d": 2}}


@pytest.mark.parametrize(
    "text", ["", "5", "null", "{}", '{"do": null}', "[" * 100_000, " " * (LONGEST_COMMAND + 1) + '{"do":"x"}']
)
def test_what_is_no_command_is_refused(text):
    with pytest.raises(PoiseError, match="not a valid command"):
        read_command(text)


@pytest.mark.parametrize("value", [None, "5", True, 1e999, float("nan"), 10**400, [1], 11, -1])
def test_numbers_are_finite_and_within_bounds(value):
    with pytest.raises(PoiseError, match="n must be"):
        Arguments({"n": value}).number("n", 0, 10)


@pytest.mark.parametrize("value", [None, [1, 2], [1, 2, "3"], [1, 2, 1e999], [100, 100, 100], "123"])
def test_vectors_are_three_numbers_and_not_too_long(value):
    with pytest.raises(PoiseError, match="v must be"):
        Arguments({"v": value}).vector("v", 50)
    assert Arguments({"v": [3, 0, 4]}).vector("v", 5).tolist() == [3, 0, 4]


def test_files_carry_their_names():
    content = file_bytes("a.bvh", b"HIERARCHY")
    assert content[0] == 2
    assert json.loads(content[8 : 8 + content[4]]) == {"name": "a.bvh"}
    assert content.endswith(b"HIERARCHY")
