"""Smoothing: a filter of known response that leaves impacts and real spikes apart."""

from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.reference.body_clip import BodyClip
from poise.retarget.smooth import smooth_clip
from poise.rotations import quat_exp

BODY = Body.named("human37")
KNEE = BODY.joint("left_knee").qpos[0]
RATE, FRAMES = 120.0, 480


def clip_of(knee=None, heading=None):
    qpos = np.tile(BODY.standing, (FRAMES, 1))
    if knee is not None:
        qpos[:, KNEE] = knee
    if heading is not None:
        qpos[:, 3:7] = quat_exp(np.stack([0 * heading, 0 * heading, heading], axis=1))
    return BodyClip("test", BODY, RATE, readonly(qpos))


def wave(frequency):
    return np.sin(2 * np.pi * frequency * np.arange(FRAMES) / RATE)


@pytest.mark.parametrize("frequency", [1.0, 6.0, 20.0])
def test_response_is_that_of_the_filter(frequency):
    cutoff = 6.0
    knee = 0.3 * wave(frequency)
    out = smooth_clip(clip_of(knee=knee), cutoff).qpos[120:-120, KNEE]
    digital = 2 * np.sin(np.pi * frequency / RATE)  # the filter works on differences
    passed = 1 / (1 + (digital * RATE / (2 * np.pi * cutoff)) ** 6)
    assert np.ptp(out) == pytest.approx(passed * np.ptp(knee), rel=0.02)


def test_steady_motion_stays_as_it_is():
    clip = clip_of(knee=np.linspace(0.0, 1.0, FRAMES), heading=np.linspace(0.0, 9.0, FRAMES))
    assert np.allclose(np.abs(np.sum(smooth_clip(clip, 6.0).qpos[:, 3:7] * clip.qpos[:, 3:7], axis=1)), 1.0, atol=1e-4)
    assert np.allclose(smooth_clip(clip, 6.0).qpos[:, KNEE], clip.qpos[:, KNEE], atol=1e-9)


def test_quaternions_may_change_sign_between_frames():
    qpos = np.array(clip_of(heading=np.linspace(0.0, 1.0, FRAMES)).qpos)
    flipped = np.array(qpos)
    flipped[100:, 3:7] *= -1
    one, other = (smooth_clip(replace(clip_of(), qpos=readonly(q)), 6.0).qpos[:, 3:7] for q in (qpos, flipped))
    assert np.allclose(np.abs(np.sum(one * other, axis=1)), 1.0, atol=1e-12)


def test_a_touchdown_keeps_its_edge():
    knee = np.where(np.arange(FRAMES) < 240, 0.0, (np.arange(FRAMES) - 240) / RATE * 5.0)  # speed jumps
    clip = clip_of(knee=knee)
    down = np.zeros((FRAMES, len(clip.parts)), bool)
    down[240:, 0] = True
    away, landing = (np.abs(smooth_clip(c, 6.0).qpos[:, KNEE] - knee).max() for c in (clip, replace(clip, down=down)))
    assert landing < 0.7 * away


def test_single_wild_frames_are_dropped_and_steps_kept():
    knee = np.where(np.arange(FRAMES) < 240, 0.2, 0.8)
    wild = np.array(knee)
    wild[100] += 0.9
    clean, mended = (smooth_clip(clip_of(knee=k), 6.0).qpos[:, KNEE] for k in (knee, wild))
    assert np.allclose(clean, mended, atol=1e-12)
    assert np.abs(np.diff(clean)).max() > 0.01
