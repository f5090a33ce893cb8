"""Hurdles, too high and too narrow to step on: feet keep clear of them and swing over them."""

import math

import numpy as np
import pytest

import poise
from poise.control.pendulum.foothold_ground import (
    CLEARANCE,
    HURDLE_GAP,
    HURDLE_SPEED,
    MAX_STEP_OVER,
    SPACING,
    Foothold,
    clear_hurdles,
    height_over_hurdles,
    landing_strip,
)
from poise.control.pendulum.gait import LiftOff
from poise.control.pendulum.walker import PRESSED, Walker
from poise.world.scene import Scene
from poise.world.terrain_kinds import Platforms
from poise.world.world import World

LEVEL, VERTICAL = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
TOP, NEAR, FAR = 0.15, 2.0, 2.1
"""Dimensions of a hurdle (m)."""


@pytest.fixture
def hurdled(body):
    return Walker(World(Scene.of(body, Platforms(((NEAR, FAR, -2.0, 2.0, TOP),)))))


def past(walker, pressed, foot=-0.3):
    """The strip of the right foot, with the left foot's centre of pressure at `pressed` (m along x)."""
    ground = landing_strip(walker, 1, np.array([pressed, 0.1]), 0.0, -0.2)
    return clear_hurdles(walker, 1, ground, foot), ground


def places(ground, pressed):
    """Positions (N,) m along x of the samples of a strip."""
    return pressed + ground.begin + SPACING * np.arange(len(ground.level))


@pytest.mark.parametrize("terrain", ["flat", "slope:15", "stairs:0.15:0.3:8", "stairs:-0.15:0.3:8", "rough:0.04:3"])
def test_other_ground_has_no_hurdles(body, terrain):
    walker = Walker(World(Scene.of(body, terrain)))
    for x in np.linspace(-0.5, 3.0, 40):
        way, ground = past(walker, x)
        assert (way.least, way.over) == (0.0, False)
        np.testing.assert_array_equal(way.strip.free, ground.free)
        np.testing.assert_array_equal(way.strip.level, ground.level)


@pytest.mark.parametrize("pressed", [1.3, 1.5, 1.7, 1.8, 2.4])
def test_feet_keep_away_from_it(hurdled, pressed):
    way, ground = past(hurdled, pressed)
    sole = hurdled.legs.sole[1, [0, 4], 0] - PRESSED * hurdled.legs.ball[1, 0]
    free = places(ground, pressed)[way.strip.free]
    assert len(free)
    apart = np.maximum(NEAR - (free + sole[1]), free + sole[0] - FAR)
    assert apart.min() > HURDLE_GAP * hurdled.legs.scale - SPACING


def test_what_is_within_a_step_is_passed_and_what_is_not_is_waited_for(hurdled):
    for pressed in np.arange(1.0, 2.8, 0.05):
        way, ground = past(hurdled, pressed, foot=-0.2)
        free = places(ground, pressed)[way.strip.free]
        assert np.all(free > FAR) or np.all(free < NEAR)
        least = places(ground, pressed)[places(ground, pressed) > FAR + 0.3]
        if len(least) and least[0] < pressed + MAX_STEP_OVER * hurdled.legs.length - 0.1:
            assert np.all(free > FAR)
    assert past(hurdled, 1.0)[0].strip.free.any()


def test_who_has_to_get_over_it_is_brisk_until_both_feet_have(hurdled):
    brisk = HURDLE_SPEED * hurdled.legs.time_scale
    before, leading, trailing, after = (
        past(hurdled, *case)[0] for case in ((1.2, -0.3), (1.7, -0.2), (2.4, -0.7), (2.8, -0.3))
    )
    assert (before.least, before.over) == (brisk, False)
    assert (leading.least, leading.over) == (brisk, True)
    assert (trailing.least, trailing.over) == (brisk, True)
    assert (after.least, after.over) == (0.0, False)


def test_it_is_not_taken_for_a_slope(hurdled):
    at = FAR - 0.05 - 1.1 * hurdled.legs.length
    for pressed in np.linspace(at - 0.6, at + 0.6, 30):
        way, _ = past(hurdled, pressed)
        if way.least:
            assert way.strip.slope == 0.0
    assert past(hurdled, 1.9)[1].level.max() == TOP


# -- path over a hurdle ----------------------------------------------------------------------------------------------


def lifts(walker, begin, end):
    """Heights (K,) m of the sole on a path along x from one ankle position to another, and the ankles (K,) m."""
    lift = LiftOff(np.array([begin, 0.0, 0.08]), LEVEL, 0.0, 0.0)
    hold = Foothold(np.array([end, 0.0]), 0.0, LEVEL, VERTICAL)
    ankles = np.linspace(begin, end, 200)
    return np.array([height_over_hurdles(walker, 0, lift, hold, np.array([x, 0.0]), 0.0) for x in ankles]), ankles


@pytest.mark.parametrize(("begin", "end"), [(1.4, 2.3), (1.7, 2.5), (2.5, 1.6)])
def test_the_sole_is_above_it_wherever_the_foot_is(hurdled, begin, end):
    height, ankles = lifts(hurdled, begin, end)
    heel, tip = hurdled.legs.sole[0, [0, 4], 0]
    over = (ankles + tip > NEAR + SPACING) & (ankles + heel < FAR - SPACING)
    assert over.any()
    np.testing.assert_allclose(height[over], TOP + CLEARANCE * hurdled.legs.scale)


@pytest.mark.parametrize(("begin", "end"), [(1.4, 2.3), (1.7, 2.5), (2.5, 1.6)])
def test_it_rises_from_the_ground_and_comes_back_to_it_without_a_jump(hurdled, begin, end):
    height, ankles = lifts(hurdled, begin, end)
    assert height[[0, -1]] == pytest.approx(0.0, abs=0.02)
    assert np.abs(np.diff(height)).max() < 12 * abs(ankles[1] - ankles[0])


def test_what_is_not_between_is_not_minded(hurdled):
    for begin, end in ((1.0, 1.7), (2.2, 2.9)):
        assert np.all(lifts(hurdled, begin, end)[0] == -math.inf)


# -- walking ---------------------------------------------------------------------------------------------------------


def test_it_walks_over_hurdles(body, reference):
    """Feet may graze a hurdle."""
    world = World(Scene.of(body, "hurdle:0.1:1.7"), poise.WorldSettings(step=0.02))
    controller = poise.named_controller("pendulum")
    cues = [poise.steer_cue(controller, command) for command in poise.parse_steer("0s:0@0.8")]
    done = poise.perform(world, controller, reference, seconds=6.5, cues=cues).recording
    assert poise.metrics(done)["fell_at"] is None
    assert done.qpos[-1, 0] > 4.5
