"""What makes shipped motions look like people, measured: leads, leans, breath, bent arms."""

import numpy as np
import pytest

from poise.body.link_kinematics import LinkKinematics
from poise.library.authoring.figure import SourceFigure
from poise.library.motions import shipped_dynamic
from poise.reference.body_clip import centres_of_mass
from poise.retarget.figure import figure_of_body
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate, yaw_of


def oriented(clip, role):
    """(T, 4) rotation of the pelvis or head from the standing pose."""
    figure = figure_of_body(clip.body)
    link = clip.body.links[figure.neck[-1]] if role == "head" else "pelvis"
    at = LinkKinematics(clip.body, (), [link]).at
    return quat_multiply(at(clip.qpos)[1][:, 0], quat_conjugate(at(clip.body.standing[None])[1][0, 0]))


def yaw(clip, role):
    """(T,) degrees."""
    return np.degrees(np.unwrap(yaw_of(oriented(clip, role))))


def tilt(clip, role):
    """(T, 2) degrees by which the upward axis leans forward and left, relative to the direction of the pelvis."""
    up, heading = quat_rotate(oriented(clip, role), [0.0, 0.0, 1.0]), np.radians(yaw(clip, "pelvis"))
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    left = np.stack([-np.sin(heading), np.cos(heading)], axis=1)
    return np.degrees(np.stack([np.sum(up[:, :2] * ahead, axis=1), np.sum(up[:, :2] * left, axis=1)], axis=1))


def beyond_walk(values, walk):
    """What the walk's own cycle does not explain of `values` (T, ...)."""
    return values - np.resize(walk[:-1], values.shape)


def points(clip, links):
    """(T, N, 3) m: origins of links."""
    return LinkKinematics(clip.body, [(link, np.zeros(3)) for link in links]).at(clip.qpos)[0]


@pytest.mark.parametrize(
    ("name", "body"),
    [("turn-45", "biped29"), ("turn-90", "biped29"), ("turn-180", "biped29"), ("turn-90", "human42")],
)
def test_in_turns_the_head_leads_and_the_body_banks(name, body):
    clip, walk = shipped_dynamic(name, body).clip, shipped_dynamic("walk", body).clip
    pelvis, head = (beyond_walk(yaw(clip, role), yaw(walk, role)) for role in ("pelvis", "head"))
    half = pelvis[-1] / 2
    lead = (np.argmax(pelvis > half) - np.argmax(head > half)) / clip.rate
    assert 0.2 < lead < 0.4  # s
    late = slice(len(head) // 3, 2 * len(head) // 3)
    bank = beyond_walk(tilt(clip, "pelvis"), tilt(walk, "pelvis"))[late, 1].mean()
    assert 2.5 < bank < 9  # degrees, into the turn


def test_a_start_shifts_its_weight_and_leans_before_the_foot_lifts():
    motion = shipped_dynamic("start", "biped29")
    clip, down = motion.clip, motion.contacts.down
    heel = motion.contacts.names.index("left_foot_heel_0")
    lifts = np.argmin(down[:, heel])
    com = centres_of_mass(clip.body, clip.qpos)
    assert com[lifts, 1] - com[0, 1] < -0.01  # m, onto the right foot, which stays
    gone = np.argmax(points(clip, ["left_foot"])[:, 0, 0] > points(clip, ["left_foot"])[0, 0, 0] + 0.05)
    assert tilt(clip, "pelvis")[gone, 0] - tilt(clip, "pelvis")[0, 0] > 2  # degrees forward


def test_a_stop_leans_back_to_brake_and_comes_forward_to_stand():
    clip, walk = shipped_dynamic("stop", "biped29").clip, shipped_dynamic("walk", "biped29").clip
    lean = tilt(clip, "pelvis")[:, 0]
    assert lean.min() < tilt(walk, "pelvis")[:, 0].min() - 2
    assert lean[np.argmin(lean) :].max() > lean[-1] + 1


def test_a_stand_breathes():
    clip = shipped_dynamic("stand", "biped29").clip
    assert 3 < clip.seconds < 6  # s: 10 to 20 breaths a minute
    chest = np.ptp(tilt(clip, "head")[:, 0])
    assert 1.5 < chest < 4  # degrees
    sway = np.ptp(centres_of_mass(clip.body, clip.qpos), axis=0)
    assert 0.002 < sway[0] < 0.02
    assert 0.002 < sway[1] < 0.02  # m


@pytest.mark.parametrize("body", ["biped29", "human42"])
def test_a_squat_has_human_arms(body):
    """Bent elbows, hands together in front, and arms that do not move in step with the legs."""
    clip = shipped_dynamic("squat", body).clip
    bent = SourceFigure(clip.body).flexions(clip.qpos)
    low = np.argmax(bent["left_knee_flexion"])
    assert 25 < bent["left_elbow_flexion"][low] < 70
    left, right = points(clip, ["left_hand", "right_hand"])[low]
    shoulders = points(clip, ["left_upper_arm", "right_upper_arm"])[low]
    assert np.linalg.norm(left - right) < 0.9 * np.linalg.norm(shoulders[0] - shoulders[1])
    arm, knee = (bent[f"left_{angle}_flexion"] for angle in ("shoulder", "knee"))
    half = [np.argmax(each > (each[0] + each[low]) / 2) for each in (arm, knee)]
    assert half[0] < half[1] - 5  # frames: the arms lead


def test_a_log_roll_is_a_log():
    """Hips, knees and elbows stay straight, arms overhead, and legs together."""
    clip = shipped_dynamic("log-roll", "biped29").clip
    bent = SourceFigure(clip.body).flexions(clip.qpos)
    for side in ("left", "right"):
        assert np.abs(bent[f"{side}_hip_flexion"]).max() < 25
        assert bent[f"{side}_knee_flexion"].max() < 30
        assert bent[f"{side}_elbow_flexion"].max() < 40
    feet, hands = (points(clip, [f"{side}_{part}" for side in ("left", "right")]) for part in ("foot", "hand"))
    assert np.linalg.norm(feet[:, 0] - feet[:, 1], axis=1).max() < 0.4  # m
    head = points(clip, ["head", "pelvis"])
    along = head[:, 0] - head[:, 1]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    assert np.einsum("tnk,tk->tn", hands - head[:, :1], along).min() > 0.1  # m beyond the head
