"""The way of a foot to where it is set, and where in a step it is."""

from dataclasses import replace

import numpy as np
import pytest

from poise.control.pendulum.foothold_ground import Foothold, foothold
from poise.control.pendulum.gait import DOUBLE, NEAR, STRIKES, SURE, GaitState, Lift
from poise.control.pendulum.gait_style import plain_manner
from poise.control.pendulum.leg_ik import sole_depth
from poise.control.pendulum.swing import (
    BEGINS,
    BEHIND,
    DROPS,
    FALLS,
    FORESEES,
    HANGS,
    HASTE,
    LIFTED,
    LIFTS,
    OVER,
    TOUCHES,
    SwingAim,
    aim_at,
    swung,
)
from poise.control.pendulum.walker import Walker, eased
from poise.rotations import quat_rotate
from poise.world.platforms import Platforms
from poise.world.scene import Scene
from poise.world.world import World

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
VERTICAL = np.array([0.0, 0.0, 1.0])
UP = np.array([0.0, 0.0, 1.0])
DOWN = DOUBLE + (1 - DOUBLE) * (TOUCHES + 0.5 * BEGINS * (1 - TOUCHES))
"""The phase at which a foot is down."""


def on(body, terrain):
    return Walker(World(Scene.of(body, terrain)))


# -- the way of a foot ---------------------------------------------------------------------------------------------


@pytest.fixture
def seen(figure, world, body):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    return figure.see(world.state)


@pytest.fixture
def gait(body, figure):
    """On the left foot, the right one just lifted."""
    lift = Lift(np.array([-0.3, -0.1, figure.legs.ankle_height]), LEVEL, 0.0, 0.0)
    return GaitState(0, DOUBLE, plain_manner(body, figure.legs, body.standing), lift, since=0.06)


def at(gait, phase, **changed):
    return replace(gait, phase=phase, since=0.5 * phase, **changed)


def at_place(seen, ankle):
    """What is seen with the right ankle at a place (2,) m; or (3,), with how high it is."""
    return seen._replace(ankle=np.array([seen.ankle[0], [*ankle, seen.ankle[1, 2]][:3]]))


def placed(gait, figure, seen, hold, more=0.0):
    """Where a foot is that is always where it should be: as the one that is seen is where it just was."""
    aim = SwingAim(hold, more, 0.0, 0.0)
    first = swung(figure, seen, gait, gait.lift, 0.0, aim, 0.0)
    return swung(figure, at_place(seen, [*first.ankle[:2], seen.ankle[1, 2]]), gait, gait.lift, 0.0, aim, 0.0)


def way(gait, figure, seen, hold, phases, more=0.0):
    """(K, 3) m of the ankle of a foot that goes from one phase to the next."""
    path = []
    for phase in phases:
        path.append(placed(at(gait, phase), figure, seen, hold, more).ankle)
        seen = at_place(seen, path[-1])
    return np.array(path)


def test_a_foot_leaves_from_where_it_was_and_lands_where_it_should(figure, seen, gait):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    path = way(gait, figure, seen, hold, np.linspace(DOUBLE, 1.0, 60))
    np.testing.assert_allclose(path[0, :2], gait.lift.ankle[:2], atol=1e-9)
    np.testing.assert_allclose(path[-1, :2], hold.ankle, atol=1e-9)
    assert np.all(np.diff(path[:, 0]) >= -1e-12)
    np.testing.assert_allclose(way(gait, figure, seen, hold, [DOWN])[0, 2], figure.legs.ankle_height, atol=1e-9)
    assert path[:, 2].max() >= figure.legs.ankle_height + 0.99 * LIFTED


@pytest.mark.parametrize(("lands", "kept"), [(0.5, 1.0), (0.3, 1.0), (0.0, 0.5), (-0.3, 0.0), (-0.6, 0.0)])
def test_a_foot_that_goes_less_far_than_the_references_is_turned_less(figure, seen, gait, lands, kept):
    """The reference's goes 0.6 m ahead and lands with its toes up; this one has left from -0.3 m."""
    up = 0.4  # rad
    feet = np.array(gait.manner.foot)
    feet[:, 1] = [np.cos(0.5 * up), 0.0, -np.sin(0.5 * up), 0.0]
    strides = replace(gait, phase=0.95, manner=replace(gait.manner, foot=feet, way=0.6))
    foot = placed(strides, figure, seen, Foothold(np.array([lands, -0.1]), 0.0, LEVEL, VERTICAL)).foot
    assert np.arcsin(foot[2, 0]) == pytest.approx(kept * up, abs=0.01)


def test_a_foot_gathers_way_from_rest(figure, seen, gait):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    path = way(gait, figure, seen, hold, np.linspace(DOUBLE, 1.0, 201))
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert speed[0] < 0.2 * speed[20]


def test_the_heel_is_at_rest_when_it_strikes(figure, seen, gait):
    """Though the reference's foot, when it lands, has neither come to its place nor stopped turning."""
    quick = np.array(gait.manner.foot)
    quick[:, 1] = [[np.cos(0.5 * a), 0.0, np.sin(0.5 * a), 0.0] for a in np.linspace(1.0, -0.3, len(quick))]
    walked = replace(gait, manner=replace(gait.manner, foot=quick))
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    feet = [placed(at(walked, phase), figure, seen, hold) for phase in np.linspace(DOUBLE, 1.0, 201)]
    heel = np.array([air.ankle + air.foot @ figure.legs.sole[1, 0] for air in feet])
    speed = np.linalg.norm(np.diff(heel[:, :2], axis=0), axis=1)
    assert speed[190:].max() < 0.15 * speed.max()
    np.testing.assert_allclose(feet[-1].foot, feet[170].foot, atol=1e-9)


@pytest.mark.parametrize("more", [0.05, 0.2])
def test_feet_are_lifted_by_as_much_more_as_is_asked(figure, seen, gait, more):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    phases = np.linspace(DOUBLE, 1.0, 200)
    plain, high = (way(gait, figure, seen, hold, phases, lift)[:, 2] for lift in (0.0, more))
    assert (high - plain).max() == pytest.approx(more, abs=1e-3)
    assert high[0] == plain[0]


@pytest.mark.parametrize("rise", [0.15, -0.15])
def test_a_foot_stays_clear_of_an_edge_halfway(body, seen, gait, rise):
    ahead = ((0.025, 9.0, -2.0, 2.0, rise),) if rise > 0 else ((-9.0, 0.025, -2.0, 2.0, 0.0),)
    figure = on(body, Platforms(ahead, min(rise, 0.0)))
    hold = Foothold(np.array([0.35, -0.12]), rise, LEVEL, VERTICAL)
    path = way(gait, figure, seen, hold, np.linspace(DOUBLE, 1.0, 100))
    edge = 0.5 * (path[0, 0] + path[-1, 0])
    assert edge == pytest.approx(0.025)
    ground = np.where(path[:, 0] > edge, rise, 0.0)
    clear = path[:, 2] - figure.legs.ankle_height - ground
    assert np.all(clear[np.abs(path[:, 0] - edge) < 0.15] > 0.01)
    down = way(gait, figure, seen, hold, np.linspace(DOUBLE, DOWN, 100))[-1, 2]
    assert down == pytest.approx(rise + figure.legs.ankle_height, abs=0.02)


@pytest.mark.parametrize("terrain", ["stairs:-0.15:0.3:4", "drop:0.2"])
def test_on_its_way_down_a_foot_passes_over_the_edges_that_it_leaves(body, seen, gait, terrain):
    """From the tread before the first edge, 0.6 m ahead, wherever it lands: neither heel nor toes hit an edge."""
    figure = on(body, terrain)
    sole, spare = figure.legs.sole[1, :, 0], 0.005
    feet = np.linspace(sole.min(), sole.max(), 9)
    start, hold = np.array([0.38, -0.1]), foothold(figure, 1, np.array([0.75, -0.1]), 0.0)
    walked = replace(gait, lift=gait.lift._replace(ankle=np.array([*start, gait.lift.ankle[2]])))
    begun = at_place(seen, start)
    path = way(walked, figure, begun, hold, np.linspace(DOUBLE, 0.95, 60))
    ground = np.array([[figure.ground(place[:2] + [reach, 0.0]) for reach in feet] for place in path])
    crossing = ground.max(axis=1) > hold.ground + 0.02
    assert crossing.sum() > 10
    clear = path[:, 2] - figure.legs.ankle_height - ground.max(axis=1)
    assert clear[5:][crossing[5:]].min() > spare


@pytest.mark.parametrize(("terrain", "bound"), [("drop:0.2", True), ("slope:-20", False)])
def test_a_foot_goes_down_over_an_edge_no_faster_than_told_but_freely_down_a_slope(body, seen, gait, terrain, bound):
    """One that hangs higher than it should."""
    figure, step, high = on(body, terrain), 0.02, 0.3
    hold = foothold(figure, 1, np.array([0.9, -0.1]), 0.0)
    hangs, aim = at_place(seen, [*hold.ankle, high]), SwingAim(hold, 0.0, 0.0, 0.0)
    left = gait.lift._replace(ankle=np.array([0.3, -0.1, 0.0]), ground=figure.height(0.3, -0.1))
    here, there = (swung(figure, hangs, at(gait, 1.0), left, 0.0, aim, ahead).ankle[2] for ahead in (0.0, step))
    if bound:
        assert here - there == pytest.approx(DROPS * figure.legs.slow * step)
        assert here == pytest.approx(high - DROPS * figure.legs.slow * FORESEES)
    else:
        assert here == there < hold.ground + 1.5 * figure.legs.ankle_height


def test_a_foot_that_is_below_an_edge_is_not_lifted_over_it_again(body, seen, gait):
    """Its heel still under the edge of a drop, 0.6 m ahead."""
    figure = on(body, "drop:0.2")
    hold = foothold(figure, 1, np.array([0.75, -0.1]), 0.0)
    aim, late = SwingAim(hold, 0.0, 0.0, 0.0), at(gait, 0.9)
    over, below = (
        swung(figure, at_place(seen, [0.62, -0.1, high]), late, gait.lift, 0.0, aim, 0.0).ankle[2]
        - figure.legs.ankle_height
        for high in (0.1, -0.02)
    )
    assert over == pytest.approx(OVER * figure.legs.scale)
    assert below < -0.05


def test_where_there_is_no_ground_a_foot_goes_on_down(figure, seen, gait):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    heights = [placed(at(gait, 1.0, overdue=late), figure, seen, hold).ankle[2] for late in (0.0, 0.1, 0.2)]
    np.testing.assert_allclose(np.diff(heights), -0.1 * FALLS * figure.legs.slow)


def test_a_foot_lands_turned_as_the_ground(body, seen, gait):
    figure = on(body, "slope:10")
    hold = foothold(figure, 1, np.array([1.0, -0.1]), 0.0)
    foot = placed(at(gait, 1.0), figure, seen, hold).foot
    np.testing.assert_allclose(foot[:, 2], quat_rotate(hold.tilt, UP), atol=1e-9)


# -- where in a step it is -----------------------------------------------------------------------------------------


def test_a_step_that_is_cut_short_gets_there_in_time(gait):
    step, within, place = 0.02, 0.2, np.array([0.3, -0.1])
    for k in range(10):
        gait = gait.later(step, within - k * step, place)
    assert gait.phase == pytest.approx(1.0)
    assert gait.overdue == 0.0
    late = replace(gait, phase=1.0).later(step, step, place)
    assert late.phase == 1.0
    assert late.overdue == pytest.approx(step)
    assert late.since == pytest.approx(0.06 + 11 * step)


@pytest.mark.parametrize("phase", [0.5, 1.0])
def test_what_a_foot_in_the_air_is_meant_to_press_on_is_remembered(gait, phase):
    place = np.array([0.3, -0.1])
    np.testing.assert_array_equal(at(gait, phase).later(0.02, 0.2, place).aimed, place)
    assert replace(gait, lift=None, aimed=place).later(0.02, 0.2, place).aimed is None


def test_a_touch_early_in_the_swing_is_no_landing(seen, gait):
    assert seen.touching.all()
    assert not at(gait, STRIKES - 0.1).landed(seen)
    assert at(gait, STRIKES + 0.1).landed(seen)
    assert not at(gait, STRIKES + 0.1).landed(seen._replace(touching=np.array([True, False])))


@pytest.mark.parametrize(("lag", "kept_up"), [(0.04, 0.0), (0.25, 0.25 - BEHIND)])
def test_a_foot_that_lags_is_kept_up_by_a_share_of_what_it_lacks(figure, seen, gait, lag, kept_up):
    gait = at(gait, 0.8)
    hold = foothold(figure, 1, np.array([0.5, -0.1]), 0.0)
    there = placed(gait, figure, seen, hold)
    behind = at_place(seen, there.ankle[:2] - [lag * figure.legs.scale, 0.0])
    aim = aim_at(figure, behind, gait, 0.0, hold, 0.0, 1.0)
    late = swung(figure, behind, gait, gait.lift, 0.0, aim, 0.0)
    assert aim.lags == pytest.approx(lag * figure.legs.scale)
    np.testing.assert_allclose(late.ankle[:2], there.ankle[:2])
    assert late.ankle[2] - there.ankle[2] == pytest.approx(HANGS * kept_up * figure.legs.scale)


@pytest.mark.parametrize("astray", [0.0, 0.5, 1.0])
def test_a_foot_on_time_is_lifted_only_as_it_hurries_to_somewhere_unusual(figure, seen, gait, astray):
    """How far it should go within a step of the world is no lag."""
    step, hold = 0.02, foothold(figure, 1, np.array([0.9, -0.1]), 0.0)
    now, then = at(gait, 0.5), at(gait, 0.5 + 0.04)
    on_time = at_place(seen, placed(now, figure, seen, hold).ankle[:2])
    aim = aim_at(figure, on_time, now, 0.0, hold, 0.0, astray)
    assert aim.lags == pytest.approx(0.0, abs=1e-12)
    here, there = (
        swung(figure, on_time, each, each.lift, 0.0, aim, ahead) for each, ahead in ((now, 0.0), (then, step))
    )
    faster = np.linalg.norm(there.ankle[:2] - here.ankle[:2]) / step - HASTE * figure.legs.slow
    assert faster > 0.5
    plain = placed(then, figure, seen, hold).ankle[2]
    assert here.ankle[2] == pytest.approx(placed(now, figure, seen, hold).ankle[2])
    assert there.ankle[2] - plain == pytest.approx(LIFTS * astray * step * faster)


def test_a_foot_that_lags_is_lifted_as_its_place_runs_away(figure, seen, gait):
    step, lag, hold = 0.02, 0.2 * figure.legs.scale, foothold(figure, 1, np.array([0.9, -0.1]), 0.0)
    now, then = at(gait, 0.5), at(gait, 0.5 + 0.04)
    here, there = (placed(each, figure, seen, hold).ankle for each in (now, then))
    behind = at_place(seen, here[:2] - lag * (there - here)[:2] / np.linalg.norm((there - here)[:2]))
    steady, astray = (
        swung(figure, behind, then, then.lift, 0.0, aim_at(figure, behind, now, 0.0, hold, 0.0, share), step).ankle[2]
        for share in (0.0, 1.0)
    )
    assert astray - steady == pytest.approx(LIFTS * np.linalg.norm((there - here)[:2]))


def test_a_foot_is_lifted_from_where_it_stands(figure, seen, gait):
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


# -- where it is meant to land -------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [0.5, 0.95])
def test_late_in_the_swing_a_foot_stays_with_where_it_goes(gait, phase):
    aimed, near, far = np.array([0.3, -0.1]), np.array([0.33, -0.1]), np.array([0.5, -0.1])
    gait = at(gait, phase, aimed=aimed)
    sure = gait.swung >= SURE
    np.testing.assert_allclose(gait.meant(near, 1.0), aimed if sure else near)
    np.testing.assert_allclose(gait.meant(far, 1.0), far - [NEAR, 0.0] if sure else far)
    np.testing.assert_allclose(replace(gait, aimed=None).meant(near, 1.0), near)


@pytest.mark.parametrize("up", [0.0, 0.3])
def test_a_foot_that_strikes_heel_first_lies_where_it_should_once_it_has_rolled(figure, seen, gait, up):
    """Its heel is, when it strikes, where that of the flat foot will be."""
    pitched = np.array(gait.manner.foot)
    pitched[:, 1] = [np.cos(up / 2), 0.0, -np.sin(up / 2), 0.0]
    gait = replace(gait, manner=replace(gait.manner, foot=pitched))
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    air = placed(at(gait, 1.0), figure, seen, hold)
    heel = figure.legs.sole[1, 0]
    assert (air.foot @ [1.0, 0.0, 0.0])[2] == pytest.approx(np.sin(up), abs=1e-6)
    np.testing.assert_allclose((air.ankle + air.foot @ heel)[0], (hold.ankle + heel[:2])[0], atol=1e-6)
