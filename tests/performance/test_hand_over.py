"""A controller whose motion has ended hands over to another one."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body.body import Body
from poise.errors import PoiseError
from poise.library.motions import named_motion
from poise.measure.audit import audit
from poise.performance.hand_over import Handover, stand_after_motion
from poise.performance.request import Request
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
from poise.rotations import yaw_of


@pytest.fixture(scope="module")
def flipped():
    session = Request("back-flip", controller="rotation", then="walk:pendulum", seconds=6.0, seed=1, noise=0.1)
    staged = session.stage()
    assert isinstance(staged.run.controller, Handover)
    return session.perform().recording


def test_after_a_flip_it_walks_away(flipped):
    third = round(3.6 / flipped.step)
    ahead, aside = flipped.qpos[-1, :2] - flipped.qpos[third, :2]
    assert ahead > 0.3
    assert abs(aside) < 0.5 * ahead, "it faces ahead, and goes there"
    assert flipped.qpos[-1, 2] > 0.8
    late = flipped.contact_step > third
    touched = {flipped.model.body(int(body)).name for body in np.unique(flipped.contact_body[late])}
    assert touched <= {"left_foot", "left_toes", "right_foot", "right_toes"}


def test_commands_before_the_hand_over_steer_the_second_controller():
    session = Request("back-flip", controller="rotation", then="walk:pendulum", steer="1s:60@0.8", seconds=8.0)
    performed = session.perform().recording
    assert np.degrees(yaw_of(performed.qpos[-1, 3:7])) == pytest.approx(60.0, abs=15.0)
    assert np.linalg.norm(performed.qvel[-60:, :2].mean(axis=0)) == pytest.approx(0.8, abs=0.15)


def test_the_hand_over_is_physical(flipped):
    assert audit(flipped).passed
    assert "then pendulum" in flipped.meta["controller"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"then": "walk"}, "MOTION:CONTROLLER"),
        ({"then": "walk:nqr"}, "cannot take over"),
        ({"then": "stand:hold", "steer": "1s:20"}, "hold cannot be steered"),
        ({"then": "walk:pendulum", "steer": "1s:0@5"}, "pendulum goes at -0.6 to 1.8"),
        ({"then": "walk:pendulum", "motion": "stand", "controller": "hold"}, "has no end"),
    ],
)
def test_controllers_that_cannot_take_over_are_refused(arguments, message):
    with pytest.raises(PoiseError, match=message):
        Request(**{"motion": "back-flip", "controller": "rotation", **arguments}).stage()


def beginning(motion: Dynamic, seconds: float) -> Dynamic:
    """The first `seconds` of a motion, as a motion that is no cycle."""
    steps, contacts = round(seconds * motion.clip.rate), motion.contacts
    down = None if motion.clip.down is None else motion.clip.down[: steps + 1]
    kept = {name: getattr(contacts, name)[: steps + 1] for name in ("down", "ground")}
    return replace(
        motion,
        clip=replace(motion.clip, qpos=motion.clip.qpos[: steps + 1], down=down, cyclic=False),
        qvel=motion.qvel[: steps + 1],
        torque=motion.torque[:steps],
        contacts=replace(contacts, force=contacts.force[:steps], **kept),
    )


@pytest.mark.parametrize(("controller", "body"), [("nqr", "biped29"), ("modal", "human42")])
def test_a_motion_that_ends_in_mid_stride_comes_to_a_stand(controller, body):
    own = Body.named(body)
    cut = beginning(named_motion("walk", own).motions["walk"], 0.7)
    request = Request(Played(cut.clip, cut), body=own, controller=controller, seconds=4.0)
    recording = request.perform().recording
    assert recording.meta["controller"] == f"{controller}, then pendulum"
    assert recording.meta["fell_at"] is None
    assert recording.qpos[-1, 2] > 0.9 * own.standing[2]
    assert np.linalg.norm(recording.qvel[-30:, :2].mean(axis=0)) < 0.1
    assert audit(recording).passed


def test_a_motion_that_ends_at_rest_is_held():
    own = Body.named("biped29")
    squat = named_motion("squat", own).motions["squat"]
    assert squat.ends_at_rest()
    assert not isinstance(Request("squat", body=own, controller="nqr", seconds=30.0).stage().run.controller, Handover)


def test_a_motion_that_ends_over_the_edge_of_its_feet_is_brought_to_a_stand():
    squat = named_motion("squat", Body.named("biped29")).motions["squat"]
    down = np.array(squat.contacts.down)
    down[-1, [name.startswith("right") for name in squat.contacts.names]] = False
    leaning = replace(squat, contacts=replace(squat.contacts, down=down))
    assert stand_after_motion(squat) is None
    assert leaning.ends_at_rest()
    assert leaning.ends_toppling()
    assert stand_after_motion(leaning) is not None
