"""Recordings as clips: joints where MuJoCo has them, in whatever frames and at whatever rate the user's file had."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from rigs import crooked, users_rigging, with_rigging

from poise.errors import PoiseError
from poise.export.clips import performer_clip, resample_clip_for_export, rigging_for_export
from poise.motion.clip import clip_from
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_exp, quat_multiply, slerp


@pytest.fixture(scope="module")
def recording():
    return crooked()


def anchors(recording):
    """(T, links, 3) m: where MuJoCo has the joint of each link below the root, in its own order."""
    model, data = recording.model, mujoco.MjData(recording.model)
    out = []
    for qpos in recording.qpos:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        jointed = model.body_jntnum[1:] > 0
        out.append(np.where(jointed[:, None], data.xanchor[model.body_jntadr[1:]], data.xpos[1:]))
    return np.array(out)


def test_without_a_rigging_there_is_a_joint_per_link(recording):
    clip = performer_clip(recording)
    assert clip.skeleton.names == ("trunk", "arm", "hand", "fixed", "tail")
    assert clip.rate == pytest.approx(120)
    np.testing.assert_allclose(clip.places.position, anchors(recording), atol=1e-12)


@pytest.mark.parametrize("rate", [None, 120.0, 60.0, 24.0])
def test_a_users_skeleton_stays_on_the_body(recording, rate):
    rigging = users_rigging(recording.model, recording.root, rate)
    clip = performer_clip(with_rigging(recording, rigging))
    stride = round(120 / (rate or 120))
    assert clip.rate == pytest.approx(rate or 120)
    assert clip.frames == 60 // stride + 1
    np.testing.assert_allclose(clip.places.position[:, :5], anchors(recording)[::stride], atol=1e-9)
    fixed = clip.rotation[:, -1] * np.sign(clip.rotation[:, -1, :1])
    np.testing.assert_allclose(fixed, np.tile([1, 0, 0, 0], (clip.frames, 1)), atol=1e-9)  # the finger does not bend


def test_a_damaged_rigging_is_said_in_one_line(recording):
    good = users_rigging(recording.model, recording.root, 30.0)
    for bad in ({}, {"skeleton": 3}, [1], {**good.as_dict(), "turns": "x"}):
        with pytest.raises(PoiseError, match="rigging is damaged"):
            rigging_for_export(replace(recording, meta={**recording.meta, "rigging": bad}))
    with pytest.raises(PoiseError, match="no link 'wing'"):
        rigging_for_export(with_rigging(recording, replace(good, links=("wing", *good.links[1:]))))


def spinning(rate, frames, speed=2.0):
    """A joint that turns and moves evenly: what interpolation must reproduce at any time."""
    time = np.arange(frames) / rate
    skeleton = Skeleton(("a", "b"), (-1, 0), np.array([[0, 0, 0], [0, 0, 1.0]]))
    turn = quat_exp(np.stack([0 * time, speed * time, 0 * time], axis=-1))
    both = np.stack([turn, quat_multiply([0, 1, 0, 0], turn)], axis=1)
    position = time[:, None] * [1.0, 2.0, 3.0]
    return clip_from("spin", skeleton, rate, position, both, np.stack([position, 2 * position], axis=1))


@given(st.floats(5, 240), st.floats(5, 240), st.integers(2, 60))
@settings(max_examples=60, deadline=None)
def test_even_motion_is_even_at_any_rate(old, new, frames):
    clip, again = spinning(old, frames), resample_clip_for_export(spinning(old, frames), new)
    time = np.arange(again.frames) / new
    assert again.rate == new
    assert time[-1] <= clip.seconds + 1e-6
    assert clip.seconds - time[-1] < 1 / new
    np.testing.assert_allclose(again.position, time[:, None] * [1.0, 2.0, 3.0], atol=1e-4)
    np.testing.assert_allclose(again.translation[:, 1], 2 * again.position, atol=1e-9)
    exact = quat_exp(np.stack([0 * time, 2.0 * time, 0 * time], axis=-1))
    assert np.abs(np.sum(again.rotation[:, 0] * exact, axis=-1)).min() > 1 - 1e-6


def test_the_last_frame_counts_when_it_falls_on_one():
    assert resample_clip_for_export(spinning(120, 121), 30).frames == 31
    assert resample_clip_for_export(spinning(120, 120), 30).frames == 30
    assert resample_clip_for_export(spinning(1 / 0.00833333, 121), 1 / 0.0333333).frames == 31
    one = resample_clip_for_export(spinning(120, 1), 30)
    assert one.frames == 1


def test_turns_in_between_take_the_short_way(recording):
    clip = performer_clip(recording)
    fine = resample_clip_for_export(clip, 2 * clip.rate)
    half = slerp(clip.rotation[:-1], clip.rotation[1:], np.full((clip.frames - 1, 1), 0.5))
    np.testing.assert_allclose(fine.rotation[1::2], half, atol=1e-12)
    np.testing.assert_allclose(fine.rotation[::2], clip.rotation, atol=1e-12)
