"""The ground where a foot can land."""

import numpy as np
import pytest

from poise.control.pendulum.foothold_ground import (
    MARGIN,
    SPACING,
    foothold_at,
    ground_above_foothold,
    landing_strip,
    stance_foot_rotation,
)
from poise.control.pendulum.walker import PRESSED, STEEP, Walker, rotated_xy
from poise.rotations import quat_rotate
from poise.world.scene import Scene
from poise.world.terrain_kinds import FIRST_EDGE, Platforms
from poise.world.world import World

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])
SIDES, YAWS = (0, 1), (0.0, 0.7, -2.0)
RUN = 0.3
"""A usual tread (m)."""
FOOT = 8
"""Samples near the ends of a strip, where a foot is not wholly on it."""


def on(body, terrain):
    return Walker(World(Scene.of(body, terrain)))


def treads(yaw, rise=0.15, run=RUN, count=8):
    """Stairs that rise along `yaw`, from an edge at the origin on."""
    tops = tuple((run * k, run * (k + 1) + 20.0 * (k == count - 1), -3.0, 3.0, rise * (k + 1)) for k in range(count))
    return Platforms(tops, turns=(yaw,) * count)


def places(ground):
    """Positions (N,) m ahead of the samples of a strip."""
    return ground.begin + SPACING * np.arange(len(ground.level))


# -- footholds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("yaw", YAWS)
def test_on_level_ground_a_foot_presses_where_it_is_told(walker, yaw):
    place = np.array([0.4, -0.3])
    hold = foothold_at(walker, 0, place, yaw)
    ahead = PRESSED * walker.legs.ball[0, 0]
    np.testing.assert_allclose(hold.ankle + rotated_xy(yaw, (ahead, 0.0)), place, atol=1e-12)
    assert hold.ground == 0.0
    np.testing.assert_array_equal(hold.tilt, LEVEL)
    np.testing.assert_array_equal(hold.up, UP)


@pytest.mark.parametrize("degrees", [10.0, -15.0])
@pytest.mark.parametrize("yaw", [0.0, np.pi / 2, 0.6])
def test_on_a_slope_a_foot_lies_flat(body, degrees, yaw):
    walker = on(body, f"slope:{degrees}")
    hold = foothold_at(walker, 0, np.array([1.5, 0.2]), yaw)
    normal = np.array([-np.sin(np.radians(degrees)), 0.0, np.cos(np.radians(degrees))])
    np.testing.assert_allclose(quat_rotate(hold.tilt, UP), normal, atol=1e-6)
    np.testing.assert_allclose(hold.up / np.linalg.norm(hold.up), normal, atol=1e-6)
    assert hold.ground == pytest.approx(walker.ground_height(hold.ankle))


def test_on_an_edge_a_foot_is_level(body):
    walker = on(body, "stairs:0.15:0.3:6")
    hold = foothold_at(walker, 0, np.array([FIRST_EDGE, 0.0]), 0.0)
    np.testing.assert_array_equal(hold.tilt, LEVEL)
    assert hold.ground == pytest.approx(0.15)


@pytest.mark.parametrize("terrain", ["flat", "slope:12", "slope:-12"])
def test_a_standing_foot_lies_on_the_ground_and_points_where_it_points(body, terrain):
    walker = on(body, terrain)
    for yaw in (0.0, 1.0, -2.5):
        turn = stance_foot_rotation(walker, 0, np.array([1.0, 0.5, 0.0]), yaw)
        np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(turn) == pytest.approx(1.0)
        assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(yaw)
        for way in (turn[:, 0], turn[:, 1]):
            rise = walker.ground_height(way[:2] + [1.0, 0.5]) - walker.ground_height([1.0, 0.5])
            assert way[2] == pytest.approx(rise, abs=1e-6)


def test_a_foot_that_stands_over_an_edge_is_level(body):
    walker = on(body, "stairs:-0.15:0.3:6")
    for ahead in (-0.02, 0.02, 0.05):
        turn = stance_foot_rotation(walker, 0, np.array([FIRST_EDGE + ahead, 0.0, 0.0]), 0.0)
        np.testing.assert_allclose(turn, np.eye(3), atol=1e-12)


# -- strips ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("terrain", ["flat", "slope:15", "slope:-20", "rough:0.04:3"])
@pytest.mark.parametrize("yaw", YAWS)
def test_where_there_are_no_edges_there_is_room_everywhere(body, terrain, yaw):
    walker = on(body, terrain)
    ground = landing_strip(walker, 0, np.array([1.0, -0.5]), yaw, 0.2)
    assert ground.free[FOOT:-FOOT].all()
    for ahead, level in zip(places(ground), ground.level, strict=True):
        assert level == pytest.approx(
            walker.ground_height(np.array([1.0, -0.5]) + rotated_xy(yaw, (ahead, 0.2))), abs=1e-12
        )


def test_a_strip_reaches_as_far_as_steps_may(walker):
    found = places(landing_strip(walker, 0, np.zeros(2), 0.0, 0.2))
    assert found[0] < -0.6 * walker.legs.length
    assert found[-1] > walker.legs.length


@pytest.mark.parametrize("degrees", [12.0, -7.0])
def test_its_slope_is_that_of_the_ground_along_it(body, degrees):
    walker = on(body, f"slope:{degrees}")
    for yaw in (0.0, 1.0, np.pi):
        slope = landing_strip(walker, 0, np.zeros(2), yaw, 0.2).slope
        assert slope == pytest.approx(np.tan(np.radians(degrees)) * np.cos(yaw), abs=1e-12)


@pytest.mark.parametrize("yaw", YAWS)
@pytest.mark.parametrize("side", SIDES)
def test_what_was_aimed_at_is_told_along_the_strip(walker, yaw, side):
    pressed = np.array([0.3, -0.2])
    aimed = pressed + rotated_xy(yaw, (0.45, 0.17))
    assert landing_strip(walker, side, pressed, yaw, 0.2, aimed).aimed == pytest.approx(0.45)
    assert np.isnan(landing_strip(walker, side, pressed, yaw, 0.2).aimed)


BEYOND = 0.005  # m by which an ankle may be beyond an edge: heights between samples are interpolated


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("yaw", YAWS)
def test_on_stairs_a_foot_has_room_with_ankle_and_ball_on_a_tread_and_nothing_above(body, side, yaw, way):
    """Up and down; each tread has room somewhere, and none has it everywhere."""
    walker = on(body, treads(yaw))
    toward = yaw if way == 1 else yaw + np.pi
    start = rotated_xy(yaw, (1.0, 0.0))
    ground = landing_strip(walker, side, start, toward, 0.1)
    ball, sole = walker.legs.ball[side, 0], walker.legs.sole[side, :, 0]
    rooms = set()
    for ahead in places(ground)[FOOT:-FOOT][ground.free[FOOT:-FOOT]]:
        at = start + rotated_xy(toward, (ahead - PRESSED * ball, 0.1))
        ankle, front = (walker.ground_height(at + rotated_xy(toward, (reach, 0.0))) for reach in (BEYOND, ball))
        assert ankle == pytest.approx(front)
        for reach in np.linspace(sole.min() + SPACING, sole.max() - SPACING, 7):
            assert walker.ground_height(at + rotated_xy(toward, (reach, 0.0))) < ankle + 1e-9
        rooms.add(round(ankle, 6))
    along = 1.0 + way * places(ground)
    inner = along[FOOT:-FOOT]
    whole = {round(0.15 * k, 6) for k in range(1, 8) if inner.min() < RUN * (k - 1) and inner.max() > RUN * k}
    assert len(whole) >= 3
    assert len(whole - rooms) <= 1  # ground is sampled: with an ankle at the very edge of a tread a sample may miss
    assert not ground.free[(along > 0.3) & (along < 1.5)].all()


def test_down_stairs_a_heel_keeps_away_from_the_riser_and_has_then_passed_it(body):
    """Accurate to one sample of the strip."""
    walker = on(body, "stairs:-0.15:0.3:6")
    ground = landing_strip(walker, 0, np.zeros(2), 0.0, 0.1)
    back = walker.legs.sole[0, 0, 0] - PRESSED * walker.legs.ball[0, 0]
    free = places(ground)[ground.free & (places(ground) > FIRST_EDGE - 0.01)]
    kept = free.min() + back - FIRST_EDGE
    assert MARGIN <= kept < MARGIN + SPACING
    hold = foothold_at(walker, 0, np.array([free.min(), 0.1]), 0.0)
    assert ground_above_foothold(walker, 0, hold.ankle[None], 0.0, hold) == pytest.approx(0.0, abs=1e-9)


def test_on_treads_shorter_than_a_foot_there_is_no_room(body):
    walker = on(body, treads(0.0, run=0.1, count=40))
    ground = landing_strip(walker, 0, np.array([1.5, 0.0]), 0.0, 0.1)
    assert not ground.free[FOOT:-FOOT].any()


def test_low_edges_are_no_edges(body):
    """An edge of one centimetre is stood on."""
    assert landing_strip(on(body, treads(0.0, rise=0.01, count=1)), 0, np.zeros(2), 0.0, 0.1).free.all()
    assert not landing_strip(on(body, treads(0.0, rise=0.03, count=1)), 0, np.zeros(2), 0.0, 0.1).free.all()


# -- edges on the path -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("terrain", ["flat", "slope:12", "slope:-20"])
@pytest.mark.parametrize("yaw", YAWS)
def test_on_a_plane_nothing_is_above_it(body, terrain, yaw):
    walker = on(body, terrain)
    hold = foothold_at(walker, 1, np.array([0.4, 0.1]), yaw)
    ways = np.random.default_rng(0).uniform(-1, 1, (6, 2))
    assert ground_above_foothold(walker, 1, ways, yaw, hold) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("yaw", YAWS)
def test_on_stairs_what_is_a_step_higher_is_above_by_its_rise(body, yaw):
    """Down wide treads: on the tread to land on, with the heel over its edge, and one and two higher."""
    wide, rise = 0.6, 0.15
    walker, down = on(body, treads(yaw, rise, wide)), yaw + np.pi
    hold = foothold_at(walker, 0, rotated_xy(yaw, (2.5 * wide, 0.0)), down)
    assert hold.ground == pytest.approx(3 * rise)
    for behind, above in ((0.0, 0.0), (0.5, rise), (1.0, rise), (2.0, 2 * rise)):
        ankle = hold.ankle + rotated_xy(yaw, (behind * wide, 0.0))
        assert ground_above_foothold(walker, 0, ankle[None], down, hold) == pytest.approx(above, abs=1e-9)
    whole = hold.ankle + np.array([rotated_xy(yaw, (behind * wide, 0.0)) for behind in (0.0, 1.0, 0.5)])
    assert ground_above_foothold(walker, 0, whole, down, hold) == pytest.approx(rise)  # maximum over several positions


# -- feet on the ground ----------------------------------------------------------------------------------------------


def test_a_ball_on_the_ground_is_there_and_one_beyond_an_edge_on_the_level_of_its_ankle(body):
    walker = on(body, "stairs:-0.15:0.3:6")
    world = World(Scene.of(body, "flat"))
    world.reset(np.array(body.standing), np.zeros(body.nv))
    seen = walker.observe(world.state)
    reach = seen.ball[0] - seen.ankle[0]
    for ankle_at, level in ((FIRST_EDGE - 0.3, 0.0), (FIRST_EDGE - 0.05, 0.0), (FIRST_EDGE + 0.03, -0.15)):
        ankle = np.array([[ankle_at, 0.1, level + seen.ankle[0, 2]]] * 2)
        footing = walker.stance_ball(seen._replace(ankle=ankle, ball=ankle + reach), 0)
        np.testing.assert_allclose(footing, [*(ankle[0] + reach)[:2], level], atol=1e-9)


def test_a_ball_on_a_slope_is_on_the_ground(body):
    walker = on(body, "slope:-20")
    world = World(Scene.of(body, "flat"))
    world.reset(np.array(body.standing), np.zeros(body.nv))
    seen = walker.observe(world.state)
    lifted = seen._replace(ball=seen.ball + [0.0, 0.0, 0.5])
    found = walker.stance_ball(lifted, 1)
    assert found[2] == pytest.approx(walker.ground_height(seen.ball[1]))
    assert np.tan(np.radians(20.0)) < STEEP
