"""Commands to steer, as they are written."""

import math

import pytest

from poise.control.commands import SteerCommand, parse_steer
from poise.errors import PoiseError


def test_headings_and_speeds_are_read():
    assert parse_steer("0s:0 3s:90 4.5s:-45@1.6") == (
        SteerCommand(0.0, 0.0),
        SteerCommand(3.0, math.pi / 2),
        SteerCommand(4.5, -math.pi / 4, 1.6),
    )


def test_commands_come_in_the_order_of_their_times():
    assert [command.time for command in parse_steer("6s:0 2:30 4s:10")] == [2.0, 4.0, 6.0]


def test_steps_are_read_in_any_order():
    assert parse_steer("1s:0@-0.4,lift=0.1") == (SteerCommand(1.0, 0.0, -0.4, lift=0.1),)
    both = SteerCommand(2.0, math.pi, None, lift=0.05, step=0.6)
    assert parse_steer("2s:180,lift=.05,step=0.6") == parse_steer("2s:180,step=0.6,lift=.05") == (both,)


@pytest.mark.parametrize(("told", "adjusts"), [({}, False), ({"lift": 0.0}, True), ({"step": 0.5}, True)])
def test_a_command_knows_whether_it_is_about_steps(told, adjusts):
    command = SteerCommand(0.0, 0.0, 1.0, **told)
    assert command.adjusts_steps == adjusts
    assert {"lift", "step"} & set(command.as_event()) == ({"lift", "step"} if adjusts else set())


@pytest.mark.parametrize("text", ["", " "])
def test_nothing_is_no_command(text):
    with pytest.raises(PoiseError, match=rf"^steer '{text}': no command; the form is TIMEs:DEG[^\n]*$"):
        parse_steer(text)


@pytest.mark.parametrize(
    "word",
    ["3s", "3s:", "3s:left", "x:90", "3s:90@", "3s:90@fast", "3s:nan", "1s:1e400", "-1s:0", "1s:0@-21"]
    + [
        "1s:0@21",
        f"{9:0<400}s:0",
        f"1s:{9:0<400}",
        "1s:0,lift",
        "1s:0,lift=high",
        "1s:0,hop=1",
        "1s:0,",
        "1s:0,lift=-1",
    ]
    + ["1s:0,lift=2", "1s:0,step=0", "1s:0,step=9", "1s:0,lift=0.1,lift=0.2", "1s:0,lift=0.1@1", "1s:0@nan"],
)
def test_nonsense_is_refused_in_one_line_that_names_it(word):
    with pytest.raises(PoiseError, match=r"^steer '0s:0 ") as error:
        parse_steer(f"0s:0 {word}")
    assert f"'{word}'" in str(error.value)
    assert "\n" not in str(error.value)


def test_an_event_tells_degrees():
    assert SteerCommand(1.0, math.radians(30.0), 0.9).as_event() == {
        "kind": "steer",
        "time": 1.0,
        "heading_deg": 30.0,
        "speed": 0.9,
    }


@pytest.mark.parametrize("text", ["3" * 100_000, "0s:" + "3" * 100_000 + "x", "0s:0,lift=" + "1" * 100_000 + "e"])
def test_a_long_row_of_digits_is_refused(text):
    """Found by fuzzing: the time for it grew with the square of its length."""
    with pytest.raises(PoiseError):
        parse_steer(text)
