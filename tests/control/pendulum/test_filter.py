"""The linear pendulum: closed forms against integration, and steps that reach the target velocity."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import solve_ivp

from poise.control.pendulum.filter import (
    EXTRA_REACH,
    KEEP_BONUS,
    MIN_PHASE,
    MIN_REACH,
    SAME_PLACE,
    SHORTEST,
    SLACK,
    TIMING_COST,
    StepPace,
    linear_pendulum_after,
    linear_pendulum_landing,
    pressure_centre_shift,
    step_end_velocity,
    step_pace,
)
from poise.control.pendulum.foothold_ground import SPACING, FootStrip
from poise.control.pendulum.leg_ik import STRAIGHT

LEG, RATE, DURATION, WIDTH = 0.9, 3.2, 0.55, 0.2
FAR = 1e3
"""No bound (m)."""
pairs = arrays(float, 2, elements=st.floats(-0.3, 0.3))
wide = arrays(float, 2, elements=st.floats(-1.5, 1.5))
rates, times = st.floats(2.0, 5.0), st.floats(0.05, 0.6)
speeds, legs = st.floats(-0.6, 1.8), st.sampled_from((0, 1))


def free(velocity, leg=LEG):
    """Steps without bounds, except for the reach of a leg."""
    wide = np.full(2, FAR)
    return StepPace(leg, DURATION, velocity, FAR, -wide, wide, -wide, wide, math.nan)


def ground(level=lambda x: 0.0 * x, unfree=lambda x: x != x, aimed=math.nan):
    """A strip from -1 to 1 m, by its height and by where it has no room."""
    grid = SPACING * np.arange(-40, 41)
    return FootStrip(-1.0, np.asarray(level(grid), float), ~unfree(grid), aimed)


LEVEL = ground()


def hips_of(reach, leg=LEG):
    """Hip height (m) from which a leg reaches so far."""
    return math.sqrt((STRAIGHT * leg) ** 2 - (reach - EXTRA_REACH * leg) ** 2)


def stepped(place, velocity, pace, within, foot=(0.0, 0.0), hips=0.0, strip=LEVEL):
    """The landing at a time."""
    return linear_pendulum_landing(
        place, velocity, RATE, pace, np.array(foot), np.array([within]), within, np.array([hips]), strip
    )


# -- the pendulum ----------------------------------------------------------------------------------------------------


@given(pairs, pairs, rates, times)
def test_it_falls_as_its_equation_says(place, velocity, rate, time):
    found = solve_ivp(
        lambda _, y: np.concatenate([y[2:], rate**2 * y[:2]]),
        (0.0, time),
        np.concatenate([place, velocity]),
        rtol=1e-10,
        atol=1e-12,
    ).y[:, -1]
    np.testing.assert_allclose(
        np.concatenate(linear_pendulum_after(place, velocity, rate, time)), found, rtol=1e-7, atol=1e-9
    )


@given(pairs, pairs, rates, times, times)
def test_falling_twice_is_falling_once_for_longer(place, velocity, rate, first, second):
    there, then = linear_pendulum_after(*linear_pendulum_after(place, velocity, rate, first), rate, second)
    whole = linear_pendulum_after(place, velocity, rate, first + second)
    np.testing.assert_allclose((there, then), whole, rtol=1e-9, atol=1e-9)


@given(speeds, speeds, legs)
def test_steady_walking_repeats_itself(speed, aside, stance):
    """From the strike of a foot to that of the other: same speed, mirrored, and one step further."""
    end, begin = (step_end_velocity(speed, WIDTH, DURATION, RATE, side, aside) for side in (stance, 1 - stance))
    side = 0.5 * WIDTH * (1 if stance == 0 else -1)  # of the stance foot
    half = 0.5 * DURATION * np.array([speed, aside])
    there, then = linear_pendulum_after(np.array([0.0, -side]) - half, begin, RATE, DURATION)
    np.testing.assert_allclose(then, end, atol=1e-9)
    np.testing.assert_allclose(there, np.array([0.0, -side]) + half, atol=1e-9)


# -- landing ---------------------------------------------------------------------------------------------------------


def walked(place, velocity, speed, stance, steps):
    """Velocities (steps, 2) at strikes and steps (steps, 2) m of a pendulum that always lands in the wanted place."""
    velocities, strides = [], []
    for _ in range(steps):
        pace = free(step_end_velocity(speed, WIDTH, DURATION, RATE, 1 - stance), FAR)
        plan = stepped(place, velocity, pace, DURATION)
        place, velocity = plan.there - plan.place, plan.velocity
        velocities.append(velocity)
        strides.append(plan.place)
        stance = 1 - stance
    return np.array(velocities), np.array(strides)


@given(pairs, pairs, speeds, legs)
def test_from_anywhere_two_steps_bring_the_speed_and_the_width_and_they_stay(place, velocity, speed, stance):
    velocities, strides = walked(place, velocity, speed, stance, 5)
    side = np.where((stance + np.arange(5)) % 2 == 0, -1.0, 1.0)  # side of the step
    wanted = [step_end_velocity(speed, WIDTH, DURATION, RATE, (stance + k) % 2) for k in range(5)]
    np.testing.assert_allclose(velocities[1:], wanted[1:], atol=1e-8)
    np.testing.assert_allclose(strides[2:, 0], speed * DURATION, atol=1e-8)
    np.testing.assert_allclose(strides[2:, 1], side[2:] * WIDTH, atol=1e-8)


MIRROR = np.array([1.0, -1.0])
TIMES = np.linspace(0.1, 0.4, 7)


def planned(place, velocity, foot, speed, swing):
    pace = step_pace(LEG, DURATION, step_end_velocity(speed, WIDTH, DURATION, RATE, swing), swing)
    return linear_pendulum_landing(place, velocity, RATE, pace, foot, TIMES, 0.3, np.full(7, hips_of(0.6)), LEVEL), pace


@given(pairs, wide, pairs, speeds)
def test_left_and_right_mirror_each_other(place, velocity, foot, speed):
    left, _ = planned(place, velocity, foot, speed, 0)
    right, _ = planned(place * MIRROR, velocity * MIRROR, foot * MIRROR, speed, 1)
    assert left.within == right.within
    assert left.missed == pytest.approx(right.missed)
    for ours, theirs in ((left.place, right.place), (left.velocity, right.velocity), (left.there, right.there)):
        np.testing.assert_allclose(ours * MIRROR, theirs, atol=1e-12)


@given(pairs, wide, pairs, speeds, legs)
def test_a_foot_never_moves_faster_than_it_can(place, velocity, foot, speed, swing):
    plan, pace = planned(place, velocity, foot, speed, swing)
    assert np.linalg.norm(plan.place - foot) <= pace.swiftness * plan.within + SLACK * LEG + 1e-9
    assert plan.within in TIMES


@given(pairs, wide, speeds, legs)
def test_a_foot_that_is_quick_enough_lands_within_reach_and_bounds(place, velocity, speed, swing):
    pace = step_pace(LEG, DURATION, step_end_velocity(speed, WIDTH, DURATION, RATE, swing), swing)._replace(
        swiftness=FAR, out=math.nan
    )
    plan = stepped(place, velocity, pace, 0.3, hips=hips_of(0.5))
    step = plan.place - plan.there
    assert np.linalg.norm(step) <= 0.5 + 1e-9
    assert np.all((step >= pace.low - 1e-9) & (step <= pace.high + 1e-9))


def test_what_is_missed_is_how_far_the_landing_is_from_where_it_should_be():
    pace = free(np.zeros(2))
    place, velocity = np.zeros(2), np.array([1.0, 0.2])
    wanted = stepped(place, velocity, pace, 0.3)
    assert wanted.missed == pytest.approx(0.0, abs=1e-12)
    short = stepped(place, velocity, pace, 0.3, hips=hips_of(0.36))
    assert short.missed > 0.1
    assert short.missed == pytest.approx(np.linalg.norm(wanted.place - short.place))


def test_it_lands_when_it_is_due_if_nothing_speaks_against_it():
    start = linear_pendulum_after(
        np.array([-0.5 * 0.8 * DURATION, 0.1]), step_end_velocity(0.8, WIDTH, DURATION, RATE, 0), RATE, 0.25
    )
    pace = free(step_end_velocity(0.8, WIDTH, DURATION, RATE, 0))
    plan = linear_pendulum_landing(*start, RATE, pace, np.zeros(2), TIMES, 0.3, np.zeros(7), LEVEL)
    assert plan.within == pytest.approx(0.3)


def test_it_lands_sooner_where_it_would_else_not_reach():
    """It falls outward: the later the landing, the longer the step."""
    place, velocity = np.array([0.1, 0.15]), np.array([0.5, 1.0])
    due, pace = TIMES[-1], free(step_end_velocity(0.8, WIDTH, DURATION, RATE, 0))
    plan = linear_pendulum_landing(
        place, velocity, RATE, pace, np.zeros(2), TIMES, due, np.full(7, hips_of(0.4)), LEVEL
    )
    late = stepped(place, velocity, pace, due, hips=hips_of(0.4))
    assert plan.within < due
    assert plan.missed + TIMING_COST * LEG * (due - plan.within) / DURATION < late.missed


def test_it_lands_sooner_where_the_standing_foot_would_else_be_left_behind():
    place, velocity, due = np.array([0.1, 0.0]), np.array([1.0, 0.0]), TIMES[-1]
    bound = free(np.zeros(2))._replace(ahead=np.array([0.3, FAR]))
    free_plan, plan = (
        linear_pendulum_landing(place, velocity, RATE, pace, np.zeros(2), TIMES, due, np.zeros(7), LEVEL)
        for pace in (free(np.zeros(2)), bound)
    )
    assert free_plan.within == due
    assert plan.within < due
    assert plan.there[0] < free_plan.there[0]


@given(legs, st.floats(0.3, 2.0))
def test_bounds_grow_with_legs_and_lie_about_the_foot(swing, leg):
    pace, unit = (step_pace(size, DURATION, np.zeros(2), swing) for size in (leg, 1.0))
    for ours, theirs in zip(pace[4:8], unit[4:8], strict=True):
        np.testing.assert_allclose(ours, leg * theirs)
    assert pace.swiftness == pytest.approx(math.sqrt(leg) * unit.swiftness)
    assert np.all(pace.low < 0)
    assert np.all(pace.high > 0)
    out = pace.high[1] if swing == 0 else -pace.low[1]
    across = -pace.low[1] if swing == 0 else pace.high[1]
    assert out > across
    other = step_pace(leg, DURATION, np.zeros(2), 1 - swing)
    assert pace.out == -other.out
    for low, high in ((pace.low, other.high), (pace.back, other.ahead)):
        assert low[1] == -high[1]
    for ours, theirs in zip(pace[4:8], other[4:8], strict=True):
        assert ours[0] == theirs[0]


# -- ground ----------------------------------------------------------------------------------------------------------


def aiming_at(ahead, strip, hips=0.0):
    """The landing whose wanted position is `ahead` (m), before room and reach are considered."""
    velocity, within = np.array([1.0, 0.0]), 0.3
    there, then = linear_pendulum_after(np.zeros(2), velocity, RATE, within)
    c, s = math.cosh(RATE * DURATION), math.sinh(RATE * DURATION)
    pace = free(c * then - RATE * s * (np.array([ahead, 0.0]) - there))
    return stepped(np.zeros(2), velocity, pace, within, hips=hips, strip=strip)


def between(low, high):
    return lambda x: (x > low) & (x < high)


@given(st.floats(-0.3, 0.9), st.floats(0.0, 0.5), st.floats(0.05, 0.3))
def test_a_foot_lands_where_it_has_room_and_no_further_off_than_it_must(ahead, begin, wide):
    taken = between(begin, begin + wide)
    place = aiming_at(ahead, ground(unfree=taken)).place[0]
    grid = SPACING * np.arange(-40, 41)
    assert not taken(grid)[np.argmin(abs(grid - place))]
    rooms = grid[~taken(grid)]
    if taken(grid)[np.argmin(abs(grid - ahead))]:
        assert abs(place - ahead) == pytest.approx(abs(rooms - ahead).min())
    else:
        assert place == pytest.approx(ahead)


def test_where_there_is_no_room_at_all_it_lands_where_it_would():
    assert aiming_at(0.4, ground(unfree=between(-9, 9))).place[0] == pytest.approx(0.4)


def test_a_place_that_was_aimed_at_is_kept_unless_another_is_much_nearer():
    """From the middle of the part without room, and from near its far end."""
    low, high, taken = 0.25, 0.5, between(0.26, 0.49)
    for ahead, aimed, found in (
        (0.4, math.nan, high),
        (0.4, low, low),
        (0.4, low + 0.9 * SAME_PLACE * LEG, low),
        (0.4, low - 1.1 * SAME_PLACE * LEG, high),
        (0.375 + 0.45 * KEEP_BONUS * LEG, low, low),
        (0.375 + 0.55 * KEEP_BONUS * LEG, low, high),
        (0.375 - 0.45 * KEEP_BONUS * LEG, high, high),
    ):
        assert aiming_at(ahead, ground(unfree=taken, aimed=aimed)).place[0] == pytest.approx(found), (ahead, aimed)


@given(st.floats(-0.2, 0.2), st.floats(0.6, 0.9))
def test_a_leg_reaches_as_far_as_it_is_long(level, hips):
    """Pythagoras, from the hips to the height of the ground at the landing."""
    plan = aiming_at(3.0, ground(lambda x: np.full_like(x, level)), hips)
    above = max(hips - level, SHORTEST * LEG)
    reach = math.sqrt(max((STRAIGHT * LEG) ** 2 - above**2, (MIN_REACH * LEG) ** 2)) + EXTRA_REACH * LEG
    assert plan.place[0] - plan.there[0] == pytest.approx(reach)


def test_a_foot_reaches_further_up_than_down():
    """Hips of the same height are nearer to higher ground."""
    up, level, down = (aiming_at(3.0, ground(lambda x, z=z: np.where(x > 0.2, z, 0.0)), 0.85) for z in (0.1, 0.0, -0.1))
    assert up.place[0] > level.place[0] > down.place[0]


# -- ankle strategy --------------------------------------------------------------------------------------------------


@given(pairs, pairs, st.floats(0.1, 0.6), speeds)
def test_the_pressed_point_that_moved_brings_the_velocity(place, velocity, within, speed):
    wanted = step_end_velocity(speed, WIDTH, DURATION, RATE, 0)
    shift = pressure_centre_shift(linear_pendulum_after(place, velocity, RATE, within)[1], wanted, RATE, within)
    np.testing.assert_allclose(linear_pendulum_after(place - shift, velocity, RATE, within)[1], wanted, atol=1e-9)


def test_just_before_landing_the_pressed_point_does_not_run_away():
    shifts = [
        pressure_centre_shift(np.array([1.0, 0.0]), np.zeros(2), RATE, within)[0]
        for within in (0.9 * MIN_PHASE / RATE, 0.01, 0.0)
    ]
    assert shifts == [shifts[0]] * 3
