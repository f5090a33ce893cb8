"""Clips of bodies: velocities, parts, and the way back to a skeleton."""

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.reference.body_clip import BodyClip
from poise.rotations import quat_exp

BODY = Body.named("human37")


def turning(frames=20, rate=50.0, speed=2.0):
    qpos = np.tile(BODY.standing, (frames, 1))
    time = np.arange(frames) / rate
    qpos[:, 0] = 1.5 * time
    qpos[:, 3:7] = quat_exp(np.stack([0 * time, 0 * time, speed * time], axis=1))
    qpos[:, BODY.joint("left_knee").qpos[0]] = 0.7 * time
    return BodyClip("turning", BODY, rate, readonly(qpos))


def test_steady_motion_has_its_velocity_in_every_frame():
    expected = np.zeros(BODY.nv)
    expected[0], expected[5], expected[BODY.joint("left_knee").dofs[0]] = 1.5, 2.0, 0.7
    assert np.allclose(turning().qvel, expected, atol=1e-9)


def test_a_single_frame_is_at_rest():
    assert np.array_equal(turning(1).qvel, np.zeros((1, BODY.nv)))


def test_length_is_from_the_first_frame_to_the_last():
    assert turning(51).seconds == pytest.approx(1.0)


def test_skeleton_clip_has_the_bodys_joints_where_they_are():
    clip = turning().skeleton_clip()
    assert clip.frames == 20
    assert np.allclose(clip.position, turning().qpos[:, :3], atol=1e-9)
    assert "left_shank" in clip.skeleton.names
