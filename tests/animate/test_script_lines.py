"""Errors in scripts name the line of what is wrong."""

import re
import tomllib

import pytest
from hypothesis import given, strategies as st

from poise.errors import PoiseError
from poise.toml_reader import TomlError, TomlTable, toml_line_numbers

REMARKS = st.sampled_from(["", "# a remark", '# key = "x"', "  # [table]", "\t"])


@st.composite
def documents(draw):
    """A script of [[pose]] tables, some with a [pose.angles] table or lists over several lines, and the line of X."""
    lines, places = [], []  # places: (pose, where) -> line of the entry called X

    def put(line):
        lines.extend(draw(st.lists(REMARKS, max_size=2)))
        lines.append(line)
        return len(lines)

    put(draw(st.sampled_from(['title = "one"', 'title = """\nX = 1\n[[pose]]\n"""', "title = 'a # b'"])))
    lines[:] = "\n".join(lines).split("\n")
    for pose in range(draw(st.integers(1, 4))):
        put("[[pose]]")
        put(f"time = {pose}")
        match draw(st.sampled_from(["plain", "inline", "table", "list"])):
            case "plain":
                places.append((pose, "plain", put("X = 1")))
            case "inline":
                places.append((pose, "inline", put('angles = { "a" = 1, X = 2 }')))
            case "table":
                put("[pose.angles]")
                put("a = 1")
                places.append((pose, "table", put("X = 2")))
            case "list":
                put("keys = [")
                put("{ a = 1 },")
                places.append((pose, "list", put("{ X = [1, 2] },")))
                put("{ a = [[1], [2]] },")
                put("]")
    return "\n".join(lines) + "\n", places


def entry_of(text):
    return TomlTable("script.toml", toml_line_numbers(text), "", 0, tomllib.loads(text))


def line_of(error):
    return int(re.search(r"line (\d+)", str(error))[1])


@given(documents())
def test_the_line_of_the_error_is_found(document):
    text, places = document
    poses = list(entry_of(text).tables("pose"))
    for pose, kind, line in places:
        entry = {
            "plain": lambda pose: pose,
            "inline": lambda pose: pose.inner("angles"),
            "table": lambda pose: pose.inner("angles"),
            "list": lambda pose: pose.inners("keys")[1],
        }[kind](poses[pose])
        with pytest.raises(TomlError) as error:
            entry.check(("time", "a", "angles", "keys"))
        assert line_of(error.value) == line
        assert text.split("\n")[line - 1].find("X") >= 0


CYCLES = """
[[cycle]]
[[cycle.pose]]
at = 0
[[cycle.pose]]
at = 1
[[cycle]]
[[cycle.pose]]
at = 2
"""


def test_nested_tables_are_counted_within_the_outer_one():
    cycles = list(entry_of(CYCLES).tables("cycle"))
    lines = [[line_of(pose.fail("", "at")) for pose in cycle.inners("pose")] for cycle in cycles]
    assert lines == [[4, 6], [9]]
    assert [[line_of(pose.fail("", "at")) for pose in cycle.tables("pose")] for cycle in cycles] == lines


def test_missing_entries_are_reported_at_the_header():
    (pose,) = entry_of("seconds = 1\n\n[[pose]]\nname = 'x'\n").tables("pose")
    with pytest.raises(TomlError, match=r"^script.toml, line 3: 'time' is missing$"):
        pose.number("time")


def test_missing_entries_of_the_file_have_no_line():
    with pytest.raises(TomlError, match=r"^script.toml: 'seconds' is missing$"):
        entry_of("").number("seconds")


def test_lists_of_numbers_are_no_tables():
    text = "during = [\n  [1],\n  [2, 3],\n]\nwrong = 1\n"
    assert line_of(entry_of(text).fail("", "wrong")) == 5


def test_an_error_that_names_its_line_keeps_it():
    entry = entry_of("a = 1\nb = 2\n")
    first = entry.fail("wrong", "a")
    assert entry.blame(first, "b") is first
    assert str(entry.blame(PoiseError("no line here"), "b")) == "script.toml, line 2: no line here"


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (lambda entry: entry.number("x"), "x = 'one'", "'x' must be a number, not 'one'"),
        (lambda entry: entry.number("x"), "x = true", "'x' must be a number, not True"),
        (lambda entry: entry.number("x"), "x = nan", "'x' must be a number, not nan"),
        (lambda entry: entry.number("x", least=0), "x = -1", "'x' must be at least 0, not -1"),
        (lambda entry: entry.number("x", least=0, most=1), "x = 2", "'x' must be at least 0 and at most 1, not 2"),
        (lambda entry: entry.numbers("x", 3), "x = [1, 2]", "'x' must be 3 numbers, not [1, 2]"),
        (lambda entry: entry.numbers("x", 2), "x = [1, inf]", "'x' must be 2 numbers, not [1, inf]"),
        (lambda entry: entry.numbers("x", 2), "x = [1, true]", "'x' must be 2 numbers, not [1, True]"),
        (lambda entry: entry.text("x"), "x = 1", "'x' must be a text, not 1"),
        (lambda entry: entry.texts("x"), "x = [1]", "'x' must be texts, not [1]"),
        (lambda entry: entry.flag("x"), "x = 1", "'x' must be true or false, not 1"),
        (lambda entry: entry.inner("x"), "x = 1", "'x' must be a table, not 1"),
        (lambda entry: entry.inners("x"), "x = [1]", "'x' must be a table, not 1"),
        (lambda entry: list(entry.tables("x")), "x = 1", "must be written as [[x]]"),
        (lambda entry: entry.check(("seconds",)), "secnods = 1", "'secnods'"),
    ],
)
def test_values_are_checked_as_they_are_taken(read, text, words):
    with pytest.raises(TomlError, match=re.escape(words)) as error:
        read(entry_of(f"\n{text}\n"))
    assert line_of(error.value) == 2


def test_values_are_returned_unchanged():
    entry = entry_of("a = 1\nb = [1, 2.5]\nc = 'x'\nd = ['x', 'y']\ne = true\n")
    assert entry.number("a") == 1.0
    assert entry.numbers("b", 2) == (1.0, 2.5)
    assert entry.texts("c") == ("x",)
    assert entry.texts("d") == ("x", "y")
    assert entry.texts("nothing") == ()
    assert entry.flag("e")
    assert "a" in entry
    assert "z" not in entry
    assert entry.keys == ("a", "b", "c", "d", "e")
