"""A body that topples is caught with steps, and its motion resumes from there."""

import numpy as np
import pytest

from poise import Body, named_motion
from poise.body.pose_space import PoseDisplacement
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.take import take_of
from poise.errors import PoiseError
from poise.measure.audit import audit
from poise.measure.metrics import fell_at
from poise.performance.catch import (
    CatchController,
    feet_stay_planted_for_catch,
    resume_motion_after_catch,
    tallest_pose_for_catch,
)
from poise.performance.request import Request
from poise.rotations import quat_multiply, yaw_of

PUSHED = "250@1,duration=0.1667,dir=180"


@pytest.fixture(scope="module")
def squat():
    body = Body.named("human42")
    return take_of(named_motion("squat", body), body)


def test_a_squat_that_is_pushed_over_steps_and_resumes():
    session = Request("squat", controller="modal", catch="pendulum", pushes=(PUSHED,), seconds=8.0)
    staged = session.stage()
    catching = staged.run.controller
    assert isinstance(catching, CatchController)
    recording = staged.run.perform(staged.seconds).recording
    assert fell_at(recording) is None
    assert audit(recording).passed
    assert catching.caught == [pytest.approx(1.2, abs=1e-6)]  # not before the push is noticed
    assert 2.0 < catching.resumed[0] < 6.0
    low = recording.qpos[recording.time > catching.resumed[0], 2].min()
    assert low == pytest.approx(staged.run.reference.motions["squat"].clip.qpos[:, 2].min(), abs=0.05)
    assert recording.qpos[-1, 0] < -0.3
    assert recording.meta["controller"] == "modal, caught by pendulum"


def test_a_squat_that_is_not_pushed_over_is_not_caught():
    def performed(catch):
        return Request("squat", controller="modal", catch=catch, pushes=("50@0.2",), seconds=1.0).perform().recording

    np.testing.assert_array_equal(performed(None).qpos, performed("pendulum").qpos)


def turned_in(pose, body, angle):
    out = np.array(pose)
    for side, name in ((-1, "left_hip"), (1, "right_hip")):
        hip = next(joint for joint in body.joints if joint.name == name)
        turn = np.array([np.cos(angle / 2), 0.0, 0.0, side * np.sin(angle / 2)])
        out[list(hip.qpos)] = quat_multiply(turn, out[list(hip.qpos)])
    return out


def test_a_motion_resumes_from_a_pose_with_its_feet_planted(squat):
    pose = turned_in(
        PoseDisplacement(0.6, np.array([1.0, 2.0, 0.0])).pose(tallest_pose_for_catch(squat)), squat.body, 0.3
    )
    on = resume_motion_after_catch(squat, pose, 2.0, 1.0)
    assert on is not None
    np.testing.assert_allclose(on.at(2.0).qpos, pose, atol=1e-3)
    poses = np.array([on.frame(k).qpos for k in range(240, 800)])
    place, turn = EditedFootPlacement(squat.body).places(poses)
    assert np.ptp(place, axis=0).max() < 2e-3
    assert np.ptp(yaw_of(turn), axis=0).max() < 5e-3
    assert np.ptp(poses[:, 2]) > 0.3
    assert all(on.frame(k).down[:4].all() for k in (240, 400, 700))


def test_a_motion_does_not_resume_if_the_feet_cannot_keep_its_contacts(squat):
    assert resume_motion_after_catch(squat, turned_in(squat.body.standing, squat.body, 0.4), 2.0, 1.0) is not None
    assert resume_motion_after_catch(squat, turned_in(squat.body.standing, squat.body, 0.9), 2.0, 1.0) is None


def test_planted_feet_are_told_from_steps(squat):
    assert feet_stay_planted_for_catch(squat)
    assert not feet_stay_planted_for_catch(take_of(named_motion("walk", squat.body), squat.body))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"motion": "walk"}, "does not keep both feet"),
        ({"catch": "rotation"}, "cannot catch"),
        ({"controller": "nqr", "motion": "stand"}, "cannot resume"),
    ],
)
def test_what_cannot_be_caught_is_refused(arguments, message):
    with pytest.raises(PoiseError, match=message):
        Request(
            **{"motion": "squat", "controller": "modal", "catch": "pendulum", "seconds": 0.1, **arguments}
        ).perform()


def test_the_report_says_when_it_was_caught(tmp_path):
    outcome = Request("squat", controller="modal", catch="pendulum", pushes=(PUSHED,), seconds=2.0).perform_and_write(
        tmp_path / "out"
    )
    assert "pendulum takes over at 1.20 s: the body topples" in outcome.text().splitlines()
    assert [(each["controller"], each["why"]) for each in outcome.summary["control"]] == [
        ("modal", "start"),
        ("pendulum", "the body topples"),
    ]
    assert outcome.summary["control"][1]["time"] == pytest.approx(1.2)
    assert [each for each in outcome.performance.recording.meta["events"] if each["kind"] == "control"]
