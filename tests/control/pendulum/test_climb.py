"""Height over stairs."""

import numpy as np
import pytest

from poise.control.pendulum.gait import GaitState, LiftOff, plain_step_style
from poise.control.pendulum.height import BENDS_DOWN, BENDS_DOWNHILL, BENDS_UP, StepClimb, step_climb
from poise.control.pendulum.walker import Walker
from poise.world.scene import Scene
from poise.world.world import World

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])


def climbing(body, terrain, run, back):
    """A gait on the left foot at the origin, the right foot lifted so far behind, to land so far ahead (m)."""
    world = World(Scene.of(body, terrain))
    world.reset(np.array(body.standing), np.zeros(body.nv))
    walker = Walker(world)
    seen = walker.observe(world.state)
    under = seen.pressed[0]
    left = np.array([under[0] - back, -0.1, 0.1])
    gait = GaitState(
        0,
        0.5,
        plain_step_style(body, walker.legs, body.standing),
        LiftOff(left, LEVEL, walker.ground_height(left), 0.0),
    )
    return walker, step_climb(walker, seen, gait, 0.0, np.array([under[0] + run, -0.1]))


@pytest.mark.parametrize("degrees", [0, 12, -12])
@pytest.mark.parametrize("run", [0.05, 0.4])
def test_a_slope_is_no_climb_but_downhill_hips_are_lower(body, degrees, run):
    walker, found = climbing(body, f"slope:{degrees}", run, 0.3)
    np.testing.assert_allclose(found[:2], 0.0, atol=1e-9)
    lower = BENDS_DOWNHILL * np.tan(np.radians(12.0)) * walker.legs.length if degrees < 0 else 0.0
    for ahead in (-0.1, 0.1):
        assert found.rise(walker, ahead) == pytest.approx(-lower, abs=1e-9)


def test_who_walks_backward_down_a_slope_goes_downhill(body):
    walker, found = climbing(body, "slope:12", -0.3, -0.3)
    assert found.way == -1.0
    assert found.rise(walker, 0.0) == pytest.approx(-BENDS_DOWNHILL * np.tan(np.radians(12.0)) * walker.legs.length)


@pytest.mark.parametrize("rise", [0.1, -0.1])
def test_stairs_are_as_steep_as_the_step_that_leads_there(body, rise):
    """The first edge is half a metre ahead."""
    _, found = climbing(body, f"stairs:{rise}:0.3:8", 0.7, 0.3)
    np.testing.assert_allclose(found, [0.0, rise / 0.7, 1.0, 0.0], atol=1e-9)


def test_who_walks_backward_up_rises_backward(body):
    """Stairs down, walked up: the foot moves from the tread ahead to the one behind."""
    walker, up = climbing(body, "stairs:-0.1:0.3:8", -0.3, -0.7)
    assert up.way == -1.0
    np.testing.assert_allclose(up[:2], [-0.1 / 0.7, 0.0], atol=1e-9)
    even = StepClimb(-0.3, -0.3, -1.0)
    assert even.rise(walker, -0.1) == pytest.approx(even.rise(walker, 0.1) + 0.06)
    assert even.rise(walker, -0.1) == pytest.approx(StepClimb(0.3, 0.3, 1.0).rise(walker, 0.1))


def test_hips_rise_along_with_steps_upward_and_meet_from_one_to_the_next(walker):
    even = StepClimb(0.3, 0.3, 1.0)
    legs = walker.legs
    ahead = np.linspace(-0.15, 0.15, 31)
    rise = np.array([even.rise(walker, each) for each in ahead])
    np.testing.assert_allclose(np.diff(rise), 0.3 * np.diff(ahead), atol=1e-9)
    assert rise[-1] - rise[0] == pytest.approx(0.3 * 0.3)  # 9 cm over a step of 0.3 m
    assert even.rise(walker, 0.0) == pytest.approx(-BENDS_UP * 0.3 * legs.length)


def test_downward_they_are_lower_throughout(walker):
    down = StepClimb(-0.3, -0.3, 1.0)
    for ahead in (-0.1, 0.0, 0.1):
        assert down.rise(walker, ahead) == pytest.approx(-BENDS_DOWN * 0.3 * walker.legs.length)
