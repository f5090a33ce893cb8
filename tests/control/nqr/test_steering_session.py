"""Steering requests: impossible ones are refused in one line before anything is simulated."""

import pytest

from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.performance.request import Request
from poise.reference.archive import save_prepared


@pytest.mark.parametrize(
    ("asked", "cause"),
    [
        ({"controller": "hold"}, "'hold' cannot be steered"),
        ({"edits": ("warp:0.5",)}, "cannot be steered with edits or loads"),
        ({"loads": ("head=2",)}, "cannot be steered with edits or loads"),
        ({"steer": "soon:left"}, "'soon:left'"),
        ({"body": "human37"}, "'human37' cannot be steered"),
        ({"motion": "squat"}, "squat"),
        ({"motion": "turn-45"}, "steered 'turn-45'. Valid: run, stand, walk"),
        ({"steer": "30s:0@99"}, "between -20 and 20"),
        ({"steer": "0s:0 30s:0@-0.5"}, "nqr goes at 0 to 20 m/s, not at -0.5"),
        ({"steer": "0s:0 30s:0@1.3,lift=0.1"}, "nqr cannot change its steps"),
    ],
)
def test_impossible_steering_is_refused_in_one_line(asked, cause):
    session = Request(**{"motion": "walk", "controller": "nqr", "steer": "0s:90", **asked})
    with pytest.raises(PoiseError, match=cause) as error:
        session.perform()
    assert "\n" not in str(error.value)


def test_a_users_file_is_not_taken_for_the_shipped_motion_of_that_name(tmp_path):
    motion = shipped_dynamic("walk", "biped29")
    path = tmp_path / "walk.npz"
    save_prepared(motion.clip, path, motion)
    with pytest.raises(PoiseError, match=r"steered '[^']*walk\.npz'"):
        Request(str(path), controller="nqr", steer="0s:90").perform()
