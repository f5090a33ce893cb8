"""Where feet come down, and how legs raise them."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise.body import Body
from poise.body.carrying import Carriage, advance
from poise.control.nqr.footholds import feet_of, footholds_of
from poise.control.nqr.segment import resting
from poise.reference.shipping import finished

BODY = Body.named("biped29")


@pytest.fixture(scope="module", params=["walk", "run", "turn-45"])
def motion(request):
    return finished(request.param, "biped29")


def foot_balls(motion):
    links = [BODY.link_id(link) for link in motion.contacts.links]
    return [np.isin(links, foot) for foot in feet_of(BODY)]


def test_feet_are_where_the_prints_say_when_they_have_landed(motion):
    """Through two cycles, the second of which goes on from where the first ended."""
    holds, steps = footholds_of(motion), len(motion.torque)
    further = Carriage(*advance(motion.clip.qpos[0], motion.clip.qpos[-1]))
    once = motion.points()[:-1]
    points = np.concatenate([once, further.vector(once) + further.way])
    bearing = np.tile(motion.contacts.down[:-1], (2, 1))
    for foot, balls in enumerate(foot_balls(motion)):
        for k in np.flatnonzero(~holds.down[:, foot]):
            landed = k + int(np.argmax(bearing[k:, balls].any(axis=1)))
            full = landed + int(np.argmax(bearing[landed : landed + steps // 2, balls].sum(axis=1)))
            there = holds.prints[foot][k] + motion.clip.qpos[k, :2]
            np.testing.assert_allclose(there, points[full][balls, :2], atol=0.01)


def test_ways_through_the_air_go_from_0_to_1(motion):
    holds = footholds_of(motion)
    begins, ends = holds.swing[:, 0], holds.swing[:, 1]
    assert not begins[holds.down].any()
    assert np.all((begins >= 0) & (begins < 1) & (ends >= 0) & (ends <= 1))
    lands = ~holds.down & np.roll(holds.down, -1, axis=0)
    np.testing.assert_array_equal(ends[lands], 1.0)
    same = ~lands
    np.testing.assert_allclose(ends[same], np.roll(begins, -1, axis=0)[same], atol=1e-12)


def test_someone_always_lands_next_and_the_way_there_is_gone_once(motion):
    holds = footholds_of(motion)
    assert np.all(holds.soonest.any(axis=1))
    gone = holds.between[:, 1] - holds.between[:, 0]
    assert np.all(gone > 0)
    assert gone.sum() == pytest.approx(np.sum(np.roll(holds.soonest, -1, axis=0)[:, 0] != holds.soonest[:, 0]))


@pytest.mark.parametrize(("frame", "foot"), [(20, 0), (20, 1), (90, 0), (90, 1)])
def test_bent_legs_raise_a_foot_and_nothing_else(frame, foot):
    moved, turned, others = _raised(frame, foot, 0.01)
    np.testing.assert_allclose(moved, [0.0, 0.0, 0.01], atol=0.001)
    assert turned < 0.01
    assert not others.any()


@pytest.mark.parametrize("rise", [-0.03, 0.03])
def test_straight_legs_reach_less_far_than_they_should_but_never_jump(rise):
    for frame, foot in ((50, 0), (60, 1), (110, 1), (120, 0)):
        moved, _, _ = _raised(frame, foot, rise)
        assert np.linalg.norm(moved) < 1.1 * abs(rise)


def _raised(frame, foot, rise):
    """Way of a foot (m), change of its axes, ways of the other foot's links."""
    walk = finished("walk", "biped29")
    step = rise * footholds_of(walk).raising[frame, foot]
    before, after = _placed(walk.clip.qpos[frame], 0.0 * step), _placed(walk.clip.qpos[frame], step)
    own, other = feet_of(BODY)[foot][0], feet_of(BODY)[1 - foot]
    ways = after.xpos - before.xpos
    return ways[own], np.abs(after.xmat[own] - before.xmat[own]).max(), ways[other]


def _placed(qpos, step):
    data = mujoco.MjData(BODY.model)
    data.qpos[:] = qpos
    mujoco.mj_integratePos(BODY.model, data.qpos, step, 1.0)
    mujoco.mj_kinematics(BODY.model, data)
    return data


def test_a_motion_that_ends_is_about_to_land():
    """A walk that ends in mid-air, and is not gone on with."""
    walk = finished("walk", "biped29")
    once = replace(walk, clip=replace(walk.clip, cyclic=False))
    holds, cycle = footholds_of(once), footholds_of(walk)
    np.testing.assert_array_equal(holds.down, cycle.down)
    aloft = ~holds.down[-1]
    np.testing.assert_array_equal(holds.soonest[-1], aloft)


def test_who_rests_lands_nowhere():
    holds = footholds_of(resting(finished("stand", "biped29")))
    assert holds.down.all()
    assert not holds.soonest.any()
    assert not holds.swing.any()
    assert not holds.between.any()
