"""The shape of a gait sees what is changed in it, and nothing else."""

from dataclasses import asdict

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement, PoseSpace
from poise.library.motions import named_motion
from poise.reference.reference import Still
from poise.study.pendulum.imitation import clip_poses, gait_shape, upper_difference

BODY, RATE = Body.named("human58"), 120.0


@pytest.fixture(scope="module")
def poses():
    return clip_poses(named_motion("walk", BODY))


@pytest.fixture(scope="module")
def shape(poses):
    return asdict(gait_shape(BODY, poses, RATE))


def changed(shape, poses, rate=RATE):
    """The parts of the shape that differ from those of the clip by more than a hundredth."""
    other = asdict(gait_shape(BODY, poses, rate))
    return {
        name: other[name] - shape[name] for name in shape if abs(other[name] - shape[name]) > 0.01 * abs(shape[name])
    }


def test_the_shape_of_the_walk(shape):
    assert shape["stride_s"] == pytest.approx(1.07, abs=0.01)
    assert shape["pace"] * shape["stride_s"] == pytest.approx(2 * shape["step_m"], rel=0.02)
    assert shape["knee_mid_deg"] < 5 < 55 < shape["knee_swing_deg"]
    assert shape["foot_off_deg"] < -40 < 20 < shape["foot_strike_deg"]


def test_place_and_direction_do_not_count(shape, poses):
    there = PoseDisplacement(2.0, np.array([3.0, -1.0, 0.0]))
    assert not changed(shape, np.array([there.pose(pose) for pose in poses]))


def test_bent_knees_are_seen_as_bent_knees(shape, poses):
    bent = np.array(poses)
    for side in ("left", "right"):
        bent[:, list(BODY.joint(f"{side}_knee").qpos)] += np.radians(20.0)
    seen = changed(shape, bent)
    assert seen["knee_mid_deg"] == pytest.approx(20.0, abs=2.0)
    assert seen["knee_swing_deg"] == pytest.approx(20.0, abs=2.0)
    assert not {"pelvis_yaw_deg", "pelvis_roll_deg", "hip_mm", "bob_mm"} & set(seen)


def test_a_quicker_cadence_is_seen(shape, poses):
    seen = changed(shape, poses, 1.2 * RATE)
    assert seen["stride_s"] == pytest.approx(-shape["stride_s"] / 6.0, rel=0.02)
    assert seen["pace"] == pytest.approx(0.2 * shape["pace"], rel=0.02)
    assert "step_m" not in seen


def test_the_upper_body_is_compared_by_itself(poses):
    turned = np.array(poses)
    turned[:, list(BODY.joint("left_knee").qpos)] += 0.3
    assert upper_difference(BODY, turned, poses) == pytest.approx(0.0, abs=1e-9)
    space = PoseSpace(BODY)
    change = np.zeros(BODY.nv)
    upper = [dof for joint in BODY.joints for dof in joint.dofs if "spine" in joint.name]
    change[upper] = 0.1
    assert upper_difference(BODY, space.moved(poses, np.tile(change, (len(poses), 1))), poses) > 0.5


def test_who_does_not_walk_has_no_shape():
    still = Still("stand", np.array(BODY.standing), np.zeros(BODY.nv))
    assert gait_shape(BODY, clip_poses(still), RATE) is None
