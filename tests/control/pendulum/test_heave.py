"""The height plan of the centre of mass."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bodies import body_of
from poise.control.pendulum.height import (
    DESCENT_END,
    HEIGHT_RATE,
    MAX_DOWN,
    MAX_SINK,
    MAX_UP,
    ROOM,
    HeightPlan,
    hip_descent,
    landing_hip_height,
    lowest_hip_heights,
    plan_towards_height,
    stance_hip_height,
)
from poise.control.pendulum.leg_ik import BENT
from poise.control.pendulum.walker import Walker
from poise.world.scene import Scene
from poise.world.world import World

STEP = 0.02
FIGURE = Walker(World(Scene.of(body_of("human58"))))
heights, rates = st.floats(0.3, 1.5), st.floats(-3.0, 3.0)


@given(heights, rates, heights, rates)
def test_accelerations_are_moderate_whatever_is_wanted(height, rate, wanted, wish):
    plan = plan_towards_height(FIGURE, HeightPlan(height, rate), wanted, wish)
    assert -MAX_DOWN <= plan.acceleration <= MAX_UP
    assert (plan.height, plan.rate) == (height, rate)


@given(heights, rates, st.floats(0.001, 0.05))
def test_a_plan_goes_on_as_a_body_thrown_does(height, rate, step):
    later = HeightPlan(height, rate, -9.81).later(step)
    assert later.height == pytest.approx(height + rate * step - 0.5 * 9.81 * step**2)
    assert later.rate == pytest.approx(rate - 9.81 * step)


def test_a_height_is_reached_without_swinging_past_it():
    plan, heights = HeightPlan(0.95, 0.0), []
    for _ in range(100):
        plan = plan_towards_height(FIGURE, plan, 0.9, 0.0).later(STEP)
        heights.append(plan.height)
    assert heights[-1] == pytest.approx(0.9, abs=1e-4)
    assert min(heights) > 0.9 - 2e-3


def test_a_height_that_rises_is_kept_up_with():
    rate, plan = 0.2, HeightPlan(0.9, 0.2)
    for k in range(1, 51):
        plan = plan_towards_height(FIGURE, plan, 0.9 + (k - 1) * STEP * rate, rate).later(STEP)
    assert plan.height == pytest.approx(0.9 + 50 * STEP * rate, abs=1e-9)
    assert HEIGHT_RATE * STEP < 1  # otherwise it would oscillate


def test_the_plan_gives_in_to_where_the_body_is(walker, world, body):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    seen = walker.observe(world.state)
    high = HeightPlan(float(seen.com[2]) + 0.1, 0.5)
    after = high.following(seen, STEP)
    assert seen.com[2] < after.height < high.height
    assert 0 < after.rate < high.rate
    here = HeightPlan(float(seen.com[2]), 0.0)
    assert here.following(seen, STEP) == pytest.approx(here)


# -- legs ------------------------------------------------------------------------------------------------------------


def test_hips_are_as_high_as_in_the_reference_within_reach_of_the_leg(walker):
    """The reach is less to the side, and more ahead, where the heel lifts."""
    ankle, over, long = np.array([0.3, 0.1, 0.08]), np.array([0.3, 0.1]), walker.legs.length
    assert stance_hip_height(walker, ankle, over, 0.9 * long, BENT) == pytest.approx(0.08 + 0.9 * long)
    far = [stance_hip_height(walker, ankle, over + [x, 0.0], 2.0, BENT) - 0.08 for x in (0.0, 0.2, -0.2)]
    assert far[0] == pytest.approx(BENT * long)
    assert far[1] == far[2] == pytest.approx(np.sqrt((BENT * long) ** 2 - 0.2**2))
    lifted = stance_hip_height(walker, ankle, over + [0.2, 0.0], 2.0, BENT, 9.0) - 0.08
    assert lifted == pytest.approx(far[1] + ROOM * long)


def test_who_lands_far_away_must_be_low(walker):
    length = walker.legs.length
    heights = np.array([landing_hip_height(walker, 0.1, away, BENT) for away in np.linspace(0.0, 2.0, 50)])
    assert heights[0] == pytest.approx(0.1 + walker.legs.ankle_height + BENT * length)
    assert np.all(np.diff(heights) <= 0)
    assert heights[-1] > 0.1 + 0.4 * length


def test_hips_sink_the_further_the_longer_they_may_but_not_without_bound(walker):
    hips, times = 0.9, np.linspace(0.0, 0.5, 51)
    still, sinks, rises = (lowest_hip_heights(walker.legs.length, hips, rate, 0.0, times) for rate in (0.0, -0.5, 0.5))
    lowest = hips - MAX_SINK * walker.legs.length
    for heights in (still, sinks):
        assert heights[0] == hips
        assert np.all(np.diff(heights) <= 0)
        assert heights[-1] == pytest.approx(lowest)
    free = still > lowest
    assert 5 < free.sum() < 50
    np.testing.assert_allclose(still[free], hips - 0.5 * MAX_DOWN * times[free] ** 2)
    assert np.all(sinks <= still)
    np.testing.assert_array_equal(rises, still)  # a rise is not expected to continue


def test_where_the_ground_falls_hips_can_sink_along_with_it(walker):
    times = np.linspace(0.0, 1.0, 51)
    level, falls = (lowest_hip_heights(walker.legs.length, 0.9, 0.0, rate, times) for rate in (0.0, 0.3))
    np.testing.assert_array_equal(falls[times < 0.1], level[times < 0.1])  # limited by free fall at first
    np.testing.assert_allclose(falls[-1], level[-1] - 0.3)


def test_the_way_down_is_gone_evenly_and_is_over_before_the_foot_lands():
    duration = 0.5  # s of a swing
    swung = np.linspace(0.0, 1.0, 101)
    share, rate = np.array([hip_descent(each, max((1.0 - each) * duration, 0.01)) for each in swung]).T
    assert share[0] == 0.0
    np.testing.assert_array_equal(share[swung >= DESCENT_END], 1.0)
    np.testing.assert_array_equal(rate[swung >= DESCENT_END], 0.0)
    np.testing.assert_allclose(rate[swung < DESCENT_END], 1.0 / (DESCENT_END * duration))
    np.testing.assert_allclose(np.diff(share[swung < DESCENT_END]), rate[0] * duration * 0.01)
