"""The rigid pendulum of the paper: energy, impact, steady steps, and landings that restore them."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.integrate import solve_ivp

from poise.control.pendulum.energy_filter import (
    MAX_LEAN,
    PlanarPendulum,
    SteadyStep,
    balancing_landing_leg,
    landing_leg_length,
    planar_pendulum_after,
    speed_after_strike,
    steady_step,
    time_to_step_end,
)
from poise.control.pendulum.filter import linear_pendulum_after

GRAVITY, HEIGHT = 9.81, 0.95
leans, speeds, lengths = st.floats(-0.5, 0.5), st.floats(-1.5, 1.5), st.floats(0.4, 2.0)
slopes, durations = st.floats(-0.3, 0.3), st.floats(0.35, 0.7)


def energy(lean, speed, length):
    """Energy per mass, m^2/s^2."""
    return 0.5 * speed**2 + GRAVITY * length * math.cos(lean)


def followed(lean, speed, length, time):
    """Leans and speeds at many times, by another integrator."""
    times = np.linspace(0.0, time, 400)
    pull = GRAVITY / length
    found = solve_ivp(
        lambda _, y: [y[1], pull * math.sin(y[0])], (0.0, time), [lean, speed / length], t_eval=times, rtol=1e-9
    )
    return times, found.y[0], found.y[1] * length


# -- the pendulum ----------------------------------------------------------------------------------------------------


@given(leans, speeds, lengths, st.floats(0.0, 0.6))
def test_energy_is_conserved_and_the_fall_is_that_of_a_pendulum(lean, speed, length, time):
    then, fast = planar_pendulum_after(lean, speed, length, GRAVITY, time)
    assert energy(then, fast, length) == pytest.approx(energy(lean, speed, length), abs=1e-4)
    _, leaning, faster = followed(lean, speed, length, max(time, 1e-6))
    assert (then, fast) == pytest.approx((leaning[-1], faster[-1]), abs=1e-4)


def test_near_upright_it_is_the_linear_pendulum():
    lean, speed, time = 0.01, -0.02, 0.4
    there, then = linear_pendulum_after(np.array([HEIGHT * lean]), np.array([speed]), math.sqrt(GRAVITY / HEIGHT), time)
    assert planar_pendulum_after(lean, speed, HEIGHT, GRAVITY, time) == pytest.approx(
        (there[0] / HEIGHT, then[0]), rel=1e-3
    )


@given(leans, leans, speeds)
def test_the_impact_takes_what_is_along_the_new_leg_and_leaves_the_rest(stands, lands, speed):
    """Velocities as vectors: perpendicular to the old leg before the impact, to the new one after it."""
    before = speed * np.array([math.cos(stands), -math.sin(stands)])
    along, square = np.array([-math.sin(lands), math.cos(lands)]), np.array([math.cos(lands), math.sin(lands)])
    after = before - (before @ along) * along
    assert after @ square == pytest.approx(speed_after_strike(speed, stands + lands))
    assert speed_after_strike(speed, stands + lands) ** 2 <= speed**2


@given(leans, leans, slopes)
def test_on_a_slope_both_feet_are_on_the_ground(stands, lands, slope):
    """Relative to the stance foot, with the centre of mass above its lean."""
    length = landing_leg_length(HEIGHT, stands, lands, slope)
    foot = np.array([HEIGHT * math.tan(stands), HEIGHT]) - length * np.array([-math.sin(lands), math.cos(lands)])
    assert foot[1] == pytest.approx(foot[0] * math.tan(slope), abs=1e-9)


# -- steady steps ----------------------------------------------------------------------------------------------------


def at_the_end(cycle, slope):
    """The stance leg when the next one lands."""
    high = HEIGHT * math.cos(slope) * math.cos(cycle.end) / math.cos(cycle.end + slope)
    return PlanarPendulum(cycle.end, cycle.speed, high / math.cos(cycle.end))


@pytest.mark.parametrize(
    ("turns", "strides"), [(False, (0.05, 0.3, 0.5, 0.8)), (True, (0.05, 0.15, 0.3))], ids=["ahead", "aside"]
)
@given(durations, slopes)
def test_a_steady_step_follows_itself(turns, strides, duration, slope):
    for stride in strides:
        cycle = steady_step(stride, duration, HEIGHT, GRAVITY, slope, turns)
        stands = at_the_end(cycle, slope)
        lean = balancing_landing_leg(stands, cycle, GRAVITY, slope)
        assert lean.solved
        assert lean.angle == pytest.approx(cycle.begin, abs=1e-6)
        assert stands.length * math.sin(cycle.end) + lean.length * math.sin(lean.angle) == pytest.approx(stride)
        after = speed_after_strike(cycle.speed, cycle.begin + cycle.end)
        way = -1 if turns else 1
        then, fast = planar_pendulum_after(-lean.angle, after, lean.length, GRAVITY, duration)
        assert (then, fast) == pytest.approx((way * cycle.end, way * cycle.speed), abs=2e-3)


def test_the_impact_is_made_up_for_by_landing_nearer_than_the_leg_left():
    slow, fast = (steady_step(0.4, duration, HEIGHT, GRAVITY, 0.0, False) for duration in (0.6, 0.4))
    assert slow.begin < slow.end
    assert fast.end - fast.begin > slow.end - slow.begin
    assert fast.speed > slow.speed


def test_who_does_not_walk_stays_upright_and_slow():
    assert steady_step(0.0, 0.5, HEIGHT, GRAVITY, 0.1, False) == SteadyStep(0.0, 0.0, 0.0, False)


# -- landings --------------------------------------------------------------------------------------------------------


@given(st.booleans(), st.floats(0.0, 0.5), st.floats(-1.2, 1.8), slopes)
def test_a_solution_leads_to_the_end_of_the_step_with_its_speed(turns, leaning, speed, slope):
    cycle = steady_step(0.2 if turns else 0.45, 0.5, HEIGHT, GRAVITY, slope, turns)
    stands = PlanarPendulum(leaning, speed, 1.0)
    lean = balancing_landing_leg(stands, cycle, GRAVITY, slope)
    assume(lean.solved)
    way = -1.0 if turns else 1.0
    after = speed_after_strike(speed, lean.angle + leaning)
    _, leans_then, speeds_then = followed(-lean.angle, after, lean.length, 3.0)
    passed = np.flatnonzero((way * leans_then >= cycle.end - 1e-9) & (way * speeds_then > 0))
    assert len(passed)
    first = passed[0]
    kept = energy(-lean.angle, after, lean.length) - GRAVITY * lean.length * math.cos(cycle.end)
    assert math.sqrt(2 * kept) == pytest.approx(cycle.speed, rel=1e-6)
    assert way * speeds_then[first] >= cycle.speed - 1e-6


AHEAD = steady_step(0.45, 0.5, HEIGHT, GRAVITY, 0.0, False)


def test_who_is_faster_steps_further_and_who_is_slower_less_far():
    slow, right, fast = (
        balancing_landing_leg(PlanarPendulum(AHEAD.end, share * AHEAD.speed, 1.0), AHEAD, GRAVITY, 0.0)
        for share in (0.95, 1.0, 1.1)
    )
    assert slow.solved
    assert fast.solved
    assert slow.angle < right.angle < fast.angle


def test_who_is_much_too_slow_has_no_solution_and_lands_where_least_is_lacking():
    """Hardly moving, the body cannot reach the wanted speed before the end of its step."""
    stands = PlanarPendulum(0.0, 0.1, 1.0)
    lean = balancing_landing_leg(stands, AHEAD, GRAVITY, 0.0)
    assert not lean.solved
    assert abs(lean.angle) < 0.05
    ends = [energy(-a, speed_after_strike(0.1, a), 1.0 / math.cos(a)) for a in (lean.angle, 0.1, -0.1)]
    assert ends[0] == max(ends)


def test_who_falls_back_fast_lands_so_far_behind_that_it_returns():
    """Slower than wanted, which is no solution."""
    stands = PlanarPendulum(-0.1, -1.5, 1.0)
    lean = balancing_landing_leg(stands, AHEAD, GRAVITY, 0.0)
    assert not lean.solved
    _, leans_then, speeds_then = followed(-lean.angle, speed_after_strike(-1.5, lean.angle - 0.1), lean.length, 4.0)
    there = np.argmax((leans_then > AHEAD.end) & (speeds_then > 0))
    assert leans_then[:there].min() > 0
    assert 0 < speeds_then[there] < AHEAD.speed


def test_who_falls_back_too_fast_to_return_lands_as_far_behind_as_legs_do():
    lean = balancing_landing_leg(PlanarPendulum(-0.1, -8.0, 1.0), AHEAD, GRAVITY, 0.0)
    assert not lean.solved
    assert lean.angle == pytest.approx(-MAX_LEAN)


@given(st.floats(-1.2, 1.2), slopes)
def test_who_is_to_stop_comes_to_rest_over_the_foot(speed, slope):
    assume(abs(speed) > 0.05)
    none = steady_step(0.0, 0.5, HEIGHT, GRAVITY, slope, False)
    lean = balancing_landing_leg(PlanarPendulum(0.05, speed, 1.0), none, GRAVITY, slope)
    assert lean.solved
    assert lean.angle * speed > 0
    after = speed_after_strike(speed, lean.angle + 0.05)
    assert energy(lean.angle, after, lean.length) == pytest.approx(GRAVITY * lean.length, rel=1e-6)


@given(speeds, leans)
def test_legs_never_lean_further_than_they_can(speed, lean):
    assert (
        abs(balancing_landing_leg(PlanarPendulum(lean, 3 * speed, 1.0), AHEAD, GRAVITY, 0.0).angle) <= MAX_LEAN + 1e-9
    )


# -- landing time ----------------------------------------------------------------------------------------------------


@given(st.floats(0.05, 0.45))
def test_a_steady_step_lands_after_its_duration_from_anywhere_in_it(gone):
    for turns, stride in ((False, 0.45), (True, 0.2)):
        cycle = steady_step(stride, 0.5, HEIGHT, GRAVITY, 0.0, turns)
        length = landing_leg_length(HEIGHT, 0.0, cycle.begin, 0.0)
        lean, speed = planar_pendulum_after(
            -cycle.begin, speed_after_strike(cycle.speed, cycle.begin + cycle.end), length, GRAVITY, gone
        )
        way = -1.0 if turns else 1.0  # the swing foot is now on the other side
        found = time_to_step_end(PlanarPendulum(way * lean, way * speed, length), cycle, GRAVITY, 0.7)
        assert found == pytest.approx(0.5 - gone, abs=5e-3)


def test_who_falls_back_never_gets_there_and_who_is_beyond_is_there():
    assert time_to_step_end(PlanarPendulum(-0.2, -0.5, 1.0), AHEAD, GRAVITY, 0.6) == math.inf
    assert time_to_step_end(PlanarPendulum(AHEAD.end + 0.1, 1.0, 1.0), AHEAD, GRAVITY, 0.6) == 0.0
