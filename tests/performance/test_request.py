"""Requests: defaults of controllers, loads, steering, and refused arguments."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.catalogue import controller_entries
from poise.edit.parse import parse_edit
from poise.edit.take import edited, take_of
from poise.errors import PoiseError
from poise.library.motions import named_motion
from poise.performance.request import Request
from poise.reference.played import Played

STAND = {"motion": "stand", "controller": "pendulum", "seconds": 0.1}


def refused(session):
    with pytest.raises(PoiseError) as error:
        session.perform()
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("asked", "body", "step"),
    [
        (STAND, "human58", 0.02),
        ({**STAND, "body": "human42", "step": 0.01}, "human42", 0.01),
        ({"motion": "stand", "seconds": 0.1}, "human37", 1 / 120),
        ({"motion": "walk", "controller": "nqr", "seconds": 0.1}, "biped29", 1 / 120),
    ],
    ids=["pendulum", "given", "hold", "nqr"],
)
def test_a_controller_brings_its_own_body_and_step(asked, body, step):
    recording = Request(**asked).perform().recording
    assert (recording.meta["body"], recording.meta["step"]) == (body, step)
    assert recording.time[-1] == pytest.approx(0.1)


def test_a_load_is_in_the_recordings_model_and_among_its_events(tmp_path):
    recording = Request(**STAND, loads=("right_hand=15",)).perform_and_write(tmp_path).performance.recording
    assert recording.model.body_mass.sum() == pytest.approx(Body.named("human58").mass + 15.0)
    assert {"kind": "load", "text": "right_hand=15"} in recording.meta["events"]


def test_a_body_object_is_cast_like_its_name():
    asked = {"motion": "back-flip", "controller": "rotation"}
    named, given = (Request(body=body, **asked).stage().run for body in ("human37", Body.named("human37")))
    assert np.array_equal(named.world.torque_limit, given.world.torque_limit)


def test_loads_are_added_for_poses_and_clips():
    for body, motion in (("human37", "stand"), ("biped29", "walk")):
        recording = Request(motion, body, loads=("head=2", "left_hand=3"), seconds=0.05).perform().recording
        assert recording.model.body_mass.sum() == pytest.approx(Body.named(body).mass + 5.0)


def test_a_controller_without_physics_is_steered_and_edited_together():
    asked = {**STAND, "steer": "0s:30@-0.2 0.04s:0@1.1", "edits": ("offset:chest=0:20:0",)}
    events = Request(**asked).perform().recording.meta["events"]
    assert [(event["time"], event["speed"]) for event in events if event["kind"] == "steer"] == [
        (0.0, -0.2),
        (0.04, 1.1),
    ]


def test_steering_lasts_beyond_the_last_command():
    asked = {**STAND, "seconds": None, "steer": "0s:0@0.2 1s:0@0"}
    assert Request(**asked).perform().recording.time[-1] == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("asked", "cause"),
    [
        ({"steer": "0s:0 1s:0@3"}, "pendulum goes at -0.6 to 1.8 m/s, not at 3"),
        ({"steer": "0s:0@-0.7"}, "not at -0.7"),
        ({"body": "lamp14"}, "'lamp14' has 1 feet"),
        ({"settings": {"sped": 1}}, "unknown setting of pendulum 'sped'"),
        ({"loads": ("tail=3",)}, "unknown link 'tail'"),
        ({"loads": ("right_hand",)}, "'right_hand' is not of the form LINK=KG"),
        ({"loads": ("right_hand=1", "right_hand=2")}, "'right_hand' carries a load already"),
        ({"controller": "hold", "steer": "0s:0"}, "'hold' cannot be steered"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_invalid_requests_are_refused_in_one_line(asked, cause):
    assert cause in refused(Request(**{**STAND, **asked}))


@pytest.mark.parametrize(
    "asked",
    [{"friction": -1.0}, {"step": 1.0}, {"catch": "hold"}, {"then": "walk"}, {"then": "moonwalk:pendulum"}],
    ids=lambda asked: "-".join(map(str, *asked.items())),
)
def test_invalid_arguments_are_refused_before_the_casting(asked):
    request = Request(**{"motion": "back-flip", "controller": "rotation", **asked})
    with pytest.raises(PoiseError):
        request.stage(casting=lambda *_: pytest.fail("the casting has begun"))


def test_every_controller_has_a_range_of_speeds():
    assert all(entry.speeds[0] <= 0.0 < entry.speeds[1] for entry in controller_entries().values())


def test_edits_before_a_run_ease_as_those_of_a_clip():
    text = "offset:spine=0:60:0@1-4"
    run = Request("walk", "biped29", edits=(text,)).stage().run
    clip = named_motion("walk", Body.named("biped29")).clip
    five = take_of(Played(clip), clip.body).clip(5.0)
    wanted, usual = edited(five, parse_edit(text)), edited(five, parse_edit(f"{text},ease=0.3"))
    k = round(1.3 * clip.rate)
    assert np.allclose(run.reference.at(k / clip.rate).qpos, wanted.qpos[k], atol=1e-9)
    assert not np.allclose(wanted.qpos[k], usual.qpos[k], atol=0.1)
