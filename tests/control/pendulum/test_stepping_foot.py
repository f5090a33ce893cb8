"""The path of the swing foot, and the state of the gait."""

from dataclasses import replace

import numpy as np
import pytest

from poise.control.pendulum.foothold_ground import Foothold, foothold_at
from poise.control.pendulum.gait import (
    COMMITTED,
    DOUBLE_STANCE,
    EARLIEST_STRIKE,
    RETARGET,
    GaitState,
    LiftOff,
    plain_step_style,
    sample_at_phase,
)
from poise.control.pendulum.leg_ik import sole_depth
from poise.control.pendulum.swing import (
    DROP_SPEED,
    EARLY,
    EDGE_CLEARANCE,
    FALL_SPEED,
    FAST,
    FAST_LIFT,
    LAG,
    LAG_LIFT,
    LOOK_AHEAD,
    MIN_LIFT,
    SAFE_LIFT,
    SETTLED,
    SwingAim,
    swing_aim,
    swing_foot_target,
)
from poise.control.pendulum.walker import Walker, eased
from poise.rotations import quat_rotate
from poise.world.scene import Scene
from poise.world.terrain_kinds import Platforms
from poise.world.world import World

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
VERTICAL = np.array([0.0, 0.0, 1.0])
UP = np.array([0.0, 0.0, 1.0])


def on(body, terrain):
    return Walker(World(Scene.of(body, terrain)))


# -- path of the foot ------------------------------------------------------------------------------------------------


@pytest.fixture
def seen(walker, world, body):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    return walker.observe(world.state)


@pytest.fixture
def gait(body, walker):
    """A gait on the left foot, with the right foot just lifted."""
    lift = LiftOff(np.array([-0.3, -0.1, walker.legs.ankle_height]), LEVEL, 0.0, 0.0)
    return GaitState(0, DOUBLE_STANCE, plain_step_style(body, walker.legs, body.standing), lift, since=0.06)


def at(gait, phase, **changed):
    return replace(gait, phase=phase, since=0.5 * phase, **changed)


def at_place(seen, ankle):
    """Observation with the right ankle at a position (2,) m, or (3,) with its height."""
    return seen._replace(ankle=np.array([seen.ankle[0], [*ankle, seen.ankle[1, 2]][:3]]))


def placed(gait, walker, seen, hold, more=0.0):
    """Target of a foot that follows its path exactly."""
    aim = SwingAim(hold, more, 0.0, 0.0)
    first = swing_foot_target(walker, seen, gait, gait.lift, 0.0, aim, 0.0)
    return swing_foot_target(
        walker, at_place(seen, [*first.ankle[:2], seen.ankle[1, 2]]), gait, gait.lift, 0.0, aim, 0.0
    )


def way(gait, walker, seen, hold, phases, more=0.0):
    """Ankle positions (K, 3) m of a foot from one phase to the next."""
    path = []
    for phase in phases:
        path.append(placed(at(gait, phase), walker, seen, hold, more).ankle)
        seen = at_place(seen, path[-1])
    return np.array(path)


def test_a_foot_leaves_from_where_it_was_and_lands_where_it_should(walker, seen, gait):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    path = way(gait, walker, seen, hold, np.linspace(DOUBLE_STANCE, 1.0, 60))
    np.testing.assert_allclose(path[0, :2], gait.lift.ankle[:2], atol=1e-9)
    np.testing.assert_allclose(path[-1, :2], hold.ankle, atol=1e-9)
    assert np.all(np.diff(path[:, 0]) >= -1e-12)
    np.testing.assert_allclose(way(gait, walker, seen, hold, [1.0])[0, 2], walker.legs.ankle_height, atol=1e-9)
    assert path[:, 2].max() >= walker.legs.ankle_height + 0.99 * MIN_LIFT


@pytest.mark.parametrize(("lands", "kept"), [(0.5, 1.0), (0.3, 1.0), (0.0, 0.5), (-0.3, 0.0), (-0.6, 0.0)])
def test_a_foot_that_goes_less_far_than_the_references_is_turned_less(walker, seen, gait, lands, kept):
    """The reference's foot moves 0.6 m ahead and lands with its toes up; this one left from -0.3 m."""
    up = 0.4  # rad
    feet = np.array(gait.style.foot)
    feet[:, 1] = [np.cos(0.5 * up), 0.0, -np.sin(0.5 * up), 0.0]
    strides = replace(gait, phase=0.95, style=replace(gait.style, foot=feet, way=0.6))
    foot = placed(strides, walker, seen, Foothold(np.array([lands, -0.1]), 0.0, LEVEL, VERTICAL)).foot
    assert np.arcsin(foot[2, 0]) == pytest.approx(kept * up, abs=0.01)


def test_a_foot_leaves_the_ground_in_motion_as_in_the_reference(walker, seen, gait):
    """Not from rest, which would throw the leg forward and twist the stance foot, and not faster either."""
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    phases = np.linspace(DOUBLE_STANCE, 1.0, 201)
    speed = np.linalg.norm(np.diff(way(gait, walker, seen, hold, phases), axis=0), axis=1)
    progress = np.diff([sample_at_phase(gait.style.swing.progress, phase) for phase in phases])
    assert speed[0] / speed.max() == pytest.approx(progress[0] / progress.max(), rel=0.2)


def test_the_heel_is_at_rest_when_it_strikes(walker, seen, gait):
    """Although the reference's foot has neither arrived nor stopped turning when it lands."""
    quick = np.array(gait.style.foot)
    quick[:, 1] = [[np.cos(0.5 * a), 0.0, np.sin(0.5 * a), 0.0] for a in np.linspace(1.0, -0.3, len(quick))]
    walked = replace(gait, style=replace(gait.style, foot=quick))
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    feet = [placed(at(walked, phase), walker, seen, hold) for phase in np.linspace(DOUBLE_STANCE, 1.0, 201)]
    heel = np.array([air.ankle + air.foot @ walker.legs.sole[1, 0] for air in feet])
    speed = np.linalg.norm(np.diff(heel[:, :2], axis=0), axis=1)
    settled = round(SETTLED * 200) + 1
    assert speed[settled:].max() < 0.01 * speed.max()
    np.testing.assert_allclose(feet[-1].foot, feet[settled].foot, atol=1e-9)


@pytest.mark.parametrize(("astray", "down"), [(0.0, 1.0), (1.0, 1.0 - EARLY)])
def test_a_foot_is_down_when_its_step_ends_and_sooner_on_a_step_that_is_astray(walker, seen, gait, astray, down):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    aim = SwingAim(hold, 0.0, 0.0, astray)
    above = [
        swing_foot_target(
            walker, seen, at(gait, DOUBLE_STANCE + share * (1.0 - DOUBLE_STANCE)), gait.lift, 0.0, aim, 1.0
        ).ankle[2]
        - walker.legs.ankle_height
        for share in (down - 0.1, down)
    ]
    assert above[0] > 0.003
    assert above[1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("more", [0.05, 0.2])
def test_feet_are_lifted_by_as_much_more_as_is_asked(walker, seen, gait, more):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    phases = np.linspace(DOUBLE_STANCE, 1.0, 200)
    plain, high = (way(gait, walker, seen, hold, phases, lift)[:, 2] for lift in (0.0, more))
    assert (high - plain).max() == pytest.approx(more, abs=1e-3)
    assert high[0] == plain[0]


@pytest.mark.parametrize("rise", [0.15, -0.15])
def test_a_foot_stays_clear_of_an_edge_halfway(body, seen, gait, rise):
    ahead = ((0.025, 9.0, -2.0, 2.0, rise),) if rise > 0 else ((-9.0, 0.025, -2.0, 2.0, 0.0),)
    walker = on(body, Platforms(ahead, min(rise, 0.0)))
    hold = Foothold(np.array([0.35, -0.12]), rise, LEVEL, VERTICAL)
    path = way(gait, walker, seen, hold, np.linspace(DOUBLE_STANCE, 1.0, 100))
    edge = 0.5 * (path[0, 0] + path[-1, 0])
    assert edge == pytest.approx(0.025)
    ground = np.where(path[:, 0] > edge, rise, 0.0)
    clear = path[:, 2] - walker.legs.ankle_height - ground
    assert np.all(clear[np.abs(path[:, 0] - edge) < 0.15] > 0.01)
    down = way(gait, walker, seen, hold, np.linspace(DOUBLE_STANCE, 1.0, 100))[-1, 2]
    assert down == pytest.approx(rise + walker.legs.ankle_height, abs=0.02)


@pytest.mark.parametrize("terrain", ["stairs:-0.15:0.3:4", "drop:0.2"])
def test_on_its_way_down_a_foot_passes_over_the_edges_that_it_leaves(body, seen, gait, terrain):
    """From the tread before the first edge, 0.6 m ahead: neither heel nor toes hit an edge, wherever it lands."""
    walker = on(body, terrain)
    sole, spare = walker.legs.sole[1, :, 0], 0.005
    feet = np.linspace(sole.min(), sole.max(), 9)
    start, hold = np.array([0.38, -0.1]), foothold_at(walker, 1, np.array([0.75, -0.1]), 0.0)
    walked = replace(gait, lift=gait.lift._replace(ankle=np.array([*start, gait.lift.ankle[2]])))
    begun = at_place(seen, start)
    path = way(walked, walker, begun, hold, np.linspace(DOUBLE_STANCE, 0.95, 60))
    ground = np.array([[walker.ground_height(place[:2] + [reach, 0.0]) for reach in feet] for place in path])
    crossing = ground.max(axis=1) > hold.ground + 0.02
    assert crossing.sum() > 10
    clear = path[:, 2] - walker.legs.ankle_height - ground.max(axis=1)
    assert clear[5:][crossing[5:]].min() > spare


@pytest.mark.parametrize(("terrain", "bound"), [("drop:0.2", True), ("slope:-20", False)])
def test_a_foot_goes_down_over_an_edge_no_faster_than_told_but_freely_down_a_slope(body, seen, gait, terrain, bound):
    """A foot that is higher than its target."""
    walker, step, high = on(body, terrain), 0.02, 0.3
    hold = foothold_at(walker, 1, np.array([0.9, -0.1]), 0.0)
    hangs, aim = at_place(seen, [*hold.ankle, high]), SwingAim(hold, 0.0, 0.0, 0.0)
    left = gait.lift._replace(ankle=np.array([0.3, -0.1, 0.0]), ground=walker.ground_height((0.3, -0.1)))
    here, there = (
        swing_foot_target(walker, hangs, at(gait, 1.0), left, 0.0, aim, ahead).ankle[2] for ahead in (0.0, step)
    )
    if bound:
        assert here - there == pytest.approx(DROP_SPEED * walker.legs.time_scale * step)
        assert here == pytest.approx(high - DROP_SPEED * walker.legs.time_scale * LOOK_AHEAD)
    else:
        assert here == there < hold.ground + 1.5 * walker.legs.ankle_height


def test_a_foot_that_is_below_an_edge_is_not_lifted_over_it_again(body, seen, gait):
    """Its heel is still below the edge of a drop, 0.6 m ahead."""
    walker = on(body, "drop:0.2")
    hold = foothold_at(walker, 1, np.array([0.75, -0.1]), 0.0)
    aim, late = SwingAim(hold, 0.0, 0.0, 0.0), at(gait, 0.9)
    over, below = (
        swing_foot_target(walker, at_place(seen, [0.62, -0.1, high]), late, gait.lift, 0.0, aim, 0.0).ankle[2]
        - walker.legs.ankle_height
        for high in (0.1, -0.02)
    )
    assert over == pytest.approx(EDGE_CLEARANCE * walker.legs.scale)
    assert below < -0.05


def test_where_there_is_no_ground_a_foot_goes_on_down(walker, seen, gait):
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    heights = [placed(at(gait, 1.0, overdue=late), walker, seen, hold).ankle[2] for late in (0.0, 0.1, 0.2)]
    np.testing.assert_allclose(np.diff(heights), -0.1 * FALL_SPEED * walker.legs.time_scale)


def test_a_foot_lands_turned_as_the_ground(body, seen, gait):
    walker = on(body, "slope:10")
    hold = foothold_at(walker, 1, np.array([1.0, -0.1]), 0.0)
    foot = placed(at(gait, 1.0), walker, seen, hold).foot
    np.testing.assert_allclose(foot[:, 2], quat_rotate(hold.tilt, UP), atol=1e-9)


# -- state of the gait -----------------------------------------------------------------------------------------------


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
    assert not at(gait, EARLIEST_STRIKE - 0.1).has_landed(seen)
    assert at(gait, EARLIEST_STRIKE + 0.1).has_landed(seen)
    assert not at(gait, EARLIEST_STRIKE + 0.1).has_landed(seen._replace(touching=np.array([True, False])))


def safe_lift(walker, gait, astray):
    """Lift (m) of a foot on a step that is `astray` by a share above that on a usual one of the plain style."""

    def sole(astray):
        early = min(gait.swing_share / (1.0 - EARLY * astray), 1.0)
        clear = float(sample_at_phase(gait.style.swing.clear, DOUBLE_STANCE + early * (1.0 - DOUBLE_STANCE)))
        clear -= (1.0 - early) * float(sample_at_phase(gait.style.swing.clear, DOUBLE_STANCE))
        least = MIN_LIFT + astray * (SAFE_LIFT - MIN_LIFT)
        return max(clear, least * walker.legs.scale * 4 * early * (1 - early))

    return sole(astray) - sole(0.0)


@pytest.mark.parametrize(("lag", "kept_up"), [(0.04, 0.0), (0.25, 0.25 - LAG)])
def test_a_foot_that_lags_is_kept_up_by_a_share_of_what_it_lacks(walker, seen, gait, lag, kept_up):
    gait = at(gait, 0.8)
    hold = foothold_at(walker, 1, np.array([0.5, -0.1]), 0.0)
    there = placed(gait, walker, seen, hold)
    behind = at_place(seen, there.ankle[:2] - [lag * walker.legs.scale, 0.0])
    aim = swing_aim(walker, behind, gait, 0.0, hold, 0.0, 0.0)
    late = swing_foot_target(walker, behind, gait, gait.lift, 0.0, aim, 0.0)
    assert aim.lags == pytest.approx(lag * walker.legs.scale)
    np.testing.assert_allclose(late.ankle[:2], there.ankle[:2])
    assert late.ankle[2] - there.ankle[2] == pytest.approx(LAG_LIFT * kept_up * walker.legs.scale)


@pytest.mark.parametrize("astray", [0.0, 0.5, 1.0])
def test_a_foot_on_time_is_lifted_only_as_it_hurries_to_somewhere_unusual(walker, seen, gait, astray):
    """The distance to cover within a time step is no lag."""
    step, hold = 0.02, foothold_at(walker, 1, np.array([0.9, -0.1]), 0.0)
    now, then = at(gait, 0.5), at(gait, 0.5 + 0.04)
    on_time = at_place(seen, placed(now, walker, seen, hold).ankle[:2])
    aim = swing_aim(walker, on_time, now, 0.0, hold, 0.0, astray)
    assert aim.lags == pytest.approx(0.0, abs=1e-12)
    here, there = (
        swing_foot_target(walker, on_time, each, each.lift, 0.0, aim, ahead)
        for each, ahead in ((now, 0.0), (then, step))
    )
    faster = np.linalg.norm(there.ankle[:2] - here.ankle[:2]) / step - FAST * walker.legs.time_scale
    assert faster > 0.5
    plain = placed(then, walker, seen, hold).ankle[2]
    hurried = there.ankle[2] - plain - safe_lift(walker, then, astray)
    assert here.ankle[2] == pytest.approx(placed(now, walker, seen, hold).ankle[2] + safe_lift(walker, now, astray))
    assert hurried == pytest.approx(FAST_LIFT * astray * step * faster)


def test_a_foot_that_lags_is_lifted_as_its_place_runs_away(walker, seen, gait):
    step, lag, hold = 0.02, 0.2 * walker.legs.scale, foothold_at(walker, 1, np.array([0.9, -0.1]), 0.0)
    now, then = at(gait, 0.5), at(gait, 0.5 + 0.04)
    here, there = (placed(each, walker, seen, hold).ankle for each in (now, then))
    behind = at_place(seen, here[:2] - lag * (there - here)[:2] / np.linalg.norm((there - here)[:2]))
    steady, astray = (
        swing_foot_target(
            walker, behind, then, then.lift, 0.0, swing_aim(walker, behind, now, 0.0, hold, 0.0, share), step
        ).ankle[2]
        for share in (0.0, 1.0)
    )
    hurried = astray - steady - safe_lift(walker, then, 1.0)
    assert hurried == pytest.approx(FAST_LIFT * np.linalg.norm((there - here)[:2]))


def test_a_foot_is_lifted_from_where_it_stands(walker, seen, gait):
    stands = replace(gait, lift=None, phase=DOUBLE_STANCE + 0.01)
    assert stands.may_lift_foot(0.0)
    assert not replace(stands, phase=DOUBLE_STANCE - 0.01).may_lift_foot(0.0)
    assert replace(stands, phase=DOUBLE_STANCE - 0.01).may_lift_foot(1.0)
    lifted = stands.with_foot_lifted(seen, walker)
    assert not lifted.may_lift_foot(1.0)
    np.testing.assert_allclose(lifted.lift.ankle, seen.ankle[1])
    depth = sole_depth(walker.legs, 1, np.ascontiguousarray(seen.foot[1]), VERTICAL)
    assert lifted.lift.extra == pytest.approx(seen.ankle[1, 2] - depth)


def test_easing_has_level_ends():
    shares = np.linspace(-0.5, 1.5, 201)
    values = np.array([eased(share) for share in shares])
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert np.all(np.diff(values) >= 0)
    assert eased(1e-4) < 1e-7
    assert eased(0.5) == 0.5


# -- aim -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [0.5, 0.95])
def test_late_in_the_swing_a_foot_stays_with_where_it_goes(gait, phase):
    aimed, near, far = np.array([0.3, -0.1]), np.array([0.33, -0.1]), np.array([0.5, -0.1])
    gait = at(gait, phase, aimed=aimed)
    sure = gait.swing_share >= COMMITTED
    np.testing.assert_allclose(gait.committed_aim(near, 1.0), aimed if sure else near)
    np.testing.assert_allclose(gait.committed_aim(far, 1.0), far - [RETARGET, 0.0] if sure else far)
    np.testing.assert_allclose(replace(gait, aimed=None).committed_aim(near, 1.0), near)


@pytest.mark.parametrize("up", [0.0, 0.3])
def test_a_foot_that_strikes_heel_first_lies_where_it_should_once_it_has_rolled(walker, seen, gait, up):
    """The heel strikes where that of the flat foot will be."""
    pitched = np.array(gait.style.foot)
    pitched[:, 1] = [np.cos(up / 2), 0.0, -np.sin(up / 2), 0.0]
    gait = replace(gait, style=replace(gait.style, foot=pitched))
    hold = Foothold(np.array([0.35, -0.12]), 0.0, LEVEL, VERTICAL)
    air = placed(at(gait, 1.0), walker, seen, hold)
    heel = walker.legs.sole[1, 0]
    assert (air.foot @ [1.0, 0.0, 0.0])[2] == pytest.approx(np.sin(up), abs=1e-6)
    np.testing.assert_allclose((air.ankle + air.foot @ heel)[0], (hold.ankle + heel[:2])[0], atol=1e-6)
