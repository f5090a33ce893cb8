"""The planned step: the same at any place and heading, and in proportion to the body."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bodies import body_of
from poise.control.pendulum.gait import DOUBLE_STANCE, GaitState, LiftOff, plain_step_style
from poise.control.pendulum.intent import WalkIntent
from poise.control.pendulum.reference_gait import ReferenceWalk
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.step_plan import EDGE_CORRECTION, StepPlanner
from poise.control.pendulum.walker import Walker, rotated_xy
from poise.library.motions import named_motion
from poise.world.scene import Scene
from poise.world.world import World

STEP = 0.02
PLAIN = PendulumSettings()
BODY = body_of("human58")
BIG = 2.0


class Scenery:
    """A standing body and its step planner."""

    def __init__(self, body, terrain="flat", settings=PLAIN):
        world = World(Scene.of(body, terrain))
        world.reset(np.array(body.standing), np.zeros(body.nv))
        self.walker = Walker(world)
        self.seen = self.walker.observe(world.state)
        legs = self.walker.legs
        self.walk = ReferenceWalk(named_motion("stand", body), body, legs)
        self.stepping = StepPlanner(self.walker, self.walk, settings)
        self.lift = LiftOff(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), 0.0, 0.0)
        self.gait = GaitState(0, DOUBLE_STANCE, plain_step_style(body, legs, body.standing))

    def plan(self, seen, gait, speed, heading=0.0, step=STEP):
        return self.stepping.plan(seen, gait, WalkIntent(heading, speed, self.stepping.settings), step)


SCENE, LARGE = Scenery(BODY), Scenery(BODY.scaled(size=BIG))


def moving(seed):
    """A moment of a step on either leg: a falling body with a foot in the air or not yet, and a speed."""
    rng = np.random.default_rng(seed)
    seen = SCENE.seen._replace(
        com=SCENE.seen.com + rng.uniform(-0.15, 0.15, 3),
        velocity=rng.uniform(-1.0, 1.0, 3),
        spin=rng.uniform(-0.1, 0.1, 2),
        pressed=SCENE.seen.pressed + [[0.0, 0.0, 0.0], [*rng.uniform(-0.3, 0.3, 2), rng.uniform(0.0, 0.1)]],
    )
    phase = rng.uniform(DOUBLE_STANCE, 0.9)
    aloft = replace(
        SCENE.gait, stance=int(rng.integers(2)), phase=phase, since=phase * SCENE.walk.duration, lift=SCENE.lift
    )
    return seen, aloft if rng.random() < 0.7 else replace(aloft, lift=None), float(rng.uniform(-0.6, 1.6))


def turned_all(yaw, ways):
    """Vectors (..., 2 or 3) rotated to the left."""
    out = np.array(ways)
    c, s = np.cos(yaw), np.sin(yaw)
    out[..., 0], out[..., 1] = c * ways[..., 0] - s * ways[..., 1], s * ways[..., 0] + c * ways[..., 1]
    return out


def carried(seen, yaw, way):
    """The same moment, rotated by a yaw and then moved by `way` (3,) m."""
    places = {name: turned_all(yaw, getattr(seen, name)) + way for name in ("com", "ankle", "hip", "ball", "pressed")}
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    speeds = {name: turned_all(yaw, getattr(seen, name)) for name in ("velocity", "spin")}
    return seen._replace(**places, **speeds, foot=turn @ seen.foot)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(-7.0, 7.0), st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))
def test_on_the_flat_it_matters_neither_where_one_is_nor_where_one_heads(seed, yaw, x, y):
    seen, gait, speed = moving(seed)
    here = SCENE.plan(seen, gait, speed)
    there = SCENE.plan(carried(seen, yaw, np.array([x, y, 0.0])), gait, speed, yaw)
    assert there.landing.within == pytest.approx(here.landing.within)
    for one, other in zip(here.landing, there.landing, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-9)
    np.testing.assert_allclose(there.shift, here.shift, atol=1e-9)
    np.testing.assert_allclose(there.place, rotated_xy(yaw, here.place) + [x, y], atol=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_who_is_twice_as_large_takes_steps_twice_as_long_in_the_root_of_it(seed):
    """Dynamic similarity: lengths scale with size, times and speeds with its root."""
    seen, gait, speed = moving(seed)
    slow = np.sqrt(BIG)
    lengths = {name: BIG * getattr(seen, name) for name in ("com", "ankle", "hip", "ball", "pressed")}
    large = seen._replace(**lengths, velocity=slow * seen.velocity, spin=BIG * slow * seen.spin)
    own = SCENE.plan(seen, gait, speed)
    grown = LARGE.plan(large, replace(gait, since=slow * gait.since), slow * speed, step=slow * STEP)
    assert grown.landing.within == pytest.approx(slow * own.landing.within)
    for name, factor in (("place", BIG), ("there", BIG), ("missed", BIG), ("velocity", slow)):
        np.testing.assert_allclose(getattr(grown.landing, name), factor * getattr(own.landing, name), atol=1e-6)
    np.testing.assert_allclose(grown.shift, BIG * own.shift, atol=1e-6)


def test_a_body_that_tips_over_is_expected_to_fall_that_way():
    """It steps further in the direction of its spin; the more, the larger the share."""
    still = SCENE.seen._replace(velocity=np.array([0.4, 0.0, 0.0]))
    tips = still._replace(spin=np.array([0.15, 0.0]))
    aloft = replace(SCENE.gait, phase=0.5, since=0.25, lift=SCENE.lift)
    without = Scenery(BODY, settings=PendulumSettings(spin=0.0))
    plain, spun = (SCENE.plan(seen, aloft, 0.4).landing for seen in (still, tips))
    assert spun.velocity[0] > plain.velocity[0] + 0.05
    assert spun.place[0] > plain.place[0] + 0.02
    np.testing.assert_array_equal(without.plan(tips, aloft, 0.4).place, without.plan(still, aloft, 0.4).place)


def test_a_foot_that_is_long_overdue_goes_straight_down():
    seen, gait, _ = moving(1)
    late = replace(gait, phase=1.0, overdue=0.2, lift=SCENE.lift, since=0.7)
    plan = SCENE.plan(seen, late, 1.0)
    foot = seen.pressed[gait.swing, :2]
    assert np.linalg.norm(plan.place - foot) < 0.04 * SCENE.walker.legs.length


def test_on_stairs_a_foot_is_set_where_it_has_room():
    """For any command, and any distance of the foot from the first edge."""
    stairs = Scenery(BODY, "stairs:0.12:0.3:6")
    aloft = replace(stairs.gait, phase=0.5, since=0.25, lift=stairs.lift)
    moved = 0
    for x in np.linspace(0.0, 0.4, 9):
        for speed in (0.4, 0.8):
            way = np.array([x, 0.0, 0.0])
            seen = carried(stairs.seen, 0.0, way)._replace(velocity=np.array([speed, 0.0, 0.0]))
            plan, level = stairs.plan(seen, aloft, speed), SCENE.plan(seen, aloft, speed)
            at = round((plan.landing.place[0] - plan.ground.begin) / 0.025)
            assert plan.ground.free[at]
            moved += abs(plan.place[0] - level.place[0]) > 0.01
    assert moved > 4


def drifted(settings, aside):
    """A walk at 0.8 m/s that has drifted to the left at some m/s."""
    intent = WalkIntent(0.0, 0.8, settings)
    for k in range(6):
        intent.note_strike(0.5 * k, np.array([0.4 * k, 0.5 * aside * k, 0.0]))
    return intent


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("ankle", [0.0, 1.0])
def test_who_drifts_aside_is_pushed_back_by_the_ankle_and_without_it_by_feet_set_further_that_way(ankle, side):
    aloft = replace(SCENE.gait, phase=0.5, since=0.25, lift=SCENE.lift)
    seen = SCENE.seen._replace(velocity=np.array([0.8, 0.0, 0.0]))
    stepping = SCENE.stepping._replace(settings=replace(PLAIN, ankle=ankle))
    drift, none = (stepping.plan(seen, aloft, drifted(PLAIN, a), STEP) for a in (0.1 * side, 0.0))
    moved = drift.shift - none.shift if ankle else drift.landing.place - none.landing.place
    assert side * moved[1] > 0.002
    assert drift.landing.place[0] == pytest.approx(none.landing.place[0], abs=1e-9)


def landings(terrain, habit):
    """Landing places, times and misses (K, 4) along a terrain, with a learned share of speed error."""
    aloft = replace(SCENE.gait, phase=0.5, since=0.25, lift=SCENE.lift)
    scene = Scenery(BODY, terrain, PLAIN)
    intent = WalkIntent(0.0, 0.0, scene.stepping.settings)
    intent.steer(None, 0.6)
    for _ in range(100):
        intent.advance(STEP, 0.0, 0.0, 0.0, True)
    intent._correction.learned[0, 0] = habit
    intent.adjust(None, 0.5)
    found = []
    for x in np.linspace(0.0, 0.4, 5):
        seen = carried(scene.seen, 0.0, np.array([x, 0.0, 0.0]))._replace(velocity=np.array([0.6, 0.0, 0.0]))
        plan = scene.stepping.plan(seen, aloft, intent, STEP)
        found.append([*plan.place, plan.landing.within, plan.landing.missed])
    return np.array(found)


@pytest.mark.parametrize(
    ("terrain", "share"),
    [("flat", 1.0), ("stairs:0.12:0.3:6", EDGE_CORRECTION), ("stairs:-0.12:0.3:6", EDGE_CORRECTION)],
)
def test_among_edges_a_share_of_what_is_usually_lacked_counts(monkeypatch, terrain, share):
    usual, never = landings(terrain, 0.4), landings(terrain, 0.0)
    monkeypatch.setattr("poise.control.pendulum.step_plan.EDGE_CORRECTION", 1.0)
    np.testing.assert_allclose(usual, landings(terrain, 0.4 * share), atol=1e-9)
    assert np.abs(usual - never).max() > 1e-3


def test_the_landing_is_planned_for_the_due_time_if_nothing_hinders():
    """The due time is one of the times to compare, so that the aim of a steady step does not jump between them."""
    for phase in np.linspace(0.3, 0.8, 7):
        gait = replace(SCENE.gait, lift=SCENE.lift, phase=phase, since=phase * SCENE.walk.duration)
        due = (1.0 - phase) * SCENE.walk.duration
        times = SCENE.stepping._landing_times(gait, due, SCENE.walk.duration, False)
        assert due in times
        assert np.all(np.diff(times) > 0)


@pytest.mark.parametrize("phase", [0.3, 0.6])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_body_that_moves_as_in_the_reference_is_expected_to_land_as_there(phase, share):
    """Its step is as long as the reference's, at its speed or a share of it; one that moves faster steps further."""
    walk = ReferenceWalk(named_motion("walk", BODY), BODY, SCENE.walker.legs)
    planner = StepPlanner(SCENE.walker, walk, PendulumSettings(spin=0.0))
    style, speed = walk.step_style(0, 0.0), share * walk.speed
    moment, long = style.at(phase), speed * walk.duration
    lift = replace(SCENE.gait, style=style, phase=phase, since=phase * walk.duration, lift=SCENE.lift)
    under = SCENE.seen.pressed[0]
    sway = 0.25 * walk.width  # m aside

    def plan(faster):
        com = under + [moment.lead * long, -sway, SCENE.seen.com[2] - under[2]]
        seen = SCENE.seen._replace(com=com, velocity=np.array([moment.pace * speed + faster, 0.0, 0.0]))
        return planner.plan(seen, lift, WalkIntent(0.0, speed, planner.settings), STEP)

    assert plan(0.0).landing.place[0] == pytest.approx(long, abs=0.03)
    assert plan(0.3).landing.place[0] > long + 0.05
