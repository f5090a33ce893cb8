"""Flight plans: they obey the model and the friction cones, and meet their targets."""

from dataclasses import replace

import numpy as np
import pytest

from poise.control.rotation.flight_plan import GroundPhase, PlanarState, PlanTargets, RotationFlightPlanner

PLANNER = RotationFlightPlanner(mass=73.5, step=1 / 60)
TARGETS = PlanTargets(
    take_off_height=0.95, touch_down_height=0.8, turned=-6.1, travel=-0.2, end_height=0.7, end_ahead=0.05
)
PUSH = GroundPhase(np.linspace(7, 13, 20), heel=-0.05, toe=0.13, knots=6, strongest=1600.0, last=0.3)
FLIGHT = np.concatenate([np.linspace(12, 4, 10), np.full(16, 4.0), np.linspace(4, 9, 10)])
LANDING = GroundPhase(np.linspace(9, 6, 30), heel=-0.2, toe=-0.02, knots=8, strongest=2500.0)


@pytest.fixture(scope="module")
def plan():
    return PLANNER.plan_flip(PlanarState(-0.02, 0.62, 0.0, 0.0, 0.0, 0.0), PUSH, FLIGHT, LANDING, TARGETS)


def test_the_flight_ends_as_the_landing_begins(plan):
    up, down, seconds = plan.take_off.state[-1], plan.landing.state[0], len(FLIGHT) / 60
    assert down[0] == pytest.approx(up[0] + seconds * up[2])
    assert down[1] == pytest.approx(up[1] + seconds * up[3] - 0.5 * 9.81 * seconds**2)
    assert down[4] == up[4]
    assert down[5] == pytest.approx(up[5] + up[4] * np.sum(1 / FLIGHT) / 60)


def test_targets_are_met(plan):
    assert plan.off < 0.5
    assert plan.landing.state[0, 5] == pytest.approx(TARGETS.turned, abs=0.01)
    assert plan.landing.state[0, 1] == pytest.approx(TARGETS.touch_down_height, abs=0.01)
    x, z, vx, vz, spin, _ = plan.landing.state[-1]
    feet = plan.landing.state[0, 0] + 0.5 * (LANDING.heel + LANDING.toe)
    np.testing.assert_allclose([vx, vz, spin / 10], 0, atol=0.03)
    assert x == pytest.approx(feet + TARGETS.end_ahead, abs=0.05)
    assert z == pytest.approx(TARGETS.end_height, abs=0.05)


@pytest.mark.parametrize("which", ["take_off", "landing"])
def test_momenta_change_by_the_planned_forces(plan, which):
    course = getattr(plan, which)
    moved = np.diff(course.state, axis=0) * 60
    np.testing.assert_allclose(73.5 * moved[:, 2:4], course.push, atol=1e-8)
    np.testing.assert_allclose(moved[:, 4], course.twist, atol=1e-8)
    assert np.all(course.push[:, 1] >= -73.5 * 9.81 - 1e-6)  # the ground does not pull
    assert np.all(np.abs(course.push[:, 0]) <= PLANNER.friction * (course.push[:, 1] + 73.5 * 9.81) + 1e-6)


def test_moments_are_those_of_forces_on_the_feet(plan):
    """The centre of pressure computed from force and moment lies between heel and toe."""
    course = plan.take_off
    force = course.push + [0.0, 73.5 * 9.81]
    x, z = course.state[:-1, 0], course.state[:-1, 1]
    pressed = force[:, 1] > 50.0
    centre = x - (course.twist + z * force[:, 0]) / np.maximum(force[:, 1], 1.0)
    assert np.all(centre[pressed] > PUSH.heel - 1e-6)
    assert np.all(centre[pressed] < PUSH.toe + 1e-6)


def test_a_landing_is_planned_from_a_given_state(plan):
    start = PlanarState(0.3, 0.82, -0.2, -2.6, -40.0, 0.0)
    course = PLANNER.plan_landing(start, GroundPhase(LANDING.inertia, 0.08, 0.26, 8, 2500.0), TARGETS)
    np.testing.assert_allclose(course.state[0], [0.3, 0.82, -0.2, -2.6, -40.0, 0.0])
    np.testing.assert_allclose(course.state[-1, [2, 3]], 0, atol=0.05)
    assert abs(course.state[-1, 4]) < 1.0


def test_states_are_interpolated_between_steps(plan):
    here, _, _ = plan.take_off.state_at(0.5 / 60)
    assert here.z == pytest.approx(plan.take_off.state[:2, 1].mean())
    last, _, _ = plan.take_off.state_at(99.0)
    assert last.spin == plan.take_off.state[-1, 4]


def test_a_limited_rate_of_angular_momentum_is_kept(plan):
    start = PlanarState(-0.02, 0.62, 0.0, 0.0, 0.0, 0.0)
    weaker = PLANNER.plan_flip(start, replace(PUSH, twist=200.0), FLIGHT, LANDING, TARGETS)
    assert np.abs(plan.take_off.twist).max() > 300.0
    assert np.abs(weaker.take_off.twist).max() < 210.0
    assert weaker.off < 0.5
    assert weaker.take_off.state[-1, 4] == pytest.approx(plan.take_off.state[-1, 4], rel=0.1)


def test_a_leap_meets_its_targets():
    """The push of a dive: its flight ends at the target height, place and excursion."""
    planner = RotationFlightPlanner(73.5, 1 / 120)
    start = PlanarState(0.1, 0.75, 0.0, 0.0, 0.0, 0.0)
    flight = np.full(36, 8.0)
    targets = PlanTargets(0.9, 0.68, 0.9, 0.8)
    course = planner.plan_leap(start, GroundPhase(np.full(54, 8.0), 0.0, 0.2, 6, 1500.0, 0.2), flight, targets)
    x, z, vx, vz, spin, turned = course.state[-1]
    time = len(flight) / 120
    assert z + vz * time - 0.5 * 9.81 * time**2 == pytest.approx(0.68, abs=0.02)
    assert turned + spin / 8.0 * time == pytest.approx(0.9, abs=0.05)
    assert x + vx * time - start.x == pytest.approx(0.8, abs=0.25)
    assert np.all(np.diff(course.state[:, 4]) == pytest.approx(course.twist / 120))


def test_heels_bear_only_their_share_of_the_push():
    toe = 0.2
    phase = GroundPhase(np.full(60, 8.0), 0.0, toe, 6, 1500.0, 0.2, heels=0.6)
    planner = RotationFlightPlanner(73.5, 1 / 120)
    course = planner.plan_leap(
        PlanarState(0.1, 0.8, 0.0, 0.0, 0.0, 0.0), phase, np.full(42, 9.0), PlanTargets(0.85, 0.7, 1.9, 1.2)
    )
    where, force = course.state[:-1, :2], course.push + [0.0, planner.mass * planner.gravity]
    by_toes = -where[:, 1] * force[:, 0] - (toe - where[:, 0]) * force[:, 1]
    late = np.arange(60) + 0.5 > 0.6 * 60
    np.testing.assert_allclose(course.twist[late], by_toes[late], atol=1e-6)
    assert np.abs(course.twist - by_toes)[~late].max() > 1.0
