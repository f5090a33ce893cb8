"""Standing on both feet."""

import numpy as np
import pytest

from poise.control.pendulum.stand import (
    MAX_SPEED,
    foot_support,
    may_stop_walking,
    needs_recovery_step,
    standing_foot_loads,
)
from poise.control.pendulum.walker import Walker, rotated_xy
from poise.world.scene import Scene
from poise.world.world import World


@pytest.fixture
def seen(walker, world, body):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    return walker.observe(world.state)


def moving(seen, velocity):
    return seen._replace(velocity=np.array([*velocity, 0.0]))


def over(seen, place):
    """The centre of mass over a position (2,) m."""
    return seen._replace(com=np.array([*place, seen.com[2]]))


def rested(seen):
    return over(seen, seen.pressed[:, :2].mean(axis=0))


def test_the_capture_point_of_who_is_at_rest_is_below_it(walker, seen):
    support = foot_support(walker, rested(seen), 0.0)
    np.testing.assert_allclose(support.capture, 0.0, atol=1e-12)
    assert np.all(support.low < 0)
    assert np.all(support.high > 0)


@pytest.mark.parametrize("yaw", [0.0, 0.9, -2.0])
def test_the_capture_point_is_where_a_pendulum_comes_to_rest(walker, seen, yaw):
    """At the capture point x - p stays proportional to v."""
    quick = moving(rested(seen), (0.2, -0.1))
    rate = np.sqrt(walker.gravity / (seen.com[2] - seen.pressed[:, 2].mean()))
    support = foot_support(walker, quick, yaw)
    np.testing.assert_allclose(rotated_xy(yaw, support.capture), np.array([0.2, -0.1]) / rate)


def test_small_sways_are_borne_and_large_ones_ask_for_a_step(walker, seen):
    assert not needs_recovery_step(foot_support(walker, rested(seen), 0.0))
    for way in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        fates = [
            needs_recovery_step(foot_support(walker, moving(rested(seen), speed * np.array(way)), 0.0))
            for speed in np.linspace(0.0, 2.0, 41)
        ]
        assert not fates[0]
        assert fates[-1]
        assert np.count_nonzero(np.diff(fates)) == 1


def test_it_comes_to_stand_only_slowly_and_with_feet_abreast(walker, seen):
    still = rested(seen)
    assert may_stop_walking(walker, still, foot_support(walker, still, 0.0))
    quick = moving(still, (0.0, MAX_SPEED + 0.01))
    assert not may_stop_walking(walker, quick, foot_support(walker, quick, 0.0))
    pressed = np.array(still.pressed)
    pressed[0, 0] += 0.3
    astride = rested(still._replace(pressed=pressed))
    assert not may_stop_walking(walker, astride, foot_support(walker, astride, 0.0))
    crossed = still._replace(pressed=still.pressed[::-1])
    assert not may_stop_walking(walker, crossed, foot_support(walker, crossed, 0.0))


# -- loads -----------------------------------------------------------------------------------------------------------


def pressure(found):
    """Centre of pressure (2,) m of both feet."""
    return sum(load.share * load.point[:2] for load in found)


@pytest.mark.parametrize("yaw", [0.0, 0.4])
@pytest.mark.parametrize("velocity", [(0.0, 0.0), (0.05, 0.0), (-0.05, 0.03), (0.0, -0.06)])
def test_the_ground_presses_beyond_the_capture_point(walker, seen, velocity, yaw):
    quick = moving(rested(seen), velocity)
    support = foot_support(walker, quick, yaw)
    left, right = standing_foot_loads(quick, support, yaw)
    assert left.share + right.share == pytest.approx(1.0)
    away = rotated_xy(-yaw, pressure((left, right)) - support.middle)
    capture = support.capture
    assert away @ capture >= capture @ capture - 1e-12
    if yaw == 0.0:
        np.testing.assert_allclose(away[0] * capture[1], away[1] * capture[0], atol=1e-6)


def test_the_ground_never_presses_beyond_the_feet(walker, seen):
    for velocity in ((3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0)):
        quick = moving(rested(seen), velocity)
        support = foot_support(walker, quick, 0.0)
        found = standing_foot_loads(quick, support, 0.0)
        assert all(0.0 <= load.share <= 1.0 for load in found)
        ahead = pressure(found)[0] - support.middle[0]
        assert support.low[0] - 1e-9 <= ahead <= support.high[0] + 1e-9


def test_the_larger_the_body_the_further_from_the_edge_it_steps(walker, seen):
    """All lengths doubled, and speeds by their root: the same outcome."""
    large = Walker(World(Scene.of(walker.body.scaled(size=2.0))))
    root, fates = np.sqrt(2.0), []
    for speed in np.linspace(0.0, 1.0, 201):
        small = moving(rested(seen), (speed, 0.0))
        grown = small._replace(com=2 * small.com, pressed=2 * small.pressed, velocity=root * small.velocity)
        fates.append([needs_recovery_step(foot_support(who, of, 0.0)) for who, of in ((walker, small), (large, grown))])
    changes = [np.argmax(column) for column in np.transpose(fates)]
    assert changes[0] == changes[1] > 0


def test_on_crossed_legs_the_left_foot_bears_what_is_to_the_right(walker, seen):
    crossed = seen._replace(pressed=seen.pressed[::-1])
    leans = over(crossed, crossed.pressed[:, :2].mean(axis=0) + [0.0, -0.02])
    left, right = standing_foot_loads(leans, foot_support(walker, leans, 0.0), 0.0)
    assert left.share > 0.6 > right.share


def test_who_leans_to_the_left_bears_more_on_the_left(walker, seen):
    leans = over(seen, seen.pressed[:, :2].mean(axis=0) + [0.0, 0.02])
    left, right = standing_foot_loads(leans, foot_support(walker, leans, 0.0), 0.0)
    assert left.share > 0.6 > right.share
