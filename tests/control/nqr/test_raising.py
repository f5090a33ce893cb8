"""Inverse kinematics by which legs raise feet."""

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.body.surface import foot_links
from poise.control.nqr.footholds import foot_raising_changes_for_segment
from poise.library.motions import shipped_dynamic

BODY = Body.named("biped29")


@pytest.fixture(scope="module")
def clip():
    return shipped_dynamic("walk", "biped29").clip


@pytest.mark.parametrize(("frame", "foot"), [(20, 0), (20, 1), (90, 0), (90, 1)])
def test_bent_legs_raise_a_foot_and_nothing_else(clip, frame, foot):
    moved, turned, others = _raised(clip, frame, foot, 0.01)
    np.testing.assert_allclose(moved, [0.0, 0.0, 0.01], atol=0.001)
    assert turned < 0.01
    assert not others.any()


STRAIGHT = [(50, 0), (60, 1), (110, 1), (120, 0)]


@pytest.mark.parametrize(("frame", "foot"), STRAIGHT)
def test_straight_legs_raise_a_foot_by_at_least_a_quarter_and_do_not_jump(clip, frame, foot):
    moved, _, _ = _raised(clip, frame, foot, 0.03)
    assert np.linalg.norm(moved) < 1.1 * 0.03
    assert moved[2] > 0.25 * 0.03


@pytest.mark.parametrize(("frame", "foot"), STRAIGHT)
def test_straight_legs_that_cannot_reach_down_stay_as_they_are(clip, frame, foot):
    moved, _, _ = _raised(clip, frame, foot, -0.03)
    assert np.linalg.norm(moved) < 1.1 * 0.03
    assert abs(moved[2]) < 0.1 * 0.03


def _raised(clip, frame, foot, rise):
    """Displacement (m) of a foot, change of its axes, and displacements of the other foot's links."""
    step = rise * foot_raising_changes_for_segment(clip)[frame, foot]
    before, after = _balls_near_root(clip.qpos[frame], 0.0 * step), _balls_near_root(clip.qpos[frame], step)
    own, other = foot_links(BODY)[foot][0], foot_links(BODY)[1 - foot]
    ways = after.xpos - before.xpos
    return ways[own], np.abs(after.xmat[own] - before.xmat[own]).max(), ways[other]


def _balls_near_root(qpos, step):
    data = mujoco.MjData(BODY.model)
    data.qpos[:] = qpos
    mujoco.mj_integratePos(BODY.model, data.qpos, step, 1.0)
    mujoco.mj_kinematics(BODY.model, data)
    return data
