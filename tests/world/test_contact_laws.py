import math

import mujoco
import numpy as np
import pytest

from gripping import apart
from poise import Actuation, Body, Motors, Scene, World, WorldSettings, named_controller, perform
from poise.library.motions import stand_motion
from poise.measure.joint_limits import JointLimits
from poise.measure.replay import Replay
from poise.world.props import Ball, Bar, Barbell, Box
from poise.world.recorder import Recorder
from poise.world.terrain_kinds import Slope


def block(degrees: float, mu: float, sides: int, speed: float = 0.0) -> World:
    """A box on a slope that falls along +x, moving downhill."""
    angle = math.radians(degrees)
    scene = Scene((), Slope(-degrees), (Box(size=(0.4, 0.4, 0.4)),), friction=mu)
    world = World(scene, WorldSettings(sides=sides))
    pose = [0.2 * math.sin(angle), 0, 0.2 * math.cos(angle), math.cos(angle / 2), 0, math.sin(angle / 2), 0]
    velocity = np.array([speed * math.cos(angle), 0, -speed * math.sin(angle), 0, 0, 0])
    world.reset(np.array(pose), velocity)
    return world


def distance_after(world: World, seconds: float) -> float:
    first = world.qpos[:3].copy()
    for _ in range(round(seconds / world.settings.step)):
        world.step()
    return float(np.linalg.norm(world.qpos[:3] - first))


@pytest.mark.parametrize("sides", [4, 6, 8])
def test_a_block_sticks_below_and_slides_above_the_angle_of_friction(sides):
    mu = 0.5
    critical = math.degrees(math.atan(mu))
    assert distance_after(block(critical - 0.3, mu, sides), 2.0) < 1e-6
    angle = math.radians(critical + 0.6)
    expected = 0.5 * 9.81 * (math.sin(angle) - mu * math.cos(angle)) * 2.0**2
    assert distance_after(block(critical + 0.6, mu, sides), 2.0) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_fast_shoulders_stop_at_their_limits_neither_before_nor_beyond(seed):
    body = Body.named("human37")
    world = World(Scene((body,), gravity=0.0, self_contact=False))
    arms = [dof for side in ("left", "right") for dof in body.index(f"{side}_shoulder")]
    velocity = np.zeros(body.nv)
    velocity[arms] = 15 * np.random.default_rng(seed).standard_normal(len(arms))
    pose = world.qpos.copy()
    pose[2] += 5
    world.reset(pose, velocity)
    recorder = Recorder(world, with_reference=False)
    for _ in range(60):
        recorder.add(world.step())
    recording = recorder.finish({"step": world.settings.step, "body": "human37", "torque_limits": [None] * body.nv})
    limits = JointLimits.of(recording)
    assert (np.abs(recording.limit_impulse) > 0).any()
    assert np.degrees(limits.excess).max() < 0.2
    assert np.degrees(limits.distance_of_impulses(recording.limit_impulse)).max() < 0.2


@pytest.mark.parametrize("sides", [4, 6, 8])
@pytest.mark.parametrize("degrees", [0.0, 10.0])
def test_a_sliding_block_stops_after_the_analytic_distance(sides, degrees):
    mu, speed, angle = 0.5, 5.0, math.radians(degrees)
    braking = 9.81 * (mu * math.cos(angle) - math.sin(angle))
    distance = distance_after(block(degrees, mu, sides, speed), speed / braking + 0.5)
    assert distance == pytest.approx(speed**2 / (2 * braking), rel=0.01)


def test_a_stack_of_five_boxes_rests():
    boxes = tuple(Box(f"box{i}", (0.3, 0.3, 0.3), 5.0, (0, 0, 0.15 + 0.3 * i)) for i in range(5))
    world = World(Scene((), props=boxes))
    first = world.qpos.copy()
    for _ in range(1200):
        result = world.step()
        assert result.solution.ok
    assert np.abs(world.qpos - first).max() < 1e-4


def test_a_standing_body_neither_slips_nor_sinks():
    body = Body.named("biped29")
    world = World(Scene.of(body))
    result = perform(world, named_controller("hold"), stand_motion(body), seconds=60)
    recording = result.recording
    replay = Replay.of(recording)
    assert replay.depth.max() < 1e-3
    assert recording.meta["solver"]["approximate"] == 0
    assert len(recording.contact_step) == 8 * recording.steps
    foot = recording.model.body("left_foot").id
    assert np.abs(replay.xpos[240:, foot] - replay.xpos[240, foot]).max() < 1e-4  # after two seconds of settling
    assert np.abs(replay.xpos[:, foot] - replay.xpos[0, foot]).max() < 1e-3


def test_a_hang_on_two_grips_swings_like_the_physical_pendulum():
    body = Body.named("biped29").with_torque_limits(np.full(29, np.inf))
    scene = Scene((body,), props=(Bar(height=3.0),))
    world = World(scene)
    pose = body.qpos_from({"left_shoulder": (0.0, -2.6, 0.0), "right_shoulder": (0.0, -2.6, 0.0)})
    pose[2] = 2.0
    world.reset(pose, np.zeros(body.nv))
    data = world.terms.data
    hands = [data.body(hand.link).xpos + data.body(hand.link).xmat.reshape(3, 3) @ hand.point for hand in body.hands]
    # Turn the whole body about the bar until its centre of mass hangs 4 degrees off the vertical below the hands.
    pivot = np.mean(hands, axis=0)
    arm = data.subtree_com[1] - pivot
    turn = math.atan2(arm[0], -arm[2]) - math.radians(4)
    quat = np.array([math.cos(turn / 2), 0, math.sin(turn / 2), 0])
    rotated = np.zeros(3)
    mujoco.mju_rotVecQuat(rotated, pose[:3] - pivot, quat)
    pose[:3] = rotated + np.array([0, pivot[1], 3.0])
    mujoco.mju_mulQuat(pose[3:7], quat, pose[3:7].copy())
    world.reset(pose, np.zeros(body.nv))
    for hand in body.hands:
        place = data.body(hand.link).xpos + data.body(hand.link).xmat.reshape(3, 3) @ hand.point
        world.grip(hand.link, place, "bar")
    com = data.subtree_com[1].copy()
    length = math.hypot(com[0] - 0.0, com[2] - 3.0)
    inertia = body_inertia_about_y(world) + body.mass * length**2
    expected = 2 * math.pi * math.sqrt(inertia / (body.mass * 9.81 * length)) * (1 + math.radians(4) ** 2 / 16)
    swing = []
    stiff = np.full(body.nv, 1e6)
    stiff[:6] = 0
    error = np.zeros(body.nv)
    for _ in range(round(3 * expected * 120)):
        mujoco.mj_differentiatePos(world.model, error, 1.0, world.qpos, pose)
        world.step(Actuation(motors=Motors.spring_damper(error, np.zeros(body.nv), stiff, 0.01 * stiff, 1 / 120)))
        swing.append(data.subtree_com[1, 0])
    swing = np.array(swing)
    crossings = [k + swing[k] / (swing[k] - swing[k + 1]) for k in range(len(swing) - 1) if swing[k] * swing[k + 1] < 0]
    period = 2 * np.mean(np.diff(crossings)) / 120
    assert period == pytest.approx(expected, rel=0.01)
    for hand in world.grips:
        assert apart(world, hand) < 1e-3


def body_inertia_about_y(world: World) -> float:
    """Moment of inertia of the whole body about the lateral axis through its centre of mass."""
    data, model = world.terms.data, world.model
    total = 0.0
    for b in range(1, model.nbody):
        if model.body_rootid[b] == 1:
            turn = data.ximat[b].reshape(3, 3)
            about = turn @ np.diag(model.body_inertia[b]) @ turn.T
            lever = data.xipos[b] - data.subtree_com[1]
            total += about[1, 1] + model.body_mass[b] * (lever[0] ** 2 + lever[2] ** 2)
    return total


def test_releasing_a_grip_lets_go():
    body = Body.named("biped29")
    world = World(Scene((body,), props=(Bar(height=1.4, x=0.07),)))
    pose = np.array(body.standing)
    pose[2] += 0.5
    world.reset(pose, np.zeros(body.nv))
    grip = world.grip("left_hand", world.terms.data.body("left_hand").xpos.copy(), "bar")
    for _ in range(30):
        result = world.step()
    assert np.linalg.norm(result.grip_impulse) > 0
    world.release(grip)
    speed = world.qvel[2]
    world.step()
    assert world.grips == ()
    assert world.qvel[2] < speed


@pytest.mark.parametrize("prop", [Ball(at=(0, 0, 0.15)), Barbell(at=(0, 0, 0.2))])
def test_what_rolls_neither_sinks_nor_hops(prop):
    """The lowest point of a rolling ball is another at every moment: its own path is not that of the gap."""
    world = World(Scene((), props=(prop,)))
    height = world.qpos[2]
    world.reset(world.qpos.copy(), np.array([3.0, 0, 0, 0, 3.0 / height, 0]))
    for _ in range(240):
        world.step()
        assert abs(world.qpos[2] - height) < 1e-5
    assert world.qvel[0] == pytest.approx(3.0, rel=1e-6)


def test_a_ball_rolls_down_a_slope_as_in_the_book():
    """A solid ball that rolls accelerates with 5/7 of g sin(angle)."""
    angle = math.radians(10)
    world = World(Scene((), Slope(-10), (Ball(radius=0.1),)))
    pose = np.array([0.1 * math.sin(angle), 0, 0.1 * math.cos(angle), 1, 0, 0, 0])
    world.reset(pose, np.zeros(6))
    for _ in range(120):
        world.step()
    speed = np.linalg.norm(world.qvel[:3])
    assert speed == pytest.approx(5 / 7 * 9.81 * math.sin(angle), rel=1e-3)
    assert abs(world.contacts.gap.min()) < 1e-6


def test_a_ball_that_lands_spinning_does_not_sink():
    """The point between two surfaces is not on either: the gap's half must count in the path of the surface."""
    world = World(Scene((), props=(Ball(at=(0, 0, 1.0)),)))
    world.reset(world.qpos.copy(), np.array([0, 0, -6.0, 0, 60.0, 0]))
    deepest = 0.0
    for _ in range(60):
        world.step()
        deepest = min(deepest, world.contacts.gap.min(initial=0.0))
    assert deepest > -1e-4


def test_a_small_overlap_does_not_throw_at_small_steps():
    world = World(Scene((), props=(Box(size=(0.2, 0.2, 0.2), at=(0, 0, 0.099)),)), WorldSettings(step=1e-4))
    highest = 0.0
    for _ in range(3000):
        world.step()
        highest = max(highest, world.qpos[2])
    assert highest < 0.1005


def test_a_shoulder_that_turns_through_half_a_turn_is_not_kicked():
    """The rotation vector of a turn beyond pi flips its sign; its limits must not."""
    body = Body.named("human37")
    world = World(Scene((body,), gravity=0.0))
    axis = np.array([2.0, -2.3, 0.4])
    axis /= np.linalg.norm(axis)
    pose = body.qpos_from({"left_shoulder": 3.10 * axis})
    pose[2] += 5
    velocity = np.zeros(body.nv)
    velocity[list(body.index("left_shoulder"))] = 6 * axis
    world.reset(pose, velocity)
    energy = 0.5 * velocity @ world.terms.mass @ velocity
    for _ in range(10):
        world.step()
        assert 0.5 * world.qvel @ world.terms.mass @ world.qvel < 1.2 * energy


@pytest.mark.parametrize("sides", [4, 6, 8])
@pytest.mark.parametrize("degrees", [0.0, 20.0, 45.0])
def test_friction_holds_a_push_from_any_side(sides, degrees):
    """The polygon's vertices must not show: 0.97 of the friction holds, 1.05 of it does not."""
    mu, mass, angle = 0.5, 10.0, math.radians(degrees)
    for share, expected in ((0.97, 0.0), (1.05, 0.5 * 0.05 * mu * 9.81 * 2.0**2)):
        world = World(Scene((), props=(Box(mass=mass),), friction=mu), WorldSettings(sides=sides))
        first = world.qpos[:2].copy()
        push = np.zeros(6)
        push[:2] = share * mu * mass * 9.81 * np.array([math.cos(angle), math.sin(angle)])
        for _ in range(240):
            world.step(external=push)
        assert np.linalg.norm(world.qpos[:2] - first) == pytest.approx(expected, rel=0.01, abs=1e-5)
