"""Where a foot is set, and its way there."""

from dataclasses import replace

import numpy as np
import pytest

from poise.control.pendulum.bending import sole_depth
from poise.control.pendulum.figure import PRESSED, Figure, eased, turned
from poise.control.pendulum.gait import DOUBLE, STRIKES, Gait, Lift
from poise.control.pendulum.ground import foothold, standing_turn
from poise.control.pendulum.manner import plain_manner
from poise.control.pendulum.swing import FALLS, LIFTED, TOUCHES, Foothold, swung
from poise.spatial import quat_rotate
from poise.world import Scene, World

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
VERTICAL = np.array([0.0, 0.0, 1.0])
UP = np.array([0.0, 0.0, 1.0])


def on(body, terrain):
    return Figure(World(Scene.of(body, terrain)))


def pressed_by(figure, hold, yaw):
    """(2,) m: the middle of where a foot that is set there presses."""
    return hold.ankle + turned(yaw, (PRESSED * figure.legs.ball[0, 0], 0.0))


# -- footholds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0])
def test_on_level_ground_a_foot_presses_where_it_is_told(body, figure, yaw):
    place = np.array([0.4, -0.3])
    hold = foothold(figure, 0, place, yaw)
    np.testing.assert_allclose(pressed_by(figure, hold, yaw), place, atol=1e-12)
    assert hold.ground == 0.0
    np.testing.assert_array_equal(hold.tilt, LEVEL)
    np.testing.assert_array_equal(hold.up, VERTICAL)


@pytest.mark.parametrize("degrees", [10.0, -15.0])
@pytest.mark.parametrize("yaw", [0.0, np.pi / 2, 0.6])
def test_on_a_slope_a_foot_lies_flat(body, degrees, yaw):
    figure = on(body, f"slope:{degrees}")
    hold = foothold(figure, 0, np.array([1.5, 0.2]), yaw)
    normal = np.array([-np.sin(np.radians(degrees)), 0.0, np.cos(np.radians(degrees))])
    np.testing.assert_allclose(quat_rotate(hold.tilt, UP), normal, atol=1e-6)
    assert hold.ground == pytest.approx(figure.ground(hold.ankle))


def test_a_foot_is_set_beside_an_edge_not_on_it(body):
    """Treads of 0.5 m, the first edge somewhere: wherever it is told to press, heel and ball are on one tread."""
    figure = on(body, "stairs:0.15:0.5:6")
    back, front = figure.legs.sole[0, 0, 0], figure.legs.sole[0, 4, 0]
    moved = 0
    for x in np.arange(0.3, 2.5, 0.05):
        hold = foothold(figure, 0, np.array([x, 0.0]), 0.0)
        heights = [figure.ground(hold.ankle + [reach, 0.0]) for reach in (back, front)]
        assert heights[0] == pytest.approx(heights[1], abs=0.02)
        assert hold.ground == pytest.approx(heights[0], abs=0.02)
        moved += abs(pressed_by(figure, hold, 0.0)[0] - x) > 0.01
    assert moved > 5


@pytest.mark.parametrize("terrain", ["flat", "slope:12", "slope:-12"])
def test_a_standing_foot_lies_on_the_ground_and_points_where_it_points(body, terrain):
    figure = on(body, terrain)
    for yaw in (0.0, 1.0, -2.5):
        turn = standing_turn(figure, np.array([1.0, 0.5, 0.0]), yaw)
        np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(turn) == pytest.approx(1.0)
        assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(yaw)
        ahead = figure.ground(turn[:2, 0] + [1.0, 0.5]) - figure.ground([1.0, 0.5])
        assert turn[2, 0] == pytest.approx(ahead, abs=1e-6)


# -- the way of a foot ---------------------------------------------------------------------------------------------


@pytest.fixture
def gait(body, figure):
    """On the left foot, the right one just lifted."""
    lift = Lift(np.array([-0.3, -0.1, figure.legs.ankle_height]), LEVEL, 0.0, 0.0)
    return Gait(0, DOUBLE, plain_manner(body, figure.legs, body.standing), lift, since=0.06)


def at(gait, phase, **changed):
    return replace(gait, phase=phase, since=0.5 * phase, **changed)


def way(gait, figure, hold, phases, more=0.0):
    moments = [(at(gait, phase), gait.manner.at(phase)) for phase in phases]
    return np.array([swung(one, gait.lift, moment, 0.0, hold, figure.legs, more).ankle for one, moment in moments])


def test_a_foot_leaves_from_where_it_was_and_lands_where_it_should(figure, gait):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    path = way(gait, figure, hold, np.linspace(DOUBLE, 1.0, 60))
    np.testing.assert_allclose(path[0, :2], gait.lift.ankle[:2], atol=1e-9)
    np.testing.assert_allclose(path[-1, :2], hold.ankle, atol=1e-9)
    assert np.all(np.diff(path[:, 0]) >= -1e-12)
    down = DOUBLE + TOUCHES * (1 - DOUBLE)
    np.testing.assert_allclose(way(gait, figure, hold, [down])[0, 2], figure.legs.ankle_height, atol=1e-9)
    assert path[:, 2].max() >= figure.legs.ankle_height + 0.99 * LIFTED


@pytest.mark.parametrize("more", [0.05, 0.2])
def test_feet_are_lifted_by_as_much_more_as_is_asked(figure, gait, more):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    phases = np.linspace(DOUBLE, 1.0, 200)
    plain, high = (way(gait, figure, hold, phases, lift)[:, 2] for lift in (0.0, more))
    assert (high - plain).max() == pytest.approx(more, abs=1e-3)
    assert high[0] == plain[0]


@pytest.mark.parametrize("rise", [0.15, -0.15])
def test_a_foot_stays_clear_of_an_edge_halfway(figure, gait, rise):
    hold = Foothold(np.array([0.35, -0.12]), rise, LEVEL, VERTICAL)
    path = way(gait, figure, hold, np.linspace(DOUBLE, 1.0, 100))
    edge = 0.5 * (path[0, 0] + path[-1, 0])
    ground = np.where(path[:, 0] > edge, rise, 0.0)
    clear = path[:, 2] - figure.legs.ankle_height - ground
    assert np.all(clear[np.abs(path[:, 0] - edge) < 0.15] > 0.01)
    down = DOUBLE + TOUCHES * (1 - DOUBLE)
    assert way(gait, figure, hold, [down])[0, 2] == pytest.approx(rise + figure.legs.ankle_height, abs=0.02)


def test_where_there_is_no_ground_a_foot_goes_on_down(figure, gait):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    heights = [
        swung(at(gait, 1.0, overdue=late), gait.lift, gait.manner.at(1.0), 0.0, hold, figure.legs, 0.0).ankle[2]
        for late in (0.0, 0.1, 0.2)
    ]
    np.testing.assert_allclose(np.diff(heights), -0.1 * FALLS)


def test_a_foot_lands_turned_as_the_ground(body, gait):
    figure = on(body, "slope:10")
    hold = foothold(figure, 1, np.array([1.0, -0.1]), 0.0)
    foot = swung(at(gait, 1.0), gait.lift, gait.manner.at(1.0), 0.0, hold, figure.legs, 0.0).foot
    np.testing.assert_allclose(foot[:, 2], quat_rotate(hold.tilt, UP), atol=1e-9)


# -- where in a step it is -----------------------------------------------------------------------------------------


def test_a_step_that_is_cut_short_gets_there_in_time(gait):
    step, within = 0.02, 0.2
    for k in range(10):
        gait = gait.later(step, within - k * step)
    assert gait.phase == pytest.approx(1.0)
    assert gait.overdue == 0.0
    late = replace(gait, phase=1.0).later(step, step)
    assert late.phase == 1.0
    assert late.overdue == pytest.approx(step)
    assert late.since == pytest.approx(0.06 + 11 * step)


def test_a_touch_early_in_the_swing_is_no_landing(figure, world, body, gait):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    seen = figure.see(world.state)
    assert seen.touching.all()
    assert not at(gait, STRIKES - 0.1).landed(seen)
    assert at(gait, STRIKES + 0.1).landed(seen)
    assert not at(gait, STRIKES + 0.1).landed(seen._replace(touching=np.array([True, False])))


def test_a_foot_is_lifted_from_where_it_stands(figure, world, body, gait):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    seen = figure.see(world.state)
    stands = replace(gait, lift=None, phase=DOUBLE + 0.01)
    assert stands.lifts()
    lifted = stands.lifted(seen, figure)
    assert not lifted.lifts()
    np.testing.assert_allclose(lifted.lift.ankle, seen.ankle[1])
    depth = sole_depth(figure.legs, 1, np.ascontiguousarray(seen.foot[1]), VERTICAL)
    assert lifted.lift.extra == pytest.approx(seen.ankle[1, 2] - depth)


def test_easing_has_level_ends():
    shares = np.linspace(-0.5, 1.5, 201)
    values = np.array([eased(share) for share in shares])
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert np.all(np.diff(values) >= 0)
    assert eased(1e-4) < 1e-7
    assert eased(0.5) == 0.5
