"""Likeness: a motion that is broken as a person would notice moves the numbers that say so, and by that much."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.library.motions import named_motion
from poise.motion.likeness import likeness
from poise.reference.body_clip import BodyClip
from poise.rotations import quat_from_axis_angle, quat_multiply, quat_rotate

RATE = 60.0


@cache
def walked(seconds=4.0, body="human37"):
    performer = Body.named(body)
    motion = named_motion("walk", performer)
    qpos = np.array([motion.at(k / RATE).qpos for k in range(int(seconds * RATE))])
    return BodyClip("walk", performer, RATE, readonly(qpos)).rigged_clip()


def with_rotation(clip, joint, change):
    rotation = np.array(clip.rotation)
    rotation[:, clip.skeleton.names.index(joint)] = change(rotation[:, clip.skeleton.names.index(joint)])
    return replace(clip, rotation=readonly(rotation))


def test_a_motion_is_like_itself_wherever_it_goes():
    clip = walked()
    turn = quat_from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(2.0))
    rotation = np.array(clip.rotation)
    rotation[:, 0] = quat_multiply(turn, rotation[:, 0])
    moved = replace(clip, position=readonly(quat_rotate(turn, clip.position) + [3.0, -2.0, 0.0]), rotation=rotation)
    like = likeness(clip, moved)
    now = like.moments
    assert max(abs(now.pelvis_worst_cm), now.knee_deg, now.joints_deg, now.joints_cm, now.swing_ankle_cm) < 1e-3
    assert vars(like.gait) == pytest.approx(vars(like.file_gait), abs=1e-3)


def test_knees_bent_by_ten_degrees():
    bend = quat_from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(10.0))
    bent = walked()
    for side in ("left", "right"):
        bent = with_rotation(bent, f"{side}_shank", lambda old: quat_multiply(old, bend))
    like = likeness(walked(), bent)
    assert like.moments.knee_deg == pytest.approx(10.0, abs=0.5)
    for name in ("knee_mid_stance_deg", "knee_swing_deg"):
        assert getattr(like.gait, name) - getattr(like.file_gait, name) == pytest.approx(10.0, abs=1.0)
    assert like.moments.pelvis_worst_cm == pytest.approx(0.0, abs=1e-6)
    assert like.departs()


def test_a_pelvis_sunk_by_three_centimetres():
    clip = walked()
    sunk = replace(clip, position=readonly(clip.position - [0.0, 0.0, 0.03]))
    now = likeness(clip, sunk).moments
    assert (now.pelvis_mean_cm, now.pelvis_worst_cm, now.swing_ankle_cm) == pytest.approx((-3.0, -3.0, 3.0))
    assert now.joints_cm == pytest.approx(3.0)
    assert now.joints_deg == pytest.approx(0.0, abs=1e-4)


def test_a_quicker_cadence_shows_in_time_and_not_in_angles():
    clip = walked()
    like = likeness(clip, replace(clip, rate=1.1 * clip.rate), same_moments=False)
    assert like.moments is None
    assert like.file_gait.stride_s / like.gait.stride_s == pytest.approx(1.1, rel=0.02)
    assert like.gait.speed_m_s / like.file_gait.speed_m_s == pytest.approx(1.1, rel=0.02)
    assert like.gait.step_m == pytest.approx(like.file_gait.step_m, rel=0.02)
    assert like.gait.knee_swing_deg == pytest.approx(like.file_gait.knee_swing_deg, abs=1.0)
    assert likeness(clip, replace(clip, rate=1.1 * clip.rate)).moments.joints_deg > 10.0


def test_a_frozen_arm_is_named():
    frozen = with_rotation(walked(), "left_upper_arm", lambda old: np.broadcast_to(old[:1], old.shape))
    like = likeness(walked(), frozen)
    assert like.moments.worst_joint in ("left_upper_arm", "left_forearm")
    assert like.moments.worst_joint_deg > 5.0
    assert like.moments.knee_deg == pytest.approx(0.0, abs=1e-4)


def test_a_walk_out_of_step_is_seen_at_each_moment_and_not_in_its_gait():
    half = round(0.5 * likeness(walked(), walked()).gait.stride_s * RATE)
    like = likeness(walked().cut(half, half + 150), walked().cut(0, 150))
    assert like.moments.knee_deg > 15.0
    assert like.gait.step_m == pytest.approx(like.file_gait.step_m, rel=0.03)


def test_the_mirror_image_is_another_motion_with_the_same_gait():
    clip = walked()
    names, swap = clip.skeleton.names, {"left": "right", "right": "left"}
    other = [names.index(re.sub("^(left|right)", lambda side: swap[side[0]], name)) for name in names]
    rotation = (clip.rotation * [1.0, -1.0, 1.0, -1.0])[:, other]
    like = likeness(clip, replace(clip, rotation=readonly(rotation), position=readonly(clip.position * [1, -1, 1])))
    assert like.moments.knee_deg > 15.0
    assert like.gait.step_m == pytest.approx(like.file_gait.step_m, rel=0.03)
    assert like.gait.knee_swing_deg == pytest.approx(like.file_gait.knee_swing_deg, abs=1.0)


def test_another_body_is_compared_by_directions_and_scaled_by_the_leg():
    tall = walked()
    skeleton = replace(tall.skeleton, offsets=readonly(1.2 * tall.skeleton.offsets), names=tuple(
        {"pelvis": "Hips"}.get(name, name) for name in tall.skeleton.names))  # fmt: skip
    like = likeness(tall, replace(tall, skeleton=skeleton, position=readonly(1.2 * tall.position)))
    now = like.moments
    assert now.joints_cm is None
    assert max(abs(now.pelvis_worst_cm), now.knee_deg, now.joints_deg) < 1e-3
    assert like.gait.step_m == pytest.approx(1.2 * like.file_gait.step_m)


def test_a_stand_has_no_gait():
    clip = walked()
    stand = replace(clip, position=clip.position[:1].repeat(99, 0), rotation=clip.rotation[:1].repeat(99, 0))
    assert likeness(clip, stand).gait is None
    assert likeness(stand, stand).as_dict()["stride_s"] is None


def test_the_pitch_of_feet_is_unknown_without_toe_joints():
    pitches = {body: likeness(walked(body=body), walked(body=body)).gait for body in ("biped29", "human58")}
    assert pitches["biped29"].foot_strike_deg is None
    assert pitches["biped29"].foot_toe_off_deg is None
    assert pitches["human58"].foot_strike_deg > 10.0
