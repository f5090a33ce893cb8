"""Velocity-driven tracking."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bodies import body_of
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.gait import GaitState, LiftOff, plain_step_style
from poise.control.pendulum.motors import (
    DEFAULT_RATE,
    ERROR_SCALE,
    MAX_CHASE,
    SOFT_ANKLE,
    SOFT_TRAIL,
    MotorHints,
    VelocityTracking,
    response_rates,
    saturated_error,
)
from poise.control.pendulum.walker import Walker
from poise.world.scene import Scene
from poise.world.world import World

GAIN = 300.0
COURSE = MotorHints(within=0.3, drags=False)
errors = st.floats(-10.0, 10.0, allow_subnormal=False)


@given(errors)
def test_the_curve_is_odd_and_bounded(error):
    assert saturated_error(-error) == -saturated_error(error)
    assert abs(saturated_error(error)) <= min(abs(error) * (1 + 1e-12), ERROR_SCALE)


@given(errors, errors)
def test_larger_errors_are_corrected_faster(a, b):
    low, high = sorted((a, b))
    assert saturated_error(low) <= saturated_error(high)


def test_the_curve_has_slope_one_at_zero_and_none_far_away():
    small = 1e-6
    assert saturated_error(small) / small == pytest.approx(1.0)
    assert saturated_error(10.0) == pytest.approx(ERROR_SCALE)


def test_joints_respond_as_the_paper_says(body):
    rate = response_rates(body)
    feet = [dof for name in ("left_ankle", "right_ankle") for dof in body.index(name)]
    assert not rate[:6].any()
    assert set(rate[feet]) == {8.0}
    assert set(np.delete(rate, [*range(6), *feet])) == {10.0}


def test_bodies_without_a_table_respond_alike():
    body = body_of("biped29")
    assert set(response_rates(replace(body, tables={}))[6:]) == {DEFAULT_RATE}


# -- motors ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def standing(world, body):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    return world.state


@pytest.fixture
def gaits(body, walker):
    """Gaits on the left foot: in double stance, and with the right foot in the air."""
    both = GaitState(0, 0.05, plain_step_style(body, walker.legs, body.standing))
    lift = LiftOff(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), 0.0, 0.0)
    return both, replace(both, phase=0.5, lift=lift)


def test_a_pose_that_moves_is_followed_and_errors_are_made_up_for(body, walker, standing, gaits):
    space, rng = PoseSpace(body), np.random.default_rng(1)
    error, ahead = (0.05 * rng.standard_normal((1, body.nv)) for _ in range(2))
    error[:, :6] = 0.0
    now = space.moved(standing.qpos[None], error)
    then = space.moved(now, standing.step * ahead)
    motors = VelocityTracking(walker, GAIN).walking_motors(standing, now[0], then[0], gaits[0], COURSE)
    wanted = ahead + response_rates(body) * saturated_error(error)
    np.testing.assert_allclose(motors.velocity[6:], wanted[0, 6:], atol=1e-6)
    assert not motors.gain[:6].any()
    assert np.all(motors.gain[6:] > 0)


def test_a_swinging_leg_hurries_the_more_the_less_time_is_left(body, walker, standing, gaits):
    _, swings = gaits
    knee = body.index("right_knee")[0]
    now = np.array(standing.qpos)
    now[body.joint("right_knee").qpos[0]] += 1e-3
    tracking = VelocityTracking(walker, GAIN)
    fast = [
        tracking.walking_motors(standing, now, now, swings, COURSE._replace(within=within)).velocity[knee]
        for within in (1.0, 0.1, 0.01)
    ]
    assert fast[0] == pytest.approx(1e-3 * DEFAULT_RATE, rel=1e-3)
    assert fast[1] == pytest.approx(2 * fast[0])
    assert fast[2] == pytest.approx(MAX_CHASE * fast[0])


def test_a_standing_ankle_is_soft_but_about_the_vertical_and_so_is_a_leg_about_to_leave(body, walker, standing, gaits):
    both, swings = gaits
    tracking, here = VelocityTracking(walker, GAIN), np.array(standing.qpos)
    knee, other = (body.index(name)[0] for name in ("left_knee", "right_knee"))
    ankle = list(body.index("left_ankle"))
    gain = tracking.walking_motors(standing, here, here, swings, COURSE).gain
    np.testing.assert_allclose(gain[ankle[:2]], SOFT_ANKLE * gain[knee])
    np.testing.assert_allclose(gain[ankle[2:]], gain[knee])
    assert gain[knee] == gain[other]
    assert tracking.walking_motors(standing, here, here, both, COURSE).gain[other] < 0.2 * gain[other]


def test_a_swinging_foot_that_drags_makes_its_leg_soft_and_not_the_other(body, walker, standing, gaits):
    tracking, here = VelocityTracking(walker, GAIN), np.array(standing.qpos)
    courses = (COURSE, COURSE._replace(drags=True))
    free, drags = (tracking.walking_motors(standing, here, here, gaits[1], course).gain for course in courses)
    left, right = (body.index(f"{side}_knee")[0] for side in ("left", "right"))
    assert drags[right] == pytest.approx(SOFT_TRAIL * free[right])
    assert drags[left] == free[left]


def test_on_both_feet_both_ankles_are_soft(body, walker, standing):
    here = np.array(standing.qpos)
    gain = VelocityTracking(walker, GAIN).standing_motors(standing, here, here).gain
    left, right = (list(body.index(f"{side}_ankle"))[:2] for side in ("left", "right"))
    np.testing.assert_array_equal(gain[left], gain[right])
    assert gain[left].max() < 0.2 * gain[body.index("left_knee")[0]]


def test_gains_grow_with_mass_and_the_square_of_legs():
    def knee(body):
        here = np.array(body.standing)
        world = World(Scene.of(body))
        world.reset(here, np.zeros(body.nv))
        return (
            VelocityTracking(Walker(world), GAIN)
            .standing_motors(world.state, here, here)
            .gain[body.index("left_knee")[0]]
        )

    man, child = body_of("human37"), body_of("baby")
    legs = [Walker(World(Scene.of(body))).legs.length for body in (man, child)]
    assert knee(man) / knee(child) == pytest.approx(man.mass / child.mass * (legs[0] / legs[1]) ** 2)
