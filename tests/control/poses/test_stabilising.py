"""What holds the root up, when, and that it is declared."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.poses.poses import Poses, PosesSettings
from poise.control.poses.rig import TimeSpan
from poise.errors import PoiseError
from poise.reference.key_poses import KeyPoses, PoseKeys, standing_coordinates
from poise.world.props import Ball, Box
from poise.world.scene import Scene
from poise.world.world import World

STEP = 1 / 120


def staged(controller, rise=0.0, roll=0.0, name="human37", props=()):
    """A world with a body that stands, held so much above the ground and rolled by so many degrees."""
    body = Body.named(name)
    world = World(Scene((body,), props=props))
    nothing = PoseKeys(np.zeros(1), np.array([6]), standing_coordinates(body)[6:7])
    reference = KeyPoses(body, "stand", nothing, standing_coordinates(body), np.zeros(body.nv), 10.0)
    qpos = np.array(world.model.qpos0)
    qpos[: body.nq] = body.standing
    qpos[2] += rise
    qpos[3:7] = np.cos(np.radians(roll) / 2), np.sin(np.radians(roll) / 2), 0.0, 0.0
    world.reset(qpos, np.zeros(world.model.nv))
    controller.reset(world, reference)
    return world


def brace_of(controller, world):
    """The gains (nv,) of what holds the root; zeros if nothing does."""
    brace = controller.act(world.state).brace
    return np.zeros(world.model.nv) if brace is None else brace.gain


def test_a_root_on_its_feet_is_held_in_its_orientation_only():
    controller = Poses()
    gain = brace_of(controller, staged(controller))
    assert np.all(gain[3:6] > 0)
    assert np.all(gain[:3] == 0)
    assert np.all(gain[6:] == 0)


def test_nobody_is_held_in_the_air():
    controller = Poses()
    assert not brace_of(controller, staged(controller, rise=0.3)).any()


def standing_on(thing, top, *below):
    """The brace of someone who stands on a thing that is so high, with others below it."""
    controller = Poses()
    world = staged(controller, rise=top, props=(thing, *below))
    contacts = world.state.contacts
    pairs = np.stack([contacts.body, contacts.other])[:, contacts.touching]
    ids = {world.scene.link_id(name) for name in (thing.name, "left_foot")}
    assert any(set(pair) == ids for pair in pairs.T.tolist())
    return brace_of(controller, world)


def test_a_box_on_the_ground_can_be_stood_on():
    assert standing_on(Box("block", (1.0, 1.0, 0.2), 500.0, (0.0, 0.0, 0.1)), 0.2)[3:6].all()


def test_a_box_on_a_box_can_be_stood_on():
    lower = Box("lower", (1.0, 1.0, 0.3), 500.0, (0.0, 0.0, 0.15))
    assert standing_on(Box("block", (1.0, 1.0, 0.2), 500.0, (0.0, 0.0, 0.4)), 0.5, lower)[3:6].all()


@pytest.mark.parametrize(
    "thing",
    [Box("block", (1.0, 1.0, 0.2), 500.0, (0.0, 0.0, 0.4)), Ball("ball", 0.1, 3.0, (0.04, 0.132, 0.4))],
)
def test_nobody_is_held_by_what_is_in_the_air_too(thing):
    assert not standing_on(thing, 0.5).any()


def test_feet_that_touch_each_other_do_not_stand():
    controller = Poses()
    world = staged(controller)
    contacts = world.state.contacts
    other = np.full_like(contacts.other, world.scene.link_id("left_foot"))
    state = world.state._replace(contacts=contacts._replace(other=other))
    assert controller.act(world.state).brace is not None
    assert controller.act(state).brace is None


@pytest.mark.parametrize(("roll", "held"), [(55.0, True), (65.0, False), (180.0, False)])
def test_who_has_fallen_is_not_lifted(roll, held):
    controller = Poses(PosesSettings(let_go=60.0))
    world = staged(controller)
    data = np.array(world.qpos)
    data[3:7] = np.cos(np.radians(roll) / 2), np.sin(np.radians(roll) / 2), 0.0, 0.0
    state = world.state._replace(qpos=data)  # turned, with the contacts of one that stands on its feet
    assert (controller.act(state).brace is not None) is held


def test_lying_on_something_else_than_feet_is_not_standing():
    controller = Poses(PosesSettings(let_go=200.0))
    world = staged(controller, roll=90.0, rise=-0.75)
    assert world.state.contacts.touching.any()
    assert not brace_of(controller, world).any()


def test_it_acts_while_the_script_says_so():
    controller = Poses(stabilised=[TimeSpan(0.0, 0.1), TimeSpan(0.2, 0.3)])
    world = staged(controller)
    held = []
    for _ in range(48):
        held.append(controller.act(world.state).brace is not None)
        world.step(controller.act(world.state))
    times = STEP * np.arange(48)
    expected = ((times < 0.1 - 1e-6) | (times > 0.2 - 1e-6)) & (times < 0.3 - 1e-6)
    np.testing.assert_array_equal(held, expected)


def test_none_is_asked_for_by_nothing():
    controller = Poses(PosesSettings(stabilise=0.0))
    assert not brace_of(controller, staged(controller)).any()


def test_what_it_does_is_declared():
    controller = Poses()
    world = staged(controller, roll=4.0, rise=0.01)
    largest = 0.0
    for _ in range(60):
        result = world.step(controller.act(world.state))
        assert np.all(result.external[:3] == 0)
        assert np.all(result.external[6:] == 0)
        largest = max(largest, np.abs(result.external[3:6]).max())
    assert largest > 1.0


def test_joint_torques_keep_their_limits():
    body = Body.named("human37")
    controller = Poses(PosesSettings(stiffness=100.0))
    world = staged(controller, roll=20.0)
    for _ in range(30):
        result = world.step(controller.act(world.state))
        assert np.all(np.abs(result.torque[6:]) <= body.torque_limit[6:] + 1e-6)


def test_a_stronger_stabiliser_has_larger_gains():
    weak, strong = Poses(), Poses(PosesSettings(stabilise=2.0))
    ratio = brace_of(strong, staged(strong))[3:6] / brace_of(weak, staged(weak))[3:6]
    np.testing.assert_allclose(ratio, 2.0)


@pytest.mark.parametrize("change", [{"reach": 0.0}, {"rate": 0.0}, {"stiffness": -1.0}, {"damping": float("nan")}])
def test_settings_must_make_sense(change):
    with pytest.raises(PoiseError, match=next(iter(change))):
        PosesSettings(**change)
