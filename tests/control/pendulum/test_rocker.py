"""The roll of a foot that struck with its heel."""

import numpy as np
import pytest

from poise import Body
from poise.control.pendulum.leg_ik import foot_with_heel_lifted
from poise.control.pendulum.posture import StanceFoot, heel_rocked_foot
from poise.control.pendulum.walker import Walker
from poise.world.scene import Scene
from poise.world.world import World

STEP = 0.01


@pytest.fixture(scope="module")
def stood():
    world = World(Scene.of(Body.named("human58")))
    walker = Walker(world)
    return walker.legs, walker.observe(world.state)


def landed(stood, up):
    """Observed left foot with its toes up by an angle and its heel on the ground; and the same foot flat."""
    legs, seen = stood
    turn, heel = foot_with_heel_lifted(np.eye(3), -up), legs.sole[0, :2].mean(axis=0)
    flat = StanceFoot(np.array([0.3, 0.1, 0.0]), np.eye(3), 0.0, 0.4)
    ankle = np.array([0.12, 0.1, 0.0]) - turn @ heel
    return seen._replace(ankle=np.array([ankle, seen.ankle[1]]), foot=np.array([turn, seen.foot[1]])), flat


def heel_of(legs, foot):
    return foot.ball + foot.foot @ (legs.sole[0, :2].mean(axis=0) - legs.ball[0])


@pytest.mark.parametrize("ahead", [0.0, STEP, 1.0])
def test_its_heel_stays_where_it_is(stood, ahead):
    seen, flat = landed(stood, 0.3)
    np.testing.assert_allclose(
        heel_of(stood[0], heel_rocked_foot(stood[0], seen, 0, flat, ahead)), [0.12, 0.1, 0.0], atol=1e-9
    )


def test_its_toes_come_down_until_it_is_flat(stood):
    seen, flat = landed(stood, 0.3)
    now, soon, late = (heel_rocked_foot(stood[0], seen, 0, flat, ahead) for ahead in (0.0, STEP, 1.0))
    np.testing.assert_allclose(now.foot, seen.foot[0], atol=1e-9)
    assert 0.0 < soon.foot[2, 0] < now.foot[2, 0]
    np.testing.assert_allclose(late.foot, np.eye(3), atol=1e-9)


def test_a_foot_whose_toes_are_down_stands_as_it_is(stood):
    seen, flat = landed(stood, -0.2)
    assert heel_rocked_foot(stood[0], seen, 0, flat, STEP) is flat
