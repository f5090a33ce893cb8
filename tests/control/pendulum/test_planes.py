"""Landings by the energies of both planes."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from poise.control.pendulum.energy_filter import (
    PendulumState,
    PlanarPendulum,
    SteadyGait,
    balancing_landing_leg,
    energy_landing,
    landing_leg_length,
    planar_pendulum_after,
    speed_after_strike,
    steady_step,
)
from poise.control.pendulum.filter import StepPace
from poise.control.pendulum.foothold_ground import SPACING, FootStrip

GRAVITY, HEIGHT, WIDTH, DURATION = 9.81, 0.95, 0.2, 0.5
WIDE = np.full(2, 9.0)
FREE = StepPace(9.0, DURATION, np.zeros(2), 1e3, -WIDE, WIDE, -WIDE, WIDE, math.nan)  # steps without bounds
TIMES = np.linspace(0.05, 0.6, 16)
places, ways = arrays(float, 2, elements=st.floats(-0.2, 0.2)), arrays(float, 3, elements=st.floats(-0.8, 0.8))
speeds = st.floats(-1.2, 1.5)


def ground(slope=0.0):
    grid = SPACING * np.arange(-40, 41)
    return FootStrip(-1.0, slope * grid, np.ones(81, bool), math.nan)


def landed(fall, speed, swing, times=TIMES, due=0.3, slope=0.0):
    going = SteadyGait(speed, WIDTH, DURATION, HEIGHT, swing)
    return energy_landing(fall, going, FREE, np.zeros(2), times, due, np.zeros(len(times)), ground(slope))


def steadily(speed, swing, gone):
    """A body in steady walking, some time after the strike."""
    place, velocity = np.zeros((2, 2))
    aside = 1.0 if swing == 0 else -1.0
    for axis, way, stride, turns in ((0, 1.0, speed * DURATION, False), (1, aside, WIDTH, True)):
        cycle = steady_step(stride, DURATION, HEIGHT, GRAVITY, 0.0, turns)
        length = landing_leg_length(HEIGHT, 0.0, cycle.begin, 0.0)
        lean, fast = planar_pendulum_after(
            -cycle.begin, speed_after_strike(cycle.speed, cycle.begin + cycle.end), length, GRAVITY, gone
        )
        sign = -way if turns else way
        place[axis], velocity[axis] = sign * math.tan(lean) * HEIGHT, sign * fast / math.cos(lean)
    return PendulumState(place, np.append(velocity, 0.0), HEIGHT, GRAVITY)


@pytest.mark.parametrize("swing", [0, 1])
@pytest.mark.parametrize("speed", [0.5, 0.9])
def test_who_walks_steadily_steps_as_before(speed, swing):
    """Nearly: here the body keeps its height, not its distance from the foot."""
    found, last = landed(steadily(speed, swing, 0.25), speed, swing, due=0.25)
    aside = 1.0 if swing == 0 else -1.0
    assert found.within == pytest.approx(0.25, abs=0.02)
    np.testing.assert_allclose(found.place, [speed * DURATION, aside * WIDTH], atol=0.04)
    np.testing.assert_allclose(found.velocity, last, atol=0.06)


@given(places, ways, speeds)
def test_left_and_right_mirror_each_other(place, velocity, speed):
    mirror = np.array([1.0, -1.0, 1.0])
    left, left_last = landed(PendulumState(place, velocity, HEIGHT, GRAVITY), speed, 0)
    right, right_last = landed(PendulumState(place * mirror[:2], velocity * mirror, HEIGHT, GRAVITY), speed, 1)
    assert left.within == right.within
    np.testing.assert_allclose(left.place * mirror[:2], right.place, atol=1e-9)
    np.testing.assert_allclose(left_last * mirror[:2], right_last, atol=1e-9)


@given(places, ways, st.floats(0.05, 1.5), st.floats(-0.2, 0.2))
def test_backward_is_forward_seen_from_behind(place, velocity, speed, slope):
    """Uphill becomes downhill, and the swing foot is on the other side."""
    ahead, _ = landed(PendulumState(place, velocity, HEIGHT, GRAVITY), speed, 0, slope=slope)
    back, _ = landed(PendulumState(-place, velocity * [-1, -1, 1], HEIGHT, GRAVITY), -speed, 1, slope=-slope)
    assert ahead.within == back.within
    np.testing.assert_allclose(ahead.place, -back.place, atol=1e-9)


@given(places, ways, speeds)
def test_each_plane_is_solved_for_itself_at_one_time(place, velocity, speed):
    fall = PendulumState(place, velocity, HEIGHT, GRAVITY)
    found, _ = landed(fall, speed, 0)
    lean, length = math.atan2(place[1], HEIGHT), math.hypot(place[1], HEIGHT)
    fast = velocity[1] * math.cos(lean) - velocity[2] * math.sin(lean)
    lean, fast = planar_pendulum_after(lean, fast, length, GRAVITY, found.within)
    lands = balancing_landing_leg(
        PlanarPendulum(lean, fast, length), steady_step(WIDTH, DURATION, HEIGHT, GRAVITY, 0.0, True), GRAVITY, 0.0
    )
    aside = length * math.sin(lean) + lands.length * math.sin(lands.angle)
    assert found.place[1] == pytest.approx(aside)
    assert TIMES[0] <= found.within <= TIMES[-1]


def test_the_plane_that_is_sooner_tells_when():
    """Pushed to the side of the swing foot or ahead, it lands sooner; one that falls back lands when it is due."""
    calm = steadily(0.8, 0, 0.25)
    due = landed(calm, 0.8, 0)[0].within
    for push in ([0.0, 0.5, 0.0], [0.7, 0.0, 0.0]):
        assert landed(calm._replace(velocity=calm.velocity + push), 0.8, 0)[0].within < due - 0.03
    lost = PendulumState(np.array([-0.1, -0.1]), np.array([-0.5, -0.5, 0.0]), HEIGHT, GRAVITY)
    assert landed(lost, 0.8, 0, due=0.37)[0].within == pytest.approx(0.37)


def test_uphill_a_leg_lands_shorter():
    """The foot is at the height of the ground there: Eq. (8)."""
    fall = PendulumState(np.array([0.1, 0.0]), np.array([0.9, 0.3, 0.0]), HEIGHT, GRAVITY)
    steps = [landed(fall, 0.8, 0, slope=slope)[0] for slope in (-0.2, 0.0, 0.2)]
    assert steps[0].place[0] - steps[0].there[0] > steps[1].place[0] - steps[1].there[0]
    assert steps[1].place[0] - steps[1].there[0] > steps[2].place[0] - steps[2].there[0]
