"""Steering asked for in words: what cannot be is refused in a line before anything is simulated."""

import pytest

from poise.errors import PoiseError
from poise.session import Session


@pytest.mark.parametrize(
    ("asked", "cause"),
    [
        ({"controller": "hold"}, "'hold' cannot be steered"),
        ({"edits": ("warp:0.5",)}, "cannot be edited"),
        ({"steer": "soon:left"}, "'soon:left'"),
        ({"body": "human37"}, "'human37' cannot be steered"),
        ({"motion": "squat"}, "squat"),
    ],
)
def test_what_cannot_be_steered_says_so(asked, cause):
    session = Session(**{"motion": "walk", "controller": "nqr", "steer": "0s:90", **asked})
    with pytest.raises(PoiseError, match=cause) as error:
        session.perform()
    assert "\n" not in str(error.value)
