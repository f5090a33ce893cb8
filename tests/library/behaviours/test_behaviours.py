"""Behaviour files: read, varied, written."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.surface import lowest_geom_height
from poise.errors import PoiseError
from poise.library.behaviours.behaviour import BehaviourReference
from poise.library.behaviours.files import behaviour_names, behaviour_text, read_behaviour

TEXT = """kind = "roll"
title = "a test"
body = "human43"
at = [0.0, 0.5]

[start]
pelvis_tilt = 40.0

[control]
spin = 4.0  # rad/s
speed = -1.0

[poses]
hip_flexion = [90.0, 100.0]
left_elbow_flexion = [0.0, 20.0]

[tune]
spin = "10%"
speed = "50%"
pelvis_tilt = 5
hip_flexion = 2
"""


@pytest.fixture
def own(tmp_path):
    def make(text=TEXT):
        path = tmp_path / "own.toml"
        path.write_text(text)
        return path

    return make


def test_all_that_come_with_poise_are_read_and_staged():
    for name in behaviour_names():
        behaviour = read_behaviour(name)
        body = Body.named(behaviour.body)
        first = BehaviourReference(behaviour, body).at(0.0)
        assert abs(lowest_geom_height(body.model, first.qpos)) < 1e-9
        assert behaviour.freedom > 0


def test_numbers_vary_by_spreads(own):
    behaviour = read_behaviour(str(own()))
    assert behaviour.freedom == 5
    varied = behaviour.varied(np.array([1.0, -1.0, 2.0, 0.0, 1.0]))
    assert varied.control["spin"] == pytest.approx(4.0 * np.exp(0.1))
    assert varied.control["speed"] == pytest.approx(-np.exp(-0.5))
    assert varied.start["pelvis_tilt"] == 50.0
    assert varied.poses["hip_flexion"] == (90.0, 102.0)
    assert behaviour.control["spin"] == 4.0


def test_what_is_written_is_read_again(own):
    path = own()
    varied = read_behaviour(str(path)).varied(np.array([1.0, -1.0, 2.0, 0.0, 1.0]))
    text = behaviour_text(varied, path.read_text(), {"score": 1.5, "terrains": "flat"})
    assert "# rad/s" in text
    again = read_behaviour(str(own(text)))
    for name in varied.control:
        assert again.control[name] == pytest.approx(varied.control[name], rel=1e-3)
    assert again.poses["hip_flexion"] == (90.0, 102.0)
    assert behaviour_text(again, text, {"score": 2.0}).count("[found]") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[90.0, 100.0]", "[90.0]", "1 angles for 2 poses"),
        ("hip_flexion = [90", "hip_flex = [90", "hip_flex"),
        ("at = [0.0, 0.5]", "at = [0.5, 0.0]", "increase"),
        ('spin = "10%"', 'spin = "much"', "percentage"),
        ("spin = 4.0", "spin = inf", "must be a number"),
        ("hip_flexion = 2", "knee_flexion = 2", "knee_flexion"),
    ],
)
def test_mistakes_are_told(own, old, new, said):
    with pytest.raises(PoiseError, match=said):
        read_behaviour(str(own(TEXT.replace(old, new))))


def test_a_turn_closes_and_limbs_without_a_side_are_both(own):
    behaviour = read_behaviour(str(own()))
    body = Body.named("human43")
    cycle = BehaviourReference(behaviour, body).cycle
    left, right = (body.joint(f"{side}_hip").qpos for side in ("left", "right"))
    np.testing.assert_allclose(cycle[:, left], cycle[:, right] * [1, -1, 1, -1], atol=1e-12)
    steps = np.abs(np.diff(cycle[:, list(left)], axis=0)).max()
    assert np.abs(cycle[-1, list(left)] - cycle[0, list(left)]).max() < 2 * steps
