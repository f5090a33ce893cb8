"""Peaks of joint speed: spread out where nobody sees it, kept where they are the motion."""

from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.reference.body_clip import BodyClip
from poise.retarget.foot_cleanup import joint_speeds, limit_joint_speeds
from poise.rotations import quat_exp

BODY = Body.named("human37")
RATE, FRAMES = 120.0, 240
ELBOW = [joint.name for joint in BODY.joints].index("left_elbow")
SHOULDER = [joint.name for joint in BODY.joints].index("left_shoulder")


def clip_of(elbow=None, shoulder=None):
    qpos = np.tile(BODY.standing, (FRAMES, 1))
    if elbow is not None:
        qpos[:, BODY.joints[ELBOW].qpos[0]] = elbow
    if shoulder is not None:
        qpos[:, list(BODY.joints[SHOULDER].qpos)] = quat_exp(shoulder)
    return BodyClip("test", BODY, RATE, readonly(qpos))


def ramp(peak, frames):
    """rad: a path whose speed (rad/s) rises to `peak` for some frames and is 1 elsewhere."""
    speed = np.ones(FRAMES)
    speed[120 : 120 + frames] = peak
    return -np.cumsum(speed) / RATE


def bounds(value):
    return np.full(len(BODY.joints), float(value))


def test_a_short_peak_is_spread_and_the_joint_arrives_where_it_did():
    clip = clip_of(elbow=ramp(5.0, 2))
    out = limit_joint_speeds(clip, bounds(3.0))
    assert joint_speeds(clip)[:, ELBOW].max() == pytest.approx(5.0)
    assert joint_speeds(out)[:, ELBOW].max() <= 3.0
    moved = np.abs(out.qpos - clip.qpos)
    assert 0 < moved.max() < 0.06
    assert moved[:60].max() < 1e-12
    assert moved[180:].max() < 1e-12


def test_a_peak_that_is_the_motion_stays():
    clip = clip_of(elbow=ramp(12.0, 14))
    assert np.array_equal(limit_joint_speeds(clip, bounds(3.0)).qpos, clip.qpos)


def test_balls_are_tempered_about_whatever_axis_they_turn():
    path = ramp(5.0, 2)
    clip = clip_of(shoulder=np.outer(path, [0.6, 0.0, 0.8]) + [0.0, 0.4, 0.0])
    before = joint_speeds(clip)[:, SHOULDER].max()
    out = limit_joint_speeds(clip, bounds(0.7 * before))
    assert joint_speeds(out)[:, SHOULDER].max() <= 0.7 * before
    np.testing.assert_allclose(out.qpos[[0, -1]], clip.qpos[[0, -1]], atol=1e-9)


def test_what_is_slow_is_left_alone():
    clip = clip_of(elbow=ramp(2.0, 10))
    assert limit_joint_speeds(clip, bounds(3.0)) is clip


def test_speeds_are_those_of_the_joints():
    clip = clip_of(elbow=ramp(1.0, 1), shoulder=np.outer(np.arange(FRAMES), [0.0, 0.02, 0.0]))
    speeds = joint_speeds(clip)
    np.testing.assert_allclose(speeds[:, ELBOW], 1.0)
    np.testing.assert_allclose(speeds[:, SHOULDER], 0.02 * RATE)
    assert speeds[:, 0].max() == 0
    assert joint_speeds(replace(clip, rate=60.0))[:, ELBOW].max() == pytest.approx(0.5)


def test_a_peak_at_the_very_end_is_spread_backwards():
    speed = np.ones(FRAMES)
    speed[-2:] = 4.0
    clip = clip_of(elbow=-np.cumsum(speed) / RATE)
    out = limit_joint_speeds(clip, bounds(3.0))
    assert joint_speeds(out)[:, ELBOW].max() <= 3.0
    np.testing.assert_allclose(out.qpos[[0, -1]], clip.qpos[[0, -1]], atol=1e-9)


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 20])
def test_short_clips_are_no_trouble(frames):
    clip = clip_of(elbow=ramp(9.0, 3))
    short = replace(clip, qpos=readonly(clip.qpos[119 : 119 + frames]))
    assert limit_joint_speeds(short, bounds(3.0)).frames == frames
