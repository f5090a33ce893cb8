"""Strides at equal phases, and their differences."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_displacement import PoseDisplacement
from poise.control.pendulum.reference_gait import foot_strike_frames
from poise.library.motions import named_motion
from poise.reference.reference import Still
from poise.study.pendulum.imitation import (
    STRIDE_PHASES,
    Strides,
    reference_strides_for_case,
    stride_errors_for_row,
    strides_in_trial,
)

BODY = Body.named("human58")


@pytest.fixture(scope="module")
def walk():
    return named_motion("walk", BODY)


@pytest.fixture(scope="module")
def clip(walk):
    return reference_strides_for_case(BODY, walk)


def test_the_strides_of_a_cycle_are_the_same(clip):
    assert len(clip.qpos) >= 3
    np.testing.assert_allclose(clip.qpos[1, :, 7:], clip.qpos[0, :, 7:], atol=2e-3)
    np.testing.assert_allclose(clip.com[1], clip.com[0], atol=1e-3)


def test_a_clip_that_is_walked_exactly_has_no_error(walk, clip):
    """Also elsewhere, in another direction, at another rate."""
    cycle, there = walk.clip.seconds, PoseDisplacement(1.2, np.array([3.0, -2.0, 0.0]))
    first = (
        foot_strike_frames(np.array([bool(np.any(walk.at(t).down[:3])) for t in np.arange(0, 2, 1 / 120)]), 120.0)[0]
        / 120
    )
    rate = 48.0 / cycle
    frames = np.array([there.pose(walk.at(first + k / rate).qpos) for k in range(3 * 48 + 1)])
    errors = stride_errors_for_row(BODY, strides_in_trial(BODY, frames, [0, 48, 96, 144]), clip)
    assert errors["upper_deg"].max() < 0.3
    assert errors["legs_deg"].max() < 1.5
    assert errors["com_mm"].max() < 2


def test_errors_are_root_mean_squares_of_their_own_parts(clip):
    one = Strides(clip.qpos[:1], clip.com[:1])
    bent = np.array(one.qpos)
    chosen = BODY.joint("left_knee")
    bent[:, 5, list(chosen.qpos)] += 0.3
    sunk = one.com - [0.0, 0.0, 0.01]
    errors = stride_errors_for_row(BODY, Strides(bent, sunk), one)
    legs = sum(len(BODY.joint(name).dofs) for name in BODY.groups["legs"])
    assert errors["legs_deg"][5] == pytest.approx(np.degrees(0.3) / np.sqrt(legs))
    assert np.delete(errors["legs_deg"], 5).max() < 1e-7
    assert errors["upper_deg"].max() < 1e-7
    np.testing.assert_allclose(errors["com_mm"], 10.0)


def test_the_centre_of_mass_is_relative_to_steady_progress(clip):
    np.testing.assert_allclose(clip.com[:, :, :2].mean(axis=1), 0.0, atol=1e-12)
    assert 0.005 < np.ptp(clip.com[0, :, 1]) < 0.1
    assert 0.8 < clip.com[0, :, 2].mean() < 1.1
    assert clip.com.shape[1] == STRIDE_PHASES


def test_a_motion_that_does_not_walk_has_no_strides():
    still = Still("stand", np.array(BODY.standing), np.zeros(BODY.nv))
    assert len(reference_strides_for_case(BODY, still).qpos) == 0
